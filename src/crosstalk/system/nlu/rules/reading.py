"""Reading one utterance: from what was spotted in it to dialogue acts.

`UtteranceReading.acts` is the main path: nearness, rides, segments, then small talk and words that
were not understood.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crosstalk.dialogue.acts import (
    AMONG,
    COMPARE,
    EXCLUDE,
    GENERAL,
    IGNORED,
    INFORM,
    MOST,
    MULTIPLY,
    NOTHING,
    REFINE,
    REQUEST,
    SORT,
    STEP,
    UNSUPPORTED,
    Act,
)
from crosstalk.dialogue.schema import Domain
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.nearness import NEARNESS, NearFinder
from crosstalk.system.nlu.rules.polarity import Polarities, with_chains, with_kinds
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.repairs import repaired
from crosstalk.system.nlu.rules.rides import RequestedRide, Rides
from crosstalk.system.nlu.rules.segment_questions import described
from crosstalk.system.nlu.rules.segment_reader import SegmentReader
from crosstalk.system.nlu.rules.segmentation import Segmenter, has_constraint
from crosstalk.system.nlu.rules.segments import (
    DAYS,
    NUMBER,
    RATING,
    SMALL_TALK,
    NearPlace,
    ReadingRules,
    UtteranceSegment,
)
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    DOMAIN,
    GROUP,
    KIND,
    MARKS,
    NAME,
    SLOT,
    TOPIC,
    VALUE,
    Hit,
    Utterance,
)

SEARCHING: Final = ("anyone", "search", "listing", "another", "count", "best", "cheapest", "near")
"""Cues that look for a place, whichever it is."""
SHORT_CLOSING: Final = 8
"""Characters around a goodbye in a clause that says nothing else."""


class UtteranceReading:
    """One utterance in its context."""

    def __init__(self, rules: ReadingRules, said: Utterance, context: TurnContext) -> None:
        self.rules = rules
        self._schema = rules.schema
        said = repaired(rules, said, context)
        self.said = said
        self.context = context
        self._places = {domain.key for domain in rules.schema.places}
        said.hits = with_chains(said, rules.spotter.name_slots, rules.spotter.kinds)
        said.hits = with_kinds(said, rules.spotter.name_slots)
        self.references = References(rules.schema, rules.grammar, rules.spotter, said, context)
        said.hits = [self._recalled(self._asked_of(hit)) for hit in self._with_sought(said.hits)]
        cues = rules.spotter.cues
        self.polarity = Polarities(
            said, rules.grammar, lambda text: cues.starts_with("negator", text, 1)
        )
        self.used: set[Hit] = set()

    def _with_sought(self, hits: Sequence[Hit]) -> list[Hit]:
        """`What's to eat near the hotel`: no slot of a place is requested, but a place."""
        sought = {hit: key for hit in hits if hit.kind == SLOT and (key := self._sought(hit))}
        named = [hit for hit, key in sought.items() if any(_is_inside(o, hit, key) for o in hits)]
        return [
            Hit(DOMAIN, sought[hit], hit.start, hit.end) if hit in sought else hit
            for hit in hits
            if hit not in named
        ]

    def _sought(self, hit: Hit) -> str:
        """The domain that the words for one of its slots name, if no place of it is meant."""
        near = self.said.has_in(*self.said.clause(hit.start), *NEARNESS)
        before = {each.key for each in self.said.of(DOMAIN) if each.end <= hit.start}
        for key in self.rules.spotter.domains_in(self.said.text[hit.start : hit.end]):
            domain = self._schema.domain(key)
            owned = domain is not None and domain.slot(hit.key.rpartition(".")[2]) is not None
            named = any(place[0] == key for name in self.said.of(NAME) for place in name.places)
            named = named or key in before  # a hotel; what does a room cost?
            known = named or self.context.last.get(key)
            if key in self._places and owned and (near or not known):
                return key
        return ""

    def _asked_of(self, hit: Hit) -> Hit:
        """`有什么好吃的`: where a place is spoken of, what it has; else a place is looked for."""
        if hit.kind != DOMAIN or self.said.has("near", "around", "another"):
            return hit
        named = any(place[0] == hit.key for each in self.said.of(NAME) for place in each.places)
        elsewhere = bool(self.said.of(NAME)) and not named
        here = self.context.place_domain == hit.key and bool(self.context.last.get(hit.key))
        slot = self.rules.spotter.list_slot(hit.key, self.said.text[hit.start : hit.end])
        asked = slot and (named or here) and not elsewhere and not self.said.of(VALUE)
        return replace(hit, kind=SLOT, key=slot) if asked else hit

    def _recalled(self, hit: Hit) -> Hit:
        """`What does the museum cost`: the one under discussion, where something is asked of it."""
        asked = self.said.of(SLOT) or self.said.has("free", *DAYS)
        asks = hit.kind == KIND and asked and not self.said.of(AMOUNT)
        if not asks or self.said.has(*SEARCHING):
            return hit
        definite = self.references.is_definite(hit)
        place = self.references.recent_of_kind(hit)
        place = place or (self.references.place(hit) if definite else None)
        known = self.rules.grammar.definite_default or definite
        which = self.rules.spotter.cues.ends_with("which", self.said.text[: hit.start])
        if place is None or not known or which:
            return hit
        return Hit(NAME, "", hit.start, hit.end, places=(place,))

    # The whole

    def acts(self) -> list[Act]:
        nears = NearFinder(self.rules, self.said, self.context, self.references).find()
        sources = [near.source for near in nears if near.source]
        self.used = {
            hit
            for hit in self.said.hits
            if any(each.start <= hit.start and hit.end <= each.end for each in sources)
        }
        topics = list(self._topics())
        if self._blocks_ride(topics):
            self.used.update(self.said.of(NAME))
        ride = None if self._blocks_ride(topics) else self._ride(nears)
        acts = [*topics]
        if ride:
            self.used.update(ride.used)
            acts += self._ride_acts(ride)
        segmenter = Segmenter(self.rules, self.said, self.context, self.polarity, self.used)
        segments = segmenter.segments(nears)
        if not (ride and not self._searches_too(segments, ride)):
            for at, segment in enumerate(segments):
                acts += self._segment_acts(segment, segments[:at])
        if self._blocks_ride(topics):  # how far is it from the hotel
            acts = [act for act in acts if not self._is_name(act)]
        if self.said.has("restart") and all(map(self._is_name, acts)):
            acts = []
        if not acts and not ride:
            acts += self._alone(segments)
        if not acts and any(near.unknown for near in nears):
            acts += self._unknown()
        acts += self._small_talk(bool(acts))
        acts += self._ignored(acts)
        return acts

    def _blocks_ride(self, topics: Sequence[Act]) -> bool:
        return any(act.slot in ("distance", "taxi_price") for act in topics)

    def _topics(self) -> Iterator[Act]:
        for hit in self.said.of(TOPIC):
            yield Act(UNSUPPORTED, self._focus(), hit.key, self.said.text[hit.start : hit.end])

    def _focus(self) -> str:
        return self.context.place_domain

    def _searches_too(self, segments: Sequence[UtteranceSegment], ride: RequestedRide) -> bool:
        """Whether something is searched for besides a ride."""
        for segment in segments:
            if (
                segment.anchor
                and segment.anchor not in ride.used
                and has_constraint(self.said, segment)
            ):
                return True
        return False

    # Rides

    def _ride(self, nears: Sequence[NearPlace]) -> RequestedRide | None:
        rides = Rides(self._schema, self.said, self.context, self.references)
        anchors = [hit for hit in self.said.of(DOMAIN) if hit.key in self._places]
        searching = bool(nears) and bool(anchors or self.said.of(KIND) or self.said.of(AMOUNT))
        return rides.read(searching)

    def _ride_acts(self, ride: RequestedRide) -> Iterator[Act]:
        for slot, name in ride.ends.items():
            yield Act(INFORM, ride.domain.key, slot, name)
        for each in ride.domain.slots:
            if each.request:
                yield Act(REQUEST, ride.domain.key, each.key, "")

    # Segments

    def _segment_acts(
        self, segment: UtteranceSegment, before: Sequence[UtteranceSegment]
    ) -> list[Act]:
        part = SegmentReader(self, segment, before)
        return part.acts()

    # What stands alone

    def _alone(self, segments: Sequence[UtteranceSegment]) -> Iterator[Act]:
        """Nothing but a word for a domain, more of the same, or details."""
        domain = self._schema.domain(self._focus())
        name = domain.name_slot if domain else None
        if domain is None or name is None or not self.context.last.get(domain.key):
            return
        if self.said.has("advice"):
            yield from self._best_known(domain)
        if self.said.has("details") and not self.takes_leave("details"):
            yield Act(INFORM, domain.key, name.key, self.context.last[domain.key])
            yield from described(domain)
        price = next(iter(domain.of_kind(NUMBER)), None)
        if price and (times := self.times()):
            yield Act(REQUEST, domain.key, price.key, "")
            yield Act(MULTIPLY, domain.key, price.key, times)

    def _best_known(self, domain: Domain) -> Iterator[Act]:
        """`Which one would you recommend?`: the best rated of those that were named, or of all."""
        rating = next(iter(domain.of_kind(RATING)), None)
        named = [name for key, name in self.context.listed if key == domain.key]
        if rating is None:
            return
        yield Act(SORT, domain.key, rating.key, MOST)
        several = self.context.several and len(named) > 1
        among = Act(COMPARE, domain.key, rating.key, AMONG.join(named))
        yield among if several else Act(REFINE, domain.key)

    def takes_leave(self, key: str) -> bool:
        """Whether a cue stands in a sentence of thanks or goodbye: `thanks for the information`."""
        sentences = [self.said.sentence(cue.start) for cue in self.said.cues(key)]
        return all(self.said.has_in(*each, "thank", "bye") for each in sentences)

    def times(self) -> str:
        """How many nights and rooms, or else people, a price is for; empty: nobody said, or one."""
        counts: dict[str, float] = {}
        for hit in self.said.of(AMOUNT):
            if hit.amount and hit.key in ("nights", "rooms", "persons"):
                ends = [each for each in (hit.amount.bounds.low, hit.amount.bounds.high) if each]
                count = round(sum(ends) / len(ends)) if ends else 1
                before = counts.get(hit.key, 0) if hit.key == "persons" else 0
                counts[hit.key] = before + count  # 2 adults and 2 children
        for hit in self.said.of(GROUP):
            if not self.is_shown(hit):
                counts["persons"] = float(hit.key)
        stay = counts.get("nights", 1) * counts.get("rooms", 1)
        number = stay if counts.keys() & {"nights", "rooms"} else counts.get("persons", 1)
        return f"{number:g}" if number > 1 else ""

    def is_shown(self, group: Hit) -> bool:
        """Whether a number says how many to show, not for how many: `zeig mir mal drei`."""
        cues = self.said.cues("listing", "search")
        return any(0 <= group.start - cue.end <= 1 for cue in cues)

    def _unknown(self) -> Iterator[Act]:
        """`How near is the station`, where there is no such place."""
        for word in self.rules.spotter.unexplained(self.said):
            yield Act(UNSUPPORTED, self._focus(), NOTHING, word)

    def _small_talk(self, content: bool) -> Iterator[Act]:
        first = next((key for key in ("restart", "help", "repeat") if self.said.has(key)), "")
        first = "" if first == "help" and self.said.has("thank") else first  # thanks for your help
        if first and not content:
            yield Act(GENERAL, first)
            return
        if self.said.has("thank") and not content:
            yield Act(GENERAL, "thank")
            if self.said.has("bye"):
                yield Act(GENERAL, "bye")
            return
        for key in SMALL_TALK:
            if not self.said.has(key) or self._is_otherwise(key):
                continue
            if not (content and key == "bye" and not self._closes()):
                yield Act(GENERAL, key)
        if content:
            return
        for key in ("yes", "no", "dontcare"):
            if self.said.has(key) and not (key == "yes" and self.said.has("no")):
                yield Act(GENERAL, key)

    def _is_otherwise(self, key: str) -> bool:
        """Whether a greeting is a goodbye here, or the other way round: *salam*, *ciao*."""
        other = {"greet": "bye", "bye": "greet"}.get(key, "")
        here, there = ({(c.start, c.end) for c in self.said.cues(each)} for each in (key, other))
        return here <= there and self.context.spoken == (key == "greet")

    def _is_name(self, act: Act) -> bool:
        """Whether a place is named or searched for."""
        domain = self._schema.domain(act.domain)
        name = domain.name_slot if domain else None
        return act.intent in (INFORM, REQUEST) and name is not None and act.slot == name.key

    def _closes(self) -> bool:
        """Whether the last clause says goodbye: `the Swan then, bye`."""
        last = self.said.cues("bye")[-1]
        start, end = self.said.clause(last.start)
        before = self.said.text[:start].strip(MARKS + " ")
        return bool(before) and max(last.start - start, end - last.end) <= SHORT_CLOSING

    def _ignored(self, acts: Sequence[Act]) -> Iterator[Act]:
        looked_for = (INFORM, EXCLUDE, SORT, STEP, REFINE)
        if any(act.intent in looked_for or self._is_name(act) for act in acts):
            words = self.rules.spotter.unexplained(self.said)
            if words:
                yield Act(IGNORED, NOTHING, NOTHING, " ".join(words))


def _is_inside(one: Hit, other: Hit, key: str) -> bool:
    """Whether a word for a domain stands in other words."""
    named = one.kind == DOMAIN and one.key == key
    return named and other.start <= one.start and one.end <= other.end
