"""Simulated users: the interface, and the participant that any of them becomes."""

from dataclasses import dataclass
from random import Random
from typing import Protocol

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Goal, Tuples
from crosstalk.dialogue.participants import Reply


@dataclass(frozen=True, slots=True)
class UserMove:
    """What a user does in one turn."""

    goal: Goal
    """What is wanted from now on; changed when nothing was to be had."""
    tuples: Tuples
    """The user state: what was learned, and what has been said by the end of this turn."""
    acts: tuple[Act, ...]
    """Sorted, without repeats."""


class Simulator(Protocol):
    """Anything that pursues a goal. Keeps nothing between calls; randomness is handed in."""

    def open(self, goal: Goal, rng: Random) -> UserMove:
        """The first turn."""
        ...

    def respond(
        self, goal: Goal, tuples: Tuples, said: tuple[Act, ...], heard: tuple[Act, ...], rng: Random
    ) -> UserMove:
        """The next turn: `tuples` is the state after the user's last turn, `said` its acts."""
        ...


def is_finished(tuples: Tuples) -> bool:
    """The paper's "task finish": all said, answered and resolved; whether rightly is not asked."""
    return all(each.is_settled for each in tuples)


@dataclass(frozen=True, slots=True)
class SimulatedUser:
    """A simulator with one goal, as a participant of a conversation."""

    simulator: Simulator
    goal: Goal
    seed: str
    """Decides every random draw of this user."""

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
        return Reply(turn, done=is_finished(move.tuples)), (move, rng)
