"""Rules one by one: what makes them propose an act, and what keeps them from it."""

from dataclasses import replace

import pytest

from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.keywords import AnnotationStyle
from crosstalk.annotation.rules import Knowledge
from crosstalk.annotation.scenes import Change, SystemScene, UserScene
from crosstalk.annotation.system_rules import described, offered, refused, unfit
from crosstalk.annotation.user_rules import (
    asked_again,
    carried_on,
    named,
    near,
    wished,
    wished_again,
)
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Value
from crosstalk.dialogue.states import DomainState, SystemState


@pytest.fixture(scope="module")
def know(annotator: Annotator) -> Knowledge:
    return annotator.know


def with_habits(know: Knowledge, habits: AnnotationStyle) -> Knowledge:
    return replace(know, keywords=replace(know.keywords, habits=habits))


def row(
    domain: str, slot: str, goal: Value, now: Value, ticks: str = "-x", subgoal: int = 1
) -> Change:
    """A row of the table: what the goal had, what stands there, ticked before and now."""
    was, is_now = (mark == "x" for mark in ticks)
    first = SemanticTuple(subgoal, domain, slot, goal)
    return Change(
        first,
        SemanticTuple(subgoal, domain, slot, goal, was),
        SemanticTuple(subgoal, domain, slot, now, is_now),
    )


def says(text: str, *changes: Change) -> UserScene:
    return UserScene(text, changes)


def answers(text: str, *selected: str, asked: tuple[Change, ...] = ()) -> SystemScene:
    state = SystemState((DomainState("hotel", (("name", ""),), selected),))
    return SystemScene(text, (), asked, state, state)


DISHES = ("mussels", "rice")
NEAR = Reference(1, nearby=True)


def test_each_of_several_wishes_is_an_act(know: Knowledge) -> None:
    scene = says("Mussels and rice!", row("restaurant", "dishes", DISHES, DISHES))
    assert [act.value for act in wished(scene, know)] == ["mussels", "rice"]


def test_a_question_ticked_with_its_answer_is_no_wish(know: Knowledge) -> None:
    scene = says("Good.", row("hotel", "price", "", "85 crowns"))
    assert list(wished(scene, know)) == []


class TestNear:
    def rows(self, known: Value = ()) -> tuple[Change, ...]:
        return (
            row("hotel", "nearby_attractions", (), known, "xx"),
            row("attraction", "name", NEAR, NEAR, subgoal=2),
        )

    def test_selects_by_the_domain_of_the_other_place(self, know: Knowledge) -> None:
        scene = says("Something to see nearby?", *self.rows())
        assert list(near(scene, know)) == [Act("Select", "attraction", "source", "hotel")]

    def test_where_nothing_is_near_it_is_a_matter_of_habit(self, know: Knowledge) -> None:
        scene = says("Something to see nearby?", *self.rows("none"))
        assert list(near(scene, know))
        assert not list(near(scene, with_habits(know, AnnotationStyle(near_nothing=False))))

    def test_a_place_found_already_is_not_selected(self, know: Knowledge) -> None:
        scene = says("Rose Garden!", row("attraction", "name", NEAR, "Rose Garden", subgoal=2))
        assert list(near(scene, know)) == []


def test_places_of_the_table_are_named_but_not_ends_of_rides(know: Knowledge) -> None:
    place = row("hotel", "name", "", "Ferry Inn", "xx")
    end = row("taxi", "departure", Reference(1, nearby=False), "Ferry Inn", subgoal=2)
    assert list(named(says("To the ferry inn!", place), know)) == [
        Act("Inform", "hotel", "name", "Ferry Inn")
    ]
    assert list(named(says("A taxi from Ferry Inn.", place, end), know)) == []


def test_a_question_is_asked_again_by_its_name(know: Knowledge) -> None:
    open_question = row("hotel", "phone", "", "", "xx")
    assert list(asked_again(says("And the phone number?", open_question), know))
    assert not list(asked_again(says("And then?", open_question), know))


def test_a_wish_is_said_again(know: Knowledge) -> None:
    wish = row("hotel", "type", "budget", "budget", "xx")
    other = row("attraction", "fee", "free", "free", subgoal=2)
    assert list(wished_again(says("But a budget hotel!", wish), know))
    assert not list(wished_again(says("Budget is fine. Now something free.", wish, other), know))


def test_unsettled_things_go_on_only_by_habit(know: Knowledge) -> None:
    scene = says("With sauna.", row("hotel", "name", "", "", "xx"), row("hotel", "type", "a", "a"))
    assert list(carried_on(scene, know)) == []
    habit = with_habits(know, AnnotationStyle(carried=True))
    assert list(carried_on(scene, habit)) == [Act("Request", "hotel", "name", "")]


def test_one_place_is_told_and_two_are_recommended(know: Knowledge) -> None:
    one = answers("Take Ferry Inn.", "Ferry Inn", "Nightingale Hotel")
    two = answers("Ferry Inn or Nightingale Hotel?", "Ferry Inn", "Nightingale Hotel")
    assert [act.intent for act in offered(one, know)] == ["Inform"]
    assert [act.intent for act in offered(two, know)] == ["Recommend", "Recommend"]


class TestDescribed:
    """Ferry Inn: comfort class, 4.5 points, with hairdryers."""

    def values(self, text: str, know: Knowledge) -> set[tuple[str, str]]:
        return {(act.slot, act.value) for act in described(answers(text, "Ferry Inn"), know)}

    def test_numbers_and_words(self, know: Knowledge) -> None:
        assert self.values("Its rating is 4.5, class comfort.", know) == {
            ("rating", "4.5 points"),
            ("type", "comfort"),
        }

    def test_services(self, know: Knowledge) -> None:
        assert self.values("It has hairdryers.", know) == {("services-hairdryers", "yes")}

    def test_a_longer_service_does_not_say_the_shorter(self, know: Knowledge) -> None:
        hotel = "Belvedere Palace Hotel"
        told = described(answers("There is no free breakfast.", hotel), know)
        assert "services-breakfast" not in {act.slot for act in told}

    def test_hours_are_no_prices(self, know: Knowledge) -> None:
        assert self.values("Reception opens at 4:50.", know) == set()


class TestRefusals:
    def scene(self, text: str, *, changed: bool) -> SystemScene:
        first = SystemState((DomainState("hotel", (("rating", "5 points"),)),))
        last = SystemState((DomainState("hotel", (("rating", "" if changed else "5 points"),)),))
        return SystemScene(text, (), (row("hotel", "rating", "5 points", "5 points"),), first, last)

    def test_a_refusal_needs_a_changed_search(self, know: Knowledge) -> None:
        words = "Sorry, there are none."
        assert list(refused(self.scene(words, changed=True), know)) == [Act("NoOffer", "hotel")]
        assert list(refused(self.scene(words, changed=False), know)) == []

    def test_words_that_nothing_fits_are_enough(self, know: Knowledge) -> None:
        scene = self.scene("I am afraid there is no such hotel.", changed=False)
        assert list(unfit(scene, know)) == [Act("NoOffer", "hotel")]
