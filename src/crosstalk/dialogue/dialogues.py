"""Turns and dialogues."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.states import SystemState

Extras = Mapping[str, Any]
"""Fields of a file format that these classes do not have: plain JSON, kept for round trips."""
RULES: Final = "rules"
"""`Turn.acts_from` of acts that our rules derived from ticks, searches and selections."""
MACHINE: Final = "machine"
"""`Turn.acts_from` of the turns of a machine, which says what it means."""
ACTIONS: Final = "actions"
"""Where the extras of a turn keep what was done in it (`worlds/policy_rules.py`)."""


class Speaker(StrEnum):
    """Who says a turn."""

    USER = "user"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance with what is known about it."""

    speaker: Speaker
    text: str
    acts: tuple[Act, ...] = ()
    user_state: Tuples | None = None
    """User turns: the goal as it stands after this utterance."""
    first_query: SystemState | None = None
    """System turns: the first form submitted, which is what the user asked for."""
    last_query: SystemState | None = None
    """System turns: the last form submitted, perhaps relaxed, which the answer rests on."""
    extras: Extras = field(default_factory=dict, hash=False)
    ticks: tuple[int, ...] | None = None
    """User turns: positions of the cells ticked in this turn, repeated ones too; None: only what
    is ticked for the first time is known, by `user_state`."""
    acts_from: str = ""
    """Where the acts come from: `RULES` (derived from states), `person`, `machine`, `corpus`;
    empty: not known."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One conversation about one goal."""

    id: str
    turns: tuple[Turn, ...]
    goal: Goal | None = None
    final_goal: Tuples | None = None
    """The goal as the user left it: values found, constraints changed on the way."""
    workers: tuple[int | str, ...] = ()
    """Who took part, wizard first. Never a feature in a headline number."""
    language: str = ""
    world: str = ""
    extras: Extras = field(default_factory=dict, hash=False)

    @property
    def user_turns(self) -> Iterator[Turn]:
        return (turn for turn in self.turns if turn.speaker is Speaker.USER)

    @property
    def system_turns(self) -> Iterator[Turn]:
        return (turn for turn in self.turns if turn.speaker is Speaker.SYSTEM)


def exchanges(turns: Iterable[Turn]) -> Iterator[tuple[Turn, Turn]]:
    """Each turn of the user that is answered, with the answer.

    A greeting of the system that begins the dialogue is in none of them.
    """
    for turn, following in pairwise(turns):
        if turn.speaker is Speaker.USER and following.speaker is Speaker.SYSTEM:
            yield turn, following
