from pathlib import Path

import pytest

from crosstalk.dialogue.goals import GoalType, Reference, SemanticTuple
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.goals.satisfiable import is_satisfiable
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

NEAR_1 = Reference(1, nearby=True)


def sight(slot: str, value: str) -> SemanticTuple:
    return SemanticTuple(1, "sight", slot, value)


def inn(slot: str, value: str | Reference, number: int = 2) -> SemanticTuple:
    return SemanticTuple(number, "inn", slot, value)


@pytest.mark.parametrize(
    ("tuples", "expected"),
    [
        ((sight("fee", "free"), sight("name", "")), True),
        ((sight("fee", "free"), sight("visit", "2 hours")), False),
        ((sight("name", "Mill"), inn("name", NEAR_1), inn("class", "grand")), True),
        ((sight("name", "Tower"), inn("name", NEAR_1)), False),
        ((sight("fee", "20-50 marks"), inn("name", NEAR_1)), False),
        ((sight("rating", "4 stars or more"), inn("name", NEAR_1), inn("services-sauna", "yes")),
         True),
        ((sight("name", "Mill"), inn("name", NEAR_1), inn("class", "simple"),
          inn("services-sauna", "yes")), False),
        ((sight("name", "Tower"), inn("class", "grand"),
          SemanticTuple(3, "cab", "from", Reference(1, nearby=False)),
          SemanticTuple(3, "cab", "to", Reference(2, nearby=False))), True),
    ],
    ids=["one", "none", "near", "nothing near", "nothing near any", "some source has it",
         "near but not both", "rides need nothing"],
)  # fmt: skip
def test_small_goals(town: World, tuples: tuple[SemanticTuple, ...], expected: bool) -> None:
    assert is_satisfiable(tuples, Database(town)) is expected


def test_one_entity_must_suit_all_that_is_near_it(town: World) -> None:
    """The Tower has a sight near it and the Mill has both; the free one of them has both."""
    wants_both = (inn("name", NEAR_1), SemanticTuple(3, "sight", "name", NEAR_1))
    assert is_satisfiable((sight("visit", "1 hour"), *wants_both), Database(town))
    assert not is_satisfiable((sight("fee", "20-50 marks"), *wants_both), Database(town))


def test_only_satisfiable_goals_are_drawn_when_wished() -> None:
    world = load_world("harbour")
    database = Database(world)
    drawn = goal_sampler(world, GoalOptions(satisfiable=True))
    assert all(is_satisfiable(drawn.sample(goal_rng(1, n)).tuples, database) for n in range(60))
    plain = goal_sampler(world)
    assert not all(is_satisfiable(plain.sample(goal_rng(1, n)).tuples, database) for n in range(60))


def test_hard_types_are_found_on_the_real_tables_too(data_folder: Path) -> None:
    world = load_world("crosswoz", data=data_folder)
    options = GoalOptions(only=frozenset({GoalType.CM_T}), satisfiable=True)
    goal = goal_sampler(world, options).sample(goal_rng(1, 1))
    assert is_satisfiable(goal.tuples, Database(world))
