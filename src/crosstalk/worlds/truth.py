"""What the tables of a world say about entities, values and rides: `Truth(database)`.

Texts are compared without regard to case and width: a generator may say `a口` where the table says
`A口`, and that is still true.
"""

import re
from collections import Counter

from crosstalk.dialogue.goals import Reference, Value
from crosstalk.dialogue.schema import NUMBERS, Domain, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.language.normalize import comparable
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.language.remembered import remembered
from crosstalk.worlds.conditions import Constraints
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, Table

LISTS = (SlotKind.LIST, SlotKind.NEARBY)


_MARKS = re.compile(r"[\s,;、。]+")
fold = remembered(comparable, 1 << 16)
"""A text without case and width, for comparing."""


def _unpunctuated(text: str) -> str:
    return _MARKS.sub(" ", fold(text)).strip()


unpunctuated = remembered(_unpunctuated, 1 << 16)
"""A text without case, width and separators, which may differ between two phone numbers."""


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal, however they are spelled."""
    if isinstance(one, str) and isinstance(other, str):
        return fold(one) == fold(other)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return list(map(fold, one)) == list(map(fold, other))
    return one == other


class Truth:
    """What the tables of a world say about entities and rides."""

    def __init__(self, database: Database) -> None:
        self.world = database.world
        self.database = database
        self.all_fields = Database(database.world, conjunctive=True)
        """Queries in which a name is one constraint among others, as in goals."""
        self._names = {key: _folded_names(table) for key, table in self.world.tables.items()}

    def entity(self, domain: str, name: Value) -> Row | None:
        if not isinstance(name, str):
            return None
        return self.database.find(domain, self.spelled(domain, name))

    def spelled(self, domain: str, name: str) -> str:
        """A name as the table spells it; a name that no row has is returned as it is."""
        if self.database.find(domain, name):
            return name
        return self._names.get(domain, {}).get(fold(name), name)

    def domain(self, key: str) -> Domain:
        return self.database.domain(key)

    def anything(self, domain: str, constraints: Constraints) -> bool:
        """Whether some entity meets all constraints; a name is one constraint among others."""
        return bool(self.all_fields.search(domain, constraints))

    def meets(self, domain: str, row: Row, slot: str, value: Value) -> bool:
        """Whether the row meets a constraint; nothing meets a number that cannot be parsed."""
        found = self.domain(domain).slot(slot)
        if found is None or isinstance(value, Reference):
            return False
        if found.kind in NUMBERS and self._bounds(domain, found, value) is None:
            return False
        return not self.database.unmet(domain, row, {slot: value})

    def is_right(self, domain: Domain, row: Row, key: str, value: Value) -> bool:
        """Whether a value is what the row says about a slot; some items of a list are enough.

        "Yes" to a service is also right if the row has one that includes it; "no" is right, as
        published, if the row does not name the service itself.
        """
        slot = domain.slot(key)
        if slot is None or isinstance(value, Reference):
            return False
        pack = self.world.language
        true = answer(pack, domain, row, key)
        if slot.kind is SlotKind.SERVICES and key != slot.key and value == pack.yes:
            return self.database.offers(domain.key, row, key)
        if slot.kind in LISTS:
            given = (value,) if isinstance(value, str) else value
            return bool(given) and set(map(fold, given)) <= set(map(fold, true))
        is_told = isinstance(value, str) and unpunctuated(value) in map(unpunctuated, true)
        return is_told or self._same_number(domain, slot, row, value)

    def _same_number(self, domain: Domain, slot: Slot, row: Row, value: SlotValue) -> bool:
        """Numbers are compared as numbers: `75` equals `75 crowns`."""
        cell = row.get(slot.key)
        if slot.kind not in NUMBERS or not isinstance(cell, int | float):
            return False
        bounds = self._bounds(domain.key, slot, value)
        return bounds is not None and bounds.low == bounds.high == cell

    def _bounds(self, domain: str, slot: Slot, value: SlotValue) -> Bounds | None:
        if not isinstance(value, str):
            return None
        return read_bounds(forms_of(self.world.language, domain, slot), value)

    def rows(self, domain: str) -> tuple[Row, ...]:
        return self.world.tables[domain].rows

    def is_near(self, domain: str, name: str, other: str, other_name: str) -> bool:
        """Whether one of the rows lists the other entity as nearby."""
        name, other_name = self.spelled(domain, name), self.spelled(other, other_name)
        there = self.database.nearby(other, other_name, domain)
        if any(row is self.entity(domain, name) for row in there):
            return True
        here = self.database.nearby(domain, name, other)
        return any(row is self.entity(other, other_name) for row in here)

    def ride(self, domain: str, ends: Constraints) -> tuple[Row, ...]:
        return self.database.search(domain, {key: self._stop(end) for key, end in ends.items()})

    def _stop(self, end: SlotValue) -> SlotValue:
        """An end of a ride as the table of its place spells it."""
        if not isinstance(end, str):
            return end
        places = [domain.key for domain in self.world.schema.places]
        return next((self.spelled(key, end) for key in places if self.entity(key, end)), end)


def _folded_names(table: Table) -> dict[str, str]:
    """Folded name -> name, without names that differ only by case or width."""
    slot = table.domain.name_slot
    names = [str(row[slot.key]) for row in table] if slot else []
    alike = Counter(map(fold, names))
    return {fold(name): name for name in names if alike[fold(name)] == 1}
