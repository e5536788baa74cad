"""Our rule tracker in conversation, on harbour."""

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.system.dst.search_tracker import SearchTracker
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.worlds.world import load_schema

SCHEMA, ENGLISH = load_schema("harbour")


def tracked(*turns: Turn) -> SystemState:
    """The form after the last user turn, tracked from the beginning."""
    tracker = SearchTracker(SCHEMA, ENGLISH)
    belief = DialogueState(empty_form(SCHEMA))
    for end in range(1, len(turns) + 1, 2):
        belief = tracker.update(belief, turns[:end])
    return belief.form


def said(*acts: Act) -> Turn:
    return Turn(Speaker.USER, "", tuple(sorted(acts)))


def answered(*acts: Act) -> Turn:
    return Turn(Speaker.SYSTEM, "", tuple(sorted(acts)))


WISH = said(Act("Inform", "hotel", "type", "luxury"), Act("Request", "hotel", "name", ""))
OFFER = answered(Act("Inform", "hotel", "name", "Orsena Tower Hotel"))


def test_a_second_wish_narrows_the_search() -> None:
    more = said(Act("Inform", "hotel", "rating", "4.5 points or more"))
    form = tracked(said(Act("Inform", "hotel", "type", "luxury")), OFFER, more)
    assert form.get("hotel").constraints == {"type": "luxury", "rating": "4.5 points or more"}


def test_a_name_asked_for_again_narrows_with_new_wishes_and_begins_anew_with_old_ones() -> None:
    """In words every wish is half a question for a name: the question alone tells nothing."""
    name = Act("Request", "hotel", "name", "")
    one, other = (
        Act("Inform", "hotel", f"services-{each}", "yes") for each in ("wifi", "parking lot")
    )
    first = said(Act("Inform", "hotel", "type", "luxury"), one, name)
    narrowed = tracked(first, OFFER, said(other, name)).get("hotel")
    assert narrowed.constraints == {"type": "luxury", "services": ("wifi", "parking lot")}
    anew = tracked(first, OFFER, said(one, name)).get("hotel")
    assert anew.constraints == {"services": ("wifi",)}


def test_a_new_search_starts_from_an_empty_tab() -> None:
    ask = said(Act("Request", "hotel", "phone", ""))
    told = answered(Act("Inform", "hotel", "phone", "0482-1"))
    again = said(Act("Inform", "hotel", "price", "100-200 crowns"))
    form = tracked(WISH, OFFER, ask, told, again)
    assert form.get("hotel").constraints == {"price": "100-200 crowns"}


def test_select_finds_a_source_named_in_the_same_turn() -> None:
    near = said(
        Act("Select", "restaurant", "source", "hotel"),
        Act("Inform", "hotel", "name", "Orsena Tower Hotel"),
        Act("Inform", "restaurant", "dishes", "cheese scones"),
    )
    form = tracked(WISH, OFFER, near)
    assert form.get("restaurant").constraints == {
        "dishes": ("cheese scones",),
        "nearby_hotels": "Orsena Tower Hotel",
    }
    assert form.get("hotel").constraints == {"type": "luxury"}


def test_select_finds_a_source_spoken_of_before() -> None:
    form = tracked(WISH, OFFER, said(Act("Select", "attraction", "source", "hotel")))
    assert form.get("attraction").constraints == {"nearby_hotels": "Orsena Tower Hotel"}


def test_a_name_said_is_searched_for_until_something_else_is() -> None:
    named = said(Act("Inform", "hotel", "name", "Orsena Tower Hotel"))
    assert tracked(named).get("hotel").constraints == {"name": "Orsena Tower Hotel"}
    other = said(Act("Inform", "hotel", "type", "budget"))
    assert tracked(named, OFFER, other).get("hotel").constraints == {"type": "budget"}


def test_rides_keep_their_ends() -> None:
    start = said(Act("Inform", "taxi", "departure", "Ocean Aquarium"))
    end = said(Act("Inform", "taxi", "destination", "Cloud Deck"))
    form = tracked(start, answered(), end)
    assert form.get("taxi").constraints == {
        "departure": "Ocean Aquarium",
        "destination": "Cloud Deck",
    }
