"""A sound town with actions is damaged in one place; the check says where and what to do."""
# ruff: noqa: E501 -- one damage a line

from pathlib import Path

import pytest
from tests.worlds.lakeside import write_lakeside
from tests.worlds.test_check import damage

from crosstalk.errors import WorldError
from crosstalk.worlds.check import check_world
from crosstalk.worlds.world import load_world


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_lakeside(tmp_path / "lakeside")


def test_nothing_is_wrong_with_the_town(folder: Path) -> None:
    assert [*map(str, check_world(folder))] == []


def test_flags_may_be_true_and_false(folder: Path) -> None:
    world = folder / "world.toml"
    world.write_text(world.read_text().replace('is = "yes"', "is = true"))
    assert [*map(str, check_world(folder))] == []


FATAL = [
    ("world.toml", "format = 2", "format = 1", "`actions` belongs to format 2"),
    ("world.toml", 'kind = "money"', 'kind = "monney"', "`kind` is 'monney'"),
    ("world.toml", 'match = "from"', 'match = "exact"', "does not belong to a slot of kind `time`"),
    ("world.toml", 'match = "from"\n', "", "`leave` is searched and does not say how"),
    ("world.toml", '"number", "day", "leave"]', '"nummer", "day", "leave"]', "`nummer` among the key slots of `ferry`"),
    ("world.toml", '"number", "day", "leave"]', '"number", "leave"]', 'tables/ferries.jsonl, line 2, F1, 09:05'),
    ("world.toml", 'key = "book_room"', 'key = "book room"', "cannot be the name of a tool"),
    ("world.toml", 'key = "change_room"', 'key = "book_room"', "the key `book_room` is used twice"),
    ("world.toml", '"arrival", "nights", "people"]\nconfirm', '"arival", "nights", "people"]\nconfirm', "nothing says what `arival` is"),
    ("world.toml", 'domain = "inn"', 'domain = "in"', "there is no domain `in`"),
    ("world.toml", 'domain = "inn"\n', "", "needs an entity and has no domain"),
    ("world.toml", 'slot = "bookable"', 'slot = "bokable"', "there is no slot `bokable`. Did you mean `bookable`?"),
    ("world.toml", '{ free = "rooms"', '{ free = "room"', "there is no table `room`. Did you mean `rooms`?"),
    ("world.toml", '{ free = "rooms"', '{ free = "bookings"', "the table `bookings` has no `amount`"),
    ("world.toml", 'on = ["$arrival", "$nights"]', 'on = ["$arival", "$nights"]', "'$arival' refers to nothing. Did you mean `arrival`?"),
    ("world.toml", 'on = ["$arrival", "$nights"]', "on = []", "`on` has 0 values"),
    ("world.toml", '{ slot = "bookable", is = "yes"', '{ slot = "bookable", is = "perhaps"', "`bookable` cannot be 'perhaps'"),
    ("world.toml", '{ slot = "bookable", is = "yes"', '{ slot = "bookable"', "does not say what is expected"),
    ("world.toml", '{ slot = "bookable", is = "yes"', '{ open = "stars", on = ["$arrival"]', "`stars` is of kind count and holds no opening hours"),
    ("world.toml", '{ slot = "bookable", is = "yes"', '{ open = "hours"', "`open` does not say when"),
    ("world.toml", '{ slot = "bookable", is = "yes"', '{ slot = "bookable", is_not = "perhaps"', "`bookable` cannot be 'perhaps'"),
    ("world.toml", '{ insert = "bookings"', '{ insert = "bookings", free = "rooms"', "item 1 has `free`, `insert`"),
    ("world.toml", '{ insert = "bookings"', '{ insrt = "bookings"', "unknown field `insrt`"),
    ("world.toml", 'status = "booked" } },', 'state = "booked" } },', "there is no column `state`. Did you mean `status`?"),
    ("world.toml", '"$entity.price"', '"$entity.prize"', "'$entity.prize' refers to nothing"),
    ("world.toml", '{ entity = "$bookings.entity" }, on = ["$bookings.arrival"', '{ entity = "$rooms.entity" }, on = ["$bookings.arrival"', 'Put { exists = "rooms"'),
    ("world.toml", "require = [{ exists", "require = [{ update", "Give it exactly one of"),
    ("world.toml", 'actions = ["cancel_room"]', 'actions = ["cancel"]', "there is no action `cancel`"),
    ("world.toml", 'today = "2026-06-01"\n', "", "The world has no date"),
    ("world.toml", 'amount = "left"', 'amount = "date"', "`amount` of `rooms` names 'date'"),
    ("world.toml", 'low = "2026-06-01"', 'low = "June"', "`low` of `arrival` is 'June'"),
    ("world.toml", 'target = "inn" }, date', 'target = "hotel" }, date', "holds names of 'hotel'"),
    ("world.toml", 'low = "2026-06-01", high = "2026-06-30"', 'low = "2026-06-30", high = "2026-06-01"', "`low` of `arrival` is '2026-06-30', more than `high`"),
    ("world.toml", '{ insert = "bookings", set = { status = "booked" } }', '{ insert = "bookings", set = { status = "boked" } }', "`status` cannot be 'boked'. Did you mean 'booked'?"),
    ("world.toml", 'today = "2026-06-01"', 'today = "1.6.2026"', "`today` is '1.6.2026'. Write year, month and day"),
    ("world.toml", 'times = ["$entity.price"', 'tims = ["$entity.price"', "unknown field `tims` (actions.0.gives.1.tims). Did you mean `times`?"),
    ("world.toml", 'entity = { kind = "name", target = "inn" }, date', 'entity = { kind = "name", target = "inn", examples = ["Heron"] }, date', "`examples` does not belong to a column of kind `name`"),
    ("world.toml", "most = 1", "", "the rule `one_booking` demands nothing"),
    ("world.toml", "tables/rooms.jsonl", "../rooms.jsonl", "leaves the world folder"),
    ("tables/rooms.jsonl", "Heron", "Haron", "tables/rooms.jsonl, line 1, entity: there is no inn called 'Haron'. Did you mean 'Heron'?"),
    ("tables/rooms.jsonl", '"left": 0', '"left": "none"', "expected a whole number"),
    ("tables/rooms.jsonl", "2026-06-10", "2026-06-31", "expected a date or null"),
    ("tables/inns.jsonl", "40.5", '"cheap"', "price: expected an amount or null"),
    ("tables/inns.jsonl", "true", '"maybe"', "bookable: expected true, false or null"),
    ("tables/ferries.jsonl", "9:05", "9:65", "leave: expected a time of day or null"),
    ("tables/ferries.jsonl", '"Monday"', '"Moonday"', "'Moonday' is no day of the week"),
    ("languages/en.toml", "{people} people", "{peple} people", "{peple}, which nobody fills"),
    ("languages/en.toml", 'change_room = "Change the booking {reference}: {changes}."', 'change_room = "Change the booking {reference}: {nights}."', "Put {changes} in its place"),
]  # fmt: skip

MINOR = [
    ("languages/en.toml", 'full = "There', 'ful = "There', "there is no `full` under [refusals]"),
    ("languages/en.toml", 'full = "There', 'ful = "There', "`ful` under [refusals] is nothing this world has. Did you mean `full`?"),
    ("languages/en.toml", "days =", "dayss =", "unknown field `dayss`"),
    ("languages/de.toml", '"Sonntag"', "", "`days` has 6 names"),
    ("languages/en.toml", 'cancel_in_time = "', 'cancel_time = "', "there is no `cancel_in_time` under [rules]"),
    ("languages/en.toml", 'cancel_room = "cancel', 'cancel_rooms = "cancel', "there is no `cancel_room` under [actions]"),
    ("languages/en.toml", 'cancel_room = "Cancel', 'cancel_rooms = "Cancel', "there is no sentence `cancel_room` under [goal.do]"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "words"), FATAL + MINOR)
def test_planted_faults_are_found(folder: Path, file: str, old: str, new: str, words: str) -> None:
    damage(folder, file, old, new)
    found = check_world(folder)
    assert any(words in str(problem) for problem in found), [*map(str, found)]
    assert all(problem.remedy for problem in found)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"), [each for each in FATAL if each[0] == "world.toml"]
)
def test_such_a_world_does_not_load(
    folder: Path, file: str, old: str, new: str, words: str
) -> None:
    damage(folder, file, old, new)
    with pytest.raises(WorldError) as caught:
        load_world(folder)
    assert words in str(caught.value), "the same words"


def test_a_language_without_a_policy(folder: Path) -> None:
    (folder / "policy" / "de.md").unlink()
    (problem,) = check_world(folder)
    assert problem.file == "policy/de.md" and not problem.fatal
    assert load_world(folder).policy.startswith("# Policy")
    assert load_world(folder, language="de").policy == ""
