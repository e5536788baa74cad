"""Participants: the two sides of a conversation, as (observation, state) -> (reply, state).

A pipeline, a simulated user, an agent behind HTTP and a person at a page all have this shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from crosstalk.dialogue.dialogues import Turn

State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Reply:
    """What a participant says next."""

    turn: Turn
    done: bool = False
    """Users only: everything is settled, this is my last word."""


class Participant(Protocol[State]):
    """One side of a conversation; knows nothing of the other side but its turns."""

    def begin(self) -> State:
        """The state before anything was said."""
        ...

    def reply(self, heard: Turn | None, state: State) -> tuple[Reply, State]:
        """Answer what was heard; None for the user's opening."""
        ...


@dataclass(frozen=True, slots=True)
class Scripted:
    """Says prepared turns in order: for tests of your own participant."""

    script: Sequence[Reply]

    def begin(self) -> int:
        return 0

    def reply(self, heard: Turn | None, state: int) -> tuple[Reply, int]:
        if state >= len(self.script):
            raise IndexError(f"the script has only {len(self.script)} turns")
        return self.script[state], state + 1
