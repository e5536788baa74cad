"""A finding of the label checker, and the names of its rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

RULES: Final[Mapping[str, str]] = {
    "U2": "a wish is ticked and not in the words",
    "U3": "a wish is in the words and not ticked",
    "U4": "a cell is ticked and has no act",
    "U5": "a question is ticked and not in the words",
    "U6": "an act belongs to a cell that is not ticked",
    "U7": "a name is written down that no table has",
    "U8": "something is written down that was never told",
    "U9": "something is written down that the row of that place denies",
    "U10": "a place of the table is named and has no act",
    "U11": "a question is in the words and not ticked",
    "S1": "a field holds none of its words",
    "S2": "a field of the first search was wished by nobody",
    "S3": "what the user wishes is missing from the first search",
    "S6": "a place is named and not selected",
    "S7": "a place is selected and never named",
    "S8": "an act is not in the words",
    "S9": "something is told that the row of the selected place denies",
    "S10": "the first search finds nothing, a later one differs, and no word says so",
    "S11": "the act says that nothing was found, and something was",
    "S12": "nothing was found, and neither act nor words say so",
    "S13": "something is told and has no act",
}
"""Rule -> the disagreement; U rules are about turns of the user, S rules about the system's."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement in one turn."""

    rule: str
    turn: int
    """Position in the dialogue, from 0."""
    domain: str
    slot: str = ""
    value: str = ""
    cell: int | None = None
    """Position in the user's table."""

    @property
    def why(self) -> str:
        return RULES[self.rule]

    @property
    def is_of_user(self) -> bool:
        return self.rule.startswith("U")

    def __str__(self) -> str:
        what = "-".join(each for each in (self.domain, self.slot) if each)
        return f"{self.rule} {self.why}: {what} {self.value!r}"

    def record(self) -> dict[str, Any]:
        """As JSON."""
        cell = {} if self.cell is None else {"cell": self.cell}
        return {
            "rule": self.rule,
            "turn": self.turn,
            "why": self.why,
            "domain": self.domain,
            "slot": self.slot,
            "value": self.value,
            **cell,
        }
