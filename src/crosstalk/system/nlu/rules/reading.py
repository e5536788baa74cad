"""Reading one utterance: from what was spotted in it to dialogue acts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
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
from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.alternatives import with_chains, with_kinds
from crosstalk.system.nlu.rules.amounts import COUNTED
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.divisions import (
    enumerated,
    is_done,
    is_nearness,
    questions_apart,
)
from crosstalk.system.nlu.rules.nearness import asked_about, bare_near, or_near, there_near
from crosstalk.system.nlu.rules.part import SegmentReader
from crosstalk.system.nlu.rules.part_requests import described
from crosstalk.system.nlu.rules.polarity import Polarities, Polarity
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.repairs import repaired
from crosstalk.system.nlu.rules.rides import RideRead, Rides
from crosstalk.system.nlu.rules.segments import (
    DAYS,
    NUMBER,
    RATING,
    SMALL_TALK,
    Near,
    ReadingRules,
    UtteranceSegment,
    key_of,
)
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
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
NEARNESS: Final = ("near", "closer", "around")
SHORT_CLOSING: Final = 8
"""Characters around a goodbye in a clause that says nothing else."""
WISH_OPENS: Final = 4
"""Characters behind a mark in which another wish begins, in a language without spaces."""
NEXT: Final = 12
"""Characters between `something` and a place that it is at: `something by the zoo`."""


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
        """`What's to eat near the hotel`: no slot of a place is asked for, but a place."""
        sought = {hit: key for hit in hits if hit.kind == SLOT and (key := self._sought(hit))}
        named = [hit for hit, key in sought.items() if any(_is_inside(o, hit, key) for o in hits)]
        return [
            Hit(DOMAIN, sought[hit], hit.start, hit.end) if hit in sought else hit
            for hit in hits
            if hit not in named
        ]

    def _sought(self, hit: Hit) -> str:
        """The domain that the words for one of its slots name, where no place of it is meant."""
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
        """`What does the museum cost`: the one spoken of, where something is asked of it."""
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
        nears = self._nears() or self._corrected_near()
        nears += bare_near(self.said, self.references, self._places, nears)
        nears += there_near(self.said, self.references, self._places, nears)
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
        segments = self._segments(nears)
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

    def _searches_too(self, segments: Sequence[UtteranceSegment], ride: RideRead) -> bool:
        """Whether something is looked for beside a ride."""
        for segment in segments:
            if segment.anchor and segment.anchor not in ride.used and self._wishes_in(segment):
                return True
        return False

    def _wishes_in(self, segment: UtteranceSegment) -> bool:
        kinds = (VALUE, AMOUNT, SLOT)
        return any(segment.holds(hit) and hit.kind in kinds for hit in self.said.hits)

    # Near

    def _nears(self) -> list[Near]:
        found: list[Near] = []
        for cue in self._near_cues():
            near = self._near_each_other(cue) or self._near(cue)
            if near:
                found += [near, *or_near(self.said, self.references, near)]
        return found or self._over_there()

    def _over_there(self) -> list[Near]:
        """`And a hotel there`: something of another domain, where the place known is."""
        focus, says = self.context.place_domain, self.rules.spotter.cues.is_all
        sought = [*self.said.of(DOMAIN), *self.said.of(KIND)]
        if not sought or not self.context.last.get(focus) or self.said.of(NAME):
            return []
        if any(key_of(hit) not in self._places - {focus} for hit in sought):
            return []
        if any(self.context.is_searched(key_of(hit)) for hit in sought):
            return []
        void = self.said.cues("existential")
        for cue in self.said.cues("here"):
            said = any(each.start <= cue.start and cue.end <= each.end for each in void)
            if not said and says("over_there", self.said.text[cue.start : cue.end]):
                return [Near(cue, None, self._pointed(cue))]
        return []

    def _near_each_other(self, cue: Hit) -> Near | None:
        """`Are the zoo and the aquarium near each other`: whether the first is near the second."""
        start, end = self.said.clause(cue.start)
        names = [hit for hit in self.said.of(NAME) if start <= hit.start < end]
        content = [hit for kind in (DOMAIN, KIND, VALUE, AMOUNT) for hit in self.said.of(kind)]
        if len(names) != 2 or content or names[1].end > cue.start or self.said.has("closer"):
            return None
        joined = self.said.has_in(names[0].end, names[1].start, "and")
        asks = self.said.is_asked(cue.start) or self.said.has_in(cue.start, end, "opener")
        if not joined or not asks:
            return None
        return Near(cue, names[1], self.references.named(names[1]))

    def _corrected_near(self) -> list[Near]:
        """`No, I meant the Maritime Museum`: the place that something shall be near, put right."""
        names = [hit for hit in self.said.of(NAME) if hit.sure]
        cues = self.said.cues("correction")
        other = self.said.of(SLOT) + self.said.of(VALUE) + self.said.of(DOMAIN)
        if len(names) != 1 or not cues or other or not self._was_near():
            return []
        return [Near(cues[-1], names[0], self.references.named(names[0]))]

    def _was_near(self) -> bool:
        """Whether the user's turn before was about a place to be near of."""
        for act in self.context.acts:
            domain = self._schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if act.intent == INFORM and slot and slot.kind is SlotKind.NEARBY:
                return True
        return False

    def _near_cues(self) -> list[Hit]:
        cues: dict[int, Hit] = {}
        for cue in self.said.cues(*NEARNESS, "near_weak"):
            cues.setdefault(cue.start, cue)
        return [cues[start] for start in sorted(cues)]

    def _near(self, cue: Hit) -> Near | None:
        keys = {
            each.key for each in self.said.hits if (each.start, each.end) == (cue.start, cue.end)
        }
        follows = self.rules.grammar.near_follows and "near_before" not in keys
        source = self.references.beside(cue, after=not follows)
        source = source or (None if follows else self._measured_from(cue))
        adverb = "around" in keys
        pointing = self.rules.spotter.cues.says("here", self.said.text[cue.start : cue.end])
        source = None if adverb and pointing else source  # is there a park near it?
        if source and source.kind == DOMAIN and not self._is_source(source, adverb and not follows):
            source = None
        if source and source.kind == NAME and self._asks_station_of(source):
            return None
        if "near_weak" in keys and not self._is_place_of_search(source, cue):
            return Near(cue, None, self._pointed(cue)) if self._looks_there(cue) else None
        if source:
            place = self.references.place(source, self._asked_about(cue))
            return Near(cue, source, place, "closer" in keys)
        if "closer" in keys and not adverb:
            return None
        if not adverb and not follows and self._names_unknown(cue):
            return Near(cue, None, None, unknown=True)
        if follows and self._names_unknown_before(cue):
            return Near(cue, None, None, unknown=True)
        return Near(cue, None, self._pointed(cue), "closer" in keys)

    def _asks_station_of(self, source: Hit) -> bool:
        """`Which metro station is near the zoo?`: its station is asked for, no place is sought."""
        keys = {slot.key for d in self._schema for slot in d.of_kind(SlotKind.STATION)}
        asked = any(hit.key.rpartition(".")[2] in keys for hit in self.said.of(SLOT))
        sought = [hit for hit in self.said.of(DOMAIN) if hit.key in self._places]
        return asked and not sought and not self.said.of(VALUE) and not self.said.of(AMOUNT)

    def _measured_from(self, cue: Hit) -> Hit | None:
        """`From the hotel not far`: the place before the word for *near*."""
        for start in self.said.cues("from"):
            place = self.references.beside(start, after=True)
            if place and 0 <= cue.start - place.end <= 1:
                return place
        return None

    def _looks_there(self, cue: Hit) -> bool:
        """`那边有住的地方吗`: something of another domain is looked for, where we are now."""
        focus = self.context.place_domain
        start, _ = self.said.clause(cue.start)
        opens = self.rules.grammar.near_follows and not self.said.text[start : cue.start].strip()
        anchors = [hit.key for hit in self.said.of(DOMAIN) if hit.key in self._places]
        elsewhere = bool(anchors) and focus not in anchors
        return opens and elsewhere and bool(self.context.last.get(focus))

    def _pointed(self, cue: Hit) -> Place | None:
        if self.rules.spotter.cues.says("same_place", self.said.text[cue.start : cue.end]):
            return self._searched_near() or self.references.pointed(cue, self._asked_about(cue))
        return self.references.pointed(cue, self._asked_about(cue))

    def _searched_near(self) -> Place | None:
        """The place that the search under way is near of: `a hotel in the same area`."""
        key, form = self.context.place_domain, self.context.form
        domain = self._schema.domain(key)
        for slot in domain.of_kind(SlotKind.NEARBY) if domain and form else ():
            name = form.get(key).get(slot.key) if form else ""
            if isinstance(name, str) and name:
                return slot.target, name
        return None

    def _asked_about(self, cue: Hit) -> list[Place]:
        start, end = self.said.sentence(cue.start)
        opens = self.rules.spotter.cues.starts_with("opener", self.said.text[start:end], 10)
        return asked_about(self.said, self.references, cue, opens)

    def _is_source(self, hit: Hit, adverb: bool) -> bool:
        """Whether a word for a domain says near what: `near the hotel`, not `nearby a hotel`."""
        others = [
            each for each in self.said.of(DOMAIN) if each.key in self._places and each is not hit
        ]
        others += self.said.of(KIND) + self.said.of(VALUE)
        if self.said.of(NAME) and self.references.is_definite(hit):
            return True  # is the beach near the hotel?
        if self.said.has("anyone") and hit.key != self._focus():
            return self.references.is_definite(hit)  # one that is closer to the restaurant
        if adverb:
            return self.references.is_definite(hit) and bool(others)
        return bool(others) and not self.references.is_indefinite(hit)

    def _is_place_of_search(self, source: Hit | None, cue: Hit) -> bool:
        """Whether `at the zoo` says where something is looked for."""
        if source is None or self.said.has("than"):
            return False
        anchors = [h for h in self.said.of(DOMAIN) if h.key in self._places and h is not source]
        if source.kind == NAME:  # a hostel at the beach, not a room at the Swan
            anchors = [hit for hit in anchors if self._may_be_near(hit.key, source)]
            anchors += [h for h in self.said.of(KIND) if h.domain != source.places[0][0]]
        if source.kind == DOMAIN:
            return bool(anchors) and self.references.is_definite(source)
        if any(0 <= source.start - each.end <= NEXT for each in self.said.cues("anyone")):
            return True
        if self.said.of(SLOT) and not self.said.of(AMOUNT):
            return False
        if self._asks_of(source):
            return False
        if self.said.has_in(self.said.clause(source.start)[0], source.start, "anyone"):
            return True  # anything cheaper at the zoo?
        if self.said.has("opener"):
            return True
        leaves = any(self._is_start(other, source, cue) for other in self.said.cues("from"))
        if leaves or (self.said.has("both") and not anchors):
            return False
        return bool(anchors) or self._looks_elsewhere(source) or self._goes_on_near(source)

    def _may_be_near(self, key: str, source: Hit) -> bool:
        """Whether the tables say what is near a place, in a domain."""
        domain = self._schema.domain(key)
        targets = {slot.target for slot in domain.of_kind(SlotKind.NEARBY)} if domain else set()
        return any(place[0] in targets for place in source.places)

    def _is_start(self, other: Hit, source: Hit, cue: Hit) -> bool:
        """Whether *from* is said of a place: of this one, or of another one."""
        start = self.references.beside(other, after=True)
        return other.start <= cue.start < other.end or start not in (None, source)

    def _asks_of(self, source: Hit) -> bool:
        """Whether a question is about what the place itself has: `is there a pool at the Swan?`."""
        own = {source.domain, *(key for key, _ in source.places)}
        values = [hit for hit in self.said.of(VALUE) if hit.alone]
        anchors = [hit for hit in self.said.of(DOMAIN) if hit.key in self._places]
        asked = bool(values) and self.said.is_asked(source.start) and not anchors
        return asked and all(hit.domain in own for hit in values)

    def _looks_elsewhere(self, source: Hit) -> bool:
        """Whether what is wanted is of another domain than the place: `crab at the lighthouse`."""
        own = {source.domain, *(key for key, _ in source.places)}
        values = [hit for hit in self.said.of(VALUE) if hit.alone]
        return bool(values) and all(hit.domain not in own for hit in values)

    def _goes_on_near(self, source: Hit) -> bool:
        """Whether a place only says where to look on: `at the zoo, up to 350`."""
        place, key = self.references.place(source), self.context.place_domain
        asked = self.said.is_asked(source.start)
        return bool(place and place[0] != key and self.context.is_searched(key) and not asked)

    def _names_unknown_before(self, cue: Hit) -> bool:
        """Whether unknown words stand between *from* and a word for near: `离车站近`."""
        start, _ = self.said.clause(cue.start)
        away = [each.end for each in self.said.cues("away") if start <= each.start < cue.start]
        rest = Utterance(self.said.text[max(away) : cue.start], []) if away else None
        return rest is not None and bool(self.rules.spotter.unexplained(rest))

    def _names_unknown(self, cue: Hit) -> bool:
        _, end = self.said.clause(cue.start)
        rest = Utterance(self.said.text[cue.end : min(end, cue.end + 24)], [])
        rest.hits = [
            Hit(hit.kind, hit.key, hit.start - cue.end, hit.end - cue.end)
            for hit in self.said.hits
            if cue.end <= hit.start
        ]
        return bool(self.rules.spotter.unexplained(rest))

    # Rides

    def _ride(self, nears: Sequence[Near]) -> RideRead | None:
        rides = Rides(self._schema, self.said, self.context, self.references)
        anchors = [hit for hit in self.said.of(DOMAIN) if hit.key in self._places]
        searching = bool(nears) and bool(anchors or self.said.of(KIND) or self.said.of(AMOUNT))
        return rides.read(searching)

    def _ride_acts(self, ride: RideRead) -> Iterator[Act]:
        for slot, name in ride.ends.items():
            yield Act(INFORM, ride.domain.key, slot, name)
        for each in ride.domain.slots:
            if each.request:
                yield Act(REQUEST, ride.domain.key, each.key, "")

    # Segments

    def _segments(self, nears: Sequence[Near]) -> list[UtteranceSegment]:
        anchors = self._anchors()
        cuts = [0]
        heads: list[Hit | None] = [anchors[0] if anchors else None]
        for one, other in pairwise(anchors):
            head = heads[-1] or one
            if key_of(other) == key_of(head) and not self._asks_around(one, other):
                continue
            cut = self._cut(one.end, other.start)
            if cut is not None:
                cuts.append(cut)
                heads.append(other)
        ends = [*cuts[1:], len(self.said.text)]
        segments = [UtteranceSegment(*each) for each in zip(cuts, ends, heads, strict=True)]
        segments = questions_apart(
            self.said, segments, nears, bool(self.context.last.get(self._focus()))
        )
        segments = [part for segment in segments for part in self._by_sentences(segment)]
        self._share(segments)
        for near in nears:
            for segment in self._near_to(near, segments):
                segment.near.append(near)
        self._share_near(segments)
        return segments

    def _share(self, segments: Sequence[UtteranceSegment]) -> None:
        """`A hotel and a bar, both under 100`: what follows *both* is said of each of them."""
        last = segments[-1]
        anchored = [segment for segment in segments if segment.anchor]
        behind = last.anchor.end if last.anchor else last.end
        cues = [cue for cue in self.said.cues("both") if behind <= cue.start < last.end]
        if len(anchored) < 2 or not cues:
            return
        for segment in anchored:
            segment.is_one_of_several = True
            if segment is not last:
                segment.shared = (cues[0].start, last.end)

    def _near_to(self, near: Near, segments: Sequence[UtteranceSegment]) -> list[UtteranceSegment]:
        """The segments that a place nearby is said of.

        It is said of all where it comes before them (`near the zoo I need a hotel and a bar`),
        behind *both*, or at the end of an enumeration: `a hotel and a bar near the zoo`.
        """
        here = next(segment for segment in segments if segment.holds(near.cue))
        holding = [segment for segment in segments if segment.holds(near.cue)]
        holding += [
            each
            for each in enumerated(self.said, self.polarity, segments, here)
            if each not in holding
        ]
        searched = [segment for segment in segments if segment.anchor]
        if len(searched) < 2 or not near.source or near.source.kind != NAME:
            return holding
        first, last = searched[0], searched[-1]
        before = first.anchor is not None and near.cue.end <= first.anchor.start
        if before and self.said.sentence(near.cue.start)[1] >= last.start:
            return searched
        others = [segment for segment in searched if segment is not last]
        if last in holding and not any(self._wishes_in(each) or each.near for each in others):
            return searched
        return holding

    def _asks_around(self, one: Hit, other: Hit) -> bool:
        """Whether a sentence asks what else of a domain is near the place wished for before it."""
        start, end = self.said.sentence(other.start)
        wishes = any(
            start <= hit.start < end and hit.kind in (VALUE, AMOUNT, NAME) for hit in self.said.hits
        )
        near = self.said.has_in(start, end, "near", "around") and self.said.is_asked(other.start)
        return near and not wishes and one.end <= start and self._wishes_before(start)

    def _wishes_before(self, end: int) -> bool:
        kinds = (VALUE, AMOUNT)
        return any(hit.kind in kinds and hit.end <= end for hit in self.said.hits)

    def _share_near(self, segments: Sequence[UtteranceSegment]) -> None:
        """`Which hotels and restaurants are nearby`: one word for *near*, said of both."""
        for one, other in (*pairwise(segments), *pairwise(reversed(segments))):
            nears = [near for near in one.near if near.place and not near.closer]
            if nears and not other.near and self._is_listed_with(one, other):
                other.near += nears

    def _is_listed_with(self, one: UtteranceSegment, other: UtteranceSegment) -> bool:
        """Whether a part is but a word for a domain, in the same question as another one."""
        if one.anchor is None or other.anchor is None or not self.said.is_asked(one.anchor.start):
            return False
        same = self.said.sentence(one.anchor.start) == self.said.sentence(other.anchor.start)
        kinds = (VALUE, AMOUNT, NAME, SLOT, KIND)
        hits = [hit for hit in self.said.hits if other.holds(hit) and hit not in self.used]
        return same and not any(hit.kind in kinds for hit in hits)

    def _by_sentences(self, segment: UtteranceSegment) -> list[UtteranceSegment]:
        """Sentences that ask for a slot and name no domain are parts by themselves."""
        if segment.anchor is None:
            return [segment]
        parts: list[UtteranceSegment] = []
        start = segment.start
        while start < segment.end:
            end = min(max(self.said.sentence(start)[1], start + 1), segment.end)
            hits = [hit for hit in self.said.hits if start <= hit.start < end]
            here = start <= segment.anchor.start < end
            anchor = None if not here and self._asks_alone(hits, segment) else segment.anchor
            if parts and parts[-1].anchor is anchor:
                parts[-1] = UtteranceSegment(parts[-1].start, end, anchor)
            else:
                parts.append(UtteranceSegment(start, end, anchor))
            start = end
        return parts

    def _asks_alone(self, hits: Sequence[Hit], segment: UtteranceSegment) -> bool:
        """Whether a sentence with these hits asks of a place, and names no domain."""
        counted = [hit for hit in hits if hit.kind == AMOUNT and hit.key in COUNTED]
        kinds = {hit.kind for hit in hits if hit not in self.used and hit not in counted}
        if kinds & {DOMAIN, KIND, AMOUNT} or not segment.anchor:
            return False
        if NAME in kinds:
            return SLOT in kinds and self.said.is_asked(hits[0].start)
        values = [hit for hit in hits if hit.kind == VALUE]
        if not values:
            return SLOT in kinds and not any(hit.key == "anyone" for hit in hits)
        asked = self.said.is_asked(values[0].start) and not self._picks_out(hits)
        follows = segment.anchor.end <= hits[0].start
        return asked and all(
            hit.domain != key_of(segment.anchor) or (follows and self._is_service(hit))
            for hit in values
        )

    def _picks_out(self, hits: Sequence[Hit]) -> bool:
        """Whether a place is looked for that has something: `is there one with a pool?`."""
        return any(hit.kind == CUE and hit.key in ("anyone", "another", "which") for hit in hits)

    def _is_service(self, hit: Hit) -> bool:
        domain = self._schema.domain(hit.domain)
        slot = domain.slot(hit.key) if domain else None
        return slot is not None and slot.kind is SlotKind.SERVICES

    def _anchors(self) -> list[Hit]:
        found = [h for h in self.said.of(DOMAIN) if h.key in self._places and h not in self.used]
        kinds = [
            h
            for h in self.said.of(KIND)
            if h not in self.used and self.polarity.of(h) is Polarity.WANTED
        ]
        found = [hit for hit in found if not self._is_title(hit)]
        found = [hit for hit in found if not self._is_put_off(hit)] or found
        found = [hit for hit in found if not is_done(self.said, hit, [*found, *kinds])]
        if self.rules.grammar.near_follows:
            found = [hit for hit in found if not is_nearness(self.said, hit, [*found, *kinds])]
        meant = [hit for hit in found if not self.polarity.negator_before(hit)]
        found = meant if meant or kinds else found  # not a hotel, a restaurant
        return sorted([*found, *kinds], key=lambda hit: hit.start)

    def _is_put_off(self, word: Hit) -> bool:
        """`Food can wait`: whether what a word names is to be spoken of later."""
        return self.said.has_in(*self.said.clause(word.start), "later")

    def _is_title(self, word: Hit) -> bool:
        """Whether a word only says what a name beside it is: `the restaurant Golden Pleat`."""
        return any(
            min(abs(each.start - word.end), abs(word.start - each.end)) <= 1
            and any(place[0] == word.key for place in each.places)
            for each in self.said.of(NAME)
        )

    def _cut(self, start: int, end: int) -> int | None:
        """Where one part ends and the next begins: a sentence, or the first joint with no value
        behind it.
        """
        sentence, _ = self.said.sentence(end)
        if sentence > start:
            return sentence
        joints = [at for at in range(start, end) if self.said.text[at] in MARKS]
        joints += [cue.start for cue in self.said.cues("and") if start <= cue.start < end]
        joints += [end] * self.said.text.startswith(self.rules.grammar.joined_and, end)
        for joint in sorted(joints):
            content = (VALUE, AMOUNT, NAME)
            behind = [h for h in self.said.hits if joint < h.start < end and h.kind in content]
            if not behind:
                return joint
        return self._cut_before_wish(joints, end) if self.rules.grammar.near_follows else None

    def _cut_before_wish(self, joints: Sequence[int], end: int) -> int | None:
        """The last mark behind which another wish begins, where wishes precede the noun.

        Or else the last mark, where all that is wished for stands behind it.
        """
        keys = ("and", "search", "another", "indefinite")
        marks = [at for at in joints if self.said.text[at] in MARKS]
        opening = [at for at in marks if self.said.has_in(at, at + WISH_OPENS, *keys)]
        content = (VALUE, AMOUNT, NAME)
        last = max(marks, default=None)
        if last is None or opening:
            return max(opening, default=None)
        found = [hit.start for hit in self.said.hits if hit.kind in content]
        wished = [at for at in found if min(joints) < at < end]
        return last if all(at > last for at in wished) else None

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
        """Whether a place is named or looked for."""
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
