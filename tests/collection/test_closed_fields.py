"""Closed fields of the wizard's form: words of the tables, completed, refused, insisted on."""

import pytest
from tests.collection.playing import after, play, refusal

from crosstalk.collection.commands import Fill, HintedRejection, Say, Search, decide
from crosstalk.collection.events import Opened, Recorded, Role
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.system.dst.tracker import empty_form


@pytest.fixture
def asked(context: WorldContext, room: Room) -> Room:
    return play(context, room, Role.USER, Say("A hotel, please", sure=True))


def held(context: WorldContext, room: Room, field: str, typed: object) -> object:
    search = Search("hotel", {field: typed})  # type: ignore[dict-item]
    return play(context, room, Role.WIZARD, search).form.get("hotel").get(field)


def test_what_is_typed_is_completed(context: WorldContext, asked: Room) -> None:
    assert held(context, asked, "type", "Luxury") == "luxury"
    assert held(context, asked, "services", ["breakf"]) == ("breakfast",)
    assert held(context, asked, "name", "campus hostel") == "Campus Hostel"


@pytest.mark.parametrize(
    ("field", "typed"), [("services", ["hott"]), ("type", "cheapish"), ("name", "Nowhere Inn")]
)
def test_no_such_word(context: WorldContext, asked: Room, field: str, typed: object) -> None:
    rejection = refusal(context, asked, Role.WIZARD, Search("hotel", {field: typed}))  # type: ignore[dict-item]
    assert isinstance(rejection, HintedRejection) and rejection.code == "no_such_word"
    [hint] = rejection.hints
    assert hint.slot == field and len(hint.near) == 3


def test_a_wish_no_table_knows_is_marked(context: WorldContext, asked: Room) -> None:
    search = Search("hotel", {"services": ["helipad"]}, unlisted=("services",))
    room = after(asked, decide(context, asked, Role.WIZARD, search))
    assert room.queries[-1].unlisted == ("services",)
    assert room.queries[-1].count == 0


def test_answers_that_are_words_are_completed_too(context: WorldContext) -> None:
    goal = Goal((SemanticTuple(1, "hotel", "type", ""),))
    form = empty_form(context.world.schema)
    opened = Opened("g", goal, "harbour", "en", form, user=1, wizard=2)
    room = apply(None, Recorded(1, 0.0, opened))
    assert play(context, room, Role.USER, Fill(0, "LUX")).cells[0].value == "luxury"
    rejection = refusal(context, room, Role.USER, Fill(0, "cheapish"))
    assert isinstance(rejection, HintedRejection)
    assert [hint.code for hint in rejection.hints] == ["no_such_word"]
