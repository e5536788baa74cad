from collections import Counter
from pathlib import Path

import pytest

from crosstalk.corpora.multiwoz import from_log, read_multiwoz
from crosstalk.corpora.record_encoding import Record
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.goals.multiwoz_goals import WishedBooking, multiwoz_goal
from crosstalk.goals.satisfiable import is_satisfiable
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

HOTEL: Record = {
    "info": {"area": "north", "stars": "4"},
    "fail_info": {"area": "west", "stars": "4"},
    "book": {"people": "2", "stay": "3", "invalid": True, "pre_invalid": True},
    "fail_book": {"stay": "5"},
}


def dialogue(**goal: Record) -> Dialogue:
    record = from_log("MUL1", {"goal": goal, "log": []})
    tuples = tuple(SemanticTuple(**each) for each in record["goal"]["tuples"])
    return Dialogue("MUL1", (), Goal(tuples), extras=record["extras"])


def test_last_wishes_first_wishes_and_the_booking() -> None:
    found = multiwoz_goal(dialogue(hotel=HOTEL))
    assert [(each.slot, each.value) for each in found.goal.tuples] == [
        ("area", "north"),
        ("stars", "4"),
    ]
    assert [(each.slot, each.value) for each in found.first_wishes] == [
        ("area", "west"),
        ("stars", "4"),
    ]
    assert found.bookings == (
        WishedBooking("book_hotel", {"people": "2", "stay": "3"}, {"stay": "5"}, True),
    )


def test_a_goal_that_only_asks_books_nothing() -> None:
    found = multiwoz_goal(dialogue(attraction={"info": {"area": "west"}, "reqt": ["phone"]}))
    assert found.bookings == () and found.first_wishes == ()
    assert found.goal.tuples[-1].is_open


def test_a_taxi_is_a_booking() -> None:
    found = multiwoz_goal(dialogue(taxi={"info": {"leaveAt": "10:00"}, "reqt": ["phone"]}))
    assert found.bookings == (WishedBooking("book_taxi", {"leaveAt": "10:00"}),)


def test_goals_of_the_corpus_can_be_met(data_folder: Path) -> None:
    path = data_folder / "multiwoz" / "val.json.zip"
    if not path.exists():
        pytest.skip(f"no {path}")
    world = load_world("multiwoz", data=data_folder)
    database = Database(world, conjunctive=True)
    goals = [multiwoz_goal(each) for each in read_multiwoz(path)]
    met = sum(is_satisfiable(each.goal.tuples, database) for each in goals)
    assert (met, len(goals)) == (999, 999)
    names = {row["name"] for row in world.tables["restaurant"]}
    named = (
        each.value
        for goal in goals
        for each in goal.goal.tuples
        if (each.domain, each.slot) == ("restaurant", "name") and not each.is_open
    )
    unlisted = set(named) - names
    assert unlisted == {"ask"}  # found as `ask restaurant`
    bookings = Counter(each.action for goal in goals for each in goal.bookings)
    assert bookings == {
        "book_train": 271,
        "book_restaurant": 266,
        "book_hotel": 252,
        "book_taxi": 206,
    }
