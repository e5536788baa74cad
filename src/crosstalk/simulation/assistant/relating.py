"""How the places in an utterance belong together: what is near what, and rides from and to."""

from dataclasses import dataclass, field
from typing import Final

from crosstalk.database.rides import ends_of
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, SlotKind
from crosstalk.language.identify import primary
from crosstalk.language.names import Place
from crosstalk.language.phrases import Phrasebook
from crosstalk.simulation.assistant.session import Asked, Session
from crosstalk.simulation.assistant.utterance import Named, Placed, Span, Utterance

CLOSE: Final = 14
"""Characters between a word and the place it belongs to."""

Reference = Named | Span


@dataclass(slots=True)
class Near:
    """What shall be near what."""

    targets: dict[str, Place | None] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    """Questions for everything near a place."""
    place: Place | None = None
    """The place that something shall be near, where it was not said what."""
    used: list[object] = field(default_factory=list)
    compared: bool = False
    """Whether it was asked if two places are near each other."""


@dataclass(slots=True)
class Ends:
    """Where a ride begins and ends."""

    places: dict[str, Place] = field(default_factory=dict)
    used: list[object] = field(default_factory=list)


class Relations:
    """Reads how names and domains stand to the small words around them."""

    def __init__(self, schema: Schema, book: Phrasebook) -> None:
        self._schema = schema
        self._after = primary(book.language) == "zh"
        """Chinese says `near` after the place, the others before it."""

    def near(self, said: Utterance, session: Session) -> Near:
        cue = self._near_cue(said)
        if cue is None:
            return Near()
        closer = cue.key == "closer" or any(cue.start == each.start for each in said.cue("closer"))
        source = self._source(said, cue, session)
        place = self._place(source, session) if source else None
        used: list[object] = [source] if source else []
        if place is None and not self._is_elsewhere(said, cue):
            place = session.recent[0] if session.recent else None
        places = {domain.key for domain in self._schema.places}
        targets = [each.key for each in said.domains if each is not source and each.key in places]
        if not targets:
            targets = [each.domain for each in (*said.kinds, *said.values)]
        narrows = closer or not said.has("asking")  # nearer than what was offered; "near the zoo"
        if not targets and narrows and session.focus in places and session.seen.get(session.focus):
            targets = [session.focus]
        if not targets and place:
            others = [each for each in said.names if each is not source] or said.cue("here")
            if source and others and not said.domains:
                return Near(compared=True)
            return Near(asked=self._everything_near(place), place=place)
        return Near(dict.fromkeys(targets, place), used=used)

    def _near_cue(self, said: Utterance) -> Span | None:
        """The first word for `near` that does not belong to a number."""
        for cue in sorted(
            said.cue("near", "around", "closer"), key=lambda each: (each.start, -each.end)
        ):
            about = any(cue.start == other.start for other in said.cue("about"))
            number = any(0 <= amount.start - cue.end <= 2 for amount in said.quantities)
            if not (about and number):
                return cue
        return None

    def _source(self, said: Utterance, cue: Span, session: Session) -> Reference | None:
        references: list[Reference] = [*said.names, *said.domains]
        if self._after:
            close = [each for each in references if 0 <= cue.start - each.end <= CLOSE]
            close.sort(key=lambda each: -each.end)
        else:
            close = [each for each in references if 0 <= each.start - cue.end <= CLOSE]
            close.sort(key=lambda each: each.start)
        for each in close:
            if isinstance(each, Named):
                return each
            others = [other for other in said.domains if other is not each]
            around = any(a.start <= cue.start and cue.end <= a.end for a in said.cue("around"))
            if (
                session.chosen.get(each.key)
                and (others or said.kinds)
                and not (around and not self._after)
            ):
                return each
        return next((each for each in said.names if each.sure), None)

    def _is_elsewhere(self, said: Utterance, cue: Span) -> bool:
        """Whether a place is named that we do not know: `near the harbour`."""
        if self._after or any(cue.start == each.start for each in said.cue("around")):
            return False
        known: list[Placed] = [
            *said.cues,
            *said.domains,
            *said.slots,
            *said.values,
            *said.quantities,
        ]
        left = list(said.text[cue.end :])
        for each in known:
            start = max(0, each.start - cue.end)
            left[start : max(start, each.end - cue.end)] = " " * (
                max(start, each.end - cue.end) - start
            )
        return any(letter.isalnum() for letter in left)

    def _place(self, source: Reference, session: Session) -> Place | None:
        if isinstance(source, Span):
            return source.key, session.chosen[source.key]
        recent = [place for place in source.places if place in session.recent]
        return (recent or list(source.places))[0]

    def _everything_near(self, place: Place) -> list[tuple[str, str]]:
        domain = self._schema.domain(place[0])
        slots = domain.of_kind(SlotKind.NEARBY) if domain else ()
        return [(place[0], slot.key) for slot in slots if slot.request]

    def ride(self, said: Utterance, session: Session, is_search: bool) -> tuple[str, Ends]:
        """The domain of a ride, and its ends as far as they were said."""
        rides = [key for key in (each.key for each in said.domains) if self._is_ride(key)]
        pending = session.question if session.question else None
        waiting = (
            pending if pending and pending.asked in (Asked.DEPARTURE, Asked.DESTINATION) else None
        )
        roles = self._roles(said, session)
        stations = [each for each in said.slots if self._is_station(each.key)]
        if not rides and said.has("route"):
            rides = [self._default()]
        if not rides and self._is_ride(session.focus) and (roles or stations):
            rides = [session.focus] if len(stations) == len(said.slots) else []
        both = {"from", "to"} <= set(roles.values())
        if said.has("distance") or (is_search and not rides):
            return "", Ends()
        if not rides and not (both and len(stations) == len(said.slots)):
            if not waiting or not said.names:
                return "", Ends()
            rides = [waiting.domain]
            if not roles:
                key = "from" if waiting.asked is Asked.DEPARTURE else "to"
                roles = {said.names[0]: key}
        ride = self._schema.domain(rides[0] if rides else self._default())
        if ride is None:
            return "", Ends()
        return ride.key, self._ends(ride, said, roles, session)

    def _default(self) -> str:
        return next((domain.key for domain in self._schema.rides), "")

    def _is_ride(self, key: str) -> bool:
        domain = self._schema.domain(key)
        return domain is not None and domain.kind is not DomainKind.PLACE

    def _is_station(self, key: str) -> bool:
        slots = (domain.slot(key) for domain in self._schema)
        return any(slot is not None and slot.kind is SlotKind.STATION for slot in slots)

    def _roles(self, said: Utterance, session: Session) -> dict[Reference, str]:
        """Which references stand behind a word for `from` or `to`."""
        roles: dict[Reference, str] = {}
        chosen = [each for each in said.domains if session.chosen.get(each.key)]
        references: list[Reference] = [*said.names, *chosen, *said.cue("here")]
        for each in references:
            before = [cue for cue in said.cue("from", "to") if 0 <= each.start - cue.end <= CLOSE]
            if before:
                roles[each] = max(before, key=lambda cue: (cue.end, cue.end - cue.start)).key
        return roles

    def _ends(
        self, ride: Domain, said: Utterance, roles: dict[Reference, str], session: Session
    ) -> Ends:
        departure, destination = ends_of(ride)
        slots = {"from": departure, "to": destination}
        ends = Ends()
        for each, role in sorted(roles.items(), key=lambda pair: pair[0].start):
            place = self._meant(each, session)
            if place and slots[role] not in ends.places:
                ends.places[slots[role]] = place
                ends.used.append(each)
        if said.has("route") and session.recent and (said.has("here") or not said.names):
            ends.places.setdefault(destination, session.recent[0])
        left = [each for each in said.names if each not in ends.used]
        free = [slot for slot in (departure, destination) if slot not in ends.places]
        if len(left) == 1 and len(free) == 2:
            free = [destination]
        for each, slot in zip(left, free, strict=False):
            ends.places[slot] = each.places[0]
            ends.used.append(each)
        return ends

    def _meant(self, each: Reference, session: Session) -> Place | None:
        if isinstance(each, Named):
            return each.places[0]
        if each.key == "here":
            return session.recent[0] if session.recent else None
        return each.key, session.chosen[each.key]
