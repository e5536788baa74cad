"""Questions of a segment: rankings and comparisons, and requests for slots."""

from collections.abc import Iterator, Sequence

from crosstalk.dialogue.acts import (
    AMONG,
    COMPARE,
    DIFFERENCE,
    DROP,
    HALF,
    INFORM,
    LEAST,
    LESS,
    MORE,
    MULTIPLY,
    REQUEST,
    SORT,
    STEP,
    Act,
)
from crosstalk.dialogue.schema import LISTS, SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.polarity import Polarity
from crosstalk.system.nlu.rules.segment_subject import SubjectReader
from crosstalk.system.nlu.rules.segments import DAYS, DURATION, NUMBER, RATING, RankingMeasure
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    ASKED,
    CUE,
    KIND,
    NAME,
    SLOT,
    TOPIC,
    VALUE,
    Hit,
    within,
)


class RankingReader(SubjectReader):
    """Reads which place has the most or least of something."""

    def _measure_slot(self, measure: RankingMeasure, key: str) -> Slot | None:
        domain = self._rules.schema.domain(key)
        return next(iter(domain.of_kind(measure.kind)), None) if domain else None

    def _compares(self) -> Iterator[Act]:
        names = [
            self._reading.references.named(hit)
            for hit in self._said.of(NAME)
            if hit not in self._reading.used
        ]
        yield from self._compares_nearness()
        if different := list(self._differences(names)):
            yield from different
            return
        pair = self._compared(names)
        if pair is None:
            return
        key = pair[0][0] if pair else self.key
        value = AMONG.join(name for _, name in pair)
        for measure in self._measures[:1]:
            slot = self._measure_slot(measure, key)
            if slot:
                yield Act(COMPARE, key, slot.key, value)
                yield Act(SORT, key, slot.key, measure.way)
                return
        for hit in self._of(VALUE):
            services = hit.domain == key and self._is_services(hit)
            slot_key = f"{hit.key}{SERVICE_MARK}{hit.value}" if services else hit.key
            yield Act(COMPARE, key, slot_key, value)

    def _differences(self, names: Sequence[Place]) -> Iterator[Act]:
        """`How much cheaper is it`: by how much two places differ."""
        if not self._has("difference"):
            return
        pair = self._different(names)
        kinds = [kind for hit in self._of(SLOT) if (kind := self._measured_kind(hit))]
        kinds += [measure.kind for measure in self._measures]
        domain = self._rules.schema.domain(pair[0][0]) if pair else None
        slots = domain.of_kind(kinds[0] if kinds else NUMBER) if domain else ()
        for slot in slots[:1]:
            value = AMONG.join(name for _, name in pair)
            yield Act(DIFFERENCE, pair[0][0], slot.key, value)

    def _different(self, names: Sequence[Place]) -> list[Place]:
        """The two places between which a difference is requested."""
        same = [place for place in dict.fromkeys(names) if place[0] == names[0][0]]
        picked = self._all_picked()
        if len(same) > 1 or len(picked) > 1:
            return (same if len(same) > 1 else picked)[:2]
        known = self._with_subject(same[0]) if same else self._shown()
        return (known or [])[:2]

    def _compares_nearness(self) -> Iterator[Act]:
        """`Which of them is closer to the zoo`."""
        nears = [near for near in self._segment.near if near.closer and near.place]
        which = self._has("which", "which_of", "both", "among") and not self._segment.anchor
        places = (self._last_two() if self._has("both") else self._shown()) if which else None
        if not nears or not places or len(places) < 2:
            return
        domain, place = self._rules.schema.domain(places[0][0]), nears[0].place
        slots = domain.of_kind(SlotKind.NEARBY) if domain else ()
        for slot in slots:
            if place and slot.target == place[0]:
                yield Act(COMPARE, places[0][0], slot.key, AMONG.join(name for _, name in places))
                yield Act(INFORM, places[0][0], slot.key, place[1])

    def _compared(self, names: Sequence[Place]) -> list[Place] | None:
        """The places that are compared; empty: those named last. None: nothing is compared."""
        named = [place for place in names if place[0] == (names[0][0] if names else "")]
        if self._measures and len(named) > 1:
            return list(dict.fromkeys(named))[:4]
        comparative = any(not measure.superlative for measure in self._measures)
        compared = (self._measures and self._has("than")) or (comparative and self._is_question())
        if named and compared:
            return self._with_subject(named[0])
        picked = self._all_picked()
        if self._measures and len(picked) > 1:
            return picked
        if self._measures and picked and self._has("than"):
            return self._with_subject(picked[0])
        values = self._of(VALUE)
        if not (self._measures or (values and all(map(self._is_services, values)))):
            return None
        if self._has("both") and not self._segment.is_one_of_several:
            return self._last_two()
        if self._context.is_cut and not comparative:
            return None  # the best of all that fit, of which some were named
        several = not self._measures and len(self._of(VALUE)) > 1  # which have a pool and a bar?
        if self._has("among") and len(self._listed()) > 1 and not (several or self._of(AMOUNT)):
            return self._listed()
        if self._segment.anchor:
            return None
        ranked = self._has("anywhere") or any(measure.superlative for measure in self._measures)
        searched = ranked or self._of(AMOUNT) or self._wants()
        if comparative and (self._asks_which_one() or self._is_the_one()):
            return self._shown()
        if comparative and self._is_question() and self._context.compared and not searched:
            return self._shown()
        if self._of(VALUE) and self._has("which_of") and not (several or searched):
            return self._listed()[:4] if len(self._listed()) > 1 else None
        return None

    def _wants(self) -> bool:
        """Whether a place is searched for, whichever it is."""
        return self._has("anyone", "search") and not self._has("among")

    def _asks_which_one(self) -> bool:
        """Whether it is asked which one; the *what* of `is there anything cheaper` does not ask."""
        wanting = self._said.cues("anyone", "search")
        return any(
            self._segment.holds(cue) and not any(within(cue, each) for each in wanting)
            for cue in self._said.cues("which", "which_of", "among")
        )

    def _is_the_one(self) -> bool:
        """`The cheaper one`, said of several places that were compared or listed."""
        references = self._reading.references
        definite = any(
            references.is_definite(measure.hit) or self._is_chosen(measure.hit)
            for measure in self._measures
        )
        return definite and len(self._context.listed) > 1

    def _shown(self) -> list[Place] | None:
        """The places shown together, or else the last two mentioned."""
        return self._listed() if len(self._listed()) > 1 else self._last_two()

    def _with_subject(self, other: Place) -> list[Place] | None:
        name = self._context.last.get(other[0])
        recent = [p for p in self._context.recent_of(other[0]) if p != other]
        if name and name != other[1]:
            return [(other[0], name), other]
        return [recent[0], other] if recent else None

    def _last_two(self) -> list[Place] | None:
        key = self._domain_of_talk()
        listed = self._listed()
        recent = self._context.recent_of(key)
        if len(listed) == 2 or len(recent) < 2:
            return listed if len(listed) > 1 else None
        return recent[:2][::-1]

    def _than_place(self) -> Place | None:
        """`A hotel cheaper than the Swan`: the place whose number limits a search."""
        anchor = self._segment.anchor
        fresh = anchor is not None and self._reading.references.is_indefinite(anchor)
        than = [cue for cue in self._said.cues("than") if self._segment.holds(cue)]
        behind = [hit for hit in self._names if any(cue.end <= hit.start for cue in than)]
        compared = any(not measure.superlative for measure in self._measures)
        if not compared or len(self._names) != 1 or not behind or self._asks_of_it():
            return None
        sought = fresh or self._has("anyone", "search")
        return self._reading.references.named(behind[0]) if sought else None

    def _rankings(self) -> Iterator[Act]:
        if self._than:
            for measure in [each for each in self._measures if not each.superlative][:1]:
                slot, way = self._measure_slot(measure, self.key), measure.way
                value = AMONG.join((LESS if way == LEAST else MORE, self._than[1]))
                yield from [Act(STEP, self.key, slot.key, value)] if slot else []
            return
        stepped = any(each.kind is NUMBER and not each.superlative for each in self._measures)
        if self._has_price() and stepped:
            return
        kinds: set[SlotKind] = set()
        price = next(iter(self.domain.of_kind(NUMBER)), None) if self.domain else None
        if price and self._has("half") and self._context.last.get(self.key):
            kinds.add(NUMBER)
            yield Act(STEP, self.key, price.key, HALF)
        bound = self._bound_kinds()
        for measure in self._measures:
            slot = self._measure_slot(measure, self.key)
            if slot is None or measure.kind in kinds or self._is_remark(measure):
                continue
            if self._is_price_asked(measure):
                yield Act(REQUEST, self.key, slot.key, "")
                continue
            if not measure.superlative and measure.kind in bound:
                continue  # better one rated 4.2 or more
            kinds.add(measure.kind)
            if self._is_first(measure) or not self._is_stepped():
                yield from self._superlative(measure, slot)
            else:
                yield Act(STEP, self.key, slot.key, LESS if measure.way == LEAST else MORE)

    def _is_stepped(self) -> bool:
        """Whether there is a place to compare with: not where one of another domain is near it."""
        elsewhere = self._segment.near and self._context.place_domain != self.key
        return bool(self._context.last.get(self.key)) and not elsewhere

    def _is_remark(self, measure: RankingMeasure) -> bool:
        """`Too dear; what about the Swan?`: what is said of one place, before another is named."""
        _, end = self._said.clause(measure.hit.start)
        return not measure.superlative and any(hit.start >= end for hit in self._names)

    def _is_price_asked(self, measure: RankingMeasure) -> bool:
        """`Is that expensive?`, which does not ask for something cheaper."""
        hit = measure.hit
        cues = self._said.cues("expensive")
        said = any(hit.start <= cue.start and cue.end <= hit.end for cue in cues)
        compared = self._has("than", "which_of", "anyone", "another", "among")
        known = self._context.last.get(self.key)
        return bool(said and known) and self._said.is_asked(hit.start) and not compared

    def _bound_kinds(self) -> set[SlotKind]:
        """The kinds of slots that a number is said for; `3` of `the top 3 by rating` is a count."""
        kinds = (
            self._rules.amounts.kind_of(hit.amount, bool(self._near_slots(hit)))
            for hit in self._of(AMOUNT)
            if hit.amount and not self._counts_places(hit)
        )
        return {kind for kind in kinds if kind}

    def _is_first(self, measure: RankingMeasure) -> bool:
        """Whether the first of all is meant: `the cheapest`, `which one is cheaper`."""
        which = self._has("which_of") and not self._has("anyone")
        return measure.superlative or which

    def _superlative(self, measure: RankingMeasure, slot: Slot) -> Iterator[Act]:
        level = {("min", NUMBER): "cheap", ("max", NUMBER): "dear"}.get((measure.way, measure.kind))
        found = self._rules.amounts.cheap(level, self.domain) if level and self.domain else None
        if self._is_first(measure) or not found:
            yield Act(SORT, self.key, slot.key, measure.way)
        else:
            yield Act(INFORM, self.key, found[0].key, found[1])


DESCRIBING = (NUMBER, RATING, DURATION, SlotKind.CATEGORY, SlotKind.LIST)
"""Kinds of slots that say most about a place."""


def described(domain: Domain) -> Iterator[Act]:
    """Questions for what describes a place, if nothing in particular is requested."""
    for kind in DESCRIBING:
        for slot in domain.of_kind(kind)[:1]:
            yield Act(REQUEST, domain.key, slot.key, "")


class RequestReader(SubjectReader):
    """Reads which slots are requested."""

    def _requests(self, wishes: Sequence[Act], compares: bool) -> Iterator[Act]:
        if compares:
            return
        yield from self._priced(wishes)
        told = {act.slot for act in wishes if act.intent != DROP}
        seen: set[tuple[int, int]] = set()
        for hit in self._of(SLOT):
            if (hit.start, hit.end) in seen or self._polarity.of(hit) is Polarity.DROPPED:
                continue
            if self._is_which(hit) and self._asks_which():
                continue  # where is there lamb?
            if self._is_approved(hit) or self._is_thanked(hit) or self._says_where(hit):
                continue
            seen.add((hit.start, hit.end))
            act = self._request(hit)
            if act and act.slot not in told and not self._is_label(hit, act):
                yield act
                yield from self._multiplied(act)

    def _is_approved(self, hit: Hit) -> bool:
        """`The price is fine; what is the address?`: a remark, where more is said after it."""
        _, end = self._said.clause(hit.start)
        goes_on = any(other.start >= end for other in self._said.hits if other.kind != CUE)
        asked = self._said.text[end : end + 1] == ASKED
        return goes_on and not asked and self._said.has_in(hit.end, end, "approved")

    def _is_thanked(self, hit: Hit) -> bool:
        """`Thanks for the address`, which asks for nothing."""
        start, _ = self._said.clause(hit.start)
        return self._said.has_in(start, hit.start, "thank") and not self._said.has_in(
            start, hit.start, "opener", "asking", "search", "and"
        )

    def _says_where(self, hit: Hit) -> bool:
        """`Located near the zoo`: the word goes with a place to be near."""
        nears = [near for near in self._segment.near if near.source]
        return any(0 <= near.cue.start - hit.end <= 1 for near in nears)

    def _priced(self, wishes: Sequence[Act]) -> Iterator[Act]:
        """`Three nights, then?`: how much it is for so many, if nothing else is said."""
        kinds = (SLOT, VALUE, KIND, NAME, TOPIC)
        price = next(iter(self.domain.of_kind(NUMBER)), None) if self.domain else None
        known = self._context.last.get(self.key) and self._context.place_domain == self.key
        said = wishes or any(self._of(kind) for kind in kinds)
        if said or not (price and known) or self._has("search", "anyone", "another"):
            return
        act = Act(REQUEST, self.key, price.key, "")
        if times := list(self._multiplied(act)):
            yield from (act, *times)

    def _request(self, hit: Hit) -> Act | None:
        """The slot requested, of the current domain, or of the one that has it."""
        owners = self._owners(hit)
        key = self.key if self.key in owners else self._owner(owners)
        meant = self._rules.schema.domain(key)
        ways: dict[str, str] = {}
        for same in self._of(SLOT):
            owner, _, slot_key = same.key.rpartition(".")
            if (same.start, same.end) != (hit.start, hit.end):
                continue
            if owner not in ways or (meant and meant.slot(slot_key)):
                ways[owner] = slot_key  # what's there? dishes of a restaurant, services of a hotel
        slot_key = ways.get(key) or ways.get("") or next(iter(ways.values()))
        domain = self._rules.schema.domain(key)
        if domain and not domain.slot(slot_key) and key not in ways and "" not in ways:
            kinds = [self._slot(hit, key)]
            own = [s for found in kinds if found for s in domain.of_kind(found[1].kind)]
            slot_key = own[0].key if own else slot_key
        return Act(REQUEST, key, slot_key, "")

    def _owner(self, owners: set[str]) -> str:
        rides = owners & {domain.key for domain in self._rules.schema.rides}
        if rides == owners and len(rides) == 1:
            return next(iter(rides))
        if self._segment.anchor or self._names or self._picked():
            return self.key
        lately = [self._context.domain, *(key for key, _ in self._context.recent)]
        known = [key for key in lately if key in owners]
        if known or self._context.last.get(self.key):
            return known[0] if known else self.key
        return next(iter(owners)) if len(owners) == 1 else self.key

    def _is_label(self, hit: Hit, act: Act) -> bool:
        """Whether a slot only says what a number or a ranking is about."""
        found = self._slot(hit, act.domain)
        kind = found[1].kind if found else None
        start, end = self._said.clause(hit.start)
        if kind in LISTS and any(
            start <= value.start < end and not self._is_besides(value) for value in self._of(VALUE)
        ):
            return True
        if any(m.kind is kind and start <= m.hit.start < end for m in self._measures):
            return True
        if self._is_good(hit):
            return True
        if kind in (SlotKind.TEXT, SlotKind.HOURS) and act.slot == self._hours_slot():
            return any(self._is_clock(h) for h in self._of(AMOUNT)) or self._has(*DAYS, "late")
        numbers = [h.amount for h in self._of(AMOUNT) if h.amount and start <= h.start < end]
        rated = kind is RATING
        return any(self._rules.amounts.kind_of(each, rated) is kind for each in numbers)

    def _multiplied(self, act: Act) -> Iterator[Act]:
        domain = self._rules.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot is None or slot.kind is not NUMBER:
            return
        both = "1" if self._has("total") and self._has("both") else ""
        if times := self._reading.times() or both:
            yield Act(MULTIPLY, act.domain, act.slot, times)
