"""Policies: what to say next, and what to have looked up for it."""

from dataclasses import dataclass
from typing import Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.system.dst.tracker import DialogueState


@dataclass(frozen=True, slots=True)
class Decision:
    """The next system turn, at act level."""

    acts: tuple[Act, ...]
    """Sorted, without repeats."""
    form: SystemState
    """The last query, perhaps relaxed, with the results the answer speaks of selected."""


class Policy(Protocol):
    """Anything that decides on the next system turn."""

    def decide(self, belief: DialogueState, history: tuple[Turn, ...]) -> Decision:
        """Answer the last turn of `history`, which is the user's."""
        ...
