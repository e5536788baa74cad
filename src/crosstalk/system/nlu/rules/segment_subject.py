"""What a segment is about: a known place, of which something is asked, or one to be found."""

from collections.abc import Iterable

from crosstalk.dialogue.acts import CONFIRM, INFORM, REQUEST
from crosstalk.dialogue.schema import LISTS, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.polarity import Polarity
from crosstalk.system.nlu.rules.segment_base import PartBase
from crosstalk.system.nlu.rules.segments import NearPlace, key_of
from crosstalk.system.nlu.rules.utterance import AMOUNT, CUE, KIND, MARKS, SLOT, VALUE, Hit


class SubjectReader(PartBase):
    """Tells `does it have a bar?`, a question, from `is there a hotel with a bar?`, a search."""

    def _subject(self, compares: bool) -> Place | None:
        """The place that a question is about; None where something is searched for.

        A name or an ordinal says which place is meant. Otherwise it is the one under discussion,
        unless the question describes a kind of place.
        """
        if compares:
            return None
        names = [h for h in self._names if self._polarity.of(h) is not Polarity.EXCLUDED]
        if names:
            return self._reading.references.named(names[-1])
        if self._has("anywhere") and self._of(VALUE):
            return None
        ranked = any(measure.superlative for measure in self._measures)  # the second cheapest
        picked = None if ranked else self._picked()
        if picked and self._is_question():
            return picked
        if not self._is_question() or self._describes():
            return None
        name = self._context.last.get(self.key)
        if self._asks_of_sought():
            return self.key, name or ""
        if not name and self._is_the_known():
            return self._context.recent_of(self.key)[0]
        return (self.key, name) if name else None

    def _is_the_known(self) -> bool:
        """Whether a word such as *the hotel* can only mean one that was named somehow."""
        anchor = self._segment.anchor
        named = anchor is not None and bool(self._context.recent_of(self.key))
        return bool(named and anchor and self._reading.references.is_definite(anchor))

    def _describes(self) -> bool:
        """Whether a question says what kind of place is searched for.

        That does a noun without *the* (`a hotel with a bar`), a word for any place (`anything
        under 200`), a question for the place itself (`who has duck`), or for one of several.
        """
        if self._has("another", "count", "among") or self._asks_among():
            return True
        if self._anyone() and not self._asks_any_of_it():
            return True
        if any(measure.superlative for measure in self._measures):
            return True
        if (self._measures or self._asks_which()) and not self._refers():
            return True
        anchor = self._segment.anchor
        if anchor is None:
            return False
        if self._has("listing") and self._of(VALUE):
            return True  # what are the places that have falafel?
        if self._asks_what(anchor):
            return True
        return not (
            self._is_subject(anchor) or self._is_said_of_it(anchor) or self._is_verb(anchor)
        )

    def _asks_of_sought(self) -> bool:
        """`A cheap hotel. Does it have parking?`: asked of a place yet to be found."""
        sought = any(each.anchor and key_of(each.anchor) == self.key for each in self._before)
        services = all(self._value_kind(hit) is SlotKind.SERVICES for hit in self._of(VALUE))
        return sought and services and self._segment.anchor is None

    def _asks_what(self, anchor: Hit) -> bool:
        """`What museums are near the hotel?`, unlike `is the museum near the hotel?`."""
        start = self._segment.start
        if any(near is each for seg in self._before for near in seg.near for each in self._near()):
            start = self._said.sentence(start)[0]  # what museums and hotels are nearby
        text = self._said.text[start : anchor.end]
        labels = [hit for amount in self._of(AMOUNT) for hit in self._near_slots(amount)]
        asked = [hit for hit in self._of(SLOT) if hit not in labels]
        if asked or not self._rules.spotter.cues.says("question_word", text):
            return False
        wishes = self._of(VALUE) or self._of(AMOUNT)
        known = self._reading.references.is_definite(anchor)
        return bool(self._near()) or self._has("search") or bool(wishes and not known)

    def _near(self) -> list[NearPlace]:
        return self._segment.near

    def _anyone(self) -> list[Hit]:
        """Words for any place; not those of `that one` or of `near any beach`."""
        cues = [cue for cue in self._said.cues("anyone") if self._segment.holds(cue)]
        named = [cue for cue in self._said.cues("they") if self._segment.holds(cue)]
        sources = [near.source for near in self._segment.near if near.source]
        return [
            cue
            for cue in cues
            if not any(each.start < cue.start and cue.end <= each.end for each in named)
            and not self._determines(cue, sources)
        ]

    def _asks_any_of_it(self) -> bool:
        """`Any oysters there?`: *any* stands before what is asked of a known place."""
        values = self._of(VALUE)
        if self._asks_of_it() and self._refers(to_places=True) and values:
            return True
        if self._segment.anchor or self._segment.near or self._of(AMOUNT):
            return False
        kinds = {self._value_kind(hit) for hit in values}
        if self._refers() and kinds == {SlotKind.LIST}:
            return True  # is there anything with lamb there?
        had = bool(kinds) and kinds <= LISTS
        return had and all(self._determines(cue, values) for cue in self._anyone())

    def _determines(self, cue: Hit, values: Iterable[Hit]) -> bool:
        """Whether a word goes with a value directly beside it, and stands for no place."""
        said = self._said.text[cue.start : cue.end]
        gaps = (gap for hit in values for gap in (hit.start - cue.end, cue.start - hit.end))
        beside = any(0 <= gap <= 1 for gap in gaps)
        return beside and self._rules.spotter.cues.is_all("determiner", said)

    def _is_said_of_it(self, anchor: Hit) -> bool:
        """`Is it a luxury hotel?`, but not `is there a hotel with a bar there?`."""
        indefinite = self._reading.references.is_indefinite(anchor)
        return self._asks_of_it() and (not indefinite or self._refers(to_places=True))

    def _refers(self, *, to_places: bool = False) -> bool:
        """Whether a word stands for a known place; the *there* of `is there` does not.

        `to_places`: not counting words such as *there*, which say where something is.
        """
        cues = [cue for cue in self._said.cues("they") if self._segment.holds(cue)]
        return bool(self._pointers(cues, to_places))

    def _pointers(self, cues: Iterable[Hit], to_places: bool = False) -> list[Hit]:
        void = self._said.cues("existential")
        text, says = self._said.text, self._rules.spotter.cues.is_all
        return [
            cue
            for cue in cues
            if not any(other.start <= cue.start and cue.end <= other.end for other in void)
            and not (to_places and says("there", text[cue.start : cue.end]))
        ]

    def _is_question(self) -> bool:
        if self._demands() and not (self._is_marked() or self._has("whether")):
            return False
        return self._asks() or self._has("hope") or self._goes_on_asking()

    def _demands(self) -> bool:
        """Whether something must be so, said by itself or beside a number: `must not be over`."""
        limits = [self._said.text[hit.start : hit.end] for hit in self._of(AMOUNT)]
        return self._has("must") or any(self._rules.spotter.cues.says("must", t) for t in limits)

    def _asks(self) -> bool:
        at = self._hits[0].start if self._hits else self._segment.start
        if self._is_marked() or self._said.is_asked(at) or self._has("whether"):
            return True
        spaced = self._rules.grammar.spaced
        starts = {self._said.sentence(at)[0], self._said.clause(at)[0], self._segment.start}
        turns = [cue.end for cue in self._said.cues("but") if self._segment.holds(cue)]
        return any(
            self._begins(start, "opener", 10 if spaced else 100)
            or self._begins(start, "asking", 4 if spaced else 100)
            for start in starts
        ) or (spaced and any(self._begins(start, "opener", 2) for start in turns))

    def _is_marked(self) -> bool:
        """Whether a question mark ends a sentence that does more than ask for advice."""
        asked = [hit for hit in self._hits if self._said.is_asked(hit.start)]
        advice = {self._said.sentence(cue.start) for cue in self._said.cues("advice")}
        content = [hit for hit in asked if hit.kind != CUE]
        bare = advice - {self._said.sentence(hit.start) for hit in content}
        return any(self._said.sentence(hit.start) not in bare for hit in asked)

    def _begins(self, start: int, cue: str, reach: int) -> bool:
        text = self._said.text[start : self._segment.end]
        values = {hit.start - start: hit.end - start for hit in self._of(VALUE)}
        return any(
            at < reach and values.get(at, 0) <= end  # the beginning of a value is no question
            for at, end in self._rules.spotter.cues.spans(cue, text)
        )

    def _goes_on_asking(self) -> bool:
        """`And breakfast`, after a question for something else of the same place."""
        values = self._of(VALUE)
        asked = [a for a in self._context.acts if a.intent in (CONFIRM, REQUEST)]
        asked = [a for a in asked if a.domain == self.key and self._is_value_slot(a.slot)]
        searched = any(
            act.intent == INFORM and self._is_value_slot(act.slot) for act in self._context.acts
        )
        if not values or not asked or searched or self._segment.near or self._names:
            return False
        left = list(self._said.text[self._segment.start : self._segment.end])
        for hit in (*values, *self._said.cues("and", "too", "indefinite")):
            start, end = hit.start - self._segment.start, hit.end - self._segment.start
            left[max(start, 0) : max(end, 0)] = " " * (max(end, 0) - max(start, 0))
        return not "".join(left).strip(MARKS + " ")

    def _is_value_slot(self, key: str) -> bool:
        slot = self.domain.slot(key) if self.domain else None
        return slot is not None and slot.kind.is_list

    def _asks_of_it(self) -> bool:
        """Whether it opens as a question about a known place: `is it`, `does it have`."""
        openers = [cue for cue in self._said.cues("opener") if self._segment.holds(cue)]
        searches = self._said.cues("search")  # there is no place in `are there any hotels`
        said = self._pointers(self._said.cues("they"))
        for cue in openers:
            start = max([h.end for h in searches if h.start == cue.start], default=cue.start)
            if any(start <= each.start and each.end <= cue.end for each in said):
                return True
        return self._rules.grammar.drops_subject and bool(openers) and self._begins_with_it()

    def _begins_with_it(self) -> bool:
        """Whether a known place stands before the word for its domain: `它家有咖啡喝吗`."""
        anchor = self._segment.anchor
        known = self._context.last.get(self._context.place_domain)
        here = anchor is not None and key_of(anchor) == self._context.place_domain
        return (
            bool(here and known and anchor)
            and not self._segment.near
            and self._said.has_in(self._segment.start, anchor.start if anchor else 0, "they")
        )

    def _asks_which(self) -> bool:
        """Whether a place is requested that has something: `who does duck?`."""
        asked = [slot for slot in self._of(SLOT) if not self._is_which(slot)]
        return self._has("which", "which_of") and bool(self._of(VALUE)) and not asked

    def _is_subject(self, anchor: Hit) -> bool:
        if anchor.kind == KIND:
            return False
        references = self._reading.references
        if references.is_definite(anchor):
            return True
        known = self._rules.grammar.definite_default and not self._has("search", "listing")
        return known and not references.is_indefinite(anchor) and not self._is_near(anchor)

    def _is_near(self, anchor: Hit) -> bool:
        """Whether a word for a domain follows the place it is near: `故宫附近的酒店`."""
        nears = [near for near in self._segment.near if near.place != self._known_place(anchor)]
        return any(near.cue.end <= anchor.start for near in nears)

    def _known_place(self, anchor: Hit) -> Place:
        return key_of(anchor), self._context.last.get(key_of(anchor), "")

    def _is_verb(self, anchor: Hit) -> bool:
        """Whether a word for the domain only says what is done with a value: `有螃蟹吃吗`."""
        behind = any(hit.end == anchor.start for hit in self._of(VALUE))
        behind = behind and anchor.end - anchor.start == 1  # nouns have two characters
        return behind and self._rules.grammar.drops_subject and self.key == self._focus_known()

    def _focus_known(self) -> str:
        key = self._context.place_domain
        return key if self._context.last.get(key) else ""

    def _asks_among(self) -> bool:
        """Whether it is asked which of the places named together is meant."""
        anchor = self._segment.anchor
        if anchor is not None and self._reading.references.is_indefinite(anchor):
            return False
        which = self._has("which_of") and self._context.several and not self._has("anywhere")
        return (which or self._has("among")) and len(self._listed()) > 1

    def _points(self) -> bool:
        """Whether the place asked about is referred to: `is it`, `that hotel`, a name."""
        anchor = self._segment.anchor
        if self._names or self._picked() or self._has("they", "hope") or self._asks_of_it():
            return True
        if self._rules.grammar.drops_subject and anchor is None:
            text = self._said.text[self._segment.start : self._segment.end]
            return self._rules.spotter.cues.says("opener", text)
        return anchor is not None and self._is_subject(anchor)
