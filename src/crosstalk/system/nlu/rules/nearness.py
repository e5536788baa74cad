"""Nearness in an utterance: which cues mean *near*, and near which place.

`NearFinder` reads words for *near*; the functions below read nearness that is asked about, or that
goes without such a word: `Hotel. Zoo. Max 300`.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.segments import NearPlace, ReadingRules, key_of
from crosstalk.system.nlu.rules.utterance import (
    AMOUNT,
    CUE,
    DOMAIN,
    KIND,
    NAME,
    SLOT,
    VALUE,
    Hit,
    Utterance,
)

NEARNESS: Final = ("near", "closer", "around")
"""Cues that mean *near*."""
NEXT: Final = 12
"""Characters between `something` and a place that it is at: `something by the zoo`."""


class NearFinder:
    """Finds what something shall be near, in one utterance."""

    def __init__(
        self, rules: ReadingRules, said: Utterance, context: TurnContext, references: References
    ) -> None:
        self._rules = rules
        self._schema = rules.schema
        self._said = said
        self._context = context
        self._references = references
        self._places = {domain.key for domain in rules.schema.places}

    def find(self) -> list[NearPlace]:
        """Every place that something shall be near, with or without a word for *near*."""
        nears = self._by_cues() or self._corrected_near()
        nears += bare_near(self._said, self._references, self._places, nears)
        nears += there_near(self._said, self._references, self._places, nears)
        return nears

    def _by_cues(self) -> list[NearPlace]:
        found: list[NearPlace] = []
        for cue in self._near_cues():
            near = self._near_each_other(cue) or self._near(cue)
            if near:
                found += [near, *or_near(self._said, self._references, near)]
        return found or self._over_there()

    def _over_there(self) -> list[NearPlace]:
        """`And a hotel there`: something of another domain, where the known place is."""
        focus, says = self._context.place_domain, self._rules.spotter.cues.is_all
        sought = [*self._said.of(DOMAIN), *self._said.of(KIND)]
        if not sought or not self._context.last.get(focus) or self._said.of(NAME):
            return []
        if any(key_of(hit) not in self._places - {focus} for hit in sought):
            return []
        if any(self._context.is_searched(key_of(hit)) for hit in sought):
            return []
        void = self._said.cues("existential")
        for cue in self._said.cues("here"):
            said = any(each.start <= cue.start and cue.end <= each.end for each in void)
            if not said and says("over_there", self._said.text[cue.start : cue.end]):
                return [NearPlace(cue, None, self._pointed(cue))]
        return []

    def _near_each_other(self, cue: Hit) -> NearPlace | None:
        """`Are the zoo and the aquarium near each other`: whether the first is near the second."""
        start, end = self._said.clause(cue.start)
        names = [hit for hit in self._said.of(NAME) if start <= hit.start < end]
        content = [hit for kind in (DOMAIN, KIND, VALUE, AMOUNT) for hit in self._said.of(kind)]
        if len(names) != 2 or content or names[1].end > cue.start or self._said.has("closer"):
            return None
        joined = self._said.has_in(names[0].end, names[1].start, "and")
        asks = self._said.is_asked(cue.start) or self._said.has_in(cue.start, end, "opener")
        if not joined or not asks:
            return None
        return NearPlace(cue, names[1], self._references.named(names[1]))

    def _corrected_near(self) -> list[NearPlace]:
        """`No, I meant the Maritime Museum`: the place that something shall be near, corrected."""
        names = [hit for hit in self._said.of(NAME) if hit.sure]
        cues = self._said.cues("correction")
        other = self._said.of(SLOT) + self._said.of(VALUE) + self._said.of(DOMAIN)
        if len(names) != 1 or not cues or other or not self._was_near():
            return []
        return [NearPlace(cues[-1], names[0], self._references.named(names[0]))]

    def _was_near(self) -> bool:
        """Whether the user's turn before was about a place to be near."""
        for act in self._context.acts:
            domain = self._schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if act.intent == INFORM and slot and slot.kind is SlotKind.NEARBY:
                return True
        return False

    def _near_cues(self) -> list[Hit]:
        cues: dict[int, Hit] = {}
        for cue in self._said.cues(*NEARNESS, "near_weak"):
            cues.setdefault(cue.start, cue)
        return [cues[start] for start in sorted(cues)]

    def _near(self, cue: Hit) -> NearPlace | None:
        keys = {
            each.key for each in self._said.hits if (each.start, each.end) == (cue.start, cue.end)
        }
        follows = self._rules.grammar.near_follows and "near_before" not in keys
        source = self._references.beside(cue, after=not follows)
        source = source or (None if follows else self._measured_from(cue))
        adverb = "around" in keys
        pointing = self._rules.spotter.cues.says("here", self._said.text[cue.start : cue.end])
        source = None if adverb and pointing else source  # is there a park near it?
        if source and source.kind == DOMAIN and not self._is_source(source, adverb and not follows):
            source = None
        if source and source.kind == NAME and self._asks_station_of(source):
            return None
        if "near_weak" in keys and not self._is_place_of_search(source, cue):
            return NearPlace(cue, None, self._pointed(cue)) if self._looks_there(cue) else None
        if source:
            place = self._references.place(source, self._asked_about(cue))
            return NearPlace(cue, source, place, "closer" in keys)
        if "closer" in keys and not adverb:
            return None
        if not adverb and not follows and self._names_unknown(cue):
            return NearPlace(cue, None, None, unknown=True)
        if follows and self._names_unknown_before(cue):
            return NearPlace(cue, None, None, unknown=True)
        return NearPlace(cue, None, self._pointed(cue), "closer" in keys)

    def _asks_station_of(self, source: Hit) -> bool:
        """`Which metro station is near the zoo?`: its station is requested, no place is sought."""
        keys = {slot.key for d in self._schema for slot in d.of_kind(SlotKind.STATION)}
        asked = any(hit.key.rpartition(".")[2] in keys for hit in self._said.of(SLOT))
        sought = [hit for hit in self._said.of(DOMAIN) if hit.key in self._places]
        return asked and not sought and not self._said.of(VALUE) and not self._said.of(AMOUNT)

    def _measured_from(self, cue: Hit) -> Hit | None:
        """`From the hotel not far`: the place before the word for *near*."""
        for start in self._said.cues("from"):
            place = self._references.beside(start, after=True)
            if place and 0 <= cue.start - place.end <= 1:
                return place
        return None

    def _looks_there(self, cue: Hit) -> bool:
        """`那边有住的地方吗`: something of another domain is searched for, where we are now."""
        focus = self._context.place_domain
        start, _ = self._said.clause(cue.start)
        opens = self._rules.grammar.near_follows and not self._said.text[start : cue.start].strip()
        anchors = [hit.key for hit in self._said.of(DOMAIN) if hit.key in self._places]
        elsewhere = bool(anchors) and focus not in anchors
        return opens and elsewhere and bool(self._context.last.get(focus))

    def _pointed(self, cue: Hit) -> Place | None:
        if self._rules.spotter.cues.says("same_place", self._said.text[cue.start : cue.end]):
            return self._searched_near() or self._references.pointed(cue, self._asked_about(cue))
        return self._references.pointed(cue, self._asked_about(cue))

    def _searched_near(self) -> Place | None:
        """The place that the search under way is near: `a hotel in the same area`."""
        key, form = self._context.place_domain, self._context.form
        domain = self._schema.domain(key)
        for slot in domain.of_kind(SlotKind.NEARBY) if domain and form else ():
            name = form.get(key).get(slot.key) if form else ""
            if isinstance(name, str) and name:
                return slot.target, name
        return None

    def _asked_about(self, cue: Hit) -> list[Place]:
        start, end = self._said.sentence(cue.start)
        opens = self._rules.spotter.cues.starts_with("opener", self._said.text[start:end], 10)
        return asked_about(self._said, self._references, cue, opens)

    def _is_source(self, hit: Hit, adverb: bool) -> bool:
        """Whether a word for a domain says near what: `near the hotel`, not `nearby a hotel`."""
        others = [
            each for each in self._said.of(DOMAIN) if each.key in self._places and each is not hit
        ]
        others += self._said.of(KIND) + self._said.of(VALUE)
        if self._said.of(NAME) and self._references.is_definite(hit):
            return True  # is the beach near the hotel?
        if self._said.has("anyone") and hit.key != self._context.place_domain:
            return self._references.is_definite(hit)  # one that is closer to the restaurant
        if adverb:
            return self._references.is_definite(hit) and bool(others)
        return bool(others) and not self._references.is_indefinite(hit)

    def _is_place_of_search(self, source: Hit | None, cue: Hit) -> bool:
        """Whether `at the zoo` says where something is searched for."""
        if source is None or self._said.has("than"):
            return False
        anchors = [h for h in self._said.of(DOMAIN) if h.key in self._places and h is not source]
        if source.kind == NAME:  # a hostel at the beach, not a room at the Swan
            anchors = [hit for hit in anchors if self._may_be_near(hit.key, source)]
            anchors += [h for h in self._said.of(KIND) if h.domain != source.places[0][0]]
        if source.kind == DOMAIN:
            return bool(anchors) and self._references.is_definite(source)
        if any(0 <= source.start - each.end <= NEXT for each in self._said.cues("anyone")):
            return True
        if self._said.of(SLOT) and not self._said.of(AMOUNT):
            return False
        if self._asks_of(source):
            return False
        if self._said.has_in(self._said.clause(source.start)[0], source.start, "anyone"):
            return True  # anything cheaper at the zoo?
        if self._said.has("opener"):
            return True
        leaves = any(self._is_start(other, source, cue) for other in self._said.cues("from"))
        if leaves or (self._said.has("both") and not anchors):
            return False
        return bool(anchors) or self._looks_elsewhere(source) or self._goes_on_near(source)

    def _may_be_near(self, key: str, source: Hit) -> bool:
        """Whether the tables say what is near a place, in a domain."""
        domain = self._schema.domain(key)
        targets = {slot.target for slot in domain.of_kind(SlotKind.NEARBY)} if domain else set()
        return any(place[0] in targets for place in source.places)

    def _is_start(self, other: Hit, source: Hit, cue: Hit) -> bool:
        """Whether *from* is said of a place: of this one, or of another one."""
        start = self._references.beside(other, after=True)
        return other.start <= cue.start < other.end or start not in (None, source)

    def _asks_of(self, source: Hit) -> bool:
        """Whether a question is about what the place itself has: `is there a pool at the Swan?`."""
        own = {source.domain, *(key for key, _ in source.places)}
        values = [hit for hit in self._said.of(VALUE) if hit.alone]
        anchors = [hit for hit in self._said.of(DOMAIN) if hit.key in self._places]
        asked = bool(values) and self._said.is_asked(source.start) and not anchors
        return asked and all(hit.domain in own for hit in values)

    def _looks_elsewhere(self, source: Hit) -> bool:
        """Whether what is wanted is of another domain than the place: `crab at the lighthouse`."""
        own = {source.domain, *(key for key, _ in source.places)}
        values = [hit for hit in self._said.of(VALUE) if hit.alone]
        return bool(values) and all(hit.domain not in own for hit in values)

    def _goes_on_near(self, source: Hit) -> bool:
        """Whether a place only says where to look on: `at the zoo, up to 350`."""
        place, key = self._references.place(source), self._context.place_domain
        asked = self._said.is_asked(source.start)
        return bool(place and place[0] != key and self._context.is_searched(key) and not asked)

    def _names_unknown_before(self, cue: Hit) -> bool:
        """Whether unknown words stand between *from* and a word for near: `离车站近`."""
        start, _ = self._said.clause(cue.start)
        away = [each.end for each in self._said.cues("away") if start <= each.start < cue.start]
        rest = Utterance(self._said.text[max(away) : cue.start], []) if away else None
        return rest is not None and bool(self._rules.spotter.unexplained(rest))

    def _names_unknown(self, cue: Hit) -> bool:
        _, end = self._said.clause(cue.start)
        rest = Utterance(self._said.text[cue.end : min(end, cue.end + 24)], [])
        rest.hits = [
            Hit(hit.kind, hit.key, hit.start - cue.end, hit.end - cue.end)
            for hit in self._said.hits
            if cue.end <= hit.start
        ]
        return bool(self._rules.spotter.unexplained(rest))


def asked_about(said: Utterance, references: References, cue: Hit, asks: bool) -> list[Place]:
    """`Is the tower near it`: the name says what is asked about, not what *it* is."""
    start, _ = said.sentence(cue.start)
    names = [hit for hit in said.of(NAME) if start <= hit.start and hit.end <= cue.start]
    searched = [
        hit for kind in (DOMAIN, KIND) for hit in said.of(kind) if not references.is_title(hit)
    ]
    if len(names) != 1 or searched or not (asks or said.is_asked(cue.start)):
        return []
    return [references.named(names[0])]


def bare_near(
    said: Utterance, references: References, places: Collection[str], nears: Sequence[NearPlace]
) -> list[NearPlace]:
    """`Hotel. Zoo. Max 300`: a name that is a clause by itself says where to look."""
    searched = [hit for hit in said.of(DOMAIN) if hit.key in places]
    names = said.of(NAME)
    if nears or len(searched) != 1 or len(names) != 1 or said.of(SLOT):
        return []
    name, anchor = names[0], searched[0]
    place = references.named(name)
    other = place[0] != anchor.key and not references.is_definite(anchor)
    if not other or not (_is_clause(said, name, anchor) or _goes_with(said, name, anchor)):
        return []
    return [NearPlace(name, name, place)]


def _is_clause(said: Utterance, name: Hit, anchor: Hit) -> bool:
    """Whether a name is a clause by itself, and asks for nothing."""
    start, end = said.clause(name.start)
    alone = said.text[start:end].strip() == said.text[name.start : name.end]
    apart = not start <= anchor.start < end
    return alone and apart and not said.is_asked(name.start) and not said.has("too", "they")


def _goes_with(said: Utterance, name: Hit, anchor: Hit) -> bool:
    """Whether a name follows what is searched for in the same clause, whatever stands between."""
    start, end = said.clause(name.start)
    between = (anchor.end, name.start)
    joined = said.has_in(*between, "and", "or", "but", "than", "too", "negator", "from", "to")
    return start <= anchor.start < name.start < end and not joined


def there_near(
    said: Utterance, references: References, places: Collection[str], nears: Sequence[NearPlace]
) -> list[NearPlace]:
    """`三里屯有什么好吃的`: what there is at a place, of another kind than the place."""
    names = said.of(NAME)
    if nears or len(names) != 1 or said.of(SLOT):
        return []
    name, place = names[0], references.named(names[0])
    behind = [cue for cue in said.cues("there_is") if 0 <= cue.start - name.end <= 1]
    sought = {hit.key for hit in said.of(DOMAIN)} | {hit.domain for hit in said.of(KIND)}
    apart = bool(sought) and sought <= set(places) - {place[0]}
    return [NearPlace(behind[0], name, place)] if behind and apart else []


def or_near(said: Utterance, references: References, near: NearPlace) -> list[NearPlace]:
    """`Nearer to the zoo or to the beach`: a place that the same word goes with."""
    source = near.source
    names = [hit for hit in said.of(NAME) if source and hit.start >= source.end]
    if source is None or not names or not said.has_in(source.end, names[0].start, "or"):
        return []
    between = [hit for hit in said.hits if source.end <= hit.start and hit.end <= names[0].start]
    if any(hit.kind != CUE or hit.key in ("near", "closer", "around") for hit in between):
        return []
    return [replace(near, source=names[0], place=references.named(names[0]))]
