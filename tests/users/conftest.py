"""Goals and acts as the tests write them, in the world that ships with Crosstalk."""

from collections.abc import Callable

import pytest

from crosstalk.dialogue.goals import Goal, SemanticTuple, Value
from crosstalk.model_folders import find_model
from crosstalk.users.user_model import NAME, UserModel, load_model
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

GoalMaker = Callable[..., Goal]


@pytest.fixture(scope="session")
def harbour() -> World:
    return load_world("harbour")


@pytest.fixture(scope="session")
def shipped() -> UserModel:
    return load_model(find_model(NAME))


@pytest.fixture(scope="session")
def goal() -> GoalMaker:
    """Makes a goal of (sub-goal, domain, slot, value) rows."""

    def make(*rows: tuple[int, str, str, Value]) -> Goal:
        return Goal(tuple(SemanticTuple(*row) for row in rows))

    return make
