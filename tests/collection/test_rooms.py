"""A dialogue in a room, from the first word to the corpus."""

import pytest
from tests.collection.conftest import BREAKFAST, NAME, NEAR, PRICE, RATING
from tests.collection.playing import after, play, refusal

from crosstalk.collection.commands import (
    Choose,
    Fill,
    HintedRejection,
    Leave,
    Report,
    Say,
    Search,
    Select,
    connected,
    disconnected,
    overdue,
)
from crosstalk.collection.events import Closed, Gone, Opened, Recorded, Role, from_json, to_json
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import Room, Status, empty_cells, replay
from crosstalk.collection.turn_checks import user_hints
from crosstalk.collection.user_table import shown_cells
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.conversation import Ending
from crosstalk.errors import Rejection

USER, WIZARD = Role.USER, Role.WIZARD
HELLO = Say("A hotel for 200-300 crowns with breakfast, please.", (PRICE, BREAKFAST, NAME))


def answered(context: WorldContext, room: Room) -> Room:
    """One exchange: the hotel is asked for, searched twice, selected and named."""
    room = play(context, room, USER, HELLO)
    room = play(context, room, WIZARD, Search("hotel", {"price": {"low": 1, "high": 2}}))
    room = play(context, room, WIZARD, Search("hotel", {"price": "200-300 crowns"}))
    name = first(context, room)
    said = Say(f"How about {name}?", sure=True)  # breakfast was not searched for
    return play(context, room, WIZARD, Select("hotel", (name,)), said)


def first(context: WorldContext, room: Room) -> str:
    rows = context.database.search("hotel", room.form.get("hotel").constraints)
    return str(rows[0]["name"])


def test_the_two_sides_alternate(context: WorldContext, room: Room) -> None:
    assert refusal(context, room, WIZARD, Say("Hello")).code == "not_your_turn"
    room = play(context, room, USER, HELLO)
    assert refusal(context, room, USER, Say("Hello?")).code == "not_your_turn"
    assert room.next_role is WIZARD


def test_first_and_last_query_are_the_two_states(context: WorldContext, room: Room) -> None:
    turn = answered(context, room).conversation.turns[1]
    assert turn.first_query and turn.first_query.get("hotel").get("price") == "1-2 crowns"
    assert turn.last_query and turn.last_query.get("hotel").get("price") == "200-300 crowns"
    assert not turn.first_query.get("hotel").selected
    assert turn.last_query.get("hotel").selected


def test_without_a_query_the_form_is_carried_over(context: WorldContext, room: Room) -> None:
    room = answered(context, room)
    room = play(context, room, USER, Say("How is it rated?", (RATING,)))
    room = play(context, room, WIZARD, Say("It has 4.5 points."))
    turn = room.conversation.turns[3]
    assert turn.first_query == turn.last_query == room.conversation.turns[1].last_query


def test_a_query_elsewhere_drops_old_ticks(context: WorldContext, room: Room) -> None:
    room = answered(context, room)
    room = play(context, room, USER, Say("And a restaurant?", sure=True))
    room = play(context, room, WIZARD, Search("restaurant", {}))
    assert not room.form.get("hotel").selected
    assert room.form.get("hotel").get("price") == "200-300 crowns", "its fields stay"


def test_tabs_that_nobody_touched_are_one_in_memory(context: WorldContext, room: Room) -> None:
    """A long dialogue has a hundred forms of five tabs each."""
    turn = answered(context, room).conversation.turns[1]
    assert turn.first_query and turn.last_query
    assert turn.first_query.get("restaurant") is room.form.get("restaurant")
    assert turn.last_query.get("restaurant") is room.form.get("restaurant")


def test_only_results_can_be_selected(context: WorldContext, room: Room) -> None:
    room = play(context, room, USER, HELLO)
    room = play(context, room, WIZARD, Search("hotel", {"price": "200-300 crowns"}))
    assert (
        refusal(context, room, WIZARD, Select("hotel", ("Nowhere Inn",))).code == "not_in_results"
    )
    assert refusal(context, room, USER, Select("hotel", ())).code == "not_your_role"


def test_nobody_finishes_with_empty_cells(context: WorldContext, room: Room) -> None:
    refused = refusal(context, room, USER, Say("Bye", done=True))
    assert refused.code == "cells_empty" and isinstance(refused, HintedRejection)
    assert {hint.cell for hint in refused.hints} >= {NAME, RATING}


def test_a_dialogue_ends_with_the_wizards_last_word(context: WorldContext, room: Room) -> None:
    room = filled_in(context, room)
    room = play(context, room, USER, Say("That is all, thanks.", done=True, sure=True))
    assert room.status is Status.OPEN
    room = play(context, room, WIZARD, Say("You are welcome."))
    assert room.status is Status.FINISHED and room.conversation.ending is Ending.FINISHED
    assert refusal(context, room, USER, Say("Wait!")).code == "over"


def filled_in(context: WorldContext, room: Room) -> Room:
    values: dict[int, str | list[str]] = {
        NAME: "Campus Hostel",
        RATING: "4.5",
        4: ["none"],
        5: "The Copper Ladle",
        7: "0482-1",
        8: "Campus Hostel",
        9: "The Copper Ladle",
        10: "HA 1",
    }
    for cell, value in values.items():
        room = play(context, room, USER, Fill(cell, value, sure=True))
    return room


def test_the_dialogue_has_the_shape_of_crosswoz(context: WorldContext, room: Room) -> None:
    room = answered(context, filled_in(context, room))
    dialogue = dialogue_of(7, room)
    assert (dialogue.id, dialogue.workers) == ("7", (2, 1))
    said = dialogue.turns[0].user_state
    assert said and [each.expressed for each in said[:3]] == [True, True, True]
    assert said[RATING].value == "4.5 points" and not said[RATING].expressed
    assert dialogue.final_goal == said and dialogue.goal == room.goal
    assert len(dialogue.turns[1].extras["collection"]["queries"]) == 2


def test_a_room_is_the_fold_of_its_written_events(context: WorldContext, room: Room) -> None:
    opened = Opened("goal", room.goal, "harbour", "en", room.form, 1, 2, exchanges=5)
    log = [Recorded(1, 0.0, opened)]
    for event in (Gone(USER), Closed("over")):
        log.append(Recorded(len(log) + 1, 1.0, event))
    again = [Recorded(each.seq, each.at, from_json(to_json(each.event))) for each in log]
    assert again == log and replay(again) == replay(log)


def test_who_is_away_too_long_is_gone(context: WorldContext, room: Room) -> None:
    room = after(room, disconnected(room, WIZARD), at=10)
    assert room.deadline == 130
    assert overdue(room, 129) == ()
    back = after(room, connected(room, WIZARD), at=100)
    assert back.deadline is None and not back.seat(WIZARD).gone
    room = after(room, overdue(room, 130), at=130)
    assert room.seat(WIZARD).gone and room.status is Status.OPEN


def test_the_one_who_is_left_chooses(context: WorldContext, room: Room) -> None:
    assert refusal(context, room, USER, Choose("machine")).code == "nothing_to_choose"
    room = after(room, disconnected(room, WIZARD), at=10)
    room = after(room, overdue(room, 200), at=200)
    waits = play(context, room, USER, Choose("wait"), at=201)
    assert waits.deadline == 321 and not waits.seat(WIZARD).gone
    replaced = play(context, room, USER, Choose("machine"))
    assert replaced.seat(WIZARD).is_machine and replaced.status is Status.OPEN
    assert play(context, room, USER, Choose("requeue")).status is Status.CLOSED


def test_a_room_nobody_is_left_in_is_closed(room: Room) -> None:
    room = after(room, disconnected(room, USER), at=10)
    room = after(room, disconnected(room, WIZARD), at=20)
    room = after(room, overdue(room, 130), at=130)
    assert room.status is Status.OPEN
    assert after(room, overdue(room, 140), at=140).status is Status.CLOSED


def test_who_leaves_is_credited_and_stays_out(context: WorldContext, room: Room) -> None:
    room = play(context, room, USER, HELLO, Leave("tired"))
    assert room.seat(USER).left and room.seat(USER).turns == 1
    assert connected(room, USER) == ()
    assert refusal(context, room, USER, Fill(NAME, "x")).code == "not_yours"
    assert refusal(context, room, WIZARD, Choose("wait")).code == "nothing_to_choose"
    assert play(context, room, WIZARD, Choose("machine")).replaced[0][1].turns == 1


def test_problems_can_be_reported_at_any_time(context: WorldContext, room: Room) -> None:
    room = play(context, room, WIZARD, Report("The goal makes no sense."))
    room = play(context, room, USER, Leave())
    room = play(context, room, WIZARD, Choose("requeue"), Report("Again."))
    assert room.reports == ("The goal makes no sense.", "Again.")


def test_a_wish_is_dropped_and_taken_up_again(context: WorldContext, room: Room) -> None:
    room = play(context, room, USER, HELLO)
    room = play(context, room, WIZARD, Say("Nothing is that cheap."))
    wanted = room.cells[PRICE].value
    room = play(context, room, USER, Fill(PRICE, "", dropped=True))
    shown = shown_cells(context, room)[PRICE]
    assert shown["dropped"] and shown["changed"] and shown["value"] == ""
    assert PRICE not in empty_cells(room), "nothing has to be filled in for it"
    done = user_hints(context, room, "That is all", (), True)
    assert PRICE not in {hint.cell for hint in done if hint.code == "never_said"}
    assert refusal(context, room, USER, Say("Any price", (PRICE,))).code == "unknown_cell"
    room = play(context, room, USER, Say("The price does not matter.", sure=True))
    room = play(context, room, WIZARD, Say("Then there is one.", sure=True))
    said = room.conversation.turns[2].user_state
    assert said and said[PRICE].is_open and room.goal.tuples[PRICE].value == wanted
    room = play(context, room, USER, Fill(PRICE, ""))
    assert room.cells[PRICE].value == wanted and not shown_cells(context, room)[PRICE]["dropped"]


@pytest.mark.parametrize("cell", [NAME, NEAR, 99])
def test_only_wishes_are_dropped(context: WorldContext, room: Room, cell: int) -> None:
    with pytest.raises(Rejection):
        play(context, room, USER, Fill(cell, "", dropped=True))
