"""Tables: the entities of a domain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.language.gazetteer import Column

Cell = str | int | float | tuple[str, ...] | None
"""Text, number, several texts, or nothing known."""

Row = Mapping[str, Cell]
"""One entity: slot key -> cell."""


def texts(cell: Cell) -> tuple[str, ...]:
    """A cell's texts: none of an unknown one, one of a text, all of several."""
    if isinstance(cell, str):
        return (cell,)
    return cell if isinstance(cell, tuple) else ()


def with_composed_name(domain: Domain, row: Row) -> Row:
    """The row; where several slots make up its name, with the name they make."""
    slot = domain.name_slot
    if not domain.key_slots or slot is None:
        return row
    cells = (row.get(key) for key in domain.key_slots)
    return {**row, slot.key: ", ".join(str(cell) for cell in cells if cell is not None)}


@dataclass(frozen=True, slots=True)
class Table:
    """One domain's entities, in file order (roughly from well known to little known)."""

    domain: Domain
    rows: tuple[Row, ...]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class World:
    """A world in one language: keys are the schema's, values are that language's."""

    name: str
    schema: Schema
    language: LanguagePack
    tables: Mapping[str, Table]
    """Domain key -> table; metro domains have none, their stations stand in the places' rows."""
    folder: Path | None = field(default=None, compare=False)
    """Where it was read from: its templates and phrase books lie there."""
    best: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Kind of part -> the one that the alias `best` stands for, where the world says so."""
    changing: Mapping[str, Table] = field(default_factory=dict)
    """Key of a changing table -> its rows at the start of every conversation."""
    policy: str = ""
    """What an agent may and may not do, in the world's language; Markdown."""
    tableless: bool = False
    """It has domains, slots and values and no rows: it can be counted, tracked and learnt."""

    def texts(self, domain: str, slot: str) -> list[str]:
        """The texts of a slot, each once, in the order of the table; without rows, its `values`."""
        rows = self.tables.get(domain, ())
        if not rows and (known := self.schema.domain(domain)) and (held := known.slot(slot)):
            return list(held.values)
        return list(dict.fromkeys(text for row in rows for text in texts(row.get(slot))))

    def columns(self, *kinds: SlotKind) -> list[Column]:
        """What the tables hold in the slots of some kinds, in the order of the schema."""
        return [
            self._column(domain.key, slot)
            for domain in self.schema
            for slot in domain.of_kind(*kinds)
        ]

    def _column(self, domain: str, slot: Slot) -> Column:
        held = tuple(self.texts(domain, slot.key))
        return Column(domain, slot.key, slot.kind, held, slot.tags)

    @property
    def rides(self) -> frozenset[str]:
        return frozenset(domain.key for domain in self.schema.rides)
