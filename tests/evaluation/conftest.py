"""Dialogues about harbour, written by hand."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple, Tuples, Value
from crosstalk.evaluation.outcomes import Judge
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth
from crosstalk.worlds.world import load_world


@pytest.fixture(scope="session")
def database() -> Database:
    return Database(load_world("harbour"))


@pytest.fixture(scope="session")
def truth(database: Database) -> Truth:
    return Truth(database)


@pytest.fixture(scope="session")
def judge(database: Database) -> Judge:
    return Judge(database)


@dataclass(frozen=True)
class Story:
    """A goal, and what both sides did about it, exchange by exchange."""

    goal: Tuples
    turns: tuple[Turn, ...] = ()
    ending: str = "finished"

    @property
    def state(self) -> Tuples:
        states = [turn.user_state for turn in self.turns if turn.user_state is not None]
        return states[-1] if states else self.goal

    def exchange(self, said: Iterable[Act], answer: Iterable[Act], **state: Value) -> "Story":
        """`state` is what the user has by now, as `slot` or `slot_of_2`; what it names was said."""
        user = Turn(Speaker.USER, "", tuple(said), user_state=self._after(state))
        system = Turn(Speaker.SYSTEM, "", tuple(answer))
        return replace(self, turns=(*self.turns, user, system))

    def _after(self, state: dict[str, Value]) -> Tuples:
        after = list(self.state)
        for name, value in state.items():
            slot, _, number = name.partition("_of_")
            position = next(
                at
                for at, each in enumerate(after)
                if each.slot.replace("-", "_") == slot and each.subgoal == int(number or 1)
            )
            after[position] = replace(after[position], value=value, expressed=True)
        return tuple(after)

    @property
    def dialogue(self) -> Dialogue:
        goal = Goal(self.goal, GoalType.S)
        extras = {"ending": self.ending}
        return Dialogue("story", self.turns, goal, self.state, extras=extras)


def want(
    slot: str, value: Value = "", *, domain: str = "attraction", subgoal: int = 1
) -> SemanticTuple:
    return SemanticTuple(subgoal, domain, slot, value)
