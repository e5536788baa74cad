"""Published figures and ceilings: data in `published.toml`."""

import tomllib
from collections.abc import Mapping
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


def published(world: str, measure: str) -> tuple[Figures, ...]:
    """The rows that may stand beside a run in this world."""
    found = [Figures(**row) for row in tomllib.loads(_FILE.read_text(encoding="utf-8"))["figures"]]
    return tuple(row for row in found if row.measure == measure and row.world in ("", world))
