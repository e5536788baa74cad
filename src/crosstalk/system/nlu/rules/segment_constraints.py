"""Constraints of a segment: values, amounts, prices, days, hours and nearness."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from crosstalk.dialogue.acts import (
    CONFIRM,
    DROP,
    EXCLUDE,
    INFORM,
    REQUEST,
    UNSUPPORTED,
    Act,
)
from crosstalk.dialogue.schema import EITHER, SERVICE_MARK, SlotKind
from crosstalk.language.names import Place
from crosstalk.language.number_forms import Bounds
from crosstalk.language.opening_hours import ALWAYS
from crosstalk.language.quantities import Quantity
from crosstalk.system.nlu.rules.number_slots import HIGHEST_RATING
from crosstalk.system.nlu.rules.polarity import Meant, Polarity, joined
from crosstalk.system.nlu.rules.segment_nearness import NearbyReader
from crosstalk.system.nlu.rules.segments import DAYS, NUMBER, RATING
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    KIND,
    SLOT,
    TOPIC,
    VALUE,
    Hit,
)

GLUED = re.compile(r"(\d)([^\W\d])")
"""A number and the letters that are written together with it."""
EVENING = "20"
"""The hour that is meant by *in the evening*."""


class ConstraintReader(NearbyReader):
    """Reads what is wanted, excluded, or asked of a place."""

    def _wishes(self, subject: Place | None, compares: bool) -> Iterator[Act]:
        if compares:
            return
        yield from self._value_acts(subject)
        yield from self._amount_acts(subject)
        yield from self._price_acts(subject)
        yield from self._near_acts(subject)
        yield from self._day_acts(subject)
        yield from self._dropped_slots()

    def _value_acts(self, subject: Place | None) -> Iterator[Act]:
        meant: dict[tuple[str, str, str], Meant] = {}  # of a value said twice, the last counts
        for hit in (*self._of(VALUE), *self._kinds()):
            if hit in self._reading.used or (hit.domain != self.key and self._clashes(hit)):
                continue
            if subject and self._is_anchor(hit):
                continue  # when does the noodle shop close?
            if self._is_besides(hit):
                continue
            acts = list(self._value_act(hit, subject))
            key = hit.domain, hit.key, hit.value
            if key not in meant or not self._stays_excluded(meant[key][1], acts, hit):
                meant[key] = hit, acts
        yield from joined(self._said, list(meant.values()))

    def _kinds(self) -> Iterator[Hit]:
        """Kinds of places; of several that one word may mean, any is wanted and none excluded."""
        wanted: dict[tuple[int, int, str], Hit] = {}
        for hit in self._of(KIND):
            span = hit.start, hit.end, hit.domain
            if self._polarity.of(hit) is not Polarity.WANTED:
                yield hit
            elif span in wanted:
                called = wanted[span].value + EITHER + self._called(hit)
                wanted[span] = replace(hit, value=called)
            else:
                wanted[span] = replace(hit, value=self._called(hit))
        yield from wanted.values()

    def _called(self, hit: Hit) -> str:
        """The word for a kind; all names that have it where one place is called just so."""
        names = [name for _, name in self._rules.spotter.kinds[hit.domain, hit.value]]
        return EITHER.join(names) if hit.value in names else hit.value

    def _stays_excluded(self, before: Sequence[Act], now: Sequence[Act], hit: Hit) -> bool:
        """`I am allergic to fish, somewhere that has no fish`: what was excluded stays so."""
        turned = any(act.intent == EXCLUDE for act in before) and any(
            act.intent == INFORM for act in now
        )
        wanted = any(0 <= hit.start - cue.end <= 1 for cue in self._said.cues("with"))
        return turned and not wanted and not self._has("correction")

    def _is_anchor(self, hit: Hit) -> bool:
        """Whether a value is said by the same word as the domain: `面馆`."""
        anchor = self._segment.anchor
        return anchor is not None and (hit.start, hit.end) == (anchor.start, anchor.end)

    def _clashes(self, hit: Hit) -> bool:
        """Whether the same words mean something in the current domain, or another was named."""
        return self._segment.anchor is not None or any(
            (o.start, o.end) == (hit.start, hit.end) and o.domain == self.key
            for o in self._of(VALUE)
        )

    def _value_act(self, hit: Hit, subject: Place | None) -> Iterator[Act]:
        domain = self._rules.schema.domain(hit.domain)
        slot = domain.slot(hit.key) if domain else None
        if domain is None or slot is None:
            return
        services = slot.kind is SlotKind.SERVICES
        if services and self._is_asked_elsewhere(hit):
            words = self._said.text[hit.start : hit.end]
            yield Act(UNSUPPORTED, self._context.place_domain, slot.key, words)
            return
        term = f"{slot.key}{SERVICE_MARK}{hit.value}"
        polarity = self._polarity.of(hit)
        if (
            subject
            and subject[0] == domain.key
            and hit.kind == VALUE
            and polarity is not Polarity.DROPPED
            and not (polarity is Polarity.EXCLUDED and self._is_wished(hit))
            and not self._is_lacking(hit)
            and not (slot.kind is SlotKind.LIST and self._says_replace(hit))
        ):
            yield (
                Act(REQUEST, domain.key, term, "")
                if services
                else Act(CONFIRM, domain.key, slot.key, hit.value)
            )
        elif services and polarity is Polarity.EXCLUDED and self._is_wished(hit):
            yield Act(DROP, domain.key, slot.key, hit.value)  # and without parking?
        elif polarity is Polarity.EXCLUDED or self._is_refused(hit, polarity, services):
            yield Act(EXCLUDE, domain.key, slot.key, hit.value)
        elif polarity is Polarity.DROPPED:
            yield Act(DROP, domain.key, slot.key, hit.value)
        elif services:
            yield Act(INFORM, domain.key, term, self._rules.pack.yes)
        elif slot.kind is SlotKind.LIST and self._replaces(hit):
            yield Act(DROP, domain.key, slot.key, "")
            yield Act(INFORM, domain.key, slot.key, hit.value)
        else:
            yield Act(INFORM, domain.key, slot.key, hit.value)

    def _is_lacking(self, hit: Hit) -> bool:
        """`And without wifi?`: a place is searched for that lacks it, if none is pointed at."""
        before = self._said.text[: hit.start]
        lacks = self._rules.spotter.cues.ends_with("lacking", before)
        return lacks and not (self._names or self._has("they", "here"))

    def _is_asked_elsewhere(self, hit: Hit) -> bool:
        """Whether a service that any place may have is asked of one whose tables have none."""
        focus = self._context.place_domain
        known = focus != hit.domain and bool(self._context.last.get(focus))
        pointed = self._has("they", "here") and not (self._segment.anchor or self._names)
        words = self._said.text[hit.start : hit.end]
        common = self._rules.spotter.cues.says("common_service", words)
        return known and pointed and common and self._is_question()

    def _replaces(self, hit: Hit) -> bool:
        """`Make it lamb instead`: what was wanted before no longer matters."""
        wished = self._context.wants(hit.domain, hit.key)
        return wished and self._says_replace(hit)

    def _says_replace(self, hit: Hit) -> bool:
        start, end = self._said.clause(hit.start)
        return self._said.has_in(start, end, "replace") or self._tries_another()

    def _tries_another(self) -> bool:
        """`And ramen?`, if nothing was found for what was wished before."""
        elliptic = self._said.is_asked(self._segment.start) and not self._segment.anchor
        if not elliptic or self._names or self._has("they", "opener"):
            return False
        return self._has("how_about") or (
            self.key in self._context.missed and not self._has("search")
        )

    def _is_refused(self, hit: Hit, polarity: Polarity, services: bool) -> bool:
        """Whether words that may withdraw a constraint refuse what was never wanted."""
        unwished = polarity is Polarity.DROPPED and not services and not self._is_wished(hit)
        return unwished and self._polarity.is_refused(hit)

    def _is_wished(self, hit: Hit) -> bool:
        return self._context.wants(hit.domain, hit.key, hit.value)

    def _amount_acts(self, subject: Place | None) -> Iterator[Act]:
        amounts = self._rules.amounts
        for hit in self._firm(_joined(self._meant(self._of(AMOUNT)))):
            if hit.amount is None or self._is_clock(hit) or self._counts_places(hit):
                continue
            kind = amounts.kind_of(hit.amount, self._is_rated(hit))
            if kind is None:
                continue
            domain = amounts.domain_with(kind, [self.key, self._context.place_domain])
            begin = hit.amount.negated if hit.amount.negated >= 0 else hit.start
            words = self._said.text[begin : hit.end]
            if domain is None:
                yield Act(INFORM, "", kind, words)
                continue
            slot = domain.of_kind(kind)[0]
            value = amounts.said(hit.amount, words, domain, slot, self._context)
            asks = (
                subject
                and subject[0] == domain.key
                and (self._points() or self._has("predicate") or self._is_asked_apart(hit, kind))
                and not self._has("search")
                and not any(measure.kind is kind for measure in self._measures)
            )
            yield Act(CONFIRM if asks else INFORM, domain.key, slot.key, value)

    def _is_asked_apart(self, amount: Hit, kind: SlotKind) -> bool:
        """`How much is it? Not over 40`: a number of what is requested in another sentence."""
        sentence = self._said.sentence(amount.start)
        asked = [hit for hit in self._of(SLOT) if self._slot_kind(hit) is kind]
        asked = [hit for hit in asked if self._said.is_asked(hit.start)]
        return any(self._said.sentence(hit.start) != sentence for hit in asked)

    def _meant(self, hits: list[Hit]) -> list[Hit]:
        """What is said not to be meant is left out: `400, not 300`."""
        return [hit for hit in hits if not self._polarity.negator_before(hit)] or hits

    def _firm(self, hits: Iterable[Hit]) -> list[Hit]:
        """A number beside a limit of the same kind is none: `600 is too much, up to 400`."""
        found = [
            (hit, self._rules.amounts.kind_of(hit.amount, False)) for hit in hits if hit.amount
        ]
        limits = {kind for hit, kind in found if hit.amount and not hit.amount.bare}
        return [
            hit
            for hit, kind in found
            if kind is not NUMBER or kind not in limits or (hit.amount and not hit.amount.bare)
        ]

    def _price_acts(self, subject: Place | None) -> Iterator[Act]:
        if self._has_price():
            return
        for level in ("free", "paid"):
            if self._asks_level(level) and not (level == "free" and self._has("paid")):
                yield from self._free_act(level, subject)
        levels = [level for level in ("middling", "cheap", "dear") if self._wants_level(level)]
        if self.domain is None and (levels or self._measures):
            yield Act(INFORM, "", NUMBER, self._said.text)  # something cheap: of what?
        if self.domain is None or self._measures:
            return
        if levels and self._excludes_beside(levels[0]):
            levels = []
        found = self._rules.amounts.cheap(levels[0], self.domain) if levels else None
        if found and subject and self._is_question():
            yield Act(REQUEST, self.key, found[0].key, "")
        elif found:
            yield Act(INFORM, self.key, found[0].key, found[1])
        if self._says_good() and not subject and not self._has_rating():
            found = self._rules.amounts.good(self.domain)
            if found:
                yield Act(INFORM, self.key, found[0].key, found[1])

    def _wants_level(self, level: str) -> bool:
        """Whether a price is wanted, not only remarked on: `that is cheap! What is nearby?`."""
        cues = [cue for cue in self._said.cues(level) if self._segment.holds(cue)]
        return any(not self._remarks_on_price(cue) for cue in cues)

    def _remarks_on_price(self, cue: Hit) -> bool:
        """Whether a clause by itself is about the price of the place spoken of: `that is cheap`."""
        start, end = self._said.clause(cue.start)
        here = [hit for hit in self._hits if start <= hit.start < end]
        said = any(hit.kind in (DOMAIN, KIND, VALUE) for hit in here)
        said = said or self._said.has_in(start, end, "search", "anyone", "another")
        goes_on = any(hit.start >= end for hit in self._hits if hit.kind != CUE)
        pointed = self._said.has_in(start, end, "they", "here", "approved")
        return goes_on and not said and (pointed or self._asked_price())

    def _asked_price(self) -> bool:
        found = ((a, self._rules.schema.domain(a.domain)) for a in self._context.acts)
        slots = [d.slot(act.slot) for act, d in found if d and act.intent == REQUEST]
        return any(slot and slot.kind is NUMBER for slot in slots)

    def _excludes_beside(self, level: str) -> bool:
        """Whether something is excluded in the clause that speaks of cheap or expensive."""
        excluded = [h for h in self._of(VALUE) if self._polarity.of(h) is Polarity.EXCLUDED]
        clauses = [self._said.clause(cue.start) for cue in self._said.cues(level)]
        return any(start <= hit.start < end for hit in excluded for start, end in clauses)

    def _asks_level(self, level: str) -> bool:
        """Whether something free or paid is under discussion, and not that it need not be so."""
        cues = [cue for cue in self._said.cues(level) if self._segment.holds(cue)]
        cues = [cue for cue in cues if not self._describes_service(cue)]
        negated = (self._polarity.negator_before, self._polarity.is_dropped)
        return any(not any(test(cue) for test in negated) for cue in cues)

    def _describes_service(self, cue: Hit) -> bool:
        """`Free parking`: what is free is the service beside the word."""
        beside = [h for h in self._of(VALUE) if max(h.start - cue.end, cue.start - h.end) <= 1]
        return any(self._slot_kind(hit) is SlotKind.SERVICES for hit in beside)

    def _free_act(self, level: str, subject: Place | None) -> Iterator[Act]:
        owners = list(self._rules.amounts.domains_for_free())
        if subject and subject[0] not in owners:
            return  # is breakfast free?
        key = self.key if self.key in owners or self._segment.anchor else next(iter(owners), "")
        domain = self._rules.schema.domain(key)
        found = self._rules.amounts.free(level, domain) if domain else None
        if found:
            intent = CONFIRM if subject and subject[0] == key else INFORM
            yield Act(intent, key, found[0].key, found[1])

    def _says_good(self) -> bool:
        anchor = self._segment.anchor
        rated = anchor and any(self._rates_it(cue) for cue in self._said.cues("good"))
        if rated or any(self._is_good(hit) for hit in self._of(SLOT)):
            return True
        return anchor is not None and any(
            0 <= anchor.start - cue.end <= 12 or 0 <= cue.start - anchor.end <= 6
            for cue in self._said.cues("good")
        )

    def _rates_it(self, cue: Hit) -> bool:
        """Whether a word for *good* stands beside one for the rating: `a rating that is good`."""
        rated = [slot for slot in self._of(SLOT) if self._slot_kind(slot) is RATING]
        keys = [slot.key for slot in self.domain.of_kind(RATING)] if self.domain else []
        words = self._said.text[cue.start : cue.end]
        return any(max(slot.start - cue.end, cue.start - slot.end) <= 1 for slot in rated) or any(
            self._rules.spotter.names_slot(key, words) for key in keys
        )

    def _day_acts(self, subject: Place | None) -> Iterator[Act]:
        slot = self._hours_slot()
        if not slot or any(hit.key == "booking" for hit in self._of(TOPIC)):
            return
        values = [day for day in DAYS if self._has(day) and self._is_day(day)]
        hours = [self._time(hit) for hit in self._of(AMOUNT) if self._is_clock(hit)]
        if not hours and self._has("evening") and (values or self._opens()):
            hours = [EVENING]
        if len(values) == len(hours) == 1:
            values, hours = [f"{values[0]} {hours[0]}"], []
        values += hours
        values += ["0"] * self._has("late") + [ALWAYS] * self._has(ALWAYS)
        owners = [d.key for d in self._rules.schema.places if d.slot(slot)]
        key = self.key if self.key in owners or self._segment.anchor else next(iter(owners), "")
        focus = self._context.place_domain
        unknown = (
            self._is_question() and not self._segment.anchor and not self._context.last.get(key)
        )
        lacks = unknown and bool(self._context.last.get(focus))  # is the museum open on Friday?
        key = focus if lacks else key
        key = subject[0] if subject and self._names else key
        asks = subject is not None or lacks
        if asks and values and self._has("closed"):
            yield Act(REQUEST, key, slot, "")  # the hours say so without a double no
            return
        for value in values:
            yield Act(CONFIRM if asks else INFORM, key, slot, value)

    def _is_day(self, day: str) -> bool:
        return not (
            self._has("both")
            and any(
                a.start == b.start for a in self._said.cues(day) for b in self._said.cues("both")
            )
            and not self._opens()
        )

    def _time(self, hit: Hit) -> str:
        """The hour that a number says; the minute before it, if something is open until then."""
        hour = self._hour(hit)
        before = self._said.text[max(0, hit.start - len("before ")) : hit.end]
        until = self._rules.spotter.cues.says("until", before)
        return f"{(hour - 1) % 24}:59" if until else str(hour)

    def _hour(self, hit: Hit) -> int:
        amount = hit.amount
        assert amount is not None
        hour = int(amount.bounds.low or amount.bounds.high or 0)
        start, end = max(0, hit.start - 8), hit.end + 16
        cues = self._rules.spotter.cues
        early = cues.says("morning", self._said.text[start : hit.start])
        around = GLUED.sub(r"\1 \2", self._said.text[start:end])  # 9pm
        late = cues.says("evening", around) and not early
        return hour + 12 if late and hour < 12 else hour

    def _dropped_slots(self) -> Iterator[Act]:
        for hit in self._of(SLOT):
            found = self._slot(hit, self.key)
            if found and self._polarity.of(hit) is Polarity.DROPPED and self.domain:
                own = self.domain.slot(found[1].key) or next(
                    iter(self.domain.of_kind(found[1].kind)), None
                )
                if own:
                    yield Act(DROP, self.key, own.key, "")


def _joined(hits: list[Hit]) -> list[Hit]:
    """A lower and an upper limit of the same thing are one range."""
    for one, other in pairwise(hits):
        whole = _range(one, other)
        if whole and (whole.bounds.low or 0) > (whole.bounds.high or 0):
            return [hit for hit in hits if hit is not one]  # not up to 800, up to 700
        if whole:
            kept = [hit for hit in hits if hit is not other]
            return [replace(hit, amount=whole) if hit is one else hit for hit in kept]
    return hits


def _range(one: Hit, other: Hit) -> Quantity | None:
    a, b = one.amount, other.amount
    if a is None or b is None or (a.unit and b.unit and a.unit != b.unit):
        return None
    lows = [each for each in (a.bounds, b.bounds) if each.high is None]
    highs = [each for each in (a.bounds, b.bounds) if each.low is None]
    if len(lows) != 1 or len(highs) != 1:
        return None
    bounds = Bounds(lows[0].low, highs[0].high)
    low, high = bounds.low or 0, bounds.high or 0
    if low <= HIGHEST_RATING < high:
        return None  # a rating and a price
    return replace(a, bounds=bounds, unit=a.unit or b.unit, strict=False, bare=False)
