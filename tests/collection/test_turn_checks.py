"""Hints: about ticks, words and selections, in several languages."""

from collections.abc import Iterator

import pytest
from tests.collection.conftest import BREAKFAST, DISHES, NAME, PRICE, RATING
from tests.collection.playing import play, refusal

from crosstalk.collection import turn_checks
from crosstalk.collection.commands import Fill, FormFields, HintedRejection, Say, Search, Select
from crosstalk.collection.events import Opened, Recorded, Role
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.turn_checks import user_hints, wizard_hints
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.labels import user_rules
from crosstalk.labels.findings import Finding
from crosstalk.labels.turn_views import TurnView
from crosstalk.labels.word_traces import WordTraces
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.world import load_world


def codes(
    context: WorldContext, room: Room, text: str, *ticks: int, done: bool = False
) -> list[str]:
    return [hint.code for hint in user_hints(context, room, text, ticks, done)]


def test_a_turn_that_says_what_is_ticked(context: WorldContext, room: Room) -> None:
    assert (
        codes(context, room, "A hotel with BREAKFAST for 200 to 300", PRICE, BREAKFAST, NAME) == []
    )


def test_ticked_and_not_in_the_text(context: WorldContext, room: Room) -> None:
    assert codes(context, room, "A hotel for 200 to 300", PRICE, BREAKFAST) == ["ticked_not_said"]
    assert codes(context, room, "Somewhere for 250", PRICE) == ["ticked_not_said"]


def test_in_the_text_and_not_ticked(context: WorldContext, room: Room) -> None:
    said = codes(context, room, "Breakfast, 200-300 crowns, then harbour chowder", PRICE, DISHES)
    assert said == ["said_not_ticked"]


def test_what_was_said_before_may_be_said_again(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("A hotel with breakfast", (BREAKFAST, NAME)))
    assert codes(context, room, "As I said, with breakfast!", NAME) == []


def test_questions_leave_nothing_to_check(context: WorldContext, room: Room) -> None:
    assert codes(context, room, "Which one would that be?", NAME) == []
    assert codes(context, room, "Hm.") == ["nothing_ticked"]


def test_cells_nobody_ever_ticked(context: WorldContext, room: Room) -> None:
    assert codes(context, room, "Bye", done=True) == ["never_said"] * len(room.cells)


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
    context = WorldContext(load_world("harbour", language=language))
    slot = "rating" if "4" in value else "price"
    room = opened(context, Goal((SemanticTuple(1, "hotel", slot, value),)))
    assert codes(context, room, text, 0) == []


@pytest.mark.parametrize("text", ["1" * 2000, "1-" * 1000, "١" * 2000, "ﷺ" * 2000])
def test_texts_that_nobody_means(context: WorldContext, room: Room, text: str) -> None:
    assert "ticked_not_said" in codes(context, room, text, PRICE)


def test_a_rule_that_fails_keeps_nobody_from_speaking(
    context: WorldContext, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(view: TurnView, words: WordTraces) -> Iterator[Finding]:
        raise OverflowError

    monkeypatch.setattr(turn_checks, "USER_RULES", (fails, user_rules.ticked_not_said))
    assert codes(context, room, "A hotel", PRICE) == ["ticked_not_said"]


def opened(context: WorldContext, goal: Goal) -> Room:
    form = empty_form(context.world.schema)
    event = Opened("goal", goal, "harbour", context.pack.code, form, 1, 2)
    return apply(None, Recorded(1, 0.0, event))


def test_the_wizard_names_what_is_selected(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("A hotel, please", sure=True))
    room = play(context, room, Role.WIZARD, Search("hotel", {}))
    assert [hint.code for hint in wizard_hints(context, room, "Try Campus Hostel.")] == [
        "named_not_selected"
    ]
    room = play(context, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    assert wizard_hints(context, room, "Try Campus Hostel.") == ()
    assert [hint.code for hint in wizard_hints(context, room, "Hm.")] == ["selected_not_named"]


def test_neighbours_need_no_selection(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("A hotel, please", sure=True))
    room = play(context, room, Role.WIZARD, Search("hotel", {"name": "Campus Hostel"}))
    room = play(context, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    near = context.database.nearby("hotel", "Campus Hostel", "attraction")[0]["name"]
    assert wizard_hints(context, room, f"Campus Hostel is near {near}.") == ()


def test_hints_ask_once_and_are_kept(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Fill(NAME, "Nowhere Inn", sure=True))
    room = play(context, room, Role.USER, Say("Hm.", sure=True))
    assert room.seat(Role.USER).hints == 1


def test_a_forgotten_wish_is_added_to_the_first_search(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("Breakfast, 200-300 crowns", (BREAKFAST, PRICE)))
    room = play(context, room, Role.WIZARD, Search("hotel", {"services": ["sauna facilities"]}))
    room = play(context, room, Role.WIZARD, Search("hotel", {"services": ["heating"]}))
    forgotten = {hint.value for hint in wizard_hints(context, room, "Try Campus Hostel.")}
    assert forgotten >= {"breakfast", "200-300 crowns"}
    mended: FormFields = {
        "services": ["heating", "breakfast"],
        "price": {"low": 200, "high": 300},
    }
    room = play(context, room, Role.WIZARD, Search("hotel", mended, amends=True))
    first, last = room.first_query.get("hotel"), room.last_query.get("hotel")
    assert first.get("services") == ("sauna facilities", "breakfast")
    assert last.get("services") == ("heating", "breakfast")
    assert first.get("price") == last.get("price") == "200-300 crowns"
    assert room.queries[0].count == len(context.search("hotel", first.slots).rows)
    left = {hint.code for hint in wizard_hints(context, room, "Let me see.")}
    assert "wish_not_searched" not in left


def test_each_domain_has_a_first_search_of_its_own(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("A museum; and a hotel, 200-300 crowns", sure=True))
    room = play(context, room, Role.WIZARD, Search("attraction", {"name": "Maritime Museum"}))
    room = play(context, room, Role.WIZARD, Search("hotel", {}))
    room = play(context, room, Role.WIZARD, Search("hotel", {"services": "breakfast"}))
    amended = Search("hotel", {"services": "breakfast", "price": "200-300 crowns"}, amends=True)
    room = play(context, room, Role.WIZARD, amended)
    assert room.first_query.get("attraction").get("name") == "Maritime Museum"
    assert room.first_query.get("hotel").get("price") == "200-300 crowns"
    assert not room.first_query.get("hotel").get("services")
    assert [query.domain for query in room.queries] == ["attraction", "hotel", "hotel", "hotel"]


def test_the_only_search_is_amended_in_place(context: WorldContext, room: Room) -> None:
    room = play(context, room, Role.USER, Say("Breakfast, please", (BREAKFAST,)))
    room = play(context, room, Role.WIZARD, Search("hotel", {}))
    found = context.search("hotel", (("services", ("breakfast",)),)).names[0]
    room = play(context, room, Role.WIZARD, Select("hotel", (found,)))
    room = play(context, room, Role.WIZARD, Search("hotel", {"services": "breakfast"}, amends=True))
    assert [query.selected for query in room.queries] == [(found,)]
    assert room.first_query.get("hotel").get("services") == "breakfast"
    assert room.form.get("hotel").selected == (found,)


@pytest.fixture
def offered(context: WorldContext, room: Room) -> Room:
    """Campus Hostel is selected, and offered."""
    room = play(context, room, Role.USER, Say("A hotel, please. Which one?", (NAME,), sure=True))
    room = play(context, room, Role.WIZARD, Search("hotel", {"name": "Campus Hostel"}))
    return play(context, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))


def test_a_fact_that_the_table_contradicts(context: WorldContext, offered: Room) -> None:
    def told(text: str) -> list[str]:
        return [hint.code for hint in wizard_hints(context, offered, f"Campus Hostel: {text}")]

    row = context.database.find("hotel", "Campus Hostel") or {}
    other = context.database.find("hotel", "Tamsin Hotel") or {}
    assert told(f"call {row['phone']}, it is rated {row['rating']} points") == []
    assert told(f"it is at {row['address']}") == []
    assert told("call 0482-1234567") == ["told_against_row"]
    assert told("it is rated 1.1 points") == ["told_against_row"]
    assert told(f"it is at {other['address']}") == ["told_against_row"]


def test_a_rating_that_the_user_has_wished_for_is_no_fact(
    context: WorldContext, room: Room
) -> None:
    room = play(context, room, Role.USER, Say("A hotel rated 1.1 points?", sure=True))
    room = play(context, room, Role.WIZARD, Search("hotel", {"name": "Campus Hostel"}))
    room = play(context, room, Role.WIZARD, Select("hotel", ("Campus Hostel",)))
    text = "Campus Hostel is better than 1.1 points."
    assert wizard_hints(context, room, text) == ()


def test_what_is_written_down_was_told_and_is_so(context: WorldContext, offered: Room) -> None:
    rating = (context.database.find("hotel", "Campus Hostel") or {})["rating"]
    said = Say(f"Campus Hostel, rated {rating} points.")
    room = play(context, offered, Role.WIZARD, said)
    room = play(context, room, Role.USER, Fill(NAME, "Campus Hostel"))

    def doubted(value: str) -> list[str]:
        rejection = refusal(context, room, Role.USER, Fill(RATING, value))
        assert isinstance(rejection, HintedRejection)
        return [hint.code for hint in rejection.hints]

    other = "4.2" if rating != 4.2 else "4.3"
    assert doubted("1.1") == ["no_such_word"]  # no hotel is as bad
    assert doubted(other) == ["never_told", "denied_by_row"]
    assert play(context, room, Role.USER, Fill(RATING, str(rating))).cells[RATING].value
    assert play(context, room, Role.USER, Fill(RATING, other, sure=True)).cells[RATING].value
