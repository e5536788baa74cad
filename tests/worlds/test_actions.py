"""Booking, changing and cancelling in a small town, where the state is a value."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.worlds.lakeside import write_lakeside

from crosstalk.errors import InputError
from crosstalk.worlds.action_events import ActionEvent, TableState, event_of
from crosstalk.worlds.actions import Executor, same_tables
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

BOOKING = {"entity": "Heron", "arrival": "2026-06-03", "nights": 2, "people": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_lakeside(tmp_path_factory.mktemp("worlds") / "lakeside")


@pytest.fixture(scope="module")
def executor(folder: Path) -> Executor:
    return Executor(Database(load_world(folder)))


def left(state: TableState, inn: str, date: str) -> object:
    rows = state.tables["rooms"]
    found = [row["left"] for row in rows if (row["entity"], row["date"]) == (inn, date)]
    return found[0] if found else 2


def booked(executor: Executor, **changes: Any) -> tuple[TableState, ActionEvent]:
    return executor.perform(executor.begin("goal-1"), "book_room", BOOKING | changes)


def test_a_booking_changes_tables_and_gives_a_reference(executor: Executor) -> None:
    state, event = booked(executor)
    assert event.done and event.gives["price"] == 81.0
    assert len(str(event.gives["reference"])) == 8
    (row,) = state.tables["bookings"]
    assert row["entity"] == "Heron" and row["status"] == "booked" and row["people"] == 2
    assert row["reference"] == event.gives["reference"]
    assert [left(state, "Heron", f"2026-06-0{day}") for day in (2, 3, 4, 5)] == [2, 1, 1, 2]
    assert {change.table for change in event.changes} == {"bookings", "rooms"}


@pytest.mark.parametrize(
    ("changes", "reason", "argument"),
    [
        ({"arrival": "2026-06-09"}, "full", ""),
        ({"arrival": "2026-06-10", "nights": 1}, "full", ""),
        ({"entity": "Hut"}, "not_bookable", ""),
        ({"entity": "Palace"}, "unknown", "entity"),
        ({"people": None}, "missing", "people"),
        ({"people": 5}, "limit", "people"),
        ({"people": "many"}, "unknown", "people"),
        ({"arrival": "soon"}, "unknown", "arrival"),
        ({"arrival": "2026-07-01"}, "limit", "arrival"),
    ],
)
def test_refusals_say_why_and_change_nothing(
    executor: Executor, changes: dict[str, Any], reason: str, argument: str
) -> None:
    before = executor.begin("goal-1")
    state, event = executor.perform(before, "book_room", BOOKING | changes)
    assert event.refusal and (event.refusal.reason, event.refusal.argument) == (reason, argument)
    assert state is before and not event.done and not event.changes


def test_arguments_are_read_as_people_write_them(executor: Executor) -> None:
    _, event = booked(executor, entity="heron", people="3", nights="2")
    assert event.arguments["entity"] == "Heron" and event.arguments["people"] == 3


def test_codes_depend_on_the_goal_and_the_call_alone(executor: Executor) -> None:
    one, two = booked(executor)[1], booked(executor)[1]
    assert one.gives == two.gives
    state, _ = booked(executor)
    _, again = executor.perform(state, "book_room", BOOKING)
    assert again.gives["reference"] != one.gives["reference"]
    _, other = executor.perform(executor.begin("goal-2"), "book_room", BOOKING)
    assert other.gives["reference"] != one.gives["reference"]


def test_a_stay_that_overlaps_itself_can_be_moved(executor: Executor) -> None:
    """On a day with one room left, the room of the booking itself counts as free."""
    state, event = booked(executor, arrival="2026-06-20", nights=1)
    assert left(state, "Heron", "2026-06-20") == 0
    reference = event.gives["reference"]
    change = {"reference": reference, "nights": 2}
    state, event = executor.perform(state, "change_room", change)
    assert event.done
    assert [left(state, "Heron", f"2026-06-2{day}") for day in (0, 1, 2)] == [0, 1, 2]
    (row,) = state.tables["bookings"]
    assert (row["nights"], row["people"], row["arrival"]) == (2, 2, "2026-06-20")


def test_a_change_that_cannot_be_made_keeps_the_booking(executor: Executor) -> None:
    before, event = booked(executor)
    change = {"reference": event.gives["reference"], "arrival": "2026-06-10"}
    state, event = executor.perform(before, "change_room", change)
    assert event.refusal and event.refusal.reason == "full"
    assert state is before


def test_a_cancelled_booking_cannot_be_cancelled_again(executor: Executor) -> None:
    state, event = booked(executor)
    reference = {"reference": str(event.gives["reference"]).lower()}
    state, event = executor.perform(state, "cancel_room", reference)
    assert event.done and left(state, "Heron", "2026-06-03") == 2
    state, event = executor.perform(state, "cancel_room", reference)
    assert event.refusal and event.refusal.reason == "no_booking"


def test_states_are_compared_without_codes(executor: Executor) -> None:
    one, _ = booked(executor)
    other, _ = executor.perform(executor.begin("goal-2"), "book_room", BOOKING)
    assert one.tables["bookings"] != other.tables["bookings"]
    assert same_tables(executor.world, one, other) == {"rooms": True, "bookings": True}
    more, _ = executor.perform(one, "book_room", BOOKING)
    assert same_tables(executor.world, one, more) == {"rooms": False, "bookings": False}


def test_the_same_in_another_language(folder: Path) -> None:
    german = Executor(Database(load_world(folder, language="de")))
    full = BOOKING | {"entity": "Reiher", "arrival": "2026-06-10"}
    _, event = german.perform(german.begin(), "book_room", full)
    assert event.refusal and event.refusal.reason == "full"
    hut = BOOKING | {"entity": "Hütte"}
    _, event = german.perform(german.begin(), "book_room", hut)
    assert event.refusal and event.refusal.reason == "not_bookable"
    state, event = german.perform(german.begin(), "book_room", BOOKING | {"entity": "Reiher"})
    assert event.done and state.tables["bookings"][0]["status"] == "booked"


def test_unknown_names_are_errors(executor: Executor) -> None:
    with pytest.raises(InputError, match="no action 'pay'"):
        executor.perform(executor.begin(), "pay", {})
    with pytest.raises(InputError, match="takes no 'breakfast'"):
        executor.perform(executor.begin(), "book_room", BOOKING | {"breakfast": "yes"})


def test_events_are_kept_as_json_and_replayed(executor: Executor) -> None:
    state, first = booked(executor)
    state, second = executor.perform(
        state, "change_room", {"reference": first.gives["reference"], "people": 3}
    )
    _, refused = executor.perform(state, "book_room", BOOKING | {"entity": "Hut"})
    events = [event_of(each.record()) for each in (first, second, refused)]
    assert events == [first, second, refused]
    assert executor.replay("goal-1", events) == state


BOOKINGS = st.lists(
    st.fixed_dictionaries(
        {
            "entity": st.sampled_from(["Heron", "Otter", "Hut"]),
            "arrival": st.integers(1, 30).map(lambda day: f"2026-06-{day:02}"),
            "nights": st.integers(1, 14),
            "people": st.integers(1, 4),
        }
    ),
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(BOOKINGS)
def test_cancelling_everything_restores_what_is_left(
    executor: Executor, calls: list[dict[str, Any]]
) -> None:
    start = executor.begin("goal-1")
    state, references = start, []
    for call in calls:
        state, event = executor.perform(state, "book_room", call)
        references += [event.gives["reference"]] if event.done else []
        assert all(
            isinstance(row["left"], int) and row["left"] >= 0 for row in state.tables["rooms"]
        )
    assert len(set(references)) == len(references)
    for reference in references:
        state, event = executor.perform(state, "cancel_room", {"reference": reference})
        assert event.done
    assert same_tables(executor.world, start, state)["rooms"]
    assert executor.begin("goal-1") == start
