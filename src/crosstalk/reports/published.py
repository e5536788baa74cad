"""Published figures and ceilings: data in `published.toml`."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("published.toml")


@dataclass(frozen=True, slots=True)
class Figures:
    """One row somebody else has measured, or that nobody can pass."""

    world: str
    """The world it belongs to; empty for any."""
    measure: str
    name: str
    source: str
    values: Mapping[str, float]
    """Goal type, or `overall` -> percent."""
    level: str = ""
    """Whether the sides heard acts or words; empty for either."""


def published(world: str, measure: str, levels: Collection[str]) -> tuple[Figures, ...]:
    """The rows that may stand beside runs in this world at these levels."""
    found = [Figures(**row) for row in tomllib.loads(_FILE.read_text(encoding="utf-8"))["figures"]]
    return tuple(
        row
        for row in found
        if row.measure == measure and row.world in ("", world) and row.level in ("", *levels)
    )
