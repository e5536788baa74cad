"""Statistics of the tables of a world: Table 3 of the CrossWOZ paper."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.worlds.tables import Row, Table, World


@dataclass(frozen=True, slots=True)
class PlaceCounts:
    """The table of one place domain."""

    domain: str
    entities: int
    slots: int
    """Attributes that at least one entity has. The station belongs to the metro domain, and
    services are counted by themselves: the paper's `8 + 37` for hotels."""
    services: int
    """Distinct services, each a yes/no slot of its own."""
    links: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Target domain -> nearby entities named in all rows."""

    def nearby(self, target: str) -> float | None:
        """Mean number of nearby entities of the target domain; None without such a relation."""
        if target not in self.links or not self.entities:
            return None
        return self.links[target] / self.entities


def count_world(world: World) -> tuple[PlaceCounts, ...]:
    """The place domains of a world, in schema order."""
    places = (domain.key for domain in world.schema.places)
    return tuple(_count_table(world.tables[key]) for key in places if key in world.tables)


def _count_table(table: Table) -> PlaceCounts:
    domain = table.domain
    own = (slot for slot in domain.slots if slot.kind not in (SlotKind.STATION, SlotKind.SERVICES))
    return PlaceCounts(
        domain=domain.key,
        entities=len(table),
        slots=sum(any(_is_known(row, slot) for row in table) for slot in own),
        services=len(
            {term for slot in domain.of_kind(SlotKind.SERVICES) for term in _terms(table, slot)}
        ),
        links={slot.target: len(_terms(table, slot)) for slot in domain.of_kind(SlotKind.NEARBY)},
    )


def _is_known(row: Row, slot: Slot) -> bool:
    return row.get(slot.key) not in (None, (), "")


def _terms(table: Table, slot: Slot) -> list[str]:
    """All terms of a column of lists, without the two blank ones of the released hotels."""
    cells = (row.get(slot.key) for row in table)
    return [term for cell in cells if isinstance(cell, tuple) for term in cell if term.strip()]
