"""The published rule simulator, as published and mended."""

from random import Random

import pytest

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal, Reference, Tuples
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import UserMove, is_finished
from crosstalk.worlds.tables import World

from .conftest import GoalMaker

FREE = Act("Inform", "attraction", "fee", "free")
ASK_NAME = Act("Request", "attraction", "name", "")
GREET = Act("General", "greet")
NO_OFFER = Act("NoOffer", "attraction")


@pytest.fixture
def museum(goal: GoalMaker) -> Goal:
    return goal(
        (1, "attraction", "fee", "free"),
        (1, "attraction", "rating", "4.5 points or more"),
        (1, "attraction", "name", ""),
        (1, "attraction", "nearby_hotels", ()),
        (2, "hotel", "name", Reference(1, nearby=True)),
        (2, "hotel", "type", "luxury"),
        (2, "hotel", "phone", ""),
        (3, "taxi", "departure", Reference(1, nearby=False)),
        (3, "taxi", "car", ""),
    )


def said(tuples: Tuples, *positions: int) -> Tuples:
    return tuple(each.said() if at in positions else each for at, each in enumerate(tuples))


def known(tuples: Tuples, **values: str | tuple[str, ...]) -> Tuples:
    """The tuples with answers, by slot, said."""
    return tuple(
        each.filled(values[each.slot]).said() if each.slot in values else each for each in tuples
    )


def names_of(move: UserMove) -> list[str]:
    return [each.slot for each in move.tuples if each.expressed]


@pytest.mark.parametrize("published", [True, False])
def test_the_opening_greets_and_says_the_first_two_to_four_tuples(
    harbour: World, museum: Goal, published: bool
) -> None:
    user = RuleUser(harbour.schema, harbour.language, published=published)
    moves = [user.open(museum, Random(seed)) for seed in range(40)]
    assert {len(names_of(move)) for move in moves} == {2, 3, 4}
    three = next(move for move in moves if len(names_of(move)) == 3)
    assert three.acts == (
        GREET,
        FREE,
        Act("Inform", "attraction", "rating", "4.5 points or more"),
        ASK_NAME,
    )


def test_an_opening_never_leaves_the_first_sub_goal(harbour: World, goal: GoalMaker) -> None:
    short = goal((1, "hotel", "type", "luxury"), (2, "restaurant", "name", ""))
    user = RuleUser(harbour.schema, harbour.language)
    for seed in range(10):
        assert names_of(user.open(short, Random(seed))) == ["type"]


def test_answers_wait_until_every_wish_is_said(harbour: World, museum: Goal) -> None:
    user = RuleUser(harbour.schema, harbour.language)
    offer = (Act("Inform", "attraction", "name", "Maritime Museum"),)
    early = user.respond(museum, said(museum.tuples, 0, 2), (), offer, Random(1))
    assert early.tuples[2].is_open
    late = user.respond(museum, said(museum.tuples, 0, 1, 2), (), offer, Random(1))
    assert late.tuples[2].value == "Maritime Museum"


def test_one_of_the_recommended_names_is_chosen_and_said_when_mended(
    harbour: World, museum: Goal
) -> None:
    heard = tuple(
        Act("Recommend", "attraction", "name", name) for name in ("City Zoo", "Bell Gate")
    )
    state = said(museum.tuples, 0, 1, 2)
    chosen = set()
    for seed in range(20):
        move = RuleUser(harbour.schema, harbour.language).respond(
            museum, state, (), heard, Random(seed)
        )
        chosen.add(move.tuples[2].value)
        assert Act("Inform", "attraction", "name", str(move.tuples[2].value)) in move.acts
    assert chosen == {"City Zoo", "Bell Gate"}
    published = RuleUser(harbour.schema, harbour.language, published=True)
    silent = published.respond(museum, state, (), heard, Random(1))
    assert not any(act.intent == "Inform" for act in silent.acts)


def test_an_offer_after_a_refusal_gives_up_the_wishes_it_breaks(
    harbour: World, museum: Goal
) -> None:
    heard = (
        Act("Inform", "attraction", "fee", "12 crowns"),
        Act("Inform", "attraction", "name", "City Zoo"),
        Act("Inform", "attraction", "rating", "4.7 points"),
        NO_OFFER,
    )
    user = RuleUser(harbour.schema, harbour.language)
    move = user.respond(museum, said(museum.tuples, 0, 1, 2), (), heard, Random(1))
    fee, rating, name = move.tuples[:3]
    assert (fee.value, rating.value, name.value) == ("12 crowns", "4.5 points or more", "City Zoo")
    assert move.goal.tuples[0].value == "12 crowns"
    assert museum.tuples[0].value == "free"


def test_a_bare_refusal_drops_one_wish_and_begins_anew(harbour: World, museum: Goal) -> None:
    user = RuleUser(harbour.schema, harbour.language)
    dropped = set()
    for seed in range(20):
        state = said(museum.tuples, 0, 1, 2)
        move = user.respond(museum, state, (), (NO_OFFER,), Random(seed))
        dropped |= {at for at, each in enumerate(move.goal.tuples[:2]) if each.is_open}
        assert sum(each.is_open for each in move.goal.tuples[:2]) == 1
    assert dropped == {0, 1}


def test_a_reference_is_dropped_last(harbour: World, museum: Goal) -> None:
    user = RuleUser(harbour.schema, harbour.language)
    state = known(museum.tuples, fee="free", rating="4.6 points", nearby_hotels=("Pilot House",))
    state = said(state[:2] + known(state[2:3], name="City Zoo") + state[3:], 4, 5)
    move = user.respond(museum, state, (), (Act("NoOffer", "hotel"),), Random(1))
    assert move.goal.tuples[4].value == Reference(1, nearby=True)
    assert move.goal.tuples[5].is_open


def test_a_reference_is_said_with_the_name_it_starts_from(harbour: World, museum: Goal) -> None:
    state = said(known(museum.tuples[:4], name="City Zoo", nearby_hotels=("Pilot House",)), 0, 1)
    user = RuleUser(harbour.schema, harbour.language)
    move = user.respond(museum, state + museum.tuples[4:], (), (), Random(1))
    assert Act("Select", "hotel", "source", "attraction") in move.acts
    assert Act("Inform", "attraction", "name", "City Zoo") in move.acts
    assert move.tuples[4].value == Reference(1, nearby=True)


def test_the_end_of_a_ride_is_said_by_name_and_written_down(harbour: World, museum: Goal) -> None:
    before = known(museum.tuples[:4], name="City Zoo", nearby_hotels=("Pilot House",))
    hotel = known(museum.tuples[4:7], name="Pilot House", phone="0482-1")
    state = said(before, 0, 1) + said(hotel, 1) + museum.tuples[7:]
    move = RuleUser(harbour.schema, harbour.language).respond(museum, state, (), (), Random(1))
    assert Act("Inform", "taxi", "departure", "City Zoo") in move.acts
    assert move.tuples[7].value == "City Zoo"


def test_nothing_is_an_answer(harbour: World, museum: Goal) -> None:
    state = said(known(museum.tuples[:4], name="City Zoo"), 0, 1, 3) + museum.tuples[4:]
    heard = (Act("Inform", "attraction", "nearby_hotels", "none"),)
    for published in (True, False):
        user = RuleUser(harbour.schema, harbour.language, published=published)
        assert user.respond(museum, state, (), heard, Random(1)).tuples[3].value == "none"


def test_answers_about_another_place_are_not_taken(harbour: World, museum: Goal) -> None:
    state = said(known(museum.tuples[:4], name="City Zoo"), 0, 1, 3) + museum.tuples[4:]
    heard = (
        Act("Inform", "attraction", "name", "Bell Gate"),
        Act("Inform", "attraction", "nearby_hotels", "Pilot House"),
    )
    user = RuleUser(harbour.schema, harbour.language)
    asked = (Act("Request", "attraction", "nearby_hotels", ""),)
    move = user.respond(museum, state, asked, heard, Random(1))
    assert move.tuples[3].is_open
    assert Act("Inform", "attraction", "name", "City Zoo") in move.acts


def test_with_everything_settled_the_user_thanks(harbour: World, goal: GoalMaker) -> None:
    only = goal((1, "taxi", "car", ""))
    heard = (Act("Inform", "taxi", "car", "grey van"),)
    move = RuleUser(harbour.schema, harbour.language).respond(
        only, said(only.tuples, 0), (), heard, Random(2)
    )
    assert is_finished(move.tuples)
    assert Act("General", "thank") in move.acts


def test_as_published_any_text_with_id_in_it_is_unresolved(harbour: World, goal: GoalMaker) -> None:
    only = goal((1, "hotel", "name", ""))
    state = known(only.tuples, name="Midtown Inn")
    mended = RuleUser(harbour.schema, harbour.language)
    published = RuleUser(harbour.schema, harbour.language, published=True)
    assert mended.respond(only, state, (), (), Random(1)).acts[0].domain == "thank"
    assert published.respond(only, state, (), (), Random(1)).acts == ()
