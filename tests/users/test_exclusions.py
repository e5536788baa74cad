"""Simulated users who do not want something."""

from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import Simulator
from crosstalk.users.tree_user import TreeUser
from crosstalk.users.user_model import UserModel
from crosstalk.worlds.tables import World

from .conftest import GoalMaker

NO_SPA = Act("Exclude", "hotel", "services", "spa")
OFFER = Act("Inform", "hotel", "name", "Grand Hotel Halmora")
HAS_SPA = Act("Inform", "hotel", "services-spa", "yes")


@pytest.fixture
def quiet_hotel(goal: GoalMaker) -> Goal:
    return goal(
        (1, "hotel", "!services", ("spa",)),
        (1, "hotel", "name", ""),
        (1, "hotel", "phone", ""),
    )


@pytest.fixture(params=["rule", "published", "learned"])
def user(request: pytest.FixtureRequest, harbour: World, shipped: UserModel) -> Simulator:
    if request.param == "learned":
        return TreeUser(harbour.schema, harbour.language, shipped)
    published = request.param == "published"
    return RuleUser(harbour.schema, harbour.language, published=published)


def test_what_is_not_wanted_is_excluded(user: Simulator, quiet_hotel: Goal) -> None:
    assert NO_SPA in user.open(quiet_hotel, Random(1)).acts


def test_a_place_that_has_it_is_not_taken(user: Simulator, quiet_hotel: Goal) -> None:
    first = user.open(quiet_hotel, Random(1))
    move = user.respond(first.goal, first.tuples, first.acts, (OFFER, HAS_SPA), Random(1))
    assert NO_SPA in move.acts
    assert "Grand Hotel Halmora" not in [each.value for each in move.tuples]


def test_a_place_that_does_not_is_taken(user: Simulator, quiet_hotel: Goal) -> None:
    first = user.open(quiet_hotel, Random(1))
    lacks = Act("Inform", "hotel", "services-spa", "no")
    move = user.respond(first.goal, first.tuples, first.acts, (OFFER, lacks), Random(1))
    assert "Grand Hotel Halmora" in [each.value for each in move.tuples]


def test_it_is_never_given_up(harbour: World, goal: GoalMaker) -> None:
    user = RuleUser(harbour.schema, harbour.language)
    wanted = goal(
        (1, "hotel", "!services", ("spa",)),
        (1, "hotel", "type", "luxury"),
        (1, "hotel", "name", ""),
    )
    refused = (Act("NoOffer", "hotel"),)
    for seed in range(10):
        first = user.open(wanted, Random(seed))
        move = user.respond(first.goal, first.tuples, first.acts, refused, Random(seed))
        assert move.goal.tuples[0].value == ("spa",)
        assert move.goal.tuples[1].value == ""
