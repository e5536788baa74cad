"""Times, dates, days, counts, flags, money, keys and opening hours: read, searched and said."""

from pathlib import Path

import pytest
from tests.worlds.lakeside import write_lakeside

from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.worlds.cells import CellError, days_from, read_cell
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_lakeside(tmp_path / "lakeside")


@pytest.mark.parametrize(
    ("domain", "constraints", "expected"),
    [
        ("ferry", {"leave": "09:05"}, ["F1", "F1", "F2", "F3"]),
        ("ferry", {"leave": "9:06"}, ["F2", "F3"]),
        ("ferry", {"leave": "5:45 pm"}, ["F3"]),
        ("ferry", {"arrive": "18:00"}, ["F1", "F1", "F2"]),
        ("ferry", {"arrive": "24:15", "leave": "18:00"}, ["F3"]),
        ("ferry", {"day": "monday", "leave": "10:00"}, ["F2", "F3"]),
        ("ferry", {"number": "f1", "day": "Tuesday"}, ["F1"]),
        ("ferry", {"number": "F"}, []),
        ("inn", {"stars": "3"}, ["Heron"]),
        ("inn", {"price": "up to 45 crowns"}, ["Heron", "Hut"]),
        ("inn", {"price": "40.50 crowns"}, ["Heron"]),
        ("inn", {"bookable": "yes"}, ["Heron", "Otter"]),
        ("inn", {"view": "lake"}, ["Heron", "Hut"]),
        ("inn", {"view": "Lake Side"}, ["Heron", "Hut"]),
        ("inn", {"view": "lakefront|forest"}, ["Otter", "Hut"]),
        ("inn", {"hours": "Monday 9:00"}, ["Heron"]),
        ("inn", {"hours": "tue 22:30"}, ["Otter"]),
    ],
)
def test_searches(
    folder: Path, domain: str, constraints: dict[str, str], expected: list[str]
) -> None:
    rows = Database(load_world(folder)).search(domain, constraints)
    assert [row["number" if domain == "ferry" else "name"] for row in rows] == expected


def test_the_same_in_another_language(folder: Path) -> None:
    german = Database(load_world(folder, language="de"))
    assert [row["name"] for row in german.search("inn", {"bookable": "ja"})] == [
        "Reiher",
        "Fischotter",
    ]
    assert [row["leave"] for row in german.search("ferry", {"day": "Dienstag"})] == ["09:05"]
    assert german.search("inn", {"hours": "Montag 9:00"})[0]["name"] == "Reiher"


def test_rows_without_a_name_are_known_by_their_key_slots(folder: Path) -> None:
    english, german = load_world(folder), load_world(folder, language="de")
    assert english.tables["ferry"].rows[0]["name"] == "F1, Monday, 09:05"
    assert german.tables["ferry"].rows[0]["name"] == "F1, Montag, 09:05"
    assert Database(english).find("ferry", "F2, Monday, 17:15") is not None


def test_money_is_said_with_two_decimals_unless_it_is_whole(folder: Path) -> None:
    world = load_world(folder)
    domain = world.schema.places[0]
    said = [answer(world.language, domain, row, "price")[0] for row in world.tables["inn"]]
    assert said == ["40.50 crowns", "60 crowns", "12 crowns"]


def test_what_kinds_can_do() -> None:
    assert SlotKind.TIME.is_comparable and SlotKind.TIME.is_drawable
    assert SlotKind.MONEY.is_number and not SlotKind.DAY.is_number
    assert not SlotKind.TEXT.is_searchable and SlotKind.HOURS.is_searchable
    assert not SlotKind.KEY.is_drawable


@pytest.mark.parametrize(
    ("kind", "given", "cell"),
    [
        (SlotKind.TIME, "9:05", "09:05"),
        (SlotKind.TIME, "24:08", "24:08"),
        (SlotKind.DATE, "2026-06-01", "2026-06-01"),
        (SlotKind.COUNT, "4", 4),
        (SlotKind.MONEY, "16.50 pounds", 16.5),
        (SlotKind.FLAG, True, "yes"),
        (SlotKind.KEY, "TR1234", "TR1234"),
    ],
)
def test_cells(kind: SlotKind, given: object, cell: object) -> None:
    assert read_cell(Slot("slot", kind), given) == cell


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (SlotKind.TIME, "after lunch"),
        (SlotKind.TIME, "9:75"),
        (SlotKind.DATE, "2026-02-30"),
        (SlotKind.DATE, 20260601),
        (SlotKind.COUNT, "a few"),
        (SlotKind.COUNT, 2.5),
        (SlotKind.MONEY, "?"),
        (SlotKind.FLAG, "maybe"),
    ],
)
def test_what_is_no_such_cell(kind: SlotKind, given: object) -> None:
    with pytest.raises(CellError):
        read_cell(Slot("slot", kind), given)


def test_days_in_a_row() -> None:
    assert days_from("2026-06-30", 2) == ("2026-06-30", "2026-07-01")
    assert days_from("Sun", 3, ("Mon", "Tue", "Sun")) == ("Sun", "Mon", "Tue")
