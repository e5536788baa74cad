"""Questions to a world's tables: `Database(load_world("harbour")).search("hotel", {...})`.

The corrected protocol: every question stands by itself (`paper_queries.py` has the published
one, which remembers bounds of earlier questions). `relax` drops as few constraints
as possible when nothing matches.

Kept from the published code: where a name is given, it decides alone, for people name what they
have chosen already. `conjunctive=True` is the published website's way: all fields count.

Mended: numbers are read with their decimals and in every language; unknown cells never match and
never crash; a ride with an end missing has no answer; a name that is some entity's full name means
that entity only (59 names in CrossWOZ are parts of longer ones), other names mean all that have
them in theirs.
"""

from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol
from zlib import crc32

from crosstalk.dialogue.schema import NOT_MARK, SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import InputError
from crosstalk.worlds.conditions import (
    ConditionReader,
    Constraints,
    LanguageReaders,
    several,
    slot_of,
    terms,
)
from crosstalk.worlds.indexed_tables import IndexedTable
from crosstalk.worlds.tables import Cell, Row, Table, World


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


class Database:
    """Answers over the tables of one world, in the order of their rows."""

    def __init__(
        self, world: World, *, conjunctive: bool = False, readers: LanguageReaders | None = None
    ) -> None:
        """`readers` understand visit lengths and opening hours however they are written."""
        self.world = world
        self._conjunctive = conjunctive
        self._reader = ConditionReader(world, readers or LanguageReaders())
        self._domains = {domain.key: domain for domain in world.schema}
        self._tables = {key: IndexedTable(table) for key, table in world.tables.items()}
        self._stops = Stops(world)
        self._name_slots = {domain.key: name_key(domain) for domain in world.schema}
        self._by_name = {key: dict(_named(table)) for key, table in world.tables.items()}

    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]:
        """The rows that meet all constraints; for rides, the stations or the car."""
        asked = self.domain(domain)
        if asked.kind is not DomainKind.PLACE:
            return self._ride(asked, constraints)
        if not self._conjunctive:
            names = self._by_name[domain]
            constraints = decisive(self._name_slots[domain], constraints, names)
        return self._tables[domain].where(self._reader.read_all(asked, constraints))

    def find(self, domain: str, name: str) -> Row | None:
        """The entity of exactly this name."""
        return self._by_name.get(self.domain(domain).key, {}).get(name)

    def nearby(self, domain: str, name: str, target: str) -> tuple[Row, ...]:
        """The entities of `target` close to a named one, in the order its row has them."""
        row = self.find(domain, name)
        slots = [s for s in self.domain(domain).of_kind(SlotKind.NEARBY) if s.target == target]
        if row is None or not slots:
            return ()
        names = row[slots[0].key]
        found = (self.find(target, each) for each in names) if isinstance(names, tuple) else ()
        return tuple(each for each in found if each is not None)

    def measure(self, cell: Cell) -> float | None:
        """A cell as a number that can be ranked; of a time span, its middle in hours."""
        if isinstance(cell, int | float):
            return float(cell)
        read = self._reader.read_hours
        span = read(cell) if read and isinstance(cell, str) else None
        ends = [end for end in (span.low, span.high) if end is not None] if span else []
        return sum(ends) / len(ends) if ends else None

    def unmet(self, domain: str, row: Row, constraints: Constraints) -> tuple[str, ...]:
        """The constraints a row does not meet, each judged by itself; empty: it meets them all."""
        asked = self.domain(domain)
        return tuple(key for key in constraints if not self._meets(asked, row, key, constraints))

    def offers(self, domain: str, row: Row, key: str) -> bool:
        """Whether a row has the service of `<services>-<service>`, as a search for it judges.

        A service that includes it will do: free breakfast is breakfast, any pool is a pool.
        """
        slot = slot_of(self.domain(domain), key)
        service = key.removeprefix(slot.key + SERVICE_MARK)
        return not self.unmet(domain, row, {slot.key: (service,)})

    def domain(self, key: str) -> Domain:
        if key not in self._domains:
            known = ", ".join(self._domains)
            raise InputError(
                f"the world {self.world.name} has no domain {key!r}", remedy=f"It has {known}."
            )
        return self._domains[key]

    def _meets(self, domain: Domain, row: Row, key: str, constraints: Constraints) -> bool:
        slot = slot_of(domain, key)
        conditions = self._reader.read(domain, slot, key, constraints[key])
        return all(condition.holds(row.get(slot.key)) for condition in conditions)

    def _ride(self, domain: Domain, constraints: Constraints) -> tuple[Row, ...]:
        for key in constraints:
            slot_of(domain, key)
        start, end = (" ".join(several(constraints.get(key, ""))) for key in ends_of(domain))
        if not start or not end:
            return ()
        if domain.kind is DomainKind.METRO:
            return metro_rows(domain, self._stops, start, end)
        if domain.key not in self.world.tables:  # its car is known once it is booked
            return ()
        return (taxi_row(domain, self.world.tables[domain.key].rows, self._stops, start, end),)


def decisive(
    name_slot: str, constraints: Constraints, names: Container[str] | None = None
) -> Constraints:
    """The name alone where one is given, otherwise everything.

    Where `names` are known, a part of a name is a wish like others: a museum that costs nothing.
    """
    name = constraints.get(name_slot)
    known = names is None or (name is not None and all(each in names for each in several(name)))
    return {name_slot: name} if name and known else constraints


def name_key(domain: Domain) -> str:
    return domain.name_slot.key if domain.name_slot else ""


def _named(table: Table) -> Iterator[tuple[str, Row]]:
    slot = table.domain.name_slot
    return ((str(row[slot.key]), row) for row in table) if slot else iter(())


def parse_constraints(given: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """`slot=value` texts; a slot that is given twice wants several terms."""
    constraints: dict[str, tuple[str, ...]] = {}
    for each in given:
        slot, equals, value = each.partition("=")
        if not equals:
            raise InputError(f"{each!r} is no constraint", remedy="Write SLOT=VALUE.")
        constraints[slot] = (*constraints.get(slot, ()), value)
    return constraints


FIRST_TO_GO = (
    SlotKind.NUMBER,
    SlotKind.RATING,
    SlotKind.DURATION,
    SlotKind.SERVICES,
    SlotKind.CATEGORY,
    SlotKind.LIST,
    SlotKind.NEARBY,
    SlotKind.NAME,
)
"""The default order. In the turns of CrossWOZ val with more than one query, wizards dropped or
changed 59 % of the prices, 48 % of ratings and durations, 42 % of services, 36 % of types, 34 % of
nearby places and 22 % of dishes; nearby places come late all the same, for they carry the goal
across domains, and names last of all."""

MOST_PARTS = 10
"""Up to 2 ** 10 combinations are tried; beyond, the terms of a list stay together."""

Part = tuple[str, SlotValue]
"""A constraint, or one term of one."""


class Searchable(Protocol):
    """What can be asked, again and again, without remembering: `Database`."""

    @property
    def world(self) -> World: ...
    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]: ...


@dataclass(frozen=True, slots=True)
class Relaxation:
    """What was kept, what was dropped, and the rows that match what was kept."""

    kept: Constraints
    dropped: tuple[Part, ...]
    rows: tuple[Row, ...]

    @property
    def matched(self) -> bool:
        """Whether something meets all that was asked for."""
        return bool(self.rows) and not self.dropped

    def record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "matched": self.matched,
            "kept": dict(self.kept),
            "dropped": [{"slot": slot, "value": value} for slot, value in self.dropped],
            "rows": [dict(row) for row in self.rows],
        }


def relax(
    database: Searchable,
    domain: str,
    constraints: Constraints,
    *,
    order: Sequence[SlotKind] = FIRST_TO_GO,
    keep: Collection[str] = (),
) -> Relaxation:
    """The constraints with as few dropped as possible so that something matches.

    Of several ways that drop equally many, the one that drops kinds that stand earlier in `order`
    (a kind it does not name goes last); among the same kinds, what stands later in the constraints.
    A list loses single terms. `keep` names slots that are never dropped; where nothing matches even
    so, there are no rows and nothing is dropped. What is excluded stays excluded. Rides have
    nothing to relax.
    """
    asked = database.world.schema.domain(domain)
    if asked is None or asked.kind is not DomainKind.PLACE:
        return Relaxation(constraints, (), database.search(domain, constraints))
    parts = _parts(database.world, asked, constraints)
    loose = [(key, value) for key, value in parts if not (key in keep or key.startswith(NOT_MARK))]
    loose.sort(key=lambda part: (_rank(asked, part[0], order), -parts.index(part)))
    for dropped in _fewest_first(loose):
        kept = _joined([part for part in parts if part not in dropped])
        if rows := database.search(domain, kept):
            return Relaxation(kept if dropped else constraints, dropped, rows)
    return Relaxation(constraints, (), ())


def _fewest_first(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    """Every choice of parts, small ones first, those of early parts first."""
    for count in range(len(parts) + 1):
        yield from combinations(parts, count)


def _rank(domain: Domain, key: str, order: Sequence[SlotKind]) -> int:
    kind = slot_of(domain, key).kind
    return order.index(kind) if kind in order else len(order)


def _parts(world: World, domain: Domain, constraints: Constraints) -> list[Part]:
    whole = [(key, value) for key, value in constraints.items() if value]
    split: list[Part] = []
    for key, value in whole:
        slot = slot_of(domain, key)
        if slot.kind.is_list and key == slot.key:
            several = dict.fromkeys(terms(world.language, value))
            split.extend((key, (term,)) for term in several)
        else:
            split.append((key, value))
    return split if len(split) <= MOST_PARTS else whole


def _joined(parts: Sequence[Part]) -> dict[str, SlotValue]:
    """The constraints the parts make up; the terms of a list stand together again."""
    joined: dict[str, SlotValue] = {}
    for key, value in parts:
        before = joined.get(key, ())
        if isinstance(before, tuple) and isinstance(value, tuple):
            value = (*before, *value)
        joined[key] = value
    return joined
