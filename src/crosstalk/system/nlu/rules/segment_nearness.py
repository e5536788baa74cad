"""Constraints of a segment on what is near: `near the zoo`, `what is around it?`."""

from collections.abc import Iterator

from crosstalk.dialogue.acts import (
    CONFIRM,
    DROP,
    EXCLUDE,
    INFORM,
    LIST,
    NOTHING,
    REQUEST,
    SELECT,
    Act,
)
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.segment_subject import SubjectReader
from crosstalk.system.nlu.rules.segments import DAYS, NearPlace, key_of
from crosstalk.system.nlu.rules.utterance import AMOUNT, DOMAIN, KIND, NAME, SLOT, VALUE

WHAT_OPENS = 8
"""Characters in which a question for whatever there is begins: `and what`."""
MOST_AROUND = 2
"""Kinds of places nearby that are told if none is named."""


class NearbyReader(SubjectReader):
    """Reads what a place shall be near, or whether it is."""

    def _near_acts(self, subject: Place | None) -> Iterator[Act]:
        anchor = self._segment.anchor
        fresh = anchor is not None and not self._reading.references.is_definite(anchor)
        if self._has("anywhere") and not (fresh or self._segment.near) and self.domain:
            for slot in self.domain.of_kind(SlotKind.NEARBY):
                if self._context.wants(self.key, slot.key):
                    yield Act(DROP, self.key, slot.key, "")
        if around := list(self._asked_around()):
            yield from around
            return
        for near in self._last_nears():
            if near.source or not self._asks_station():
                yield from self._near_act(near, subject)

    def _asked_around(self) -> Iterator[Act]:
        """`What's near it?`: with nothing in particular searched for, what its table lists."""
        kinds = (VALUE, KIND, AMOUNT, SLOT, NAME)
        wishes = self._segment.anchor or self._measures or any(self._of(kind) for kind in kinds)
        pointed = [near.place for near in self._segment.near if not near.source]
        known = (self.key, self._context.last.get(self.key))
        if wishes or pointed != [known] or self._has("another", "search") or self.domain is None:
            return
        if self._begins(self._segment.start, "what", WHAT_OPENS):
            for slot in self.domain.of_kind(SlotKind.NEARBY)[:MOST_AROUND]:
                yield Act(REQUEST, self.key, slot.key, "")

    def _asks_station(self) -> bool:
        """`Is there a metro station near it?`, which searches for no place."""
        slots = [self._slot(hit, self.key) for hit in self._of(SLOT)]
        asked = any(found and found[1].kind is SlotKind.STATION for found in slots)
        return asked and self._segment.anchor is None

    def _last_nears(self) -> list[NearPlace]:
        """One place to be near."""
        nears = self._segment.near
        named = [near for near in nears if near.source]
        wanted = [near for near in named if not self._polarity.negator_before(near.cue)]
        named = wanted or named  # not at the zoo but by the beach
        if len(named) > 1 and self._points() and self._has("or") and self._is_question():
            return named  # is it closer to the zoo or to the beach?
        return named[:1] or nears[:1]

    def _near_act(self, near: NearPlace, subject: Place | None) -> Iterator[Act]:
        if self.domain is None:
            if near.place:
                yield Act(INFORM, "", SlotKind.NEARBY, near.place[1])
            return
        place = near.place
        if near.source and near.source.kind == NAME:
            fitting = [each for each in near.source.places if self._nearby(each[0])]
            place = place if place in fitting else next(iter(fitting), place)
        if self._before and self._is_of_sought(near):
            yield from self._around_sought()
            return
        shared = any(near is each for segment in self._before for each in segment.near)
        if near.source is None and self._before and not (near.unknown or shared):
            earlier = [n.place for seg in self._before for n in seg.near if self._is_set(n)]
            if known := self._known_before():
                place = known
            elif not earlier and self._before[-1].anchor:
                yield Act(
                    SELECT, self.key, self._rules.pack.source, key_of(self._before[-1].anchor)
                )
                return
            place = earlier[-1] if earlier else place
        if subject and place and place[0] == self.key != subject[0] and self._is_question():
            if back := self._nearby(subject[0]):
                yield Act(CONFIRM, self.key, back.key, subject[1])
            return
        again = near.source is None and not (self._before and self._known_before())
        if place and again and place[0] == self.key and not self._names:
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
            and not (near.closer and len(self._segment.near) < 2)
            and not self._polarity.negator_before(near.cue)
        )
        if asks and subject and subject[0] == self.key and subject != place:
            yield Act(CONFIRM, self.key, slot.key, place[1])
        elif self._polarity.negator_before(near.cue):
            yield Act(EXCLUDE, self.key, slot.key, place[1])
        else:
            yield Act(INFORM, self.key, slot.key, place[1])
            if self._asks_around(near):
                yield Act(LIST, self.key, NOTHING, "")

    def _is_set(self, near: NearPlace) -> bool:
        """Whether it is clear what something is near: a place named, or asked about."""
        return near.place is not None and bool(near.source or self._said.is_asked(near.cue.start))

    def _is_of_sought(self, near: NearPlace) -> bool:
        """Whether it is asked what is near a place that the sentences before look for."""
        key = self._sought_before() if self._asks_around(near) else ""
        source = near.source
        return bool(key) and (source is None or (source.kind == DOMAIN and source.key == key))

    def _around_sought(self) -> Iterator[Act]:
        key = self._sought_before()
        domain = self._rules.schema.domain(key)
        for slot in domain.of_kind(SlotKind.NEARBY) if domain else ():
            if slot.target == self.key:
                yield Act(REQUEST, key, slot.key, "")

    def _known_before(self) -> Place | None:
        """The place under discussion, where the part before speaks of it: `the hotel`."""
        anchor = self._before[-1].anchor
        if anchor is None or not self._is_subject(anchor):
            return None
        name = self._context.last.get(key_of(anchor))
        return (key_of(anchor), name) if name else None

    def _asks_around(self, near: NearPlace) -> bool:
        """Who asks what is near a place, and wants nothing else, wants to hear several."""
        wishes = any(self._of(kind) for kind in (VALUE, KIND, AMOUNT)) or self._measures
        return self._is_question() and not (wishes or near.closer or self._has(*DAYS))

    def _near_before(self) -> Place | None:
        """The place that the same search was near: `any other restaurant near it`."""
        form = self._context.form
        for slot in self.domain.of_kind(SlotKind.NEARBY) if self.domain and form else ():
            name = form.get(self.key).get(slot.key) if form else ""
            if isinstance(name, str) and name:
                return slot.target, name
        return None

    def _other_place(
        self, near: NearPlace, place: Place | None
    ) -> tuple[Place | None, Slot | None]:
        """A place mentioned that the domain's tables can be near."""
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
