"""Simulated users: the interface, the participant any simulator becomes, and goals as acts.

`GoalActs` turns the tuples of a goal into acts: wishes are informed or excluded, questions asked,
references to other sub-goals selected.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random
from typing import Protocol

from crosstalk.dialogue.acts import EXCLUDE, GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import NOT_MARK, Schema


class TupleRole(StrEnum):
    """The role of a tuple in the goal; the state's tuple at the same position keeps it."""

    CONSTRAINT = "constraint"
    """A wish; it changes only if nothing meets it."""
    REFERENCE = "reference"
    """A constraint that points at the entity of another sub-goal."""
    REQUEST = "request"
    """To be asked, and answered."""


def role_of(wanted: SemanticTuple) -> TupleRole:
    """The role of a tuple as the goal has it."""
    if isinstance(wanted.value, Reference):
        return TupleRole.REFERENCE
    return TupleRole.REQUEST if wanted.is_open else TupleRole.CONSTRAINT


def current_subgoal(
    tuples: Tuples, is_settled: Callable[[SemanticTuple], bool] = lambda each: each.is_settled
) -> int | None:
    """The first sub-goal with a tuple that is not settled; None if all are."""
    return next((each.subgoal for each in tuples if not is_settled(each)), None)


def domain_of(tuples: Tuples, subgoal: int) -> str:
    return next((each.domain for each in tuples if each.subgoal == subgoal), "")


def changed(goal: Goal, position: int, value: Value) -> Goal:
    """The goal with one value replaced."""
    tuples = list(goal.tuples)
    tuples[position] = tuples[position].filled(value)
    return replace(goal, tuples=tuple(tuples))


GREET = Act(GENERAL, "greet")
THANK = Act(GENERAL, "thank")
BYE = Act(GENERAL, "bye")


@dataclass(frozen=True, slots=True)
class GoalActs:
    """Turns the tuples of a world's goals into acts."""

    names: dict[str, str]
    """Domain -> the key of its name slot."""
    source: str
    """The slot of Select acts."""

    @classmethod
    def of(cls, schema: Schema, language: LanguagePack) -> "GoalActs":
        names = {place.key: place.name_slot.key for place in schema if place.name_slot}
        return cls(names, language.source)

    def name_of(self, tuples: Tuples, subgoal: int) -> str:
        """The entity chosen for a sub-goal; empty if there is none yet."""
        for each in tuples:
            if each.subgoal == subgoal and each.slot == self.names.get(each.domain):
                return each.value if isinstance(each.value, str) else ""
        return ""

    def say(self, each: SemanticTuple, tuples: Tuples, role: TupleRole) -> tuple[Act, ...]:
        """The acts that say one tuple of a state."""
        if role is TupleRole.REQUEST or each.is_open:
            return (Act(REQUEST, each.domain, each.slot, ""),)
        return self.inform(each, each.value, tuples)

    def inform(self, each: SemanticTuple, value: Value, tuples: Tuples) -> tuple[Act, ...]:
        """The acts that say what a tuple wants, `value` being what the goal has there."""
        if isinstance(value, Reference):
            if value.nearby:
                return self.select(each.domain, value, tuples)
            value = self.name_of(tuples, value.subgoal)
        texts = (value,) if isinstance(value, str) else value
        intent = EXCLUDE if each.is_exclusion else INFORM
        slot = each.slot.removeprefix(NOT_MARK)
        return tuple(Act(intent, each.domain, slot, text) for text in texts if text)

    def name_act(self, tuples: Tuples, subgoal: int) -> tuple[Act, ...]:
        """The act that names the chosen entity; empty if there is none."""
        name, domain = self.name_of(tuples, subgoal), domain_of(tuples, subgoal)
        return (Act(INFORM, domain, self.names[domain], name),) if name else ()

    def resolved(self, each: SemanticTuple, tuples: Tuples) -> SemanticTuple:
        """The tuple with the name it refers to, for ends of rides; nearby entities stay open."""
        if not isinstance(each.value, Reference) or each.value.nearby:
            return each
        name = self.name_of(tuples, each.value.subgoal)
        return each.filled(name) if name else each

    def select(self, target: str, near: Reference, tuples: Tuples) -> tuple[Act, ...]:
        source = domain_of(tuples, near.subgoal)
        return (Act(SELECT, target, self.source, source), *self.name_act(tuples, near.subgoal))


@dataclass(frozen=True, slots=True)
class UserMove:
    """One turn of a simulated user."""

    goal: Goal
    """The goal from now on; changed if a wish was given up."""
    tuples: Tuples
    """The user state: what was learned, and what has been said by the end of this turn."""
    acts: tuple[Act, ...]
    """Sorted, without repeats."""


class Simulator(Protocol):
    """Pursues a goal; keeps nothing between calls and draws from the given `rng`."""

    def open(self, goal: Goal, rng: Random) -> UserMove:
        """The first turn."""
        ...

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        """The next turn: `tuples` is the state after the user's last turn, `said` its acts."""
        ...


def is_finished(tuples: Tuples) -> bool:
    """The paper's "task finish": all said, answered and resolved, rightly or not."""
    return all(each.is_settled for each in tuples)


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A simulator with one goal, as a participant of a conversation."""

    simulator: Simulator
    goal: Goal
    seed: str
    """Seed of all random draws of this user."""

    def begin(self) -> tuple[UserMove, Random]:
        return UserMove(self.goal, self.goal.tuples, ()), Random(self.seed)

    def reply(
        self, heard: Turn | None, state: tuple[UserMove, Random]
    ) -> tuple[Reply, tuple[UserMove, Random]]:
        before, rng = state
        if heard is None:
            move = self.simulator.open(self.goal, rng)
        else:
            move = self.simulator.respond(before.goal, before.tuples, before.acts, heard.acts, rng)
        turn = Turn(Speaker.USER, "", move.acts, user_state=move.tuples)
        done = is_finished(move.tuples) and not move.goal.first_wishes
        return Reply(turn, done=done), (move, rng)
