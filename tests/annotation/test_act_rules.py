"""Rules one by one: what makes them propose an act, and what keeps them from it."""

from dataclasses import replace

import pytest

from crosstalk.annotation.act_rules import (
    asked_again,
    carried_on,
    described,
    named,
    near,
    offered,
    refused,
    unfit,
    wished,
    wished_again,
)
from crosstalk.annotation.annotator import Annotator
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import Reference, SemanticTuple, Value
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.labels.turn_evidence import Change, RuleContext, SystemEvidence, UserEvidence
from crosstalk.language.keywords import AnnotationStyle


@pytest.fixture(scope="module")
def context(annotator: Annotator) -> RuleContext:
    return annotator.context


def with_style(context: RuleContext, style: AnnotationStyle) -> RuleContext:
    return replace(context, keywords=replace(context.keywords, style=style))


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


def says(text: str, *changes: Change) -> UserEvidence:
    return UserEvidence(text, changes)


def answers(text: str, *selected: str, asked: tuple[Change, ...] = ()) -> SystemEvidence:
    state = SystemState((DomainState("hotel", (("name", ""),), selected),))
    return SystemEvidence(text, (), asked, state, state)


DISHES = ("mussels", "rice")
NEAR = Reference(1, nearby=True)


def test_each_of_several_wishes_is_an_act(context: RuleContext) -> None:
    evidence = says("Mussels and rice!", row("restaurant", "dishes", DISHES, DISHES))
    assert [act.value for act in wished(evidence, context)] == ["mussels", "rice"]


def test_a_question_ticked_with_its_answer_is_no_wish(context: RuleContext) -> None:
    evidence = says("Good.", row("hotel", "price", "", "85 crowns"))
    assert list(wished(evidence, context)) == []


class TestNear:
    def rows(self, known: Value = ()) -> tuple[Change, ...]:
        return (
            row("hotel", "nearby_attractions", (), known, "xx"),
            row("attraction", "name", NEAR, NEAR, subgoal=2),
        )

    def test_selects_by_the_domain_of_the_other_place(self, context: RuleContext) -> None:
        evidence = says("Something to see nearby?", *self.rows())
        assert list(near(evidence, context)) == [Act("Select", "attraction", "source", "hotel")]

    def test_where_nothing_is_near_it_is_a_matter_of_habit(self, context: RuleContext) -> None:
        evidence = says("Something to see nearby?", *self.rows("none"))
        assert list(near(evidence, context))
        assert not list(near(evidence, with_style(context, AnnotationStyle(near_nothing=False))))

    def test_a_place_found_already_is_not_selected(self, context: RuleContext) -> None:
        evidence = says("Rose Garden!", row("attraction", "name", NEAR, "Rose Garden", subgoal=2))
        assert list(near(evidence, context)) == []


def test_places_of_the_table_are_named_but_not_ends_of_rides(context: RuleContext) -> None:
    place = row("hotel", "name", "", "Ferry Inn", "xx")
    end = row("taxi", "departure", Reference(1, nearby=False), "Ferry Inn", subgoal=2)
    assert list(named(says("To the ferry inn!", place), context)) == [
        Act("Inform", "hotel", "name", "Ferry Inn")
    ]
    assert list(named(says("A taxi from Ferry Inn.", place, end), context)) == []


def test_a_question_is_asked_again_by_its_name(context: RuleContext) -> None:
    open_question = row("hotel", "phone", "", "", "xx")
    assert list(asked_again(says("And the phone number?", open_question), context))
    assert not list(asked_again(says("And then?", open_question), context))


def test_a_wish_is_said_again(context: RuleContext) -> None:
    wish = row("hotel", "type", "budget", "budget", "xx")
    other = row("attraction", "fee", "free", "free", subgoal=2)
    assert list(wished_again(says("But a budget hotel!", wish), context))
    assert not list(wished_again(says("Budget is fine. Now something free.", wish, other), context))


def test_unsettled_things_go_on_only_by_habit(context: RuleContext) -> None:
    evidence = says(
        "With sauna.", row("hotel", "name", "", "", "xx"), row("hotel", "type", "a", "a")
    )
    assert list(carried_on(evidence, context)) == []
    habit = with_style(context, AnnotationStyle(carried=True))
    assert list(carried_on(evidence, habit)) == [Act("Request", "hotel", "name", "")]


def test_one_place_is_told_and_two_are_recommended(context: RuleContext) -> None:
    one = answers("Take Ferry Inn.", "Ferry Inn", "Nightingale Hotel")
    two = answers("Ferry Inn or Nightingale Hotel?", "Ferry Inn", "Nightingale Hotel")
    assert [act.intent for act in offered(one, context)] == ["Inform"]
    assert [act.intent for act in offered(two, context)] == ["Recommend", "Recommend"]


class TestDescribed:
    """Ferry Inn: comfort class, 4.5 points, with hairdryers."""

    def values(self, text: str, context: RuleContext) -> set[tuple[str, str]]:
        return {(act.slot, act.value) for act in described(answers(text, "Ferry Inn"), context)}

    def test_numbers_and_words(self, context: RuleContext) -> None:
        assert self.values("Its rating is 4.5, class comfort.", context) == {
            ("rating", "4.5 points"),
            ("type", "comfort"),
        }

    def test_services(self, context: RuleContext) -> None:
        assert self.values("It has hairdryers.", context) == {("services-hairdryers", "yes")}

    def test_a_longer_service_does_not_say_the_shorter(self, context: RuleContext) -> None:
        hotel = "Belvedere Palace Hotel"
        told = described(answers("There is no free breakfast.", hotel), context)
        assert "services-breakfast" not in {act.slot for act in told}

    def test_hours_are_no_prices(self, context: RuleContext) -> None:
        assert self.values("Reception opens at 4:50.", context) == set()


class TestRefusals:
    def evidence(self, text: str, *, changed: bool) -> SystemEvidence:
        first = SystemState((DomainState("hotel", (("rating", "5 points"),)),))
        last = SystemState((DomainState("hotel", (("rating", "" if changed else "5 points"),)),))
        return SystemEvidence(
            text, (), (row("hotel", "rating", "5 points", "5 points"),), first, last
        )

    def test_a_refusal_needs_a_changed_search(self, context: RuleContext) -> None:
        words = "Sorry, there are none."
        assert list(refused(self.evidence(words, changed=True), context)) == [
            Act("NoOffer", "hotel")
        ]
        assert list(refused(self.evidence(words, changed=False), context)) == []

    def test_words_that_nothing_fits_are_enough(self, context: RuleContext) -> None:
        evidence = self.evidence("I am afraid there is no such hotel.", changed=False)
        assert list(unfit(evidence, context)) == [Act("NoOffer", "hotel")]
