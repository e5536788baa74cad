"""References: which place a name, *the hotel*, *there* or *the museum* in an utterance is."""

from collections.abc import Sequence
from typing import Final

from crosstalk.dialogue.schema import Schema
from crosstalk.language.names import Place
from crosstalk.language.phrases import Grammar
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.segments import ORDINALS
from crosstalk.system.nlu.rules.spotting import Spotter
from crosstalk.system.nlu.rules.utterance import (
    CUE,
    DOMAIN,
    KIND,
    MARKS,
    NAME,
    SOFT,
    Hit,
    Utterance,
)
from crosstalk.worlds.queries import ends_of

CLOSE: Final = 14
CLOSE_UNSPACED: Final = 4
"""Characters between a function word and the place it belongs to."""
FEW: Final = 3
"""Places of a kind of which the first is meant where a landmark is expected."""
POINTING: Final = ("here", "they", "thither", "thence", "around")
"""Cues that stand for a place mentioned before."""


class References:
    """Resolves references in the context of the conversation."""

    def __init__(
        self,
        schema: Schema,
        grammar: Grammar,
        spotter: Spotter,
        said: Utterance,
        context: TurnContext,
    ) -> None:
        self._places = {domain.key for domain in schema.places}
        self._destinations = {domain.key: ends_of(domain)[1] for domain in schema.rides}
        self._grammar = grammar
        self._spotter = spotter
        self._kinds = spotter.kinds
        self._said = said
        self._context = context

    def place(self, hit: Hit, excluding: Sequence[Place] = ()) -> Place | None:
        if hit.kind == NAME:
            return self.named(hit)
        if hit.kind == DOMAIN:
            return self._named_before(hit) or self._known(hit.key)
        if hit.kind == KIND:
            return self._of_kind(hit)
        return self.pointed(hit, excluding)

    def named(self, hit: Hit) -> Place:
        recent = [place for place in self._context.recent if place in hit.places]
        listed = [place for place in hit.places if place in self._context.listed]
        focused = [place for place in hit.places if place[0] == self._context.place_domain]
        for few in (recent, listed, focused):
            if few:
                return few[0]
        return hit.places[0]

    def _of_kind(self, hit: Hit) -> Place | None:
        """`The museum`: the one mentioned last; a landmark where there are few."""
        places = self._kinds[hit.domain, hit.value]
        few = places[0] if places and len(places) <= FEW else None
        return self.recent_of_kind(hit) or few

    def recent_of_kind(self, hit: Hit) -> Place | None:
        """The place of a kind that was mentioned last."""
        called = self._spotter.called(hit)
        before = [self.named(each) for each in self._said.of(NAME) if each.end <= hit.start]
        recent = (*reversed(before), *self._context.recent)
        return next((p for p in recent if p[0] == hit.domain and called(p[1])), None)

    def pointed(self, hit: Hit | None, excluding: Sequence[Place] = ()) -> Place | None:
        """What *there* and *it* stand for: a place named before it, or the one mentioned last."""
        if picked := self._picked(hit):
            return picked
        if hit and (known := self._pointed_domain(hit)):
            return known
        before = [n for n in self._said.of(NAME) if hit is None or n.end <= hit.start]
        named = [self.named(each) for each in before]
        spoken = (*self._arrived(), *self._under_discussion(), *self._context.recent)
        for place in (*reversed(named), *spoken):
            if place not in excluding:
                return place
        return None

    def _pointed_domain(self, hit: Hit) -> Place | None:
        """The place of the domain that a pointing phrase names: `this hotel`."""
        inside = [d for d in self._said.of(DOMAIN) if hit.start < d.start and d.end <= hit.end]
        return self._known(inside[0].key) if inside else None

    def _picked(self, hit: Hit | None) -> Place | None:
        """The place of the last list that an ordinal picks: itself, or before *there*."""
        other = self._context.other_of_two
        if other and any(not hit or c.end <= hit.end for c in self._said.cues("other_one")):
            return other
        for key, number in ORDINALS.items():
            place = self._context.nth(number)
            for cue in self._said.cues(key) if place else ():
                if hit is None or cue.end <= hit.end:
                    return place
        return None

    def _arrived(self) -> list[Place]:
        """Where the ride goes that was mentioned last."""
        ride = self._context.ride
        if ride is None or self._context.domain != ride.domain:
            return []
        end = ride.ends.get(self._destinations[ride.domain], "")
        return [place for place in self._context.recent if place[1] == end][:1]

    def _under_discussion(self) -> list[Place]:
        key = self._context.place_domain
        name = self._context.last.get(key)
        return [(key, name)] if name else []

    def is_definite(self, hit: Hit) -> bool:
        """Whether a word for a domain means a known place: `that hotel`."""
        text = self._said.text
        if any(text.startswith(prefix, hit.start) for prefix in self._grammar.definite):
            return True
        return self._spotter.cues.ends_with("definite", text[: hit.start])

    def toward(self) -> list[Hit]:
        """Words for known places with *to* written together with them."""
        return [
            hit
            for hit in self._said.hits
            if hit.kind in (DOMAIN, KIND)
            and self._may_refer(hit)
            and self._said.text.startswith(self._grammar.toward, hit.start)
        ]

    def is_indefinite(self, hit: Hit) -> bool:
        start, _ = self._said.clause(hit.start)
        nears = [cue.end for cue in self._said.cues("near", "closer") if cue.end <= hit.start]
        start = max((start, *nears))  # where near the hotel
        before = self._said.text[max(start, hit.start - 16) : hit.start]
        return self._spotter.cues.says("indefinite", before) and not self.is_definite(hit)

    def beside(self, cue: Hit, after: bool) -> Hit | None:
        """The reference that a function word belongs to, before or after it."""
        close = CLOSE if self._grammar.spaced else CLOSE_UNSPACED
        found: list[tuple[int, int, Hit]] = []
        for hit in self._said.hits:
            gap = hit.start - cue.end if after else cue.start - hit.end
            if not 0 <= gap <= close or not self._may_refer(hit):
                continue
            between = (
                self._said.text[cue.end : hit.start]
                if after
                else self._said.text[hit.end : cue.start]
            )
            if not any(mark in between for mark in MARKS) or self._is_labelled(between, hit):
                found.append((gap, hit.kind != NAME, hit))
        return min(found, key=lambda each: each[:2])[2] if found else None

    def _is_labelled(self, between: str, hit: Hit) -> bool:
        """Whether a name follows a label: `start: City Zoo`."""
        label, mark, rest = between.partition(SOFT)
        marked = any(each in label for each in MARKS)
        return hit.kind == NAME and bool(mark) and not marked and not rest.strip()

    def is_title(self, word: Hit) -> bool:
        """Whether a word only says what the name after it is: `the restaurant Golden Pleat`."""
        return any(
            0 <= name.start - word.end <= 1 and any(key == word.key for key, _ in name.places)
            for name in self._said.of(NAME)
        )

    def _named_before(self, hit: Hit) -> Place | None:
        """`To the Swan, then. What is near the hotel?`: the place that the same turn names."""
        before = [self.named(each) for each in self._said.of(NAME) if each.end <= hit.start]
        return next((place for place in reversed(before) if place[0] == hit.key), None)

    def _known(self, key: str) -> Place | None:
        """The place of a domain under discussion, or else the one named last to be near."""
        name = self._context.last.get(key)
        return (key, name) if name else next(iter(self._context.recent_of(key)), None)

    def _may_refer(self, hit: Hit) -> bool:
        if hit.kind == CUE:
            picks = hit.key in ORDINALS and self._picked(hit) is not None
            return picks or hit.key in POINTING[:3]
        if hit.kind == DOMAIN:
            known = self.place(hit) is not None
            return hit.key in self._places and known and not self.is_title(hit)
        return hit.kind == NAME or (hit.kind == KIND and self._of_kind(hit) is not None)
