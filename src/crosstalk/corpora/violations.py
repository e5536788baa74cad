"""Violations: what a corpus says and should not, each with its place."""

from collections.abc import Iterator
from dataclasses import dataclass

from crosstalk.errors import Place


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

    def __str__(self) -> str:
        place = Place(self.file, dialogue=self.dialogue, turn=self.turn, field=self.field)
        return f"{place}: {self.message}"

    def record(self) -> dict[str, str | int | None]:
        """As JSON, without the file."""
        return {
            "dialogue": self.dialogue,
            "turn": self.turn,
            "field": self.field,
            "message": self.message,
            "rule": self.rule,
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation as a rule sees it, inside one dialogue."""

    rule: str
    message: str
    field: str = ""
    turn: int | None = None


Findings = Iterator[Finding]
