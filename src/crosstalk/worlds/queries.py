"""Questions to a world's tables: `Database(load_world("harbour")).search("hotel", {...})`.

The corrected protocol: every question stands by itself (`paper.py` has the published one, which
remembers bounds of earlier questions).

Kept from the published code: where a name is given, it decides alone, for people name what they
have chosen already. `conjunctive=True` is the published website's way: all fields count.

Mended: numbers are read with their decimals and in every language; unknown cells never match and
never crash; a ride with an end missing has no answer; a name that is some entity's full name means
that entity only (59 names in CrossWOZ are parts of longer ones), other names mean all that have
them in theirs.
"""

from collections.abc import Container, Iterable, Iterator

from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.errors import InputError
from crosstalk.worlds.conditions import (
    ConditionReader,
    Constraints,
    LanguageReaders,
    several,
    slot_of,
)
from crosstalk.worlds.index import IndexedTable
from crosstalk.worlds.rides import Stops, ends_of, metro_rows, taxi_row
from crosstalk.worlds.tables import Cell, Row, Table, World


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
