"""What users write into cells, and what the corpus keeps of it."""

from typing import Any

import pytest
from tests.collection.conftest import BREAKFAST, FROM, NAME, NEAR, NEARBY, PRICE, RATING
from tests.collection.playing import play

from crosstalk.collection.commands import Fill, Say, Search
from crosstalk.collection.events import Opened, Recorded, Role
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.user_table import doubts, shown_cells, written_cell
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.errors import Rejection
from crosstalk.system.dst.tracker import empty_form


@pytest.mark.parametrize(
    ("cell", "typed", "kept"),
    [
        (RATING, "4.5", "4.5 points"),
        (PRICE, "300 - 400", "300-400 crowns"),
        (BREAKFAST, "No", "no"),
        (NAME, "  campus   HOSTEL ", "Campus Hostel"),
        (NEARBY, ["The Copper Ladle", "The Copper Ladle", ""], ("The Copper Ladle",)),
        (NEARBY, "none", "none"),
        (NAME, "", ""),
    ],
)
def test_values_are_tidied(
    context: WorldContext, room: Room, cell: int, typed: Any, kept: Any
) -> None:
    assert written_cell(context, room, cell, typed) == kept


@pytest.mark.parametrize(
    ("cell", "typed"),
    [(RATING, "good"), (BREAKFAST, "perhaps"), (NAME, ["a", "b"]), (99, "x"), (NAME, "x" * 999)],
)
def test_values_that_cannot_be_are_refused(
    context: WorldContext, room: Room, cell: int, typed: Any
) -> None:
    with pytest.raises(Rejection):
        written_cell(context, room, cell, typed)


def test_names_must_be_entities(context: WorldContext, room: Room) -> None:
    assert doubts(context, room, NAME, "Campus Hostel") == ()
    assert [hint.code for hint in doubts(context, room, NAME, "Nowhere Inn")] == ["not_an_entity"]


def test_references_resolve_to_entities_that_fit(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Fill(NAME, "Caravanserai Hotel"))
    near = context.database.nearby("hotel", "Caravanserai Hotel", "restaurant")
    assert doubts(context, room, NEAR, str(near[0]["name"])) == ()
    far = next(row for row in context.database.search("restaurant", {}) if row not in near)
    assert [hint.code for hint in doubts(context, room, NEAR, str(far["name"]))] == ["not_nearby"]
    assert [hint.code for hint in doubts(context, room, FROM, str(far["name"]))] == ["not_nearby"]


def test_an_empty_value_restores_the_goal(context: WorldContext, room: Room) -> None:
    changed = play(context, room, Role.USER, Fill(PRICE, "300-400 crowns"))
    assert shown_cells(context, changed)[PRICE]["changed"]
    restored = play(context, changed, Role.USER, Fill(PRICE, ""))
    assert restored.cells == room.cells


def test_choices_come_from_what_the_wizard_said(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("A hotel, please.", sure=True))
    room = play(context, room, Role.WIZARD, Search("hotel", {}))
    room = play(context, room, Role.WIZARD, Say("Campus Hostel is nice.", sure=True))
    cells = shown_cells(context, room)
    assert cells[NAME]["choices"] == ["Campus Hostel"]
    assert cells[BREAKFAST]["choices"] == ["yes", "no"]
    assert cells[NEAR]["reference"] == {"near": 1}


def test_nothing_is_near_itself(context: WorldContext) -> None:
    slots = ("name", "nearby_attractions")
    goal = Goal(tuple(SemanticTuple(1, "attraction", slot, "") for slot in slots))
    opened = Opened("goal", goal, "harbour", "en", empty_form(context.world.schema), 1, 2)
    room = play(context, apply(None, Recorded(1, 0.0, opened)), Role.USER, Say("Hello", sure=True))
    room = play(context, room, Role.WIZARD, Say("City Zoo, near Cloud Deck", sure=True))
    room = play(context, room, Role.USER, Fill(0, "City Zoo", sure=True))
    assert shown_cells(context, room)[1]["choices"] == ["Cloud Deck"]
