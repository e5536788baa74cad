from dataclasses import replace

import pytest

from crosstalk.dialogue.goals import GoalType
from crosstalk.dialogue.schema import GoalOdds, Schema
from crosstalk.errors import InputError
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.worlds.tables import World

M_T, CM, M = (frozenset({kind}) for kind in (GoalType.M_T, GoalType.CM, GoalType.M))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (GoalOptions(only=CM, max_subgoals=1), "CM needs 2 sub-goals"),
        (GoalOptions(only=M_T, max_subgoals=2), "M\\+T needs 3 sub-goals"),
        (GoalOptions(only=M_T, odds=GoalOdds(ride=0)), "M\\+T needs rides, never drawn"),
        (GoalOptions(only=CM, odds=GoalOdds(cross_default=0)), "CM needs sub-goals near others"),
        (GoalOptions(only=M, odds=GoalOdds(independent=0)), "M needs two independent"),
        (GoalOptions(only=M | M_T, max_subgoals=2), "M\\+T needs 3 sub-goals"),
        (GoalOptions(only=M, forbid=M), "no goal type is left"),
        (GoalOptions(max_subgoals=0), "at most 0 sub-goals"),
    ],
)
def test_wishes_that_no_goal_can_meet(town: World, options: GoalOptions, words: str) -> None:
    with pytest.raises(InputError, match=words):
        goal_sampler(town, options)


def test_a_world_without_rides_has_no_goals_with_a_ride(town: World) -> None:
    quiet = replace(town, schema=Schema(town.schema.places))
    with pytest.raises(InputError, match="M\\+T needs rides, and there are none"):
        goal_sampler(quiet, GoalOptions(only=M_T))
    assert goal_sampler(quiet).sample(goal_rng(1, 1)).tuples


def test_types_that_are_merely_impossible_do_not_hinder_the_others(town: World) -> None:
    sampler = goal_sampler(town, GoalOptions(forbid=CM, max_subgoals=1))
    assert sampler.sample(goal_rng(1, 1)).type is GoalType.S


def test_a_wish_that_is_hardly_ever_met_ends_in_words(town: World) -> None:
    never_alone = GoalOdds(independent=1)
    options = GoalOptions(only=frozenset({GoalType.S}), odds=never_alone, tries=50)
    with pytest.raises(InputError, match="50 goals drawn from world town, none as wished"):
        goal_sampler(town, options).sample(goal_rng(1, 1))
