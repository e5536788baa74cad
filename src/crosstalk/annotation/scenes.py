"""Scenes: what may be looked at when the acts of a turn are derived; never an act.

States of later turns belong to it: annotation happens when the dialogue is over, and what a user
writes into the form after an answer is what the answer told.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.states import SystemState


@dataclass(frozen=True, slots=True)
class Change:
    """A tuple of the user's table before and after something was said."""

    goal: SemanticTuple
    """As the goal had it at the beginning."""
    before: SemanticTuple
    after: SemanticTuple

    @property
    def is_ticked(self) -> bool:
        """Said in this turn, by the user's own account."""
        return self.after.expressed and not self.before.expressed

    @property
    def news(self) -> tuple[str, ...]:
        """Values that stand there now and did not before."""
        old = values_of(self.before)
        return tuple(value for value in values_of(self.after) if value not in old)


@dataclass(frozen=True, slots=True)
class UserScene:
    """A user turn."""

    text: str
    changes: tuple[Change, ...]
    """What the user did to the table for it: wrote in the last answer, ticked what is said now."""

    @property
    def state(self) -> Tuples:
        return tuple(change.after for change in self.changes)


@dataclass(frozen=True, slots=True)
class SystemScene:
    """A system turn."""

    text: str
    changes: tuple[Change, ...]
    """What the user wrote into the table after it."""
    asked: tuple[Change, ...]
    """What the user did for the turn that it answers."""
    first: SystemState
    last: SystemState


Scene = UserScene | SystemScene


def values_of(each: SemanticTuple) -> tuple[str, ...]:
    if isinstance(each.value, tuple):
        return each.value
    return (each.value,) if isinstance(each.value, str) and each.value else ()


def scenes_of(dialogue: Dialogue) -> Iterator[Scene]:
    """One scene a turn. Turns without states give scenes in which only the words say something."""
    goal = dialogue.goal.tuples if dialogue.goal else _unsaid(dialogue)
    states = _states(dialogue, goal)
    empty = SystemState()
    for number, turn in enumerate(dialogue.turns):
        done = _changes(goal, states[number], states[number + 1])
        if turn.speaker is Speaker.USER:
            yield UserScene(turn.text, done)
        else:
            asked = _changes(goal, states[number - 1], states[number]) if number else ()
            told = _changes(goal, states[number], states[min(number + 2, len(states) - 1)])
            last = turn.last_query or turn.first_query or empty
            yield SystemScene(turn.text, told, asked, turn.first_query or last, last)


def _states(dialogue: Dialogue, goal: Tuples) -> list[Tuples]:
    """The user's table before each turn, and after the last."""
    states = [goal]
    for turn in dialogue.turns:
        states.append(turn.user_state if turn.user_state is not None else states[-1])
    return states


def _unsaid(dialogue: Dialogue) -> Tuples:
    """The goal of a dialogue that does not hold one, as its first table has it."""
    first = next((turn.user_state for turn in dialogue.turns if turn.user_state), ())
    return tuple(replace(each, expressed=False) for each in first)


def _changes(goal: Tuples, before: Tuples, after: Tuples) -> tuple[Change, ...]:
    return tuple(Change(*three) for three in zip(goal, before, after, strict=False))
