"""All tree trackers take the best value of each slot in the same way."""

from crosstalk.system.dst.candidate_scoring import (
    SlotCandidates,
    all_rows,
    best_values,
    scores_by_slot,
    with_best_values,
)
from crosstalk.system.dst.tracker import empty_form
from crosstalk.worlds.world import load_schema

SCHEMA, _ = load_schema("harbour")
HOTEL = next(domain for domain in SCHEMA if domain.key == "hotel")
FIRST, SECOND = HOTEL.form[:2]
SLOTS = (
    SlotCandidates(HOTEL, FIRST, ("", "x"), ({"a": 0.0}, {"a": 1.0})),
    SlotCandidates(HOTEL, SECOND, ("", "y", "z"), ({"a": 2.0}, {"a": 3.0}, {"a": 4.0})),
)


def test_the_first_of_equal_scores_wins() -> None:
    candidates = [("area", "north"), ("area", "south"), ("price", "cheap")]
    assert best_values(candidates, [0.4, 0.4, 0.1]) == {"area": "north", "price": "cheap"}


def test_slots_below_the_threshold_are_left_out() -> None:
    candidates = [("area", "north"), ("area", "south"), ("price", "cheap")]
    assert best_values(candidates, [0.2, 0.5, 0.3], threshold=0.35) == {"area": "south"}
    assert best_values([], []) == {}


def test_the_form_gets_the_best_value_of_each_slot() -> None:
    form = with_best_values(empty_form(SCHEMA), SLOTS, [0.1, 0.9, 0.5, 0.2, 0.3])
    assert form.get("hotel").constraints == {FIRST.key: "x"}
    assert SLOTS[0].labels(form) == [False, True]
    assert SLOTS[1].labels(form) == [True, False, False]


def test_scores_are_divided_among_the_slots() -> None:
    assert len(all_rows(SLOTS)) == 5
    divided = [list(own) for _, own in scores_by_slot(SLOTS, [1, 2, 3, 4, 5])]
    assert divided == [[1, 2], [3, 4, 5]]
