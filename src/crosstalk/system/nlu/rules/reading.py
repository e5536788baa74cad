"""Reading one utterance: from what was spotted in it to dialogue acts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from crosstalk.database.numbers import Bounds
from crosstalk.dialogue.acts import (
    AMONG,
    ANOTHER,
    COMPARE,
    CONFIRM,
    COUNT,
    DROP,
    EXCLUDE,
    GENERAL,
    IGNORED,
    INFORM,
    LEAST,
    LESS,
    LIST,
    MORE,
    MOST,
    MULTIPLY,
    NOTHING,
    PICK,
    REFINE,
    REQUEST,
    SELECT,
    SORT,
    STEP,
    UNSUPPORTED,
    Act,
)
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Schema, Slot, SlotKind
from crosstalk.language.names import Place
from crosstalk.language.opening_hours import ALWAYS
from crosstalk.language.phrases import Grammar
from crosstalk.system.nlu.rules.amounts import Amounts
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.polarity import Polarities, Polarity
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.rides import RideRead, Rides
from crosstalk.system.nlu.rules.spotting import (
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
    Spotter,
    Utterance,
)

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1}
SMALL_TALK: Final = ("greet", "thank", "bye")
ANSWERS: Final = ("yes", "no", "help", "repeat", "restart", "dontcare")
NUMBER, RATING, DURATION = SlotKind.NUMBER, SlotKind.RATING, SlotKind.DURATION
MEASURES: Final[Mapping[str, tuple[SlotKind, str, bool]]] = {
    "cheapest": (NUMBER, LEAST, True),
    "dearest": (NUMBER, MOST, True),
    "best": (RATING, MOST, True),
    "cheaper": (NUMBER, LEAST, False),
    "dearer": (NUMBER, MOST, False),
    "better": (RATING, MOST, False),
}
"""Cue -> the kind of slot that is ranked, which end comes first, whether it is a superlative."""
IN_COMPARISONS: Final = {
    "cheap": "cheaper",
    "dear": "dearer",
    "good": "better",
    "expensive": "dearer",
}
EXTREMES: Final = {
    "most": (MOST, True),
    "least": (LEAST, True),
    "higher": (MOST, False),
    "lower": (LEAST, False),
}
"""Cue beside a slot -> which end comes first, and whether it is a superlative."""
BESIDE: Final = 14
LONGEST_LIST: Final = 10
PUT_RIGHT: Final = ("correction", "no")
"""Cues between two things of which the second is meant."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A ranking that an utterance speaks of."""

    kind: SlotKind
    way: str
    superlative: bool
    hit: Hit


@dataclass(slots=True)
class Near:
    """Something near a place."""

    cue: Hit
    source: Hit | None
    place: Place | None
    closer: bool = False
    unknown: bool = False
    """A place is named that we do not know."""


@dataclass(slots=True)
class Segment:
    """A part of an utterance that is about one domain."""

    start: int
    end: int
    anchor: Hit | None = None
    """The word that names the domain."""
    near: list[Near] = field(default_factory=list)

    def holds(self, hit: Hit) -> bool:
        return self.start <= hit.start < self.end


@dataclass(frozen=True, slots=True)
class Rules:
    """What reading needs to know about a world and its language."""

    schema: Schema
    pack: LanguagePack
    grammar: Grammar
    spotter: Spotter
    amounts: Amounts


class Reading:
    """One utterance in its context."""

    def __init__(self, rules: Rules, said: Utterance, context: TurnContext) -> None:
        self._rules = rules
        self._schema = rules.schema
        self._said = said
        self._context = context
        self._places = {domain.key for domain in rules.schema.places}
        self._references = References(rules.schema, rules.grammar, rules.spotter, said, context)
        self._polarity = Polarities(said, rules.grammar.spaced)
        self._used: set[Hit] = set()
        self._measures: list[Measure] = []

    # The whole

    def acts(self) -> list[Act]:
        nears = self._nears()
        self._used = {near.source for near in nears if near.source}
        topics = list(self._topics())
        if self._blocks_ride(topics):
            self._used.update(self._said.of(NAME))
        ride = None if self._blocks_ride(topics) else self._ride(nears)
        acts = [*topics]
        if ride:
            self._used.update(ride.used)
            acts += self._ride_acts(ride)
        segments = self._segments(nears)
        if not (ride and not self._searches_too(segments, ride)):
            for at, segment in enumerate(segments):
                acts += self._segment_acts(segment, segments[:at])
        if not acts and not ride:
            acts += self._alone(segments)
        acts += self._small_talk(bool(acts))
        acts += self._ignored(acts)
        return acts

    def _blocks_ride(self, topics: Sequence[Act]) -> bool:
        return any(act.slot in ("distance", "taxi_price") for act in topics)

    def _topics(self) -> Iterator[Act]:
        for hit in self._said.of(TOPIC):
            yield Act(UNSUPPORTED, self._focus(), hit.key, self._said.text[hit.start : hit.end])

    def _focus(self) -> str:
        return self._context.place_domain

    def _searches_too(self, segments: Sequence[Segment], ride: RideRead) -> bool:
        """Whether something is looked for beside a ride."""
        for segment in segments:
            if segment.anchor and segment.anchor not in ride.used and self._wishes_in(segment):
                return True
        return False

    def _wishes_in(self, segment: Segment) -> bool:
        kinds = (VALUE, AMOUNT, SLOT)
        return any(segment.holds(hit) and hit.kind in kinds for hit in self._said.hits)

    # Near

    def _nears(self) -> list[Near]:
        found: list[Near] = []
        for cue in self._near_cues():
            near = self._near(cue)
            if near:
                found.append(near)
        return found

    def _near_cues(self) -> list[Hit]:
        cues: dict[int, Hit] = {}
        for cue in self._said.cues("near", "closer", "around"):
            cues.setdefault(cue.start, cue)
        return [cues[start] for start in sorted(cues)]

    def _near(self, cue: Hit) -> Near | None:
        keys = {
            each.key for each in self._said.hits if (each.start, each.end) == (cue.start, cue.end)
        }
        follows = self._rules.grammar.near_follows
        source = self._references.beside(cue, after=not follows)
        adverb = "around" in keys
        if source and source.kind == DOMAIN and not self._is_source(source, adverb and not follows):
            source = None
        if "near_weak" in keys and not self._is_place_of_search(source):
            return None
        if source:
            place = self._references.place(source)
            return Near(cue, source, place, "closer" in keys)
        if "closer" in keys and not adverb:
            return None
        if not adverb and not follows and self._names_unknown(cue):
            return Near(cue, None, None, unknown=True)
        return Near(cue, None, self._pointed(cue), "closer" in keys)

    def _pointed(self, cue: Hit) -> Place | None:
        return self._references.pointed(cue)

    def _is_source(self, hit: Hit, adverb: bool) -> bool:
        """Whether a word for a domain says near what: `near the hotel`, not `nearby a hotel`."""
        others = [
            each for each in self._said.of(DOMAIN) if each.key in self._places and each is not hit
        ]
        others += self._said.of(KIND) + self._said.of(VALUE)
        if adverb:
            return self._references.is_definite(hit) and bool(others)
        return bool(others) and not self._references.is_indefinite(hit)

    def _is_place_of_search(self, source: Hit | None) -> bool:
        """Whether `at the zoo` says where something is looked for."""
        if source is None or source.kind == DOMAIN:
            return False
        anchors = [hit for hit in self._said.of(DOMAIN) if hit.key in self._places]
        return (
            bool(anchors) and not self._said.of(SLOT) and not self._said.has("than", "from", "both")
        )

    def _names_unknown(self, cue: Hit) -> bool:
        _, end = self._said.clause(cue.start)
        rest = Utterance(self._said.text[cue.end : min(end, cue.end + 24)], [])
        rest.hits = [
            Hit(hit.kind, hit.key, hit.start - cue.end, hit.end - cue.end)
            for hit in self._said.hits
            if cue.end <= hit.start
        ]
        return bool(self._rules.spotter.unexplained(rest))

    # Rides

    def _ride(self, nears: Sequence[Near]) -> RideRead | None:
        rides = Rides(self._schema, self._said, self._context, self._references)
        anchors = [hit for hit in self._said.of(DOMAIN) if hit.key in self._places]
        searching = bool(nears) and bool(anchors or self._said.of(KIND) or self._said.of(AMOUNT))
        return rides.read(searching)

    def _ride_acts(self, ride: RideRead) -> Iterator[Act]:
        for slot, name in ride.ends.items():
            yield Act(INFORM, ride.domain.key, slot, name)
        for each in ride.domain.slots:
            if each.request:
                yield Act(REQUEST, ride.domain.key, each.key, "")

    # Segments

    def _segments(self, nears: Sequence[Near]) -> list[Segment]:
        anchors = self._anchors()
        cuts = [0]
        heads: list[Hit | None] = [anchors[0] if anchors else None]
        for one, other in pairwise(anchors):
            head = heads[-1] or one
            if self._key(other) == self._key(head):
                continue
            cut = self._cut(one.end, other.start)
            if cut is not None:
                cuts.append(cut)
                heads.append(other)
        ends = [*cuts[1:], len(self._said.text)]
        segments = [Segment(*each) for each in zip(cuts, ends, heads, strict=True)]
        for near in nears:
            next(seg for seg in segments if seg.holds(near.cue)).near.append(near)
        return segments

    def _anchors(self) -> list[Hit]:
        found = [h for h in self._said.of(DOMAIN) if h.key in self._places and h not in self._used]
        kinds = [
            h
            for h in self._said.of(KIND)
            if h not in self._used and self._polarity.of(h) is Polarity.WANTED
        ]
        titles = [h for h in found if self._is_title(h)]
        found = [hit for hit in found if hit not in titles]
        meant = [hit for hit in found if not self._polarity.negator_before(hit)]
        found = meant if meant or kinds else found  # not a hotel, a restaurant
        return sorted([*found, *kinds], key=lambda hit: hit.start)

    def _is_title(self, word: Hit) -> bool:
        """Whether a word only says what a name beside it is: `the restaurant Golden Pleat`."""
        return any(
            min(abs(each.start - word.end), abs(word.start - each.end)) <= 1
            and any(place[0] == word.key for place in each.places)
            for each in self._said.of(NAME)
        )

    def _key(self, anchor: Hit) -> str:
        return anchor.domain if anchor.kind == KIND else anchor.key

    def _cut(self, start: int, end: int) -> int | None:
        """Where one part ends and the next begins: the first joint with no value behind it."""
        joints = [at for at in range(start, end) if self._said.text[at] in MARKS]
        joints += [cue.start for cue in self._said.cues("and") if start <= cue.start < end]
        for joint in sorted(joints):
            content = (VALUE, AMOUNT, NAME)
            behind = [h for h in self._said.hits if joint < h.start < end and h.kind in content]
            if not behind:
                return joint
        return None

    def _segment_acts(self, segment: Segment, before: Sequence[Segment]) -> list[Act]:
        part = _Part(self, segment, before)
        return part.acts()

    # What stands alone

    def _alone(self, segments: Sequence[Segment]) -> Iterator[Act]:
        """Nothing but a word for a domain, more of the same, or details."""
        domain = self._schema.domain(self._focus())
        name = domain.name_slot if domain else None
        if self._said.has("details") and domain and name and self._context.last.get(domain.key):
            yield Act(INFORM, domain.key, name.key, self._context.last[domain.key])

    def _small_talk(self, content: bool) -> Iterator[Act]:
        for key in SMALL_TALK:
            if self._said.has(key) and not (content and key == "bye"):
                yield Act(GENERAL, key)
        if content:
            return
        for key in ANSWERS:
            if self._said.has(key) and not (key == "yes" and self._said.has("no")):
                yield Act(GENERAL, key)

    def _ignored(self, acts: Sequence[Act]) -> Iterator[Act]:
        looked_for = (INFORM, EXCLUDE, SORT, STEP, REFINE)
        if any(act.intent in looked_for or act.slot == "name" for act in acts):
            words = self._rules.spotter.unexplained(self._said)
            if words:
                yield Act(IGNORED, NOTHING, NOTHING, " ".join(words))


def _as_before(before: Hit, after: Hit) -> Hit:
    """A number that puts another right is the same limit: `under 200, sorry, 300`."""
    old, new = before.amount, after.amount
    if old is None or new is None or not new.bare or old.bare:
        return after
    value = new.bounds.low
    bounds = Bounds(None, value) if old.bounds.low is None else Bounds(value, None)
    return replace(after, amount=replace(new, bounds=bounds, bare=False, strict=old.strict))


class _Part:
    """One segment of an utterance."""

    def __init__(self, reading: Reading, segment: Segment, before: Sequence[Segment]) -> None:
        self._r = reading
        self._rules = reading._rules
        self._said = reading._said
        self._context = reading._context
        self._polarity = reading._polarity
        self._segment = segment
        self._before = before
        self._hits = [hit for hit in self._said.hits if segment.holds(hit)]
        self._names = [
            hit
            for hit in self._of(NAME)
            if hit not in reading._used and (hit.sure or self._is_bare())
        ]
        self._measures = list(self._find_measures())
        self.key = self._domain_key()
        self.domain = self._rules.schema.domain(self.key)

    def _is_bare(self) -> bool:
        return not any(hit.kind in (VALUE, AMOUNT, DOMAIN) for hit in self._hits)

    def _of(self, kind: str) -> list[Hit]:
        return [hit for hit in self._hits if hit.kind == kind]

    def _has(self, *keys: str) -> bool:
        return self._said.has_in(self._segment.start, self._segment.end, *keys)

    # The domain

    def _domain_key(self) -> str:
        if self._segment.anchor:
            return self._r._key(self._segment.anchor)
        if self._names:
            return self._r._references.named(self._names[0])[0]
        own = {
            hit.domain for hit in (*self._of(VALUE), *self._of(KIND)) if hit not in self._r._used
        }
        if own and self._context.place_domain not in own:
            return sorted(own)[0]
        picked = self._picked()
        if picked:
            return picked[0]
        return self._slot_domain() or self._context.place_domain

    def _slot_domain(self) -> str:
        """The domain that alone has the slots asked for."""
        owners: set[str] | None = None
        for hit in self._of(SLOT):
            keys = self._owners(hit)
            owners = keys if owners is None else owners & keys or owners
        if owners and self._context.place_domain in owners:
            return self._context.place_domain
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

    # All acts

    def acts(self) -> list[Act]:
        acts = list(self._picks())
        compares = list(self._compares())
        subject = self._subject(bool(compares))
        acts += compares
        wishes = list(self._wishes(subject, bool(compares)))
        if not compares:
            wishes += self._rankings()
        acts += wishes
        self._adopt(wishes)
        acts += self._moves(bool(wishes))
        requests = list(self._requests(wishes, bool(compares)))
        requests += [] if requests or compares else self._totals(wishes)
        acts += requests
        named = list(self._named(compares))
        acts += named
        acts += self._search(acts, subject, requests)
        acts += self._refines([*wishes, *(act for act in named if act.intent == EXCLUDE)])
        return acts

    def _adopt(self, wishes: Sequence[Act]) -> None:
        """The domain that wishes belong to, where none was named: `what is there for free`."""
        keys = {act.domain for act in wishes}
        if not self.key and len(keys) == 1:
            self.key = keys.pop()
            self.domain = self._rules.schema.domain(self.key)

    # Speech function

    def _is_question(self) -> bool:
        at = self._hits[0].start if self._hits else self._segment.start
        if any(self._said.is_asked(hit.start) for hit in self._hits) or self._said.is_asked(at):
            return True
        spaced = self._rules.grammar.spaced
        starts = {self._said.sentence(at)[0], self._said.clause(at)[0], self._segment.start}
        return any(
            self._begins(start, "opener", 10 if spaced else 100)
            or self._begins(start, "asking", 4 if spaced else 100)
            for start in starts
        )

    def _begins(self, start: int, cue: str, reach: int) -> bool:
        text = self._said.text[start : self._segment.end]
        return self._rules.spotter.starts_with(cue, text, reach)

    def _asks_of_it(self) -> bool:
        """Whether it opens as a question about a place known: `is it`, `does it have`."""
        text = self._said.text
        return any(
            self._rules.spotter.says("they", text[cue.start : cue.end])
            for cue in self._said.cues("opener")
            if self._segment.holds(cue)
        )

    def _subject(self, compares: bool) -> Place | None:
        """The place that a question is about; None where something is looked for."""
        if compares:
            return None
        if self._names:
            return self._r._references.named(self._names[-1])
        if not self._is_question() or self._has("anyone", "another", "count", "search_only"):
            return None
        if self._measures and not self._has("they"):
            return None
        picked = self._picked()
        if picked:
            return picked
        anchor = self._segment.anchor
        name = self._context.last.get(self.key)
        if anchor is not None and not (self._is_subject(anchor) or self._asks_of_it()):
            return None
        return (self.key, name) if name else None

    def _is_subject(self, anchor: Hit) -> bool:
        if anchor.kind == KIND:
            return False
        references = self._r._references
        if references.is_definite(anchor):
            return True
        opens = not self._said.text[self._said.sentence(anchor.start)[0] : anchor.start].strip()
        return (
            self._rules.grammar.definite_default and opens and not references.is_indefinite(anchor)
        )

    def _points(self) -> bool:
        """Whether the place asked about is referred to: `is it`, `that hotel`, a name."""
        anchor = self._segment.anchor
        if self._names or self._has("they") or self._asks_of_it():
            return True
        if self._rules.grammar.drops_subject and anchor is None:
            text = self._said.text[self._segment.start : self._segment.end]
            return self._rules.spotter.says("opener", text)
        return anchor is not None and self._is_subject(anchor)

    # Picks and names

    def _picked(self) -> Place | None:
        for key, number in ORDINALS.items():
            if self._has(key) and self._context.listed:
                at = number - 1 if number > 0 else number
                listed = self._context.listed
                if -len(listed) <= at < len(listed):
                    return listed[at]
        return None

    def _several_picked(self) -> list[Place]:
        """`The first and the third`: the places meant, where there are several."""
        listed = self._context.listed
        ranks = [ORDINALS[key] for key in ORDINALS if self._has(key)]
        places = (
            [listed[n - 1 if n > 0 else n] for n in ranks if n <= len(listed)] if listed else []
        )
        return places if len(places) > 1 else []

    def _picks(self) -> Iterator[Act]:
        for domain_key, name in self._several_picked():
            domain = self._rules.schema.domain(domain_key)
            if domain and domain.name_slot:
                yield Act(INFORM, domain_key, domain.name_slot.key, name)
        if self._several_picked():
            return
        for key, number in ORDINALS.items():
            ranked = any(measure.superlative for measure in self._measures)
            if self._has(key) and (self._context.listed or ranked):
                picked = None if ranked else self._picked()
                yield Act(PICK, picked[0] if picked else self.key, NOTHING, str(number))

    def _named(self, compares: Sequence[Act]) -> Iterator[Act]:
        if compares:
            return
        for hit in self._names:
            place = self._r._references.named(hit)
            domain = self._rules.schema.domain(place[0])
            if domain is None or domain.name_slot is None:
                continue
            polarity = self._polarity.of(hit)
            intent = EXCLUDE if polarity is Polarity.EXCLUDED else INFORM
            value = hit.value if hit.value and intent == EXCLUDE else place[1]
            yield Act(intent, place[0], domain.name_slot.key, value)

    # Wishes

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
        seen: set[tuple[int, int]] = set()
        for hit in (*self._of(VALUE), *self._of(KIND)):
            if self._polarity.of(hit) is Polarity.WANTED and hit.kind == KIND:
                if (hit.start, hit.end) in seen:
                    continue  # of several kinds that a word may mean, the first is wanted
                seen.add((hit.start, hit.end))
            if hit in self._r._used or (hit.domain != self.key and self._clashes(hit)):
                continue
            yield from self._value_act(hit, subject)

    def _clashes(self, hit: Hit) -> bool:
        """Whether the same words mean something in the domain spoken of, or another was named."""
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
        term = f"{slot.key}{SERVICE_MARK}{hit.value}"
        polarity = self._polarity.of(hit)
        if (
            subject
            and subject[0] == domain.key
            and hit.kind == VALUE
            and polarity is not Polarity.DROPPED
        ):
            yield (
                Act(REQUEST, domain.key, term, "")
                if services
                else Act(CONFIRM, domain.key, slot.key, hit.value)
            )
        elif polarity is Polarity.EXCLUDED or (not services and self._is_refused(hit, polarity)):
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

    def _replaces(self, hit: Hit) -> bool:
        """`Make it lamb instead`: what was wished for before no longer matters."""
        wished = self._context.wants(hit.domain, hit.key)
        start, _ = self._said.clause(hit.start)
        return wished and self._said.has_in(start, hit.start, "replace")

    def _is_refused(self, hit: Hit, polarity: Polarity) -> bool:
        """Whether words that may take a wish back refuse what was never wished for."""
        wished = self._context.wants(hit.domain, hit.key)
        return polarity is Polarity.DROPPED and not wished and self._polarity.is_refused(hit)

    def _amount_acts(self, subject: Place | None) -> Iterator[Act]:
        amounts = self._rules.amounts
        for hit in self._ranges(self._corrected(self._of(AMOUNT))):
            if hit.amount is None or self._is_clock(hit):
                continue
            kind = amounts.kind_of(hit.amount, self._is_rated(hit))
            if kind is None:
                continue
            domain = amounts.domain_with(kind, [self.key, self._context.place_domain])
            words = self._said.text[hit.start : hit.end]
            if domain is None:
                yield Act(INFORM, "", kind, words)
                continue
            slot = domain.of_kind(kind)[0]
            value = amounts.said(hit.amount, words, domain, slot, self._context)
            asks = (
                subject and subject[0] == domain.key and self._points() and not self._has("search")
            )
            yield Act(CONFIRM if asks else INFORM, domain.key, slot.key, value)

    def _ranges(self, hits: Sequence[Hit]) -> list[Hit]:
        """Two bounds of the same thing are one range: `over 300 and under 500`."""
        found: list[Hit] = []
        for hit in hits:
            joined = _range(found[-1], hit) if found else None
            same = joined and self._kind_of(found[-1]) is self._kind_of(hit)
            found[-1:] = [joined] if joined and same else [*found[-1:], hit]
        return found

    def _kind_of(self, hit: Hit) -> SlotKind | None:
        return self._rules.amounts.kind_of(hit.amount, self._is_rated(hit)) if hit.amount else None

    def _corrected(self, hits: list[Hit]) -> list[Hit]:
        """What was put right is left out: `under 200, no, 300`."""
        meant = [hit for hit in hits if not self._polarity.negator_before(hit)]
        hits = meant or hits  # 400, not 300
        for cue in self._said.cues(*PUT_RIGHT):
            after = [hit for hit in hits if hit.start >= cue.end]
            before = [hit for hit in hits if hit.end <= cue.start]
            if before and after:
                hits = [hit for hit in hits if hit is not before[-1]]
                hits = [_as_before(before[-1], hit) if hit is after[0] else hit for hit in hits]
        return hits

    def _is_rated(self, hit: Hit) -> bool:
        return any(self._slot_kind(slot) is RATING for slot in self._near_slots(hit))

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

    def _price_acts(self, subject: Place | None) -> Iterator[Act]:
        if self._has_price() or self._measures:
            return
        for level in ("free", "paid"):
            if self._has(level) and not (level == "free" and self._has("paid")):
                yield from self._free_act(level, subject)
        if self.domain is None:
            return
        levels = [level for level in ("cheap", "dear", "middling") if self._has(level)]
        if any(self._polarity.of(hit) is Polarity.EXCLUDED for hit in self._of(VALUE)):
            levels = []
        if levels and not (subject and self._is_question()):
            found = self._rules.amounts.cheap(levels[0], self.domain)
            if found:
                yield Act(INFORM, self.key, found[0].key, found[1])
        if self._says_good() and not subject:
            found = self._rules.amounts.good(self.domain)
            if found:
                yield Act(INFORM, self.key, found[0].key, found[1])

    def _free_act(self, level: str, subject: Place | None) -> Iterator[Act]:
        owners = list(self._rules.amounts.domains_for_free())
        key = self.key if self.key in owners or self._segment.anchor else next(iter(owners), "")
        domain = self._rules.schema.domain(key)
        found = self._rules.amounts.free(level, domain) if domain else None
        if found:
            intent = CONFIRM if subject and subject[0] == key else INFORM
            yield Act(intent, key, found[0].key, found[1])

    def _says_good(self) -> bool:
        anchor = self._segment.anchor
        return anchor is not None and any(
            0 <= anchor.start - cue.end <= 12 or 0 <= cue.start - anchor.end <= 6
            for cue in self._said.cues("good")
        )

    def _has_price(self) -> bool:
        found = (h.amount for h in self._of(AMOUNT) if h.amount)
        return any(self._rules.amounts.kind_of(each, False) is NUMBER for each in found)

    # Near

    def _near_acts(self, subject: Place | None) -> Iterator[Act]:
        for near in self._last_nears():
            yield from self._near_act(near, subject)

    def _last_nears(self) -> list[Near]:
        """One place to be near of; the last one said, where it was put right."""
        nears = self._segment.near
        named = [near for near in nears if near.source]
        if len(named) > 1 and self._said.has_in(named[0].cue.end, named[-1].cue.start, *PUT_RIGHT):
            return named[-1:]
        return named[:1] or nears[:1]

    def _near_act(self, near: Near, subject: Place | None) -> Iterator[Act]:
        if self.domain is None:
            if near.place:
                yield Act(INFORM, "", SlotKind.NEARBY, near.place[1])
            return
        place = near.place
        if near.source and near.source.kind == NAME:
            fitting = [each for each in near.source.places if self._nearby(each[0])]
            place = place if place in fitting else next(iter(fitting), place)
        if near.source is None and self._before and not near.unknown:
            earlier = [n.place for seg in self._before for n in seg.near if n.place and n.source]
            if not earlier and self._before[-1].anchor:
                yield Act(
                    SELECT, self.key, self._rules.pack.source, self._r._key(self._before[-1].anchor)
                )
                return
            place = earlier[-1] if earlier else place
        if place and near.source is None and place[0] == self.key:
            place = self._near_before() or (place if self._nearby(self.key) else None)
        slot = self._nearby(place[0]) if place else None
        if place is None or slot is None:
            place, slot = self._other_place(near, place)
        if slot is None:
            return
        if near.unknown or place is None:
            if not near.unknown:
                yield Act(INFORM, self.key, slot.key, "")
            return
        if self._polarity.is_dropped(near.cue):
            yield Act(DROP, self.key, slot.key, "")
            return
        asks = (
            subject
            and self._points()
            and not near.closer
            and not self._r._polarity.negator_before(near.cue)
        )
        if asks and subject and subject[0] == self.key and subject != place:
            yield Act(CONFIRM, self.key, slot.key, place[1])
        elif self._polarity.negator_before(near.cue):
            yield Act(EXCLUDE, self.key, slot.key, place[1])
        else:
            yield Act(INFORM, self.key, slot.key, place[1])

    def _near_before(self) -> Place | None:
        """The place that the same search was near of: `any other restaurant near it`."""
        form = self._context.form
        for slot in self.domain.of_kind(SlotKind.NEARBY) if self.domain and form else ():
            name = form.get(self.key).get(slot.key) if form else ""
            if isinstance(name, str) and name:
                return slot.target, name
        return None

    def _other_place(self, near: Near, place: Place | None) -> tuple[Place | None, Slot | None]:
        """A place spoken of that the domain's tables can be near of."""
        if near.source is None and not near.unknown:
            for other in self._context.recent:
                slot = self._nearby(other[0])
                if slot and other != place and other[0] != self.key:
                    return other, slot
        slots = self.domain.of_kind(SlotKind.NEARBY) if self.domain else ()
        return None, next(iter(slots), None) if place is None else None

    def _nearby(self, target: str) -> Slot | None:
        slots = self.domain.of_kind(SlotKind.NEARBY) if self.domain else ()
        return next((slot for slot in slots if slot.target == target), None)

    # Days and hours

    def _day_acts(self, subject: Place | None) -> Iterator[Act]:
        slot = self._hours_slot()
        if not slot or any(hit.key == "booking" for hit in self._of(TOPIC)):
            return
        values = [day for day in DAYS if self._has(day) and self._is_day(day)]
        values += [str(self._hour(hit)) for hit in self._of(AMOUNT) if self._is_clock(hit)]
        values += ["0"] * self._has("late") + [ALWAYS] * self._has(ALWAYS)
        owners = [d.key for d in self._rules.schema.places if d.slot(slot)]
        own = self.key in owners or self._segment.anchor or subject
        key = self.key if own else next(iter(owners), "")
        for value in values:
            asks = subject is not None
            yield Act(CONFIRM if asks else INFORM, key, slot, value)

    def _is_day(self, day: str) -> bool:
        return not (
            self._has("both")
            and any(
                a.start == b.start for a in self._said.cues(day) for b in self._said.cues("both")
            )
            and not self._opens()
        )

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

    def _hour(self, hit: Hit) -> int:
        amount = hit.amount
        assert amount is not None
        hour = int(amount.bounds.low or amount.bounds.high or 0)
        start, end = max(0, hit.start - 8), hit.end + 16
        late = self._rules.spotter.says("evening", self._said.text[start:end])
        return hour + 12 if late and hour < 12 else hour

    # What no longer matters

    def _dropped_slots(self) -> Iterator[Act]:
        for hit in self._of(SLOT):
            found = self._slot(hit, self.key)
            if found and self._polarity.of(hit) is Polarity.DROPPED and self.domain:
                own = self.domain.slot(found[1].key) or next(
                    iter(self.domain.of_kind(found[1].kind)), None
                )
                if own:
                    yield Act(DROP, self.key, own.key, "")

    # Rankings and comparisons

    def _find_measures(self) -> Iterator[Measure]:
        compared = self._has("than", "both") or len(self._names) > 1 or self._has("which_of")
        for key, (kind, way, superlative) in MEASURES.items():
            for hit in self._said.cues(key):
                if self._segment.holds(hit):
                    yield Measure(kind, way, superlative and self._is_superlative(hit), hit)
        for key, other in IN_COMPARISONS.items():
            for hit in self._said.cues(key) if compared else ():
                if self._segment.holds(hit):
                    kind, way, _ = MEASURES[other]
                    yield Measure(kind, way, False, hit)
        yield from self._extremes()

    def _is_superlative(self, hit: Hit) -> bool:
        """One form for *cheaper* and *cheapest*: the latter stands before what it describes."""
        twins = {"cheapest": "cheaper", "dearest": "dearer", "best": "better"}
        twin = any(
            (c.start, c.end) == (hit.start, hit.end) for c in self._said.cues(twins[hit.key])
        )
        if not twin or self._said.text.startswith(self._rules.grammar.definite, hit.start):
            return True
        behind = any(0 <= h.start - hit.end <= 2 for h in self._hits if h.kind in (DOMAIN, KIND))
        return behind or not self._context.last.get(self._context.place_domain)

    def _extremes(self) -> Iterator[Measure]:
        for key, (way, superlative) in EXTREMES.items():
            for cue in self._said.cues(key):
                for slot in self._measured_slots(cue) if self._segment.holds(cue) else ():
                    gap = max(slot.start - cue.end, cue.start - slot.end)
                    kind = self._measured_kind(slot)
                    if kind and 0 <= gap <= BESIDE:
                        yield Measure(kind, way, superlative, cue)
                        break

    def _measured_slots(self, cue: Hit) -> list[Hit]:
        """Slots in the same clause; where there are none, any: `the rating, which is higher?`."""
        return self._near_slots(cue) or (self._of(SLOT) if self._has("which", "which_of") else [])

    def _measured_kind(self, hit: Hit) -> SlotKind | None:
        key = self._segment.anchor and self._r._key(self._segment.anchor)
        found = self._slot(hit, key or self._context.place_domain)
        kind = found[1].kind if found else None
        return kind if kind in (NUMBER, RATING, DURATION) else None

    def _measure_slot(self, measure: Measure, key: str) -> Slot | None:
        domain = self._rules.schema.domain(key)
        return next(iter(domain.of_kind(measure.kind)), None) if domain else None

    def _compares(self) -> Iterator[Act]:
        names = [
            self._r._references.named(hit)
            for hit in self._said.of(NAME)
            if hit not in self._r._used
        ]
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

    def _is_services(self, hit: Hit) -> bool:
        domain = self._rules.schema.domain(hit.domain)
        slot = domain.slot(hit.key) if domain else None
        return slot is not None and slot.kind is SlotKind.SERVICES

    def _compared(self, names: Sequence[Place]) -> list[Place] | None:
        """The places that are compared; empty: those named last. None: nothing is compared."""
        names = names or self._several_picked()
        named = [place for place in names if place[0] == (names[0][0] if names else "")]
        if self._measures and len(named) > 1:
            return list(dict.fromkeys(named))[:4]
        comparative = any(not measure.superlative for measure in self._measures)
        compared = (self._measures and self._has("than")) or (comparative and self._is_question())
        if named and compared:
            return self._with_subject(named[0])
        if not (self._measures or self._of(VALUE)):
            return None
        if self._has("both"):
            return self._last_two()
        if self._has("among") and len(self._listed()) > 1:
            return self._listed()
        if self._segment.anchor:
            return None
        if (comparative or self._of(VALUE)) and self._has("which", "which_of"):
            listed = self._listed()
            return listed[:4] if len(listed) > 1 else self._last_two() if comparative else None
        return None

    def _listed(self) -> list[Place]:
        """The places named together last, where they are of the domain spoken of."""
        key = self._domain_of_talk()
        return [place for place in self._context.listed if place[0] == key]

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

    def _domain_of_talk(self) -> str:
        if self._segment.anchor:
            return self._r._key(self._segment.anchor)
        return self._context.place_domain

    def _rankings(self) -> Iterator[Act]:
        if self._has_price() and any(measure.kind is NUMBER for measure in self._measures):
            return
        kinds: set[SlotKind] = set()
        for measure in self._measures:
            slot = self._measure_slot(measure, self.key)
            if slot is None or measure.kind in kinds:
                continue
            kinds.add(measure.kind)
            if measure.superlative or not self._context.last.get(self.key):
                yield from self._superlative(measure, slot)
            else:
                yield Act(STEP, self.key, slot.key, LESS if measure.way == LEAST else MORE)

    def _superlative(self, measure: Measure, slot: Slot) -> Iterator[Act]:
        level = {("min", NUMBER): "cheap", ("max", NUMBER): "dear"}.get((measure.way, measure.kind))
        found = self._rules.amounts.cheap(level, self.domain) if level and self.domain else None
        if measure.superlative or not found:
            yield Act(SORT, self.key, slot.key, measure.way)
        else:
            yield Act(INFORM, self.key, found[0].key, found[1])

    # Moves

    def _moves(self, wishes: bool) -> Iterator[Act]:
        if self._has("count") and not self._counted():
            yield Act(COUNT, self.key)
        elif self._lists() and not self._names and not self._measures:
            yield Act(LIST, self.key, NOTHING, self._list_length())
        steps = any(not measure.superlative for measure in self._measures)  # another, cheaper one
        offered = self._context.last.get(self.key)
        if self._has("another") and offered and not self._is_other() and not steps:
            yield Act(ANOTHER, self.key)

    def _is_other(self) -> bool:
        """Whether *another* is said of something else than the place offered."""
        apart = self._segment.near or self._of(KIND) or self._names or self._picked()
        return bool(apart) or self._has("count")

    def _lists(self) -> bool:
        return self._has("listing") or (bool(self._list_length()) and not self._of(SLOT))

    def _list_length(self) -> str:
        """`Three hotels`: the number that stands before the word, where there is one."""
        anchor = self._segment.anchor
        if anchor is None and not self._has("listing"):
            return ""
        taken = [hit for hit in self._hits if hit.kind in (VALUE, AMOUNT, GROUP)]
        text = list(self._said.text[: anchor.start if anchor else self._segment.end])
        for hit in taken:
            text[hit.start : hit.end] = " " * len(text[hit.start : hit.end])
        number = self._rules.spotter.number_before("".join(text))
        return str(number) if 1 < number <= LONGEST_LIST else ""

    # Questions for slots

    def _requests(self, wishes: Sequence[Act], compares: bool) -> Iterator[Act]:
        if compares:
            return
        told = {act.slot for act in wishes if act.intent != DROP}
        seen: set[tuple[int, int]] = set()
        for hit in self._of(SLOT):
            if (hit.start, hit.end) in seen or self._polarity.of(hit) is Polarity.DROPPED:
                continue
            seen.add((hit.start, hit.end))
            act = self._request(hit)
            if act and act.slot not in told and not self._is_label(hit, act):
                yield act
                yield from self._multiplied(act)

    def _request(self, hit: Hit) -> Act | None:
        """The slot asked for, of the domain spoken of, or of the one that has it."""
        ways = {
            h.key.rpartition(".")[0]: h.key.rpartition(".")[2]
            for h in self._of(SLOT)
            if (h.start, h.end) == (hit.start, hit.end)
        }
        owners = self._owners(hit)
        key = self.key if self.key in owners else self._owner(owners)
        slot_key = ways.get(key) or ways.get("") or next(iter(ways.values()))
        domain = self._rules.schema.domain(key)
        if domain and not domain.slot(slot_key) and key not in ways and "" not in ways:
            kinds = [self._slot(hit, key)]
            own = [s for found in kinds if found for s in domain.of_kind(found[1].kind)]
            slot_key = own[0].key if own else slot_key
        return Act(REQUEST, key, slot_key, "")

    def _owner(self, owners: set[str]) -> str:
        if self._segment.anchor or self._names or self._picked():
            return self.key
        lately = [self._context.domain, *(key for key, _ in self._context.recent)]
        known = [key for key in lately if key in owners]
        if known or self._context.last.get(self.key):
            return known[0] if known else self.key
        return next(iter(owners)) if len(owners) == 1 else self.key

    def _is_label(self, hit: Hit, act: Act) -> bool:
        """Whether a slot only says what a number or a ranking is about."""
        domain = self._rules.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        kind = slot.kind if slot else None
        start, end = self._said.clause(hit.start)
        if any(m.kind is kind and start <= m.hit.start < end for m in self._measures):
            return True
        if kind is SlotKind.TEXT and act.slot == self._hours_slot():
            return any(self._is_clock(h) for h in self._of(AMOUNT)) or self._has(*DAYS, "late")
        numbers = [h.amount for h in self._of(AMOUNT) if h.amount and start <= h.start < end]
        rated = kind is RATING
        return any(self._rules.amounts.kind_of(each, rated) is kind for each in numbers)

    def _multiplied(self, act: Act) -> Iterator[Act]:
        domain = self._rules.schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot is None or slot.kind is not NUMBER:
            return
        if number := self._counted():
            yield Act(MULTIPLY, act.domain, act.slot, f"{number:g}")

    def _counted(self) -> float:
        """How many nights and rooms, or else people, a price is for; 0: nobody said, or one."""
        numbers = {unit: 1.0 for unit in ("nights", "rooms", "persons")}
        for hit in self._said.of(AMOUNT):
            if hit.amount and hit.amount.unit in numbers:
                bounds = [each for each in (hit.amount.bounds.low, hit.amount.bounds.high) if each]
                numbers[hit.amount.unit] = round(sum(bounds) / len(bounds)) if bounds else 1.0
        for hit in self._said.of(GROUP):
            numbers["persons"] = float(hit.key)
        units = {hit.amount.unit for hit in self._said.of(AMOUNT) if hit.amount}
        stay = numbers["nights"] * numbers["rooms"]
        number = stay if units & {"nights", "rooms"} else numbers["persons"]
        return number if number > 1 else 0

    def _totals(self, told: Sequence[Act]) -> Iterator[Act]:
        """`How much for three nights`, `and for four people?`: a price that was not named."""
        slot = next(iter(self.domain.of_kind(NUMBER)), None) if self.domain else None
        anchor = self._segment.anchor
        known = slot and self._context.last.get(self.key) and not self._of(SLOT)
        if not (slot and known and self._counted()) or any(a.intent != DROP for a in told):
            return
        if self._has("total") or not (anchor or self._said.of(TOPIC) or self._has("search")):
            yield Act(REQUEST, self.key, slot.key, "")
            yield Act(MULTIPLY, self.key, slot.key, f"{self._counted():g}")

    # Looking for a place

    def _search(
        self, acts: Sequence[Act], subject: Place | None, requests: Sequence[Act]
    ) -> Iterator[Act]:
        anchor = self._segment.anchor
        name = self.domain.name_slot if self.domain else None
        if anchor is None or name is None or self._names or self._has("count"):
            return
        if not acts and self._goes_on(anchor):
            yield Act(INFORM, self.key, name.key, self._context.last[self.key])
            return
        if subject or any(act.intent in (COMPARE, COUNT, LIST, PICK, DROP) for act in acts):
            return
        looked_for = any(act.intent in (INFORM, EXCLUDE, SORT, SELECT, STEP) for act in acts)
        wanted = self._polarity.of(anchor) is Polarity.WANTED or anchor.kind != KIND
        if wanted and (looked_for or not (requests or self._of(TOPIC))):
            yield Act(REQUEST, self.key, name.key, "")

    def _goes_on(self, anchor: Hit) -> bool:
        """Whether a word for a domain alone means the place known (and the hotel?)."""
        references = self._r._references
        if not self._context.last.get(self.key) or references.is_indefinite(anchor):
            return False
        return references.is_definite(anchor) or self._has("too")

    def _refines(self, wishes: Sequence[Act]) -> Iterator[Act]:
        """Wishes that narrow the search under way, instead of opening another one."""
        anchor = self._segment.anchor
        fresh = anchor is not None and not self._r._references.is_definite(anchor)
        fresh = fresh and not self._has("same")
        looked_for = [act for act in wishes if act.intent in (INFORM, EXCLUDE, SORT, STEP)]
        same = [act for act in looked_for if act.domain == self.key]
        if same and not fresh and self._context.is_searched(self.key):
            yield Act(REFINE, self.key)


def _range(one: Hit, other: Hit) -> Hit | None:
    """One amount of a lower and an upper bound; None where they are anything else."""
    if one.amount is None or other.amount is None or one.amount.bare or other.amount.bare:
        return None
    ends = sorted((one.amount, other.amount), key=lambda each: each.bounds.low is None)
    low, high = ends[0].bounds.low, ends[1].bounds.high
    if low is None or high is None or ends[0].bounds.high or ends[1].bounds.low or low >= high:
        return None
    amount = replace(other.amount, bounds=Bounds(low, high), strict=False)
    return replace(other, start=min(one.start, other.start), amount=amount)
