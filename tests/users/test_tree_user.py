"""The learned user in conversation."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Goal, Reference
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.users.rule_user import RuleUser
from crosstalk.users.simulator import Simulator, UserMove, is_finished
from crosstalk.users.tree_user import TreeUser
from crosstalk.users.user_model import UserModel
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

from .conftest import GoalMaker


@pytest.fixture
def user(harbour: World, shipped: UserModel) -> TreeUser:
    return TreeUser(harbour.schema, harbour.language, shipped)


def names_in(move: UserMove) -> set[Act]:
    return {act for act in move.acts if (act.intent, act.slot) == ("Inform", "name")}


def test_users_of_one_goal_differ_and_the_same_seed_gives_the_same_user(
    user: TreeUser, harbour: World
) -> None:
    goal = goal_sampler(harbour).sample(goal_rng(1, 0))
    assert user.open(goal, Random(3)) == user.open(goal, Random(3))
    assert len({user.open(goal, Random(seed)).acts for seed in range(30)}) > 1


def test_all_wishes_of_a_sub_goal_are_said_at_once(user: TreeUser, goal: GoalMaker) -> None:
    wishes = goal(
        (1, "hotel", "type", "luxury"),
        (1, "hotel", "rating", "4 points or more"),
        (1, "hotel", "services-breakfast", "yes"),
        (1, "hotel", "name", ""),
    )
    for seed in range(20):
        assert all(each.expressed for each in user.open(wishes, Random(seed)).tuples[:3])


def test_questions_left_open_are_asked_again_about_the_place_that_is_meant(
    user: TreeUser, goal: GoalMaker
) -> None:
    asked = goal(
        (1, "hotel", "type", "luxury"), (1, "hotel", "name", ""), (1, "hotel", "phone", "")
    )
    tuples = (
        asked.tuples[0].said(),
        asked.tuples[1].filled("Pilot House").said(),
        asked.tuples[2].said(),
    )
    question = Act("Request", "hotel", "phone", "")
    for seed in range(20):
        move = user.respond(asked, tuples, (question,), (), Random(seed))
        assert question in move.acts
        assert Act("Inform", "hotel", "name", "Pilot House") in move.acts


def test_wishes_that_nobody_heard_are_said_again(user: TreeUser, goal: GoalMaker) -> None:
    wishes = goal((1, "hotel", "type", "luxury"), (1, "hotel", "name", ""))
    tuples = tuple(each.said() for each in wishes.tuples)
    last = (Act("Inform", "hotel", "type", "luxury"), Act("Request", "hotel", "name", ""))
    move = user.respond(wishes, tuples, last, (Act("General", "greet"),), Random(1))
    assert set(last) <= set(move.acts)


def test_a_bare_refusal_drops_a_wish_and_says_the_others_again(
    user: TreeUser, goal: GoalMaker
) -> None:
    wishes = goal(
        (1, "hotel", "type", "luxury"),
        (1, "hotel", "rating", "5 points"),
        (1, "hotel", "name", ""),
    )
    tuples = tuple(each.said() for each in wishes.tuples)
    move = user.respond(wishes, tuples, (), (Act("NoOffer", "hotel"),), Random(1))
    (kept,) = [each for each in move.goal.tuples[:2] if not each.is_open]
    assert Act("Inform", "hotel", kept.slot, str(kept.value)) in move.acts
    assert all(each.expressed for each in move.tuples)


def test_the_source_is_named_where_it_could_be_another(user: TreeUser, goal: GoalMaker) -> None:
    wanted = goal(
        (1, "attraction", "name", ""),
        (2, "attraction", "name", ""),
        (3, "hotel", "name", Reference(1, nearby=True)),
    )
    tuples = (
        wanted.tuples[0].filled("City Zoo").said(),
        wanted.tuples[1].filled("Bell Gate").said(),
        wanted.tuples[2],
    )
    for seed in range(20):
        move = user.respond(wanted, tuples, (), (Act("General", "reqmore"),), Random(seed))
        assert Act("Select", "hotel", "source", "attraction") in move.acts
        assert Act("Inform", "attraction", "name", "City Zoo") in move.acts


def test_an_empty_goal_is_greeted_and_done(user: TreeUser) -> None:
    move = user.open(Goal(()), Random(1))
    assert is_finished(move.tuples)
    assert user.respond(Goal(()), (), (), (), Random(1)).acts


WORLD = load_world("harbour")
SAMPLER = goal_sampler(WORLD)
SLOTS = [(domain.key, slot.key) for domain in WORLD.schema for slot in domain.slots]
VALUES = ["none", "yes", "no", "City Zoo", "Pilot House", "4.2 points", "75 crowns", "80", "id", ""]
acts = st.lists(
    st.one_of(
        st.builds(
            lambda key, intent, value: Act(intent, key[0], key[1], value),
            st.sampled_from(SLOTS),
            st.sampled_from(["Inform", "Recommend"]),
            st.sampled_from(VALUES),
        ),
        st.builds(Act, st.just("NoOffer"), st.sampled_from(["attraction", "hotel", "restaurant"])),
        st.builds(Act, st.just("General"), st.sampled_from(["greet", "welcome", "reqmore"])),
    ),
    max_size=6,
).map(lambda found: tuple(sorted(set(found))))


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(number=st.integers(0, 500), heard=st.lists(acts, min_size=1, max_size=8))
def test_whatever_is_heard_the_state_stays_whole(
    shipped: UserModel, number: int, heard: list[tuple[Act, ...]]
) -> None:
    goal = SAMPLER.sample(goal_rng(2, number))
    learned = TreeUser(WORLD.schema, WORLD.language, shipped)
    for user in (learned, RuleUser(WORLD.schema, WORLD.language)):
        rng = Random(number)
        move = user.open(goal, rng)
        for each in heard:
            after = user.respond(move.goal, move.tuples, move.acts, each, rng)
            check(goal, move, after)
            if user is learned:
                pairs = zip(move.tuples, after.tuples, strict=True)
                assert all(new.expressed or not old.expressed for old, new in pairs)
            move = after


def check(goal: Goal, before: UserMove, after: UserMove) -> None:
    keys = [(each.subgoal, each.domain, each.slot) for each in goal.tuples]
    assert [(each.subgoal, each.domain, each.slot) for each in after.tuples] == keys
    assert [(each.subgoal, each.domain, each.slot) for each in after.goal.tuples] == keys
    assert list(after.acts) == sorted(set(after.acts))
    assert after.acts, "a user always has something to say"
    assert not is_finished(before.tuples) or is_finished(after.tuples)


@pytest.mark.parametrize("language", ["en", "de", "zh", "ar", "ru"])
def test_users_reach_their_goals_in_every_language(language: str, shipped: UserModel) -> None:
    world = load_world("harbour", language=language)
    sampler = goal_sampler(world)
    clerk = Clerk(world)
    for user in (
        TreeUser(world.schema, world.language, shipped),
        RuleUser(world.schema, world.language),
    ):
        for number in range(12):
            goal = sampler.sample(goal_rng(3, number))
            assert finishes(user, goal, clerk, Random(number)), goal


def finishes(user: Simulator, goal: Goal, clerk: "Clerk", rng: Random) -> bool:
    move = user.open(goal, rng)
    for _ in range(25):
        if is_finished(move.tuples):
            return True
        heard = clerk.answer(move)
        move = user.respond(move.goal, move.tuples, move.acts, heard, rng)
    return False


class Clerk:
    """Offers the first place of a table to whoever looks for one, and says `none` to questions."""

    def __init__(self, world: World) -> None:
        self._world = world

    def answer(self, move: UserMove) -> tuple[Act, ...]:
        named = {act.domain for act in names_in(move)}
        selected = {act.domain for act in move.acts if act.intent == "Select"}
        wishes = {act.domain for act in move.acts if act.intent == "Inform"}
        wishes |= {act.domain for act in move.acts if (act.intent, act.slot) == ("Request", "name")}
        searched = (wishes - named | selected) & {place.key for place in self._world.schema.places}
        offers = {Act("Inform", key, "name", self._first(key)) for key in searched}
        answers = {
            Act("Inform", act.domain, act.slot, self._world.language.nothing)
            for act in move.acts
            if act.intent == "Request" and act.slot != "name"
        }
        return tuple(sorted(answers | offers))

    def _first(self, domain: str) -> str:
        return str(self._world.tables[domain].rows[0]["name"])
