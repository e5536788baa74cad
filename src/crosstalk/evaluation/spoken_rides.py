"""Which rides were told in a spoken goal: their ends, stations, car and plate."""

from collections.abc import Iterator, Mapping, Sequence

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.evaluation.spoken_places import Evidence, SpokenPlaces
from crosstalk.evaluation.told_answers import mentions
from crosstalk.reading.facts import Station
from crosstalk.reading.readings import RideRead
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import ends_of
from crosstalk.worlds.tables import Row


class SpokenRides(SpokenPlaces):
    """The rides of a goal, as a reply tells them."""

    def _fill_ride(self, number: int, group: Tuples) -> None:
        domain = self._domain(group)
        start, end = ends_of(domain)
        ends = {
            each.slot: self._end_name(each.value) for each in group if each.slot in (start, end)
        }
        if self._fill_true_ride(number, group, domain, ends):
            return
        told = list(self._rides(number, domain))
        said = self._said_ends(told, ends.get(start, ""), ends.get(end, ""))
        rows = self.truth.ride(domain.key, {start: said[0], end: said[1]})
        offset = self._offsets[number]
        for at, each in enumerate(group):
            position = offset + at
            if each.slot == start and said[0] and told:
                self.notes.values[position] = said[0]
            elif each.slot == end and said[1] and told:
                self.notes.values[position] = said[1]
            elif each.is_open:
                self._fill_ride_answer(position, each, domain, told, rows)
            if told:
                self.notes.evidence.setdefault(
                    position, Evidence(told[-1][0], self.exchanges[told[-1][0]].reply[:120])
                )

    def _fill_true_ride(
        self, number: int, group: Tuples, domain: Domain, ends: Mapping[str, str]
    ) -> bool:
        """Note the ride that was meant where some reply since it was asked for tells all of it."""
        rows = self.truth.ride(domain.key, ends) if all(ends.values()) else ()
        asked = [each.slot for each in group if each.is_open]
        begin = self.starts[number]
        at = self._answers.ride_told(rows, asked, self.exchanges[begin:]) if rows else None
        if at is None or self._names_others(begin + at, ends):
            return False
        if self._tells_other_station(begin + at, domain, rows):
            return False
        for position, each in enumerate(group, start=self._offsets[number]):
            row = next((row for row in rows if each.slot in row), None)
            if each.slot in ends:
                self.notes.values[position] = ends[each.slot]
            elif row is not None:
                said = answer(self.reader.world.language, domain, row, each.slot)
                self.notes.values[position] = said[0]
            self.notes.evidence[position] = Evidence(
                begin + at, self.exchanges[begin + at].reply[:120]
            )
        return True

    def _names_others(self, at: int, ends: Mapping[str, str]) -> bool:
        """Whether a reply names places that the ride was not to join."""
        exchange = self.exchanges[at]
        named = {each.place[1] for each in exchange.reading.names} - set(ends.values())
        return any(mentions(exchange.reply, name) for name in named)

    def _tells_other_station(self, at: int, domain: Domain, rows: Sequence[Row]) -> bool:
        """Whether a reply tells of a station with an exit at which no such ride begins or ends."""
        ride = self.exchanges[at].reading.ride
        cells = [row.get(slot.key) for row in rows for slot in domain.of_kind(SlotKind.STATION)]
        same = self.reader.check.same_station
        return ride is not None and any(
            station.exit and not any(same(cell, station) for cell in cells)
            for station, _, _ in ride.stations
        )

    def _end_name(self, value: Value) -> str:
        if isinstance(value, Reference):
            chosen = self.chosen.get(value.subgoal)
            return chosen.name if chosen else ""
        return value if isinstance(value, str) else ""

    def _rides(self, number: int, domain: Domain) -> Iterator[tuple[int, RideRead]]:
        for at in range(self.starts[number], len(self.exchanges)):
            exchange = self.exchanges[at]
            ride = exchange.reading.ride
            if ride is None:
                continue
            taxi = bool(ride.car or ride.plate)
            metro = bool(ride.stations or ride.no_station)
            if taxi if domain.kind is DomainKind.TAXI else metro:
                yield at, ride

    def _said_ends(
        self, told: Sequence[tuple[int, RideRead]], start: str, end: str
    ) -> tuple[str, str]:
        """The ends a reply names; where it names none, those that were meant."""
        if not told:
            return start, end
        _, ride = told[-1]
        names = [name for (_, name), _ in ride.names]
        others = [name for name in names if name not in (start, end)]
        if not others:
            return start, end
        if len(names) == 1:
            at = ride.names[0][1]
            later = sum(position < at for _, position, _ in ride.stations)
            return (start, others[0]) if later > 1 else (others[0], end)
        if end in names and start not in names:
            return others[0], end
        if start in names and end not in names:
            return start, others[-1]
        if start not in names and end not in names and len(others) >= 2:
            return others[0], others[1]
        return start, end

    def _fill_ride_answer(
        self,
        position: int,
        each: SemanticTuple,
        domain: Domain,
        told: Sequence[tuple[int, RideRead]],
        rows: Sequence[Row],
    ) -> None:
        row = next((row for row in rows if each.slot in row), None)
        for _, ride in reversed(told):
            value = self._ride_value(each.slot, domain, ride, row, rows)
            if value:
                self.notes.values[position] = value
                return

    def _ride_value(
        self, slot: str, domain: Domain, ride: RideRead, row: Row | None, rows: Sequence[Row]
    ) -> str:
        facts = self.reader.scanner.facts
        true = str(row.get(slot) or "") if row else ""
        if domain.kind is DomainKind.TAXI:
            if slot == facts.slot_of(domain.key, "plate"):
                said = ride.plate
                same_plate = said and said == "".join(true.split()).replace("-", "")
                return true if same_plate else said
            return self._car(ride.car, true)
        found = domain.slot(slot)
        if found is None or found.kind is not SlotKind.STATION:
            return ""
        return self._station(found.target, domain, ride, true, rows)

    def _car(self, said: str, true: str) -> str:
        facts = self.reader.scanner.facts
        if not said or not true:
            return said
        if not facts.writing.spaced:
            return said
        words, right = set(said.split()), set(facts.car_words(true))
        return true if words <= right else said

    def _station(
        self, end: str, domain: Domain, ride: RideRead, true: str, rows: Sequence[Row]
    ) -> str:
        """The station told for one end of a ride."""
        pack = self.reader.world.language
        first, _ = ends_of(domain)
        slots = {slot.target: slot.key for slot in domain.of_kind(SlotKind.STATION)}
        cells = {
            key: next((row.get(slots[key]) for row in rows if slots[key] in row), None)
            for key in slots
        }
        stations = [station for station, _, _ in ride.stations]
        if not true:
            return pack.nothing if ride.no_station else ""
        if not stations:
            return pack.nothing if ride.no_station else ""
        check = self.reader.check
        right = [each for each in stations if check.same_station(true, each)]
        if right:
            if len(stations) >= 2 and not self._in_order(end == first, stations, true, cells):
                return _shown(stations[0 if end == first else -1])
            return true
        if len(stations) == 1 and ride.no_station == 0 and len(cells) == 2:
            other = next((cell for key, cell in cells.items() if key != end), None)
            if check.same_station(other, stations[0]):
                return ""
        return _shown(stations[0 if end == first else -1])

    def _in_order(
        self,
        is_first: bool,
        stations: Sequence[Station],
        true: str,
        cells: Mapping[str, object],
    ) -> bool:
        """Whether the station stands where that end of the ride is told."""
        check = self.reader.check
        ends = list(cells.values())
        if len(ends) == 2 and ends[0] == ends[1]:
            return True
        at = [n for n, each in enumerate(stations) if check.same_station(true, each)]
        return at[0] == 0 if is_first else at[-1] == len(stations) - 1


def _shown(station: Station) -> str:
    return " ".join((*station.name, station.exit)).strip() or "?"
