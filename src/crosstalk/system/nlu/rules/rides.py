"""Rides in an utterance: by what, from where, to where."""

from dataclasses import dataclass, field
from typing import Final

from crosstalk.dialogue.schema import Domain, Schema, SlotKind
from crosstalk.language.names import Place
from crosstalk.system.nlu.rules.context import TurnContext
from crosstalk.system.nlu.rules.references import References
from crosstalk.system.nlu.rules.utterance import (
    CUE,
    DOMAIN,
    KIND,
    NAME,
    SLOT,
    SOFT,
    VALUE,
    Hit,
    Utterance,
)
from crosstalk.worlds.queries import ends_of

FROM: Final = "from"
TO: Final = "to"


@dataclass(slots=True)
class RequestedRide:
    """A ride as far as it was said."""

    domain: Domain
    ends: dict[str, str] = field(default_factory=dict)
    """Endpoint slot -> name of a place."""
    used: list[Hit] = field(default_factory=list)


class Rides:
    """Reads the ride of one utterance."""

    def __init__(
        self, schema: Schema, said: Utterance, context: TurnContext, references: References
    ) -> None:
        self._schema = schema
        self._said = said
        self._context = context
        self._references = references
        self._rides = {domain.key: domain for domain in schema.rides}

    def read(self, searching: bool) -> RequestedRide | None:
        """The ride, or None; `searching`: a place near something is searched for."""
        domain = self._domain(searching)
        if domain is None:
            return None
        ride = RequestedRide(domain)
        roles = self._roles()
        departure, destination = ends_of(domain)
        taken: list[Place] = []
        meant = {role: hits[-1] for role, hits in roles.items()}  # the last one said
        for role in sorted(meant, key=lambda role: meant[role].kind == CUE):
            hit = meant[role]
            here = hit.kind == CUE and role == FROM
            place = self._references.place(hit, [] if here else taken)
            if place:
                ride.ends[departure if role == FROM else destination] = place[1]
                taken.append(place)
            ride.used += roles[role]
        self._turn_round(ride)
        self._fill(ride)
        return ride

    def _domain(self, searching: bool) -> Domain | None:
        named = [hit.key for hit in self._said.of(DOMAIN) if hit.key in self._rides]
        roles = self._roles()
        both = {FROM, TO} <= roles.keys()
        names = [hit for hits in roles.values() for hit in hits if hit.kind == NAME]
        focus = self._context.domain if self._context.domain in self._rides else ""
        if named and not roles and self._says_why():
            return None
        if named and not (searching and not roles and not self._said.has("route")):
            return self._rides[named[-1]] if self._calls(roles) else None
        if self._said.has("route") and not searching and (roles or not self._looks_around()):
            return self._default()
        if focus and not searching and not self._asks_slot():
            moved = self._said.has("reverse", "back") or both or (roles and names)
            return self._rides[focus] if moved else None
        pair = both and all(h.kind in (NAME, DOMAIN, KIND) for hits in roles.values() for h in hits)
        if pair and not searching and not self._said.of("amount") and not self._asks_slot():
            return self._default()
        return None

    def _says_why(self) -> bool:
        """`No parking, we come by train`: how somebody comes, beside a constraint."""
        return bool(self._said.of(VALUE)) and not self._said.has("route") and not self._asks_slot()

    def _looks_around(self) -> bool:
        """`I want to go somewhere for free`: a place is searched for, not a way there."""
        return self._said.has("anyone", "free") and not self._said.of(NAME)

    def _calls(self, roles: dict[str, list[Hit]]) -> bool:
        """Whether a ride is wanted, not only a value of the one under discussion."""
        owned = [hit for hit in self._said.of(SLOT) if hit.key.partition(".")[0] in self._rides]
        owned = owned or self._asked_stations()
        return not (owned and not roles and not self._said.has("route"))

    def _asked_stations(self) -> list[Hit]:
        """`And the metro?`, `which station is near the zoo?`: a place's station is requested."""
        place = self._context.last.get(self._context.place_domain)
        known = place and self._context.domain not in self._rides
        if not known and not (self._said.has("near", "around") and self._said.of(NAME)):
            return []
        stations = self._stations()
        return [hit for hit in self._said.of(SLOT) if hit.key.rpartition(".")[2] in stations]

    def _asks_slot(self) -> bool:
        return any(
            hit.key.rpartition(".")[2] not in self._stations() for hit in self._said.of(SLOT)
        )

    def _stations(self) -> set[str]:
        return {s.key for d in self._schema for s in d.of_kind(SlotKind.STATION)}

    def _default(self) -> Domain | None:
        focus = self._rides.get(self._context.domain)
        return focus or next(iter(self._rides.values()), None)

    def _roles(self) -> dict[str, list[Hit]]:
        roles: dict[str, list[Hit]] = {}
        for role in (FROM, TO):
            for cue in self._said.cues(role):
                hit = self._references.beside(cue, after=True)
                if hit and not self._is_nearer(cue, hit, role):
                    roles.setdefault(role, []).append(hit)
        toward = self._references.toward()
        roles.update({TO: [*roles.get(TO, []), *toward]} if toward else {})
        for key, role in (("thence", FROM), ("thither", TO)):
            roles.setdefault(role, []).extend(map(self._pointed_at, self._said.cues(key)))
        if not roles.get(FROM) and not self._asks_way_to():
            roles[FROM] = [hit for cue in self._said.cues("thither") if (hit := self._left(cue))]
        return {
            role: sorted(hits, key=lambda hit: hit.start) for role, hits in roles.items() if hits
        }

    def _left(self, cue: Hit) -> Hit | None:
        """The name directly before *there*, from which it leads there: `总督府到那儿`."""
        before = [hit for hit in self._said.of(NAME) if 0 <= cue.start - hit.end <= 1]
        return before[-1] if before else None

    def _pointed_at(self, cue: Hit) -> Hit:
        """What stands directly after *there*: a name (`from here: City Zoo`), or, where words are
        not parted, a pick (`怎么去第一家`).
        """
        hit = self._references.beside(cue, after=True)
        labelled = hit is not None and hit.kind == NAME and SOFT in self._between(cue, hit)
        picked = hit is not None and hit.kind == CUE and hit.start == cue.end
        return hit if hit and (labelled or picked) else cue

    def _between(self, one: Hit, other: Hit) -> str:
        return self._said.text[one.end : other.start]

    def _is_nearer(self, cue: Hit, hit: Hit, role: str) -> bool:
        """Whether another function word stands between this one and the reference."""
        return any(
            cue.end <= other.start and other.end <= hit.start
            for other in self._said.cues(FROM, TO)
            if other is not cue
        )

    def _turn_round(self, ride: RequestedRide) -> None:
        """`And back again`, `the other way round`, `and by metro?`: the ends of the last ride."""
        last = self._context.ride
        if last is None or ride.ends:
            return
        slots = ends_of(ride.domain)
        before = [
            slot
            for domain in self._schema.rides
            if domain.key == last.domain
            for slot in ends_of(domain)
        ]
        ends = [last.ends.get(slot, "") for slot in before]
        if self._said.has("reverse", "back"):
            ends.reverse()
        if not self._said.of(NAME):
            ride.ends = {slot: end for slot, end in zip(slots, ends, strict=True) if end}

    def _fill(self, ride: RequestedRide) -> None:
        """What was not said: a name without a function word, the end of the last ride, or here."""
        departure, destination = ends_of(ride.domain)
        names = [hit for hit in self._said.of(NAME) if hit not in ride.used]
        if self._asks_way_to():
            names = [
                hit for hit in names if self._references.named(hit)[1] not in ride.ends.values()
            ]
        left = [hit for hit in names if not self._is_denied(hit)]
        free = [slot for slot in (departure, destination) if slot not in ride.ends]
        if len(left) == 1 and len(free) == 2:
            free = [destination]
        for hit, slot in zip(left, free, strict=False):
            ride.ends[slot] = self._references.named(hit)[1]
            ride.used.append(hit)
        if self._said.has("both") and not ride.ends and len(self._context.recent) > 1:
            ride.ends = {
                departure: self._context.recent[1][1],
                destination: self._context.recent[0][1],
            }
        if departure in ride.ends and destination not in ride.ends:
            self._default_end(ride, destination, ride.ends[departure])
        elif destination in ride.ends and departure not in ride.ends and self._is_correction():
            self._default_end(ride, departure, ride.ends[destination])
        elif not ride.ends and self._said.has("route"):
            self._default_end(ride, destination, "")

    def _asks_way_to(self) -> bool:
        """`金沙滩怎么走`: a question for the way after the name of where it leads."""
        ways = {(cue.start, cue.end) for cue in self._said.cues("route")}
        return any((cue.start, cue.end) in ways for cue in self._said.cues("thither"))

    def _is_denied(self, hit: Hit) -> bool:
        """`Not the aquarium`: what was said before, and is wrong."""
        return any(0 <= hit.start - cue.end <= 1 for cue in self._said.cues("negator"))

    def _is_correction(self) -> bool:
        ride = self._context.ride
        return ride is not None and self._context.domain == ride.domain

    def _default_end(self, ride: RequestedRide, slot: str, other: str) -> None:
        last = self._context.ride
        if last and self._is_correction() and last.ends.get(slot, "") not in ("", other):
            ride.ends[slot] = last.ends[slot]
            return
        place = self._elsewhere(other)
        if place and slot == ends_of(ride.domain)[1]:
            ride.ends[slot] = place[1]

    def _elsewhere(self, other: str) -> Place | None:
        excluding = [place for place in self._context.recent if place[1] == other]
        names = [self._references.named(hit) for hit in self._said.of(NAME)]
        return self._references.pointed(None, [*excluding, *names])
