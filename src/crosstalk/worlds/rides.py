"""Rides between two places: the station at each end, or a car."""

from collections.abc import Iterator
from zlib import crc32

from crosstalk.dialogue.schema import Domain, SlotKind
from crosstalk.worlds.tables import Cell, Row, World


class Stops:
    """Every place a ride can begin or end at, in the order of the world's places and their rows."""

    def __init__(self, world: World) -> None:
        self._stations = dict(_stations(world))
        self._numbers = {name: number for number, name in enumerate(self._stations)}

    def find(self, place: str, *, exactly_first: bool = True) -> str | None:
        """The place meant: the one of that name, or the first that has it in its name."""
        if not place or (exactly_first and place in self._stations):
            return place or None
        return next((name for name in self._stations if place in name), None)

    def station(self, name: str) -> Cell:
        return self._stations.get(name)

    def number(self, name: str) -> int | None:
        """A place's number, the same in every language of the world."""
        return self._numbers.get(name)


def _stations(world: World) -> Iterator[tuple[str, Cell]]:
    seen = set()
    for domain in world.schema.places:
        station = next(iter(domain.of_kind(SlotKind.STATION)), None)
        name_slot = domain.name_slot
        if name_slot is None:
            continue
        for row in world.tables[domain.key]:
            name = str(row[name_slot.key])
            if name not in seen:
                seen.add(name)
                yield name, row[station.key] if station else None


def ends_of(domain: Domain) -> tuple[str, str]:
    """The keys of where a ride begins and where it ends."""
    start, end = domain.of_kind(SlotKind.ENDPOINT)
    return start.key, end.key


def metro_rows(
    domain: Domain, stops: Stops, start: str, end: str, *, exactly_first: bool = True
) -> tuple[Row, ...]:
    """One row an end that is known: the place, under the end's key, and its station."""
    stations = {slot.target: slot.key for slot in domain.of_kind(SlotKind.STATION)}
    rows = []
    for key, place in zip(ends_of(domain), (start, end), strict=True):
        name = stops.find(place, exactly_first=exactly_first)
        if name is not None:
            rows.append({key: name, stations[key]: stops.station(name)})
    return tuple(rows)


def taxi_row(domain: Domain, cars: tuple[Row, ...], stops: Stops, start: str, end: str) -> Row:
    """The ride with its car: for the same two ends always the same one, in every language."""
    ride = "\n".join(_label(stops, place) for place in (start, end))
    car = cars[crc32(ride.encode()) % len(cars)]
    return {**dict(zip(ends_of(domain), (start, end), strict=True)), **car}


def _label(stops: Stops, place: str) -> str:
    """A place's number, which no language changes; an unknown place goes by what it is called."""
    name = stops.find(place)
    number = None if name is None else stops.number(name)
    return place if number is None else str(number)
