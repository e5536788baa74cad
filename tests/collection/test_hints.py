"""Hints: about ticks, words and selections, in several languages."""

import pytest
from tests.collection.conftest import BREAKFAST, DISHES, NAME, PRICE
from tests.collection.playing import play

from crosstalk.collection.commands import Fill, Say, Search, Select
from crosstalk.collection.desk import Desk
from crosstalk.collection.events import Opened, Recorded
from crosstalk.collection.hints import user_hints, wizard_hints
from crosstalk.collection.roles import Role
from crosstalk.collection.rooms import Room, apply
from crosstalk.database.worlds import load_world
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.system.dst.tracker import empty_form


def codes(desk: Desk, room: Room, text: str, *ticks: int, done: bool = False) -> list[str]:
    return [hint.code for hint in user_hints(desk, room, text, ticks, done)]


def test_a_turn_that_says_what_is_ticked(desk: Desk, room: Room) -> None:
    assert codes(desk, room, "A hotel with BREAKFAST for 200 to 300", PRICE, BREAKFAST, NAME) == []


def test_ticked_and_not_in_the_text(desk: Desk, room: Room) -> None:
    assert codes(desk, room, "A hotel for 200 to 300", PRICE, BREAKFAST) == ["ticked_not_said"]
    assert codes(desk, room, "Somewhere for 250", PRICE) == ["ticked_not_said"]


def test_in_the_text_and_not_ticked(desk: Desk, room: Room) -> None:
    said = codes(desk, room, "Breakfast, 200-300 crowns, then harbour chowder", PRICE, DISHES)
    assert said == ["said_not_ticked"]


def test_what_was_said_before_may_be_said_again(desk: Desk, room: Room) -> None:
    room = play(desk, room, Role.USER, Say("A hotel with breakfast", (BREAKFAST, NAME)))
    assert codes(desk, room, "As I said, with breakfast!", NAME) == []


def test_questions_leave_nothing_to_check(desk: Desk, room: Room) -> None:
    assert codes(desk, room, "Which one would that be?", NAME) == []
    assert codes(desk, room, "Hm.") == ["nothing_ticked"]


def test_cells_nobody_ever_ticked(desk: Desk, room: Room) -> None:
    assert codes(desk, room, "Bye", done=True) == ["never_said"] * len(room.cells)


@pytest.mark.parametrize(
    ("language", "value", "text"),
    [
        ("zh", "200-300克朗", "两百到三百克朗的酒店"),
        ("ar", "200-300", "فندق بين ٢٠٠ و ٣٠٠"),
        ("de", "4,5 Punkte", "mit 4.5 bewertet"),
        ("ru", "1000 крон", "за 1.000 крон"),
    ],
)
def test_numbers_as_people_write_them(language: str, value: str, text: str) -> None:
    desk = Desk(load_world("harbour", language=language))
    slot = "rating" if "4" in value else "price"
    room = opened(desk, Goal((SemanticTuple(1, "hotel", slot, value),)))
    assert codes(desk, room, text, 0) == []


def opened(desk: Desk, goal: Goal) -> Room:
    form = empty_form(desk.world.schema)
    event = Opened("goal", goal, "harbour", desk.pack.code, form, 1, 2)
    return apply(None, Recorded(1, 0.0, event))


def test_the_wizard_names_what_is_selected(desk: Desk, room: Room) -> None:
    room = play(desk, room, Role.USER, Say("A hotel, please", sure=True))
    room = play(desk, room, Role.WIZARD, Search("hotel", {}))
    assert [hint.code for hint in wizard_hints(desk, room, "Try Campus Hostel.")] == [
        "named_not_selected"
    ]
    room = play(desk, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    assert wizard_hints(desk, room, "Try Campus Hostel.") == ()
    assert [hint.code for hint in wizard_hints(desk, room, "Hm.")] == ["selected_not_named"]


def test_neighbours_need_no_selection(desk: Desk, room: Room) -> None:
    room = play(desk, room, Role.USER, Say("A hotel, please", sure=True))
    room = play(desk, room, Role.WIZARD, Search("hotel", {"name": "Campus Hostel"}))
    room = play(desk, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    near = desk.database.nearby("hotel", "Campus Hostel", "attraction")[0]["name"]
    assert wizard_hints(desk, room, f"Campus Hostel is near {near}.") == ()


def test_hints_ask_once_and_are_kept(desk: Desk, room: Room) -> None:
    room = play(desk, room, Role.USER, Fill(NAME, "Nowhere Inn", sure=True))
    room = play(desk, room, Role.USER, Say("Hm.", sure=True))
    assert room.seat(Role.USER).hints == 1
