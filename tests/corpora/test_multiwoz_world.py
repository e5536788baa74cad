"""MultiWOZ in the words of its world: acts, states and goals by the world's slots."""

from crosstalk.corpora.multiwoz_world import in_world, world_slot
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.worlds.world import load_outline

SCHEMA = load_outline("multiwoz").schema
FORM = SystemState(
    (
        DomainState(
            "hotel", (("area", "north"), ("name", "not mentioned"), ("book day", "monday"))
        ),
        DomainState("bus", (("day", ""),)),
    )
)
SAID = (
    Act("Inform", "Hotel", "Price", "cheap"),
    Act("Request", "Train", "Arrive", ""),
    Act("NoOffer", "Hotel", "Area", "north"),
    Act("Inform", "Booking", "Day", "monday"),
    Act("Inform", "Hotel", "Choice", "3"),
    Act("General", "bye"),
)
GOAL = Goal(
    (
        SemanticTuple(1, "hotel", "area", "north"),
        SemanticTuple(1, "hotel", "book day", "monday"),
    )
)
DIALOGUE = in_world(
    Dialogue("1", (Turn(Speaker.SYSTEM, "", SAID, first_query=FORM),), goal=GOAL), SCHEMA
)


def test_acts_get_the_slots_of_the_world_and_those_it_lacks_are_left_out() -> None:
    assert DIALOGUE.turns[0].acts == (
        Act("Inform", "hotel", "pricerange", "cheap"),
        Act("Request", "train", "arriveBy", ""),
        Act("NoOffer", "hotel"),
        Act("General", "bye"),
    )
    assert world_slot("Area") == "area"


def test_empty_fields_are_empty_and_bookings_no_fields_of_the_form() -> None:
    wanted = DomainState("hotel", (("area", "north"), ("name", "")))
    assert list(DIALOGUE.turns[0].first_query or ()) == [wanted]


def test_a_goal_keeps_what_the_world_can_search_for() -> None:
    assert DIALOGUE.goal
    assert [each.slot for each in DIALOGUE.goal.tuples] == ["area"]
