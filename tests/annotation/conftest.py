"""A short dialogue in harbour, with the states its two sides filled in and without acts."""

import pytest

from crosstalk.annotation.annotator import Annotator
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple, Tuples
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.worlds.world import find_world, load_world

GOAL = (
    SemanticTuple(1, "hotel", "rating", "5 points"),
    SemanticTuple(1, "hotel", "name", ""),
    SemanticTuple(1, "hotel", "price", ""),
)


def table(rating: str, name: str, price: str, ticks: str) -> Tuples:
    """The user's table: three values, and which rows are ticked ("x") or not ("-")."""
    return tuple(
        SemanticTuple(row.subgoal, row.domain, row.slot, value, tick == "x")
        for row, value, tick in zip(GOAL, (rating, name, price), ticks, strict=True)
    )


def form(rating: str, *selected: str) -> SystemState:
    return SystemState((DomainState("hotel", (("name", ""), ("rating", rating)), selected),))


def user(text: str, state: Tuples) -> Turn:
    return Turn(Speaker.USER, text, user_state=state)


def system(text: str, first: SystemState, last: SystemState) -> Turn:
    return Turn(Speaker.SYSTEM, text, first_query=first, last_query=last)


@pytest.fixture(scope="session")
def annotator() -> Annotator:
    return Annotator.of(load_world("harbour"), find_world("harbour"))


@pytest.fixture
def dialogue() -> Dialogue:
    """No hotel has five points, so the system offers another; of that, no price is known."""
    offer = form("", "Ferry Inn")
    changed, known = "4.5 points", "Ferry Inn"
    return Dialogue(
        "1",
        (
            user("Hello! I need a hotel rated 5 points.", table("5 points", "", "", "xx-")),
            system(
                "There is no such hotel. How about Ferry Inn, rated 4.5?", form("5 points"), offer
            ),
            user("All right. What does Ferry Inn cost?", table(changed, known, "", "xxx")),
            system("I do not context. It is in the comfort class.", offer, offer),
            user("Thank you!", table(changed, known, "none", "xxx")),
            system("You are welcome!", offer, form("")),
        ),
        Goal(GOAL),
        language="en",
        world="harbour",
    )
