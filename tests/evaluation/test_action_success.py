"""The tables decide whether what was to be done was done."""

from typing import Any

import pytest

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, WantedAction
from crosstalk.evaluation.action_success import (
    ActionCounts,
    action_outcome,
    dialogue_outcome,
)
from crosstalk.worlds.action_events import ActionEvent
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

STAY: dict[str, Any] = {"arrival": "2026-06-08", "nights": 2, "people": 2}
LAUREL = STAY | {"entity": "Laurel Hotel"}
GOAL = Goal(
    (SemanticTuple(1, "hotel", "name", ""),),
    actions=(WantedAction("book_room", ({**STAY, "entity": Reference(1, nearby=False)},)),),
)


@pytest.fixture(scope="module")
def executor() -> Executor:
    return Executor(Database(load_world("harbour")))


def did(executor: Executor, *calls: tuple[str, dict[str, Any]]) -> list[ActionEvent]:
    state, events = executor.begin("another id than the goal's"), []
    for action, arguments in calls:
        state, event = executor.perform(state, action, arguments)
        events.append(event)
    return events


@pytest.mark.parametrize(
    ("calls", "success", "counts"),
    [
        ([("book_room", LAUREL)], True, ActionCounts(1, 1, 0, 0)),
        ([], False, ActionCounts(1, 0, 0, 0)),
        ([("book_room", LAUREL | {"people": 3})], False, ActionCounts(1, 0, 1, 0)),
        ([("book_room", LAUREL)] * 2, False, ActionCounts(1, 1, 1, 0)),
        (
            [("book_room", LAUREL | {"people": 9}), ("book_room", LAUREL)],
            True,
            ActionCounts(1, 1, 0, 0),
        ),
    ],
    ids=["as wanted", "nothing", "for three", "twice", "refused, then as wanted"],
)
def test_bookings(
    executor: Executor,
    calls: list[tuple[str, dict[str, Any]]],
    success: bool,
    counts: ActionCounts,
) -> None:
    outcome = action_outcome(executor, GOAL, {1: "Laurel Hotel"}, did(executor, *calls))
    assert (outcome.success, outcome.counts) == (success, counts)


def test_another_way_to_the_same_tables_will_do(executor: Executor) -> None:
    (booked,) = did(executor, ("book_room", LAUREL | {"people": 3}))
    change = {"reference": booked.gives["reference"], "people": 2}
    events = did(executor, ("book_room", LAUREL | {"people": 3}), ("change_room", change))
    assert action_outcome(executor, GOAL, {1: "Laurel Hotel"}, events).success


def test_what_must_be_refused(executor: Executor) -> None:
    late = next(r for r in executor.begin().tables["room_bookings"] if r["arrival"] == "2026-06-01")
    call = {"reference": str(late["reference"])}
    goal = Goal((), actions=(WantedAction("cancel_room", (call,), forbidden=True),))
    assert action_outcome(executor, goal, {}, []).success
    outcome = action_outcome(executor, goal, {}, did(executor, ("cancel_room", call)))
    assert not outcome.success and outcome.counts == ActionCounts(0, 0, 1, 1)


def test_counts_add() -> None:
    both = ActionCounts(1, 1, 0, 0) + ActionCounts(1, 0, 2, 1)
    assert both.record() == {"needed": 2, "done": 1, "wrong": 2, "forbidden": 1}


def test_a_dialogue(executor: Executor) -> None:
    turns = (
        Turn(Speaker.USER, "A room in the Laurel Hotel, please."),
        with_actions(Turn(Speaker.SYSTEM, "Booked."), did(executor, ("book_room", LAUREL))),
    )
    final = (SemanticTuple(1, "hotel", "name", "Laurel Hotel", True),)
    outcome = dialogue_outcome(executor, Dialogue("1", turns, GOAL, final))
    assert outcome.record() == {
        "success": True,
        "actions": {"needed": 1, "done": 1, "wrong": 0, "forbidden": 0},
        "breaches": [{"turn": 1, "action": "book_room", "rule": "confirm"}],
    }
