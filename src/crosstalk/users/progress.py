"""Where a user stands in a goal: what each tuple is for, and which sub-goal is next."""

from collections.abc import Callable
from enum import StrEnum

from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value


class TupleRole(StrEnum):
    """What a tuple of the goal is for; the state's tuple at the same place keeps its role."""

    CONSTRAINT = "constraint"
    """To be said; changes only when it cannot be had."""
    REFERENCE = "reference"
    """A constraint that points at the entity of another sub-goal."""
    REQUEST = "request"
    """To be asked, and answered."""


def role_of(wanted: SemanticTuple) -> TupleRole:
    """The role of a tuple as the goal has it."""
    if isinstance(wanted.value, Reference):
        return TupleRole.REFERENCE
    return TupleRole.REQUEST if wanted.is_open else TupleRole.CONSTRAINT


def roles(goal: Goal) -> tuple[TupleRole, ...]:
    return tuple(map(role_of, goal.tuples))


def current_subgoal(
    tuples: Tuples, is_settled: Callable[[SemanticTuple], bool] = lambda each: each.is_settled
) -> int | None:
    """The first sub-goal with anything left to say, to learn or to resolve."""
    return next((each.subgoal for each in tuples if not is_settled(each)), None)


def domain_of(tuples: Tuples, subgoal: int) -> str:
    return next((each.domain for each in tuples if each.subgoal == subgoal), "")


def changed(goal: Goal, position: int, value: Value) -> Goal:
    """The goal with one of its values exchanged."""
    tuples = list(goal.tuples)
    tuples[position] = tuples[position].filled(value)
    return Goal(tuple(tuples), goal.type, goal.description)
