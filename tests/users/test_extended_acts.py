"""Users who say more than the published acts."""

from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal
from crosstalk.users.extended_acts import REPEAT, ExtendedActsUser
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import UserMove
from crosstalk.worlds.tables import World

from .conftest import GoalMaker

NAME = "Grand Hotel Halmora"
OFFER = (Act("Inform", "hotel", "name", NAME),)


@pytest.fixture
def user(harbour: World) -> ExtendedActsUser:
    within = RuleUser(harbour.schema, harbour.language)
    return ExtendedActsUser(within, harbour.schema, harbour.language, share=1.0)


@pytest.fixture
def hotel(goal: GoalMaker) -> Goal:
    return goal(
        (1, "hotel", "type", "luxury"),
        (1, "hotel", "name", ""),
        (1, "hotel", "services-spa", ""),
    )


def test_how_many_there_are_comes_before_the_question_for_one(
    user: ExtendedActsUser, hotel: Goal
) -> None:
    move = user.open(hotel, Random(1))
    assert Act("Count", "hotel") in move.acts
    assert Act("Inform", "hotel", "type", "luxury") in move.acts
    assert [each.expressed for each in move.tuples] == [True, False, False]


def asked_for_spa(user: ExtendedActsUser, hotel: Goal) -> UserMove:
    first = user.open(hotel, Random(1))
    return user.respond(first.goal, first.tuples, first.acts, OFFER, Random(1))


def test_a_service_is_asked_for_with_a_yes_no_question(user: ExtendedActsUser, hotel: Goal) -> None:
    assert asked_for_spa(user, hotel).acts == (Act("Confirm", "hotel", "services", "spa"),)


@pytest.mark.parametrize(("answer", "noted"), [("Affirm", "yes"), ("Deny", "no")])
def test_the_answer_is_noted(user: ExtendedActsUser, hotel: Goal, answer: str, noted: str) -> None:
    asked = asked_for_spa(user, hotel)
    heard = (Act(answer, "hotel", "services", "spa"),)
    move = user.respond(asked.goal, asked.tuples, asked.acts, heard, Random(1))
    assert move.tuples[2].value == noted


def test_another_place_is_wanted_where_the_one_offered_is_not_as_wished(
    user: ExtendedActsUser, hotel: Goal
) -> None:
    asked = asked_for_spa(user, hotel)
    heard = (Act("Deny", "hotel", "type", "luxury"), Act("Inform", "hotel", "type", "budget"))
    move = user.respond(asked.goal, asked.tuples, asked.acts, heard, Random(1))
    assert move.acts == (Act("Another", "hotel"),)
    assert [each.value for each in move.tuples] == ["luxury", "", ""]


def test_wishes_are_taken_back_where_one_is_given_up(user: ExtendedActsUser, hotel: Goal) -> None:
    first = user.open(hotel, Random(1))
    refused = (Act("NoOffer", "hotel"),)
    move = user.respond(first.goal, first.tuples, first.acts, refused, Random(1))
    assert Act("Drop", "hotel", "", "") in move.acts


def test_an_answer_is_asked_for_once_more_but_not_twice(
    user: ExtendedActsUser, goal: GoalMaker
) -> None:
    wanted = goal((1, "taxi", "car", ""), (1, "taxi", "plate", ""))
    first = user.open(wanted, Random(1))
    heard = (Act("Inform", "taxi", "car", "blue van"),)
    again = user.respond(first.goal, first.tuples, first.acts, heard, Random(1))
    assert again.acts == (REPEAT,)
    move = user.respond(again.goal, again.tuples, again.acts, heard, Random(1))
    assert move.acts == (Act("Request", "taxi", "plate", ""),)
