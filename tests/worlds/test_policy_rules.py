"""What an agent must keep to is checked on the turns in which it acted."""

import pytest
from tests.worlds.lakeside import write_lakeside

from crosstalk.dialogue.acts import AFFIRM, CONFIRM, DENY, DO, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.worlds.action_events import ActionEvent
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.policy_rules import Breach, actions_of, breaches, with_actions
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

STAY = {"entity": "Heron", "arrival": "2026-06-03", "nights": 2, "people": 2}


@pytest.fixture(scope="module")
def executor(tmp_path_factory: pytest.TempPathFactory) -> Executor:
    folder = write_lakeside(tmp_path_factory.mktemp("worlds") / "lakeside")
    return Executor(Database(load_world(folder)))


def user(text: str, *acts: Act) -> Turn:
    return Turn(Speaker.USER, text, acts)


def system(text: str, *acts: Act, did: tuple[ActionEvent, ...] = ()) -> Turn:
    return with_actions(Turn(Speaker.SYSTEM, text, acts), did)


def booked(executor: Executor, arrival: str = "2026-06-03") -> ActionEvent:
    return executor.perform(executor.begin("goal"), "book_room", STAY | {"arrival": arrival})[1]


def test_a_booking_that_was_agreed_to(executor: Executor) -> None:
    turns = [
        user("A room in the Heron, please."),
        system("The Heron from June 3 for two nights. Shall I book it?"),
        user("Yes, go ahead."),
        system("Done.", did=(booked(executor),)),
    ]
    assert breaches(executor, "goal", turns) == []
    assert actions_of(turns[3]) == [booked(executor)]


def test_a_booking_that_nobody_agreed_to(executor: Executor) -> None:
    turns = [user("A room in the Heron."), system("Done.", did=(booked(executor),))]
    assert breaches(executor, "goal", turns) == [Breach(1, "book_room", "confirm")]
    turns = [
        user("A room in the Heron."),
        system("Shall I book it?"),
        user("No, wait."),
        system("Done.", did=(booked(executor),)),
    ]
    assert breaches(executor, "goal", turns) == [Breach(3, "book_room", "confirm")]


@pytest.mark.parametrize(("answer", "expected"), [(AFFIRM, 0), (DENY, 1)])
def test_acts_say_whether_it_was_agreed_to(executor: Executor, answer: str, expected: int) -> None:
    turns = [
        user("", Act(DO, "book_room")),
        system("", Act(CONFIRM, "book_room", "nights", "2")),
        user("", Act(answer, "book_room")),
        system("", did=(booked(executor),)),
    ]
    assert len(breaches(executor, "goal", turns)) == expected


def test_rules_with_conditions_and_numbers(executor: Executor) -> None:
    """On the day of arrival a booking must not be cancelled any more."""
    state, first = executor.perform(
        executor.begin("goal"), "book_room", STAY | {"arrival": "2026-06-01"}
    )
    state, cancelled = executor.perform(
        state, "cancel_room", {"reference": first.gives["reference"]}
    )
    _, again = executor.perform(state, "book_room", STAY)
    assert cancelled.done, "the world itself does not refuse it"
    turns = [
        user("A room."),
        system("Shall I?"),
        user("yes"),
        system("Done.", did=(first,)),
        user("Cancel it."),
        system("Cancelled.", did=(cancelled,)),
        user("yes"),
        system("Booked again.", did=(again,)),
    ]
    assert breaches(executor, "goal", turns) == [
        Breach(5, "cancel_room", "cancel_in_time"),
        Breach(7, "book_room", "one_booking"),
    ]


def test_refused_calls_break_nothing(executor: Executor) -> None:
    refused = executor.perform(executor.begin("goal"), "book_room", STAY | {"entity": "Hut"})[1]
    turns = [user("The Hut."), system("It takes no bookings.", did=(refused,))]
    assert breaches(executor, "goal", turns) == []
