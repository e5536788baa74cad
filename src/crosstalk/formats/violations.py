"""Violations: what a corpus says and should not, each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule."""

    dialogue: str
    turn: int | None
    field: str
    message: str
    rule: str
    """A short name, the same for all violations of one kind."""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation as a rule sees it, inside one dialogue."""

    rule: str
    message: str
    field: str = ""
    turn: int | None = None


Findings = Iterator[Finding]
