"""The wizard performs actions: both sides see what was done, and the turn keeps it."""

import pytest
from tests.collection.conftest import opened
from tests.collection.playing import after, play, refusal

from crosstalk.collection.commands import Perform, Say, decide
from crosstalk.collection.events import Acted, Recorded, Role, from_json, to_json
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.room_actions import described_actions
from crosstalk.collection.room_views import concerns, shown_events
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.worlds.policy_rules import actions_of
from crosstalk.worlds.world import load_world

STAY = {"arrival": "2026-06-08", "nights": "2", "people": "2"}
BOOK = Perform("book_room", {"entity": "Laurel Hotel", **STAY})
FULL = {"entity": "Grand Hotel Halmora", "arrival": "2026-06-03", "nights": "1", "people": "1"}


@pytest.fixture(scope="module")
def acting() -> WorldContext:
    return WorldContext(load_world("harbour"), actions=True)


@pytest.fixture
def asked(acting: WorldContext) -> Room:
    """A room in which the user has just asked for a booking."""
    return play(acting, opened(acting), Role.USER, Say("Book it, please.", sure=True))


def test_forms_come_from_the_declarations(acting: WorldContext, context: WorldContext) -> None:
    forms = {each["key"]: each for each in described_actions(acting)}
    fields = {each["slot"]: each for each in forms["book_room"]["fields"]}
    assert forms["book_room"]["name"] == "book a room" and forms["book_room"]["confirm"]
    assert fields["entity"]["target"] == "hotel" and fields["entity"]["is_place"]
    assert fields["arrival"]["control"] == "date" and fields["arrival"]["high"] == "2026-06-30"
    assert fields["nights"]["control"] == "count" and fields["nights"]["high"] == 7
    assert not next(e for e in forms["change_room"]["fields"] if e["slot"] == "nights")["needed"]
    assert described_actions(context) == []


def test_what_was_done_is_seen_by_both_and_kept(acting: WorldContext, asked: Room) -> None:
    (event,) = decide(acting, asked, Role.WIZARD, BOOK)
    assert isinstance(event, Acted) and from_json(to_json(event)) == event
    code = event.record["gives"]["reference"]
    assert event.message == f"booking code: {code}, total price: 1320 crowns"
    seen = [shown_events([Recorded(9, 0.0, event)], role) for role in Role]
    assert all(shown[0]["done"] and code in shown[0]["message"] for shown in seen)
    room = play(acting, after(asked, [event]), Role.WIZARD, Say(f"Booked: {code}.", sure=True))
    turn = dialogue_of(1, room).turns[1]
    assert actions_of(turn)[0].gives["reference"] == code


def test_calls_see_what_calls_before_them_did(acting: WorldContext, asked: Room) -> None:
    (event,) = decide(acting, asked, Role.WIZARD, BOOK)
    assert isinstance(event, Acted)
    cancel = Perform("cancel_room", {"reference": event.record["gives"]["reference"]})
    (other,) = decide(acting, after(asked, [event]), Role.WIZARD, cancel)
    assert isinstance(other, Acted) and other.is_done
    (refused,) = decide(acting, asked, Role.WIZARD, cancel)
    assert isinstance(refused, Acted) and refused.message == "There is no booking with this code."


def test_refusals_are_for_the_wizard_alone(acting: WorldContext, asked: Room) -> None:
    (event,) = decide(acting, asked, Role.WIZARD, Perform("book_room", FULL))
    recorded = Recorded(9, 0.0, event)
    assert shown_events([recorded], Role.WIZARD)[0]["message"].startswith("There is no room left")
    assert shown_events([recorded], Role.USER) == [] and not concerns(recorded, Role.USER)


def test_only_the_wizard_acts_and_only_where_the_study_asks_for_it(
    acting: WorldContext, context: WorldContext, asked: Room
) -> None:
    assert refusal(acting, asked, Role.USER, BOOK).code == "not_your_role"
    assert refusal(acting, opened(acting), Role.WIZARD, BOOK).code == "not_your_turn"
    assert refusal(context, asked, Role.WIZARD, BOOK).code == "no_actions"
    assert refusal(acting, asked, Role.WIZARD, Perform("fly", {})).code == "unknown_action"
