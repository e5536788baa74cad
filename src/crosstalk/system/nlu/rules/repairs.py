"""Repairs: what somebody says and puts right in the same breath, `at the zoo, no, at the beach`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crosstalk.language.number_forms import Bounds
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.cues import Cues
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.segments import ReadingRules
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    DOMAIN,
    KIND,
    MARKS,
    NAME,
    VALUE,
    Hit,
    Utterance,
)

CONTENT: Final = (NAME, VALUE, KIND, DOMAIN, AMOUNT)
REFERRING: Final = (NAME, KIND, DOMAIN)
NEAR: Final = "near"
ROLES: Final = {
    "to": "to",
    "from": "from",
    "near_weak": NEAR,
    "around": NEAR,
    "closer": NEAR,
    "near": NEAR,
}
"""Cue beside a place -> what the place is to the rest; of several, the last."""
COUNTED: Final = ("nights", "rooms", "persons")
SHORT: Final = 3
"""Words of a clause that says another number and nothing else."""
CLOSE: Final = 16
"""Characters between *instead of* and what it replaces."""
NEXT: Final = 2
"""Characters between a negation and what it negates, or between two cues in a row."""


@dataclass(frozen=True, slots=True)
class _Zone:
    """Words that say that what stands before them is wrong."""

    start: int
    end: int
    sure: bool = True
    """Whether they say nothing else: a *no* amid a clause corrects numbers alone."""


def repaired(rules: ReadingRules, said: Utterance, context: TurnContext) -> Utterance:
    """The utterance without what was corrected in it."""
    for cue in reversed(said.cues("instead_of")):
        said = _without_replaced(said, cue)
    for zone in _zones(said):
        said = _Repair(rules, said, context, zone).repaired()
        said = _counted_again(rules.spotter.cues, said, zone)
    return said


def _without_replaced(said: Utterance, cue: Hit) -> Utterance:
    """`At the beach instead of the zoo`: what is replaced has no part in what is wanted."""
    _, end = said.clause(cue.start)
    behind = [hit for hit in said.hits if cue.end <= hit.start < min(end, cue.end + CLOSE)]
    hit = next((each for each in behind if each.kind in CONTENT), None)
    if hit is None or hit.kind not in REFERRING:
        return said
    return _blanked(said, [(cue.start, hit.end)])


def _blanked(said: Utterance, stretches: Sequence[tuple[int, int]]) -> Utterance:
    """The utterance without some stretches of it; positions stay."""
    text = list(said.text)
    for start, end in stretches:
        text[start:end] = " " * (end - start)
    kept = [
        hit for hit in said.hits if not any(start <= hit.start < end for start, end in stretches)
    ]
    return Utterance("".join(text), kept, said.shown)


def _counted_again(cues: Cues, said: Utterance, zone: _Zone) -> Utterance:
    """`For three nights, sorry, four`: another number of the same things."""
    before = [hit for hit in said.of(AMOUNT) if hit.end <= zone.start and hit.key in COUNTED]
    start = len(said.text) - len(said.text[zone.end :].lstrip(MARKS + " "))
    words = said.text[start : said.clause(start)[1]]
    fresh = not any(hit.kind in CONTENT and hit.start >= start for hit in said.hits)
    count = cues.last_number(words) if before and fresh and len(words.split()) <= SHORT else 0
    if not count or before[-1].amount is None:
        return said
    amount = replace(before[-1].amount, bounds=Bounds(count, count))
    hits = [replace(hit, amount=amount) if hit is before[-1] else hit for hit in said.hits]
    return Utterance(said.text, hits, said.shown)


def _zones(said: Utterance) -> list[_Zone]:
    """Corrections and *no*; those in a row are one."""
    zones: list[_Zone] = []
    taken = [(cue.start, cue.end) for cue in said.cues("drop", "instead_of")]
    for cue in said.cues("correction", "no"):
        if _negates(said, cue):
            continue
        if any(start <= cue.start and cue.end <= end for start, end in taken):
            continue  # `a sauna instead of a spa` takes the spa back
        sure = _stands_alone(said, cue) if cue.key == "no" else not _is_ranking(said, cue)
        last = zones[-1] if zones else None
        if last and not said.text[last.end : cue.start].strip(MARKS + " "):
            zones[-1] = _Zone(last.start, max(cue.end, last.end), last.sure or sure)
        else:
            zones.append(_Zone(cue.start, cue.end, sure))
    return [zone for zone in zones if not _adds(said, zone)]


def _negates(said: Utterance, cue: Hit) -> bool:
    """Whether the same word negates what stands directly after it: `我要餐馆，不是酒店`."""
    behind = any(hit.kind in CONTENT and hit.start == cue.end for hit in said.hits)
    negators = [(each.start, each.end) for each in said.cues("negator")]
    return behind and (cue.start, cue.end) in negators


def _is_ranking(said: Utterance, cue: Hit) -> bool:
    """Whether the same word is a comparative: *better* may put something right or rank it."""
    return any(
        (each.start, each.end) == (cue.start, cue.end) for each in said.cues("higher", "better")
    )


def _stands_alone(said: Utterance, cue: Hit) -> bool:
    """Whether nothing but marks, another correction or a negation is beside a *no*."""
    before, after = said.text[: cue.start].rstrip(), said.text[cue.end :].lstrip()
    follows = [each for each in said.cues("correction", "negator") if each.start >= cue.end]
    beside = any(not said.text[cue.end : each.start].strip() for each in follows)
    return before[-1:] in (*MARKS, "") and (after[:1] in (*MARKS, "") or beside)


def _adds(said: Utterance, zone: _Zone) -> bool:
    """Whether something is added and nothing corrected: `sorry, and a pool`."""
    joins = said.cues("and", "too")
    after = any(not said.text[zone.end : cue.start].strip(MARKS + " ") for cue in joins)
    return after or any(0 <= zone.start - cue.end <= 1 for cue in said.cues("and"))


def _roles(
    rules: ReadingRules, said: Utterance, context: TurnContext
) -> Iterator[tuple[Hit, tuple[str, Hit]]]:
    """The places that a function word belongs to."""
    references = References(rules.schema, rules.grammar, rules.spotter, said, context)
    for key, role in ROLES.items():
        for cue in said.cues(key):
            place = references.beside(cue, after=not (rules.grammar.near_follows and role == NEAR))
            if place and place.kind in REFERRING:
                yield place, (role, cue)


class _Repair:
    """One correction in an utterance."""

    def __init__(
        self, rules: ReadingRules, said: Utterance, context: TurnContext, zone: _Zone
    ) -> None:
        self._said = said
        self._roles = dict(_roles(rules, said, context))
        kinds = CONTENT if zone.sure else (AMOUNT,)
        content = [hit for hit in said.hits if hit.kind in kinds and hit.alone]
        self._before = [hit for hit in content if hit.end <= zone.start]
        self._after = list(self._meant(zone, content))
        self._gone: set[Hit] = set()
        self._blank: list[tuple[int, int]] = []
        self._put: dict[Hit, Hit] = {}

    def _meant(self, zone: _Zone, content: Sequence[Hit]) -> Iterator[Hit]:
        """The things in the first clause after the correction that has any."""
        after = [hit for hit in content if hit.start >= zone.end]
        if not after or not self._before or self._is_negated(zone, after[0]):
            return
        asked = self._said.is_asked(after[0].start)
        if asked and not self._said.is_asked(self._before[-1].start):
            return  # a hotel with a pool. Sorry, does it have a sauna?
        _, end = self._said.clause(after[0].start)
        yield from (hit for hit in after if hit.start < end)

    def _is_negated(self, zone: _Zone, hit: Hit) -> bool:
        """Whether the correction itself is a *not* of what follows it: `不是酒店`."""
        cues = [cue for cue in self._said.cues("negator") if zone.start <= cue.start]
        return any(cue.end == zone.end and 0 <= hit.start - cue.end <= 1 for cue in cues)

    def repaired(self) -> Utterance:
        for hit in self._after:
            self._put_right(hit)
        if not (self._gone or self._put):
            return self._said
        left = _blanked(self._said, self._blank)
        hits = [self._put.get(hit, hit) for hit in left.hits if hit not in self._gone]
        return Utterance(left.text, hits, left.shown)

    def _put_right(self, hit: Hit) -> None:
        if hit.kind == AMOUNT:
            self._put_amount(hit)
        elif hit.kind == VALUE:
            self._put_value(hit)
        elif hit.kind in REFERRING and (role := self._role(hit)):
            self._put_place(hit, *role)
        elif hit.kind == NAME and (self._places() or not hit.value):
            self._put_name(hit)
        elif not self._is_title(hit):
            self._put_anchor(hit)

    def _drop(self, hit: Hit, start: int | None = None, end: int | None = None) -> None:
        self._gone.add(hit)
        self._blank.append((hit.start if start is None else start, hit.end if end is None else end))

    # Amounts

    def _put_amount(self, hit: Hit) -> None:
        """`Under 200, sorry, 300`, `three nights, no, four`."""
        amounts = [each for each in self._before if each.kind == AMOUNT]
        if not amounts or hit.amount is None:
            return
        before = amounts[-1]
        if hit.amount.unit and before.key and hit.amount.unit != before.key:
            return
        if len(amounts) == 1 and (negated := self._negation(hit)):
            self._drop(hit, negated.start)  # I mean 400, not 300
            return
        self._drop(before)
        self._put[hit] = _as_before(before, hit)

    # Values

    def _put_value(self, hit: Hit) -> None:
        values = [each for each in self._before if each.kind == VALUE and _same_slot(each, hit)]
        if not values or any(each in self._gone for each in values[-1:]):
            return
        before = values[-1]
        if self._is_refused(before, hit):
            return
        was, now = self._negation(before), self._negation(hit)
        if before.value == hit.value:
            self._take_back(before, hit, was, now)
        elif bool(was) == bool(now):
            self._drop(before, was.start if was else None)

    def _is_refused(self, before: Hit, hit: Hit) -> bool:
        """`No more duck, make it crab`: what is refused stays so, and is no typo."""
        changed = self._said.has_in(before.end, hit.start, "replace")
        behind = self._said.has_in(before.end, hit.start, "after_negator", "after_drop")
        start, _ = self._said.clause(before.start)
        return changed and (behind or self._said.has_in(start, before.start, "negator", "drop"))

    def _take_back(self, before: Hit, hit: Hit, was: Hit | None, now: Hit | None) -> None:
        """`A spa, no, not a spa, a sauna`: neither wanted nor excluded, but another one."""
        others = [e for e in self._said.hits if e.start >= hit.end and _same_slot(e, hit)]
        if was and not now:
            self._drop(before, was.start)
        elif now and not was and any(each.value != hit.value for each in others):
            self._drop(before)
            self._drop(hit, now.start)

    def _negation(self, hit: Hit) -> Hit | None:
        articles = self._said.cues("indefinite", "definite")
        starts = [hit.start, *(a.start for a in articles if 0 <= hit.start - a.end <= 1)]
        near = (
            cue
            for cue in self._said.cues("negator")
            if any(0 <= start - cue.end <= NEXT for start in starts)
        )
        return next(near, None)

    # Places

    def _role(self, hit: Hit) -> tuple[str, Hit] | None:
        """What a place is to the rest, and the word that says so."""
        return self._roles.get(hit)

    def _places(self) -> list[tuple[Hit, tuple[str, Hit]]]:
        """The places before the correction that have a role, the last first."""
        places = [hit for hit in reversed(self._before) if hit.kind in REFERRING]
        return [
            (hit, role) for hit in places if (role := self._role(hit)) and not self._is_title(hit)
        ]

    def _put_place(self, hit: Hit, role: str, cue: Hit) -> None:
        """`Near the zoo, no, near the beach`."""
        places = self._places()
        same = [(place, was) for place, (named, was) in places if named == role]
        if same:
            place, was = same[0]
            self._drop(place, min(was.start, place.start), max(was.end, place.end))
        elif places and NEAR in (role, places[0][1][0]) and hit.kind == NAME:
            self._move(hit, places[0][0], cue)  # near the zoo, or rather at the beach

    def _put_name(self, hit: Hit) -> None:
        """`To the zoo, sorry, the beach`."""
        places = self._places() or [
            (each, ("", each)) for each in reversed(self._before) if each.kind == NAME
        ]
        if places:
            self._move(hit, places[0][0])

    def _move(self, hit: Hit, place: Hit, cue: Hit | None = None) -> None:
        self._put[place] = replace(hit, start=place.start, end=place.end)
        self._drop(hit, cue.start if cue else None)

    # What is looked for

    def _put_anchor(self, hit: Hit) -> None:
        """`A hotel, no, a restaurant`; `a museum, or rather a park`."""
        anchors = [each for each in self._before if self._is_anchor(each)]
        if not anchors:
            return
        before = anchors[-1]
        was = self._negation(before)
        self._drop(before, was.start if was else None)

    def _is_anchor(self, hit: Hit) -> bool:
        kind = hit.kind in (DOMAIN, KIND) or (hit.kind == NAME and bool(hit.value))
        return kind and not self._role(hit) and not self._is_title(hit)

    def _is_title(self, word: Hit) -> bool:
        """Whether a word only says what a name beside it is: `the restaurant Golden Pleat`."""
        return word.kind == DOMAIN and any(
            min(abs(each.start - word.end), abs(word.start - each.end)) <= 1
            for each in self._said.of(NAME)
        )


def _same_slot(one: Hit, other: Hit) -> bool:
    return one.kind == other.kind and (one.domain, one.key) == (other.domain, other.key)


def _as_before(before: Hit, after: Hit) -> Hit:
    """A number that corrects another is the same limit, of the same things."""
    old, new = before.amount, after.amount
    if old is None or new is None or not new.bare:
        return after
    unit = new.unit or old.unit
    bounds, bare = new.bounds, old.bare
    if not bare:
        value = new.bounds.low
        bounds = Bounds(None, value) if old.bounds.low is None else Bounds(value, None)
    amount = replace(new, bounds=bounds, bare=bare, strict=old.strict, unit=unit)
    return replace(after, key=unit, amount=amount)
