"""What a call of an action did: values that are kept with a turn, so that it can be replayed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from crosstalk.worlds.tables import Cell, Row

MISSING: Final = "missing"
"""Refused: an argument was not given."""
UNKNOWN: Final = "unknown"
"""Refused: an argument cannot be read, or names nothing that there is."""
LIMIT: Final = "limit"
"""Refused: an argument is less or more than may be given."""
REASONS: Final = (MISSING, UNKNOWN, LIMIT)
"""Reasons that every action has, beside those of its conditions."""


@dataclass(frozen=True, slots=True)
class TableState:
    """The changing tables of one conversation."""

    tables: Mapping[str, tuple[Row, ...]]
    goal: str = ""
    """What the conversation is about; codes depend on it."""
    calls: int = 0
    """How many actions have been done."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an action was not done."""

    reason: str
    argument: str = ""
    """The argument that is missing or wrong, if one is."""


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row of a changing table before and after; None where it was not there."""

    table: str
    before: Row | None
    after: Row | None


@dataclass(frozen=True, slots=True)
class ActionEvent:
    """One call: what was asked for, and what came of it."""

    action: str
    arguments: Mapping[str, Cell]
    """As the tables keep them; those that could not be read, as they were given."""
    gives: Mapping[str, Cell] = field(default_factory=dict)
    refusal: Refusal | None = None
    changes: tuple[RowChange, ...] = ()

    @property
    def done(self) -> bool:
        return self.refusal is None

    def record(self) -> dict[str, Any]:
        """As JSON."""
        plain: dict[str, Any] = {"action": self.action, "arguments": dict(self.arguments)}
        if self.refusal:
            refused = {"reason": self.refusal.reason, "argument": self.refusal.argument}
            return plain | {"refused": {key: text for key, text in refused.items() if text}}
        changes = [
            {"table": each.table, "before": _plain(each.before), "after": _plain(each.after)}
            for each in self.changes
        ]
        return plain | {"gives": dict(self.gives), "changes": changes}


def _plain(row: Row | None) -> dict[str, Any] | None:
    return None if row is None else dict(row)


def event_of(plain: Mapping[str, Any]) -> ActionEvent:
    """An event from its record."""
    refused = plain.get("refused")
    return ActionEvent(
        plain["action"],
        plain["arguments"],
        plain.get("gives", {}),
        Refusal(refused["reason"], refused.get("argument", "")) if refused else None,
        tuple(RowChange(**each) for each in plain.get("changes", ())),
    )
