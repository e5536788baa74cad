from pathlib import Path

import pytest

from crosstalk.corpora.multiwoz import from_log, read_multiwoz
from crosstalk.corpora.record_encoding import Record
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, WantedAction
from crosstalk.goals.goal_files import check_goals, read_goals, unsatisfiable, write_goals
from crosstalk.goals.multiwoz_goals import CorpusGoals, corpus_goals, import_goals
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_world

HOTEL: Record = {
    "info": {"area": "north", "type": "guest house"},
    "fail_info": {"area": "west", "type": "guest house"},
    "book": {"people": "2", "stay": "3", "day": "monday", "invalid": True, "pre_invalid": True},
    "fail_book": {"stay": "5"},
}
RESTAURANT: Record = {"info": {"name": "curry garden"}, "reqt": ["phone"]}


@pytest.fixture(scope="module")
def cambridge(data_folder: Path) -> World:
    if not (data_folder / "multiwoz" / "db").is_dir():
        pytest.skip("no tables of MultiWOZ")
    return load_world("multiwoz", data=data_folder)


def dialogue(message: str = "", **goal: Record) -> Dialogue:
    record = from_log("MUL1", {"goal": goal, "log": []})
    tuples = tuple(SemanticTuple(**each) for each in record["goal"]["tuples"])
    return Dialogue("MUL1", (), Goal(tuples, description=(message,)), extras=record["extras"])


def test_last_wishes_first_wishes_and_the_booking(cambridge: World) -> None:
    goal = CorpusGoals(cambridge).goal(dialogue(hotel=HOTEL))
    assert [(each.slot, each.value) for each in goal.tuples] == [
        ("area", "north"),
        ("type", "guesthouse"),
        ("name", ""),
    ]
    assert [(each.slot, each.value) for each in goal.first_wishes] == [("area", "west")]
    entity = Reference(1, nearby=False)
    assert goal.actions == (
        WantedAction(
            "book_hotel",
            (
                {"entity": entity, "people": "2", "stay": "5", "day": "monday"},
                {"entity": entity, "people": "2", "stay": "3", "day": "monday"},
            ),
        ),
    )
    assert goal.scenario == {"full_hotels": ({"day": "monday", "stay": "5"},)}


def test_a_goal_that_only_asks_books_nothing(cambridge: World) -> None:
    asked = dialogue(attraction={"info": {"area": "west"}, "reqt": ["phone"]})
    goal = CorpusGoals(cambridge).goal(asked)
    assert goal.actions == () and goal.first_wishes == ()
    assert [each.slot for each in goal.tuples if each.is_open] == ["name", "phone"]


def test_a_ride_joins_the_places_of_the_goal_as_the_message_says(cambridge: World) -> None:
    taxi: Record = {"info": {"leaveAt": "10:00"}, "reqt": ["phone", "car type"]}
    told = "You want to <span class='emphasis'>leave the restaurant</span> by 10:00"
    goal = CorpusGoals(cambridge).goal(
        dialogue(told, taxi=taxi, hotel=HOTEL, restaurant=RESTAURANT)
    )
    assert goal.actions[-1].wishes == (
        {
            "departure": Reference(2, nearby=False),
            "destination": Reference(1, nearby=False),
            "leaveAt": "10:00",
        },
    )
    assert goal.description == ("You want to leave the restaurant by 10:00",)


def test_a_ride_alone_is_a_goal_without_wishes(cambridge: World, tmp_path: Path) -> None:
    taxi: Record = {
        "info": {"departure": "curry garden", "destination": "a and b guest house"},
        "reqt": ["phone"],
    }
    stored = list(corpus_goals([dialogue(taxi=taxi)], cambridge))
    write_goals(tmp_path / "goals.jsonl", stored)
    assert [each.goal for each in read_goals(tmp_path / "goals.jsonl")] == [stored[0].goal]
    assert stored[0].goal.tuples == ()


def test_goals_of_the_corpus_fit_the_world(data_folder: Path, tmp_path: Path) -> None:
    path = data_folder / "multiwoz" / "val.json.zip"
    if not path.exists():
        pytest.skip(f"no {path}")
    world = load_world("multiwoz", data=data_folder)
    file = tmp_path / "goals.jsonl"
    counts = write_goals(file, import_goals(path, data=data_folder))  # the world that it names
    assert counts.total.goals == sum(1 for _ in read_multiwoz(path)) == 999
    check_goals(file, world)
    assert unsatisfiable(file, world) == []
    goals = [each.goal for each in read_goals(file)]
    booked = [action.action for goal in goals for action in goal.actions]
    assert {key: booked.count(key) for key in sorted(set(booked))} == {
        "book_hotel": 252,
        "book_restaurant": 266,
        "book_taxi": 206,
        "book_train": 271,
    }
