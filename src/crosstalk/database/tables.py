"""Tables: the entities of a domain."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, Schema

Cell = str | int | float | tuple[str, ...] | None
"""Text, number, several texts, or nothing known."""

Row = Mapping[str, Cell]
"""One entity: slot key -> cell."""


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
    """A world as one language tells it: keys are the schema's, values are that language's."""

    name: str
    schema: Schema
    language: LanguagePack
    tables: Mapping[str, Table]
    """Domain key -> table; metro domains have none, their stations stand in the places' rows."""
    folder: Path | None = field(default=None, compare=False)
    """Where it was read from: its templates and phrase books lie there."""
    best: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Kind of part -> the one that the alias `best` stands for, where the world says so."""

    @property
    def rides(self) -> frozenset[str]:
        return frozenset(domain.key for domain in self.schema.rides)
