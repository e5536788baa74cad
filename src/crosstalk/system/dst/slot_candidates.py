"""Which values a slot of the query form may hold after the user's turn, and where each comes from.

`FormCandidateMaker` lists the edits of one turn: keep, clear, set, append, near this place, the
name of that one. They reach 96 of 100 forms that wizards typed. `widened` lists numbers that
wizards widen so that a place fits (`100-150元` becomes `60-150元` for 64), which covers nine of ten
values that wizards changed by themselves on CrossWOZ val. `SeenValue` keeps a candidate after the
turn that brought it up: often only later turns show what a wizard typed three turns ago.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Band, Domain, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds, say_band
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.rule_tracker import appended


class CandidateSource(StrEnum):
    """Where a candidate comes from; one value may have several sources."""

    KEEP = "keep"
    CLEAR = "clear"
    SET = "set"
    SET_SORTED = "set in act order"
    APPEND = "append"
    ASKED = "asked for"
    ASKED_APPEND = "append asked for"
    SET_AND_ASKED = "set with asked for"
    NEAR_SAID = "near said"
    NEAR_FORM = "near form"
    NEAR_LAST = "near last"
    NEAR_LAST_BY_USER = "near last by user"
    NEAR_SELECTED = "near selected"
    NEAR_OFFERED = "near offered"
    NAME_LAST = "name last"
    NAME_SELECTED = "name selected"
    NAME_LAST_BY_USER = "name last by user"
    REWORDED = "reworded"
    UNRELAXED = "unrelaxed"
    RELAXED = "relaxed"
    END_LAST = "end last"
    DOUBTED = "doubted"
    WIDENED_OPEN = "an end opened"
    WIDENED_EXACT = "widened to the number found"
    WIDENED_TENS = "widened to tens"
    WIDENED_FIFTIES = "widened to fifties"
    WIDENED_HUNDREDS = "widened to hundreds"
    WIDENED_LEAST = "widened to next to nothing"
    NAME_NEARBY = "name from nearby list"


Rewordings = Mapping[tuple[str, str, str], tuple[str, ...]]
"""(domain, slot, value said) -> how wizards type it instead: `不免费` becomes `1元以上`."""

Candidates = dict[SlotValue, set[CandidateSource]]
"""The candidate values of one slot, with their sources."""


class FormCandidateMaker:
    """Lists the candidates of one turn, slot by slot."""

    def __init__(
        self, discourse: Discourse, heard: UserActs, separator: str, rewordings: Rewordings
    ) -> None:
        self._discourse = discourse
        self._heard = heard
        self._separator = separator
        self._rewordings = rewordings

    def candidates(self, form: SystemState, domain: Domain, slot: Slot) -> Candidates:
        before = form.get(domain.key).get(slot.key)
        found: Candidates = {before: {CandidateSource.KEEP}}
        found.setdefault("", set()).add(CandidateSource.CLEAR)
        for source, value in self._edits(form, domain, slot, before):
            if value:
                found.setdefault(value, set()).add(source)
        return found

    def _edits(
        self, form: SystemState, domain: Domain, slot: Slot, before: SlotValue
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        said = self._heard.informed.get((domain.key, slot.key), [])
        match slot.kind:
            case SlotKind.LIST | SlotKind.SERVICES:
                yield from self._terms(domain, slot, said, before)
            case SlotKind.NEARBY:
                yield from self._near(form, domain, slot, said)
            case SlotKind.NAME:
                yield from self._names(domain, said)
            case _:
                yield from ((CandidateSource.SET, value) for value in said)
        for value in said:
            for typed in self._rewordings.get((domain.key, slot.key, value), ()):
                yield CandidateSource.REWORDED, typed
        if self._discourse.first_form:
            yield (
                CandidateSource.UNRELAXED,
                self._discourse.first_form.get(domain.key).get(slot.key),
            )

    def _terms(
        self, domain: Domain, slot: Slot, said: list[str], before: SlotValue
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        spoken = tuple(self._heard.spoken(said))
        if spoken:
            yield CandidateSource.SET, self._join("", spoken)
            yield CandidateSource.SET_SORTED, self._join("", tuple(said))
            yield CandidateSource.APPEND, self._join(before, spoken)
        asked = tuple(self._heard.spoken(self._heard.asked_services[domain.key]))
        if asked and slot.kind is SlotKind.SERVICES:
            yield CandidateSource.ASKED, self._join("", asked)
            yield CandidateSource.ASKED_APPEND, self._join(before, asked)
            yield (
                CandidateSource.SET_AND_ASKED,
                self._join("", tuple(self._heard.spoken(said + list(asked)))),
            )

    def _join(self, before: SlotValue, terms: tuple[str, ...]) -> SlotValue:
        return appended(before, terms, self._separator)

    def _near(
        self, form: SystemState, domain: Domain, slot: Slot, said: list[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        other = slot.target
        if not said and self._heard.near.get(domain.key) != other:
            return
        discourse, name = self._discourse, self._discourse.names.get(other, "")
        yield from ((CandidateSource.SET, value) for value in said)
        yield from (
            (CandidateSource.NEAR_SAID, value)
            for value in self._heard.informed.get((other, name), [])
        )
        yield CandidateSource.NEAR_FORM, form.get(other).get(name)
        yield CandidateSource.NEAR_LAST, discourse.last.get(other, "")
        yield CandidateSource.NEAR_LAST_BY_USER, discourse.last_by_user.get(other, "")
        ticked = discourse.selected.get(other, ())
        if len(ticked) == 1:
            yield CandidateSource.NEAR_SELECTED, ticked[0]
        for value in (*ticked[:3], *discourse.offered.get(other, [])[:3]):
            yield CandidateSource.NEAR_OFFERED, value

    def _names(
        self, domain: Domain, said: list[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        yield from ((CandidateSource.SET, value) for value in said)
        discourse, key = self._discourse, domain.key
        answered = {act.domain for act in discourse.system_acts}
        if not (
            said
            or discourse.focus(self._heard) == key
            or key in self._heard.asked
            or key in answered
        ):
            return
        yield CandidateSource.NAME_LAST, discourse.last.get(key, "")
        yield CandidateSource.NAME_LAST_BY_USER, discourse.last_by_user.get(key, "")
        if len(discourse.selected.get(key, ())) == 1:
            yield CandidateSource.NAME_SELECTED, discourse.selected[key][0]


MOST_NEARBY = 6
"""Nearby places that become candidates."""


class TreeCandidateMaker(FormCandidateMaker):
    """Adds nearby places: asked about "these hotels", wizards look them up by name."""

    def _names(
        self, domain: Domain, said: list[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        yield from super()._names(domain, said)
        if domain.key in self._heard.near or self._discourse.focus(self._heard) == domain.key:
            for value in mentioned_nearby(self._discourse, domain):
                yield CandidateSource.NAME_NEARBY, value


def mentioned_nearby(discourse: Discourse, domain: Domain) -> list[str]:
    """The places of a domain that the last system turn named as being near another place."""
    slots = _nearby_slots(discourse.schema, domain.key)
    told = (
        act.value
        for act in discourse.system_acts
        if act.intent == INFORM and (act.domain, act.slot) in slots
    )
    return list(told)[:MOST_NEARBY]


def _nearby_slots(schema: Schema, target: str) -> set[tuple[str, str]]:
    return {
        (domain.key, slot.key)
        for domain in schema
        for slot in domain.of_kind(SlotKind.NEARBY)
        if slot.target == target
    }


# Numbers, widened

ROUNDING_STEPS = {
    SlotKind.NUMBER: (
        (CandidateSource.WIDENED_TENS, 10.0),
        (CandidateSource.WIDENED_FIFTIES, 50.0),
        (CandidateSource.WIDENED_HUNDREDS, 100.0),
    ),
    SlotKind.RATING: ((CandidateSource.WIDENED_TENS, 0.5), (CandidateSource.WIDENED_HUNDREDS, 1.0)),
}
LOWEST = (1.0, 10.0)
"""Lower bounds that exclude next to nothing."""


def widened(
    language: LanguagePack, domain: Domain, slot: Slot, text: str, number: float
) -> Iterator[tuple[CandidateSource, str]]:
    """Wider bounds than `text` that include `number`; none if `text` includes it already."""
    forms = forms_of(language, domain.key, slot)
    bounds = read_bounds(forms, text)
    if bounds is None or bounds.hold(number):
        return
    ways = _lowered if bounds.low is not None and number < bounds.low else _raised
    for source, wider in ways(slot, bounds, number):
        yield source, say_band(forms, Band(wider.low, wider.high))


def _lowered(slot: Slot, bounds: Bounds, number: float) -> Iterator[tuple[CandidateSource, Bounds]]:
    high = None if bounds.high == bounds.low else bounds.high
    if high is not None:
        yield CandidateSource.WIDENED_OPEN, Bounds(None, high)
    yield CandidateSource.WIDENED_EXACT, Bounds(number, high)
    for source, step in ROUNDING_STEPS[slot.kind]:
        if low := floor(number / step) * step:
            yield source, Bounds(low, high)
    if slot.kind is SlotKind.NUMBER:
        yield from (
            (CandidateSource.WIDENED_LEAST, Bounds(low, high)) for low in LOWEST if low < number
        )


def _raised(slot: Slot, bounds: Bounds, number: float) -> Iterator[tuple[CandidateSource, Bounds]]:
    if bounds.low:
        yield CandidateSource.WIDENED_OPEN, Bounds(bounds.low, None)
    yield CandidateSource.WIDENED_EXACT, Bounds(bounds.low or None, number)
    for source, step in ROUNDING_STEPS[slot.kind]:
        yield source, Bounds(bounds.low or None, ceil(number / step) * step)


# Candidates over several turns

MOST_CARRIED = 6
"""Candidates of a slot that are kept for the next turn."""


@dataclass(frozen=True, slots=True)
class SeenValue:
    """When a value came up for a slot, and how likely the slot held it after the last turn."""

    first: int
    """Exchange in which it first was a candidate."""
    last: int
    """Exchange in which it last had a source."""
    count: int
    sources: frozenset[CandidateSource]
    """Its sources in that exchange."""
    likelihood: float = 0.0


SeenValues = Mapping[SlotValue, SeenValue]
"""The candidates of one slot."""

_ALWAYS = frozenset({CandidateSource.KEEP, CandidateSource.CLEAR})
"""Sources that every turn has, so they do not count as a mention."""


def add_candidates(
    before: SeenValues, found: Candidates, exchange: int
) -> dict[SlotValue, SeenValue]:
    """The candidates known before and those of this exchange."""
    now = dict(before)
    for value, sources in found.items():
        news = frozenset(sources) - _ALWAYS
        old = before.get(value)
        if news:
            first, count = (old.first, old.count) if old else (exchange, 0)
            now[value] = SeenValue(first, exchange, count + 1, news, old.likelihood if old else 0.0)
        elif old is None:
            now[value] = SeenValue(exchange, exchange, 0, frozenset())
    return now


def with_likelihoods(
    now: SeenValues, likelihoods: Mapping[SlotValue, float]
) -> dict[SlotValue, SeenValue]:
    """The same with new likelihoods; only the `MOST_CARRIED` likeliest are kept."""
    total = sum(likelihoods.values()) or 1.0
    best = sorted(likelihoods, key=lambda value: -likelihoods[value])[:MOST_CARRIED]
    return {
        value: SeenValue(old.first, old.last, old.count, old.sources, likelihoods[value] / total)
        for value, old in now.items()
        if value in best
    }
