"""A small room about the built-in world."""

from collections.abc import Callable

import pytest

from crosstalk.collection.events import Opened, Recorded
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Goal, GoalType, Reference, SemanticTuple
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.world import load_world

GOAL = Goal(
    (
        SemanticTuple(1, "hotel", "price", "200-300 crowns"),
        SemanticTuple(1, "hotel", "services-breakfast", "yes"),
        SemanticTuple(1, "hotel", "name", ""),
        SemanticTuple(1, "hotel", "rating", ""),
        SemanticTuple(1, "hotel", "nearby_restaurants", ()),
        SemanticTuple(2, "restaurant", "name", Reference(1, nearby=True)),
        SemanticTuple(2, "restaurant", "dishes", ("harbour chowder",)),
        SemanticTuple(2, "restaurant", "phone", ""),
        SemanticTuple(3, "taxi", "departure", Reference(1, nearby=False)),
        SemanticTuple(3, "taxi", "destination", Reference(2, nearby=False)),
        SemanticTuple(3, "taxi", "plate", ""),
    ),
    GoalType.CM_T,
    ("You need a hotel.", "You are looking for a restaurant near it.", "You want a taxi."),
)
PRICE, BREAKFAST, NAME, RATING, NEARBY, NEAR, DISHES, PHONE, FROM, TO, PLATE = range(11)
USER, WIZARD = 1, 2


@pytest.fixture(scope="session")
def context() -> WorldContext:
    return WorldContext(load_world("harbour"))


def opened(context: WorldContext, user: int | None = USER, wizard: int | None = WIZARD) -> Room:
    form = empty_form(context.world.schema)
    event = Opened("goal", GOAL, "harbour", "en", form, user, wizard, exchanges=5)
    return apply(None, Recorded(1, 0.0, event))


@pytest.fixture
def room(context: WorldContext) -> Room:
    return opened(context)


@pytest.fixture
def room_with(context: WorldContext) -> Callable[..., Room]:
    def make(**seats: int | None) -> Room:
        return opened(context, **seats)

    return make
