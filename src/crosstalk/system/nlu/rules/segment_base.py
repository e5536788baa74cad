"""One segment of an utterance: its domain, its slots and measures; base of the segment readers.

The readers build on each other: `segment_base` (domain) <- `segment_subject` (which place) <-
`segment_nearness` <- `segment_constraints`, and `segment_questions`; `segment_reader` joins them.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from crosstalk.dialogue.acts import COMPARE, COUNT, DROP, LEAST, MOST, Act
from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.polarity import Polarity
from crosstalk.system.nlu.rules.segments import (
    BESIDE,
    DURATION,
    EXTREMES,
    IN_COMPARISONS,
    MEASURES,
    NUMBER,
    ORDINALS,
    RATING,
    RankingMeasure,
    UtteranceSegment,
    key_of,
)
from crosstalk.system.nlu.rules.utterance import AMOUNT, DOMAIN, KIND, NAME, SLOT, VALUE, Hit

if TYPE_CHECKING:
    from crosstalk.system.nlu.rules.reading import UtteranceReading


class PartBase:
    """What is known about one segment; the rest is read by those that build on it."""

    def __init__(
        self,
        reading: "UtteranceReading",
        segment: UtteranceSegment,
        before: Sequence[UtteranceSegment],
    ) -> None:
        self._reading = reading
        self._rules = reading.rules
        self._said = reading.said
        self._context = reading.context
        self._polarity = reading.polarity
        self._segment = segment
        self._before = before
        self._hits = [hit for hit in self._said.hits if segment.holds(hit)]
        self._names = [
            hit
            for hit in self._of(NAME)
            if hit not in reading.used and (hit.sure or self._is_bare())
        ]
        self._measures = list(self._find_measures())
        self._than: Place | None = None
        self.key = self._domain_key()
        self.domain = self._rules.schema.domain(self.key)

    def _is_bare(self) -> bool:
        return not any(hit.kind in (VALUE, AMOUNT, DOMAIN) for hit in self._hits)

    def _of(self, kind: str) -> list[Hit]:
        return [hit for hit in self._hits if hit.kind == kind]

    def _has(self, *keys: str) -> bool:
        return any(self._said.has_in(*each, *keys) for each in self._segment.stretches)

    def _domain_key(self) -> str:
        if self._segment.anchor:
            return key_of(self._segment.anchor)
        if self._names:
            place = self._reading.references.named(self._names[0])
            dropped = self._polarity.of(self._names[0]) is Polarity.DROPPED
            near = self._near_wished(place) if dropped else None
            return near.domain if near else place[0]
        own = {
            hit.domain
            for hit in (*self._of(VALUE), *self._of(KIND))
            if hit not in self._reading.used
        }
        if own:
            focus = self._context.place_domain
            return focus if focus in own else sorted(own)[0]
        picked = self._picked()
        if picked:
            return picked[0]
        if lasting := self._lasting_domain():
            return lasting
        if any(hit.key == "nights" for hit in self._of(AMOUNT)) and self._of(SLOT):
            return self._rules.amounts.nightly or self._context.place_domain
        key = self._of_part_before() or self._slot_domain() or self._context.place_domain
        return key or self._priced_domain()

    def _lasting_domain(self) -> str:
        """`Something for two hours`: the only domain that takes time, where it is searched for."""
        units = {hit.key for hit in self._of(AMOUNT)} & {"hours", "minutes"}
        domains = [each.key for each in self._rules.schema.places if each.of_kind(DURATION)]
        looks = self._has("search", "anyone", "another") and not self._opens()
        return domains[0] if units and looks and len(domains) == 1 else ""

    def _near_wished(self, place: Place) -> Act | None:
        """The constraint to be near a place, withdrawn: `the opera doesn't matter`."""
        key, form = self._context.place_domain, self._context.form
        domain = self._rules.schema.domain(key)
        for slot in domain.of_kind(SlotKind.NEARBY) if domain and form else ():
            if form and form.get(key).get(slot.key) == place[1]:
                return Act(DROP, key, slot.key, "")
        return None

    def _priced_domain(self) -> str:
        """`Near the zoo, up to 500 a night`: the domain whose price is for a night."""
        hits = [hit for hit in self._of(AMOUNT) if hit.amount and (hit.key or not hit.amount.bare)]
        words = [self._said.text[hit.start : hit.end] for hit in hits]
        nightly = any(self._rules.spotter.cues.says("nights", text) for text in words)
        return self._rules.amounts.nightly if nightly else ""

    def _of_part_before(self) -> str:
        """The domain of the sentence before, where it has the slots that are requested."""
        before = self._before[-1] if self._before else None
        key = key_of(before.anchor) if before and before.anchor else ""
        nears = before.near if before else []
        wishes = before and any(
            before.holds(hit) and hit.kind in (VALUE, KIND, AMOUNT) for hit in self._said.hits
        )
        asked = [each.place for each in nears if self._said.is_asked(each.cue.start) and not wishes]
        places = [self._sought_before() or place[0] for place in asked if place]
        key = places[0] if places else key  # what is around a place is asked; it stays the topic
        return key if key and all(key in self._owners(hit) for hit in self._of(SLOT)) else ""

    def _sought_before(self) -> str:
        """The domain that the sentences before look for a place of."""
        start, _ = self._said.sentence(
            self._segment.anchor.start if self._segment.anchor else self._segment.start
        )
        for segment in reversed(self._before):
            anchor = segment.anchor
            if anchor is None or anchor.end > start:
                continue
            hits = [hit for hit in self._said.hits if segment.holds(hit)]
            wishes = any(hit.kind in (VALUE, KIND, AMOUNT) for hit in hits)
            if wishes or not self._said.is_asked(anchor.start):
                return key_of(anchor)
            if segment.near:
                continue
            references = self._reading.references
            known = self._rules.grammar.definite_default and not references.is_indefinite(anchor)
            return "" if known or references.is_definite(anchor) else key_of(anchor)
        return ""

    def _slot_domain(self) -> str:
        """The domain that alone has the slots requested."""
        owners: set[str] | None = None
        for hit in self._of(SLOT):
            keys = self._owners(hit)
            owners = keys if owners is None else owners & keys or owners
        focus = self._context.place_domain
        known = self._context.last.get(focus) or not self._context.recent
        if owners and focus in owners and known:
            return focus
        spoken = [key for key, _ in self._context.recent if owners and key in owners]
        if spoken:
            return spoken[0]
        asked = self._context.last.get(self._context.place_domain) and not self._segment.near
        return next(iter(owners)) if owners and len(owners) == 1 and not asked else ""

    def _owners(self, hit: Hit) -> set[str]:
        same = [h for h in self._of(SLOT) if (h.start, h.end) == (hit.start, hit.end)]
        found: set[str] = set()
        for each in same:
            key, _, slot = each.key.rpartition(".")
            found |= {key} if key else {d.key for d in self._rules.schema if d.slot(slot)}
        return found

    def _is_which(self, slot: Hit) -> bool:
        """Whether the word for a slot may ask for a place as well: *where*."""
        return any((c.start, c.end) == (slot.start, slot.end) for c in self._said.cues("which"))

    def _listed(self) -> list[Place]:
        """The places named together last, where they are of the current domain."""
        key = self._domain_of_talk()
        return [place for place in self._context.listed if place[0] == key]

    def _domain_of_talk(self) -> str:
        if self._segment.anchor:
            return key_of(self._segment.anchor)
        return self._context.place_domain

    def _picked(self) -> Place | None:
        if self._has("other_one") and (other := self._context.other_of_two):
            return other
        for key, number in ORDINALS.items():
            if self._has(key) and (place := self._context.nth(number)):
                return place
        return None

    def _all_picked(self) -> list[Place]:
        listed = self._context.listed
        numbers = [number for key, number in ORDINALS.items() if self._has(key)]
        places = [number - 1 if number > 0 else number for number in numbers]
        return [listed[at] for at in places if -len(listed) <= at < len(listed)]

    def _value_kind(self, hit: Hit) -> SlotKind | None:
        """The kind of slot that a value is of."""
        domain = self._rules.schema.domain(hit.domain)
        slot = domain.slot(hit.key) if domain else None
        return slot.kind if slot else None

    def _is_services(self, hit: Hit) -> bool:
        return self._value_kind(hit) is SlotKind.SERVICES

    def _near_slots(self, hit: Hit) -> list[Hit]:
        start, end = self._said.clause(hit.start)
        return [slot for slot in self._of(SLOT) if start <= slot.start < end]

    def _slot_kind(self, hit: Hit) -> SlotKind | None:
        slot = self._slot(hit, self.key)
        return slot[1].kind if slot else None

    def _slot(self, hit: Hit, key: str) -> tuple[Domain, Slot] | None:
        """The slot that a hit means in a domain, or else in one that has it."""
        domain_key, _, slot_key = hit.key.rpartition(".")
        domains = [domain_key] if domain_key else [key, *(d.key for d in self._rules.schema)]
        for each in domains:
            domain = self._rules.schema.domain(each)
            slot = domain.slot(slot_key) if domain else None
            if domain and slot:
                return domain, slot
        return None

    def _has_rating(self) -> bool:
        hits = [hit for hit in self._of(AMOUNT) if hit.amount]
        kinds = (self._rules.amounts.kind_of(h.amount, self._is_rated(h)) for h in hits if h.amount)
        return RATING in kinds

    def _is_rated(self, hit: Hit) -> bool:
        return any(self._slot_kind(slot) is RATING for slot in self._near_slots(hit))

    def _is_good(self, hit: Hit) -> bool:
        """Whether a rating is wanted to be good: `with good reviews`."""
        if self._slot_kind(hit) is not RATING or self._said.is_asked(hit.start):
            return False
        start, end = self._said.clause(hit.start)
        gaps = [
            max(hit.start - cue.end, cue.start - hit.end)
            for cue in self._said.cues("good")
            if start <= cue.start < end
        ]
        return any(gap <= BESIDE for gap in gaps)

    def _has_price(self) -> bool:
        found = (h.amount for h in self._of(AMOUNT) if h.amount)
        return any(self._rules.amounts.kind_of(each, False) is NUMBER for each in found)

    def _opens(self) -> bool:
        slot = self._hours_slot()
        return any(hit.key.rpartition(".")[2] == slot for hit in self._of(SLOT))

    def _hours_slot(self) -> str:
        """The slot of opening hours: the text slot that people ask for with *open*."""
        return self._rules.spotter.hours_slot

    def _is_clock(self, hit: Hit) -> bool:
        amount = hit.amount
        if amount is None:
            return False
        highest = amount.bounds.high or amount.bounds.low or 0
        timed = amount.unit == "oclock" or (
            self._opens() and amount.unit in ("", "hours", "uncounted") and highest <= 24
        )
        return timed and highest == int(highest)

    def _counts_places(self, hit: Hit) -> bool:
        """`The top 3 by rating`: a number directly beside a superlative."""
        bare = hit.amount is not None and hit.amount.bare
        return bare and any(
            measure.superlative and 0 <= hit.start - measure.hit.end <= 1
            for measure in self._measures
        )

    def _find_measures(self) -> Iterator[RankingMeasure]:
        both = self._has("both") and not self._segment.is_one_of_several
        compared = both or self._has("than", "which_of")
        compared = compared or (self._rules.grammar.than_follows and self._has("another"))
        compared = compared or len(self._names) > 1 or len(self._all_picked()) > 1
        for key, (kind, way, superlative) in MEASURES.items():
            for hit in self._said.cues(key):
                if not self._segment.holds(hit) or self._is_preference(hit):
                    continue
                if superlative or not self._is_twin_of_first(hit):
                    yield RankingMeasure(kind, way, superlative and self._is_superlative(hit), hit)
        for key, other in IN_COMPARISONS.items():
            for hit in self._said.cues(key):
                said = self._segment.holds(hit) and not self._ranks(hit)
                said = said and not self._polarity.negator_before(hit)
                if said and (compared or self._is_chosen(hit) or self._is_of_counted(hit)):
                    kind, way, _ = MEASURES[other]
                    yield RankingMeasure(kind, way, self._is_of_counted(hit), hit)
        yield from self._extremes()
        yield from self._places_in_order()

    def _is_preference(self, hit: Hit) -> bool:
        """`With a pool would be better`: a constraint of another kind that ends in *better*.

        Arabic has one word for *better* and *I prefer*; wishes follow the latter, behind a colon.
        """
        start, end = self._said.clause(hit.start)
        alone = not (self._said.text[start : hit.start] + self._said.text[hit.end : end]).strip()
        wishes = [h for h in self._hits if h.kind in (VALUE, AMOUNT, SLOT) and h.start > end]
        if alone and wishes and hit.key in ("better", "best"):
            return True
        said = [h for h in self._hits if h.kind in (VALUE, AMOUNT) and start <= h.start < hit.start]
        said += [cue for cue in self._said.cues("near", "closer") if start <= cue.start < hit.start]
        last = not self._said.text[hit.end : end].strip()
        compared = self._has("than", "which", "which_of", "both", "among")
        return hit.key == "better" and last and bool(said) and not compared

    def _is_besides(self, hit: Hit) -> bool:
        """`What else is there besides duck`: what is known of a place already."""
        asked = [slot.key.rpartition(".")[2] == hit.key for slot in self._of(SLOT)]
        known = self._context.last.get(hit.domain) and not self._segment.anchor
        start, _ = self._said.clause(hit.start)
        return bool(known) and any(asked) and self._said.has_in(start, hit.start, "except")

    def _is_of_counted(self, hit: Hit) -> bool:
        """`The cheap one`, said of places that were only counted: the cheapest of them."""
        pointed = any(0 <= cue.start - hit.end <= 1 for cue in self._said.cues("definite"))
        counted = any(act.intent == COUNT for act in self._context.acts)
        return pointed and counted and self._rules.grammar.than_follows

    def _places_in_order(self) -> Iterator[RankingMeasure]:
        """`The second by price`, `the next by rating`: in the order wanted before, or the usual."""
        placed = self._said.cues(*ORDINALS, "another")
        for key, kind in (("by_price", NUMBER), ("by_rating", RATING)):
            for cue in self._said.cues(key):
                before = any(0 <= cue.start - each.end <= 2 for each in placed)
                if before and self._segment.holds(cue):
                    yield RankingMeasure(kind, self._usual_way(kind), True, cue)

    def _usual_way(self, kind: SlotKind) -> str:
        form, key = self._context.form, self._context.place_domain
        order = form.get(key).order if form else None
        domain = self._rules.schema.domain(key)
        slot = domain.slot(order[0]) if domain and order else None
        if order and slot and slot.kind is kind:
            return order[1]
        return MOST if kind is RATING else LEAST

    def _is_twin_of_first(self, hit: Hit) -> bool:
        """Whether the same word is a superlative here."""
        firsts = self._said.cues("cheapest", "dearest", "best")
        same = [each for each in firsts if (each.start, each.end) == (hit.start, hit.end)]
        return any(self._is_superlative(each) for each in same)

    def _is_chosen(self, hit: Hit) -> bool:
        """Whether a pointing word follows, where several were named: `便宜的那家`."""
        pointed = any(0 <= cue.start - hit.end <= 1 for cue in self._said.cues("definite"))
        compared = any(act.intent == COMPARE for act in self._context.acts)
        bare = compared and not any(h.kind in (DOMAIN, KIND, AMOUNT) for h in self._hits)
        meant = (pointed or bare) and len(self._context.listed) > 1
        return self._rules.grammar.than_follows and meant

    def _ranks(self, hit: Hit) -> bool:
        """Whether the same words are a superlative: *günstig* is the beginning of *günstigste*."""
        cues = self._said.cues("cheapest", "dearest", "best")
        return any((cue.start, cue.end) == (hit.start, hit.end) for cue in cues)

    def _is_superlative(self, hit: Hit) -> bool:
        """One form for *cheaper* and *cheapest*: the latter stands before what it describes."""
        twins = {"cheapest": "cheaper", "dearest": "dearer", "best": "better"}
        twin = any(
            (c.start, c.end) == (hit.start, hit.end) for c in self._said.cues(twins[hit.key])
        )
        if not twin or self._said.text.startswith(self._rules.grammar.definite, hit.start):
            return True
        behind = any(0 <= h.start - hit.end <= 2 for h in self._hits if h.kind in (DOMAIN, KIND))
        behind = behind or any(0 <= h.start - hit.end <= 2 for h in self._said.cues("anyone"))
        behind = behind or self._rules.spotter.cues.number_after(self._said.text[hit.start :]) > 1
        return behind or not self._context.last.get(self._context.place_domain)

    def _extremes(self) -> Iterator[RankingMeasure]:
        for key, (way, superlative) in EXTREMES.items():
            for cue in self._said.cues(key):
                for slot in self._measured_slots(cue) if self._segment.holds(cue) else ():
                    gap = max(slot.start - cue.end, cue.start - slot.end)
                    kind = self._measured_kind(slot)
                    if kind and 0 <= gap <= BESIDE:
                        yield RankingMeasure(kind, way, superlative, cue)
                        break

    def _measured_slots(self, cue: Hit) -> list[Hit]:
        """Slots in the same clause; if there are none, any: `the rating, which is higher?`."""
        return self._near_slots(cue) or (self._of(SLOT) if self._has("which", "which_of") else [])

    def _measured_kind(self, hit: Hit) -> SlotKind | None:
        key = self._segment.anchor and key_of(self._segment.anchor)
        found = self._slot(hit, key or self._context.place_domain)
        kind = found[1].kind if found else None
        return kind if kind in (NUMBER, RATING, DURATION) else None
