"""The world of MultiWOZ, over the released tables."""

from pathlib import Path

import pytest

from crosstalk.corpora.multiwoz import read_multiwoz
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.check import check_world
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import find_world, load_world


@pytest.fixture(scope="module")
def database(data_folder: Path) -> Database:
    if not (data_folder / "multiwoz" / "db" / "train_db.json").exists():
        pytest.skip("no tables of MultiWOZ in CROSSTALK_DATA")
    return Database(load_world("multiwoz", data=data_folder), conjunctive=True)


def names(database: Database, domain: str, **wishes: str) -> list[object]:
    return [row["name"] for row in database.search(domain, wishes)]


def test_nothing_is_wrong(database: Database, data_folder: Path) -> None:
    assert list(check_world(find_world("multiwoz"), data=data_folder)) == []


def test_the_sizes_of_the_tables(database: Database) -> None:
    world = load_world("multiwoz")
    assert {key: len(table.rows) for key, table in world.tables.items()} == {
        "restaurant": 110,
        "hotel": 33,
        "attraction": 79,
        "train": 2828,
        "hospital": 66,
        "police": 1,
    }


def test_trains_leave_later_and_arrive_earlier(database: Database) -> None:
    route = {"departure": "cambridge", "destination": "ely", "day": "monday"}
    found = names(database, "train", **route, leaveAt="09:00", arriveBy="12:10")
    assert found == ["cambridge, ely, monday, 09:50", "cambridge, ely, monday, 11:50"]


def test_other_spellings_are_understood(database: Database) -> None:
    assert names(database, "attraction", type="swimming pool", area="north")
    assert names(database, "hotel", type="guest house", area="west")
    assert names(database, "restaurant", food="english", area="center")


def test_a_room_is_booked(database: Database) -> None:
    executor = Executor(database)
    state = executor.begin("goal-1")
    wish = {"entity": "acorn guest house", "people": 2, "day": "monday", "stay": 3}
    state, event = executor.perform(state, "book_hotel", wish)
    assert event.done and len(str(event.gives["reference"])) == 8
    _, event = executor.perform(state, "book_hotel", {**wish, "entity": "nowhere inn"})
    assert not event.done


def test_the_rows_of_gold_bookings_stand_in_the_tables(
    database: Database, data_folder: Path
) -> None:
    path = data_folder / "multiwoz" / "val.json.zip"
    if not path.exists():
        pytest.skip(f"no {path}")
    known = {
        domain: {row[slot] for row in database.search(domain, {})}
        for domain, slot in (("hotel", "name"), ("restaurant", "name"), ("train", "trainID"))
    }
    found = total = 0
    for dialogue in read_multiwoz(path):
        booked = dialogue.turns[-1].extras["multiwoz"]["booked"]
        for domain, slot in (("hotel", "name"), ("restaurant", "name"), ("train", "trainID")):
            if booked.get(domain):
                total += 1
                found += booked[domain][-1].get(slot) in known[domain]
    assert (found, total) == (829, 832)


def test_in_chinese_the_values_come_from_the_vocabulary_of_the_corpus(data_folder: Path) -> None:
    if not (data_folder / "multiwoz_zh" / "vocab_dict.json").exists():
        pytest.skip("no vocabulary of the Chinese MultiWOZ")
    chinese = load_world("multiwoz", language="zh", data=data_folder)
    english = load_world("multiwoz", data=data_folder)
    rows = zip(english.tables["hotel"], chinese.tables["hotel"], strict=True)
    names = {str(row["name"]): (other["name"], other["parking"]) for row, other in rows}
    assert names["a and b guest house"] == ("A&B 宾馆", "没有")
    assert len({name for name, _ in names.values()}) == len(names)
