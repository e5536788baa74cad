from pathlib import Path

import pytest
from tests.evaluation.multiwoz.handmade import tables

from crosstalk.errors import InputError
from crosstalk.evaluation.multiwoz.spellings import (
    clock_time,
    minutes,
    table_value,
    unknown_slots,
    with_placeholders,
)
from crosstalk.evaluation.multiwoz.venue_tables import partial_ratio, read_tables


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("5pm", "17:00"),
        ("after 5:15 p.m.", "17:15"),
        ("by 9:15", "09:15"),
        ("1345", "13:45"),
        ("10", "10:00"),
        ("9 : 15", "09:15"),
        ("noon", "12:00"),
        ("after lunch", "lunch"),
    ],
)
def test_times(written: str, meant: str) -> None:
    assert clock_time(written) == meant


def test_an_unreadable_time_is_midnight() -> None:
    assert (minutes("09:50"), minutes("lunch")) == (590, 0)


def test_values_as_the_tables_spell_them() -> None:
    assert table_value("type", "swimming pool") == "swimmingpool"
    assert table_value("name", "Cafe Uno") == "caffe uno"
    assert table_value("food", "English") == "british"
    assert table_value("parking", "free") == "yes"


def test_slots_of_a_response_become_placeholders() -> None:
    text = "[hotel_name] has [value_choice] rooms, [train_id] [entrance fee] [hotel_postcode]s"
    assert with_placeholders(text) == "NAME has COUNT rooms, TRAINID PRICE POST"
    assert unknown_slots("[mood] of [name]") == ["mood"]


def test_names_and_foods_match_in_part(tmp_path: Path) -> None:
    found = tables(tmp_path)
    assert found.find("restaurant", {"food": "european"}) == {"11"}
    assert found.find("hotel", {"name": "the acorn guest house"}) == {"0"}
    assert found.find("hotel", {"area": "nort"}) == set()


def test_trains_leave_later_and_arrive_earlier(tmp_path: Path) -> None:
    found = tables(tmp_path)
    assert found.find("train", {"leave": "09:50"}) == {"TR1", "TR2"}
    assert found.find("train", {"leave": "09:51"}) == {"TR2"}
    assert found.find("train", {"arrive": "10:07"}) == {"TR1"}
    assert found.find("train", {"arrive": "after lunch"}) == set()


def test_anything_goes(tmp_path: Path) -> None:
    found = tables(tmp_path)
    assert found.find("hotel", {"area": "dontcare", "stars": "4"}) == {"0", "1"}
    assert found.find("attraction", {"fee": "10 pounds"}) == {"20"}  # unknown in the table
    assert found.find("hotel", {"mood": "good", "stars": "3"}) == {"2"}  # no such column
    assert found.find("taxi", {}) == set()


def test_partial_ratio_is_that_of_fuzzywuzzy() -> None:
    assert partial_ratio("modern european", "european") == 100
    assert partial_ratio("indian", "italian") == 50
    assert partial_ratio("a", "") == 0


def test_missing_tables_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="restaurant_db"):
        read_tables(tmp_path)
