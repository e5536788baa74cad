"""Candidates stay known after their turn; numbers are widened so that a place fits."""

import pytest

from crosstalk.system.dst.slot_candidates import (
    MOST_CARRIED,
    CandidateSource,
    add_candidates,
    widened,
    with_likelihoods,
)
from crosstalk.worlds.world import load_schema

FIRST = add_candidates(
    {}, {"": {CandidateSource.CLEAR, CandidateSource.KEEP}, "free": {CandidateSource.SET}}, 0
)


def test_a_value_is_remembered_with_its_source() -> None:
    later = add_candidates(
        with_likelihoods(FIRST, {"": 0.25, "free": 0.75}), {"": {CandidateSource.CLEAR}}, 3
    )
    assert later["free"].last == 0
    assert later["free"].sources == {CandidateSource.SET}
    assert later["free"].likelihood == 0.75


def test_keeping_and_clearing_are_no_news() -> None:
    assert FIRST[""].count == 0
    assert FIRST["free"].count == 1
    again = add_candidates(FIRST, {"": {CandidateSource.CLEAR}, "free": {CandidateSource.KEEP}}, 1)
    assert again["free"] == FIRST["free"]


def test_said_again_is_news() -> None:
    again = add_candidates(FIRST, {"free": {CandidateSource.SET, CandidateSource.KEEP}}, 2)["free"]
    assert (again.first, again.last, again.count) == (0, 2, 2)


def test_the_least_likely_are_forgotten() -> None:
    many = add_candidates({}, {str(n): {CandidateSource.SET} for n in range(20)}, 0)
    kept = with_likelihoods(many, {str(n): n / 20 for n in range(20)})
    assert list(kept) == [str(n) for n in range(20 - MOST_CARRIED, 20)]


SCHEMA, CHINESE = load_schema("crosswoz")


def ways(domain: str, slot: str, text: str, number: float) -> dict[str, set[CandidateSource]]:
    where = SCHEMA.domain(domain)
    assert where
    what = where.slot(slot)
    assert what
    found: dict[str, set[CandidateSource]] = {}
    for source, wider in widened(CHINESE, where, what, text, number):
        found.setdefault(wider, set()).add(source)
    return found


def test_a_cheaper_place_moves_the_low_end() -> None:
    found = ways("餐馆", "人均消费", "100-150元", 64)
    assert found["60-150元"] == {CandidateSource.WIDENED_TENS}
    assert found["64-150元"] == {CandidateSource.WIDENED_EXACT}
    assert found["150元以下"] == {CandidateSource.WIDENED_OPEN}
    assert found["1-150元"] == {CandidateSource.WIDENED_LEAST}


def test_a_dearer_place_moves_the_high_end() -> None:
    found = ways("酒店", "价格", "200-300元", 684)
    assert CandidateSource.WIDENED_HUNDREDS in found["200-700元"]
    assert found["200元以上"] == {CandidateSource.WIDENED_OPEN}


def test_ratings_go_down_by_halves_and_to_whole_points() -> None:
    assert set(ways("景点", "评分", "5分", 4.6)) == {"4.6分以上", "4.5分以上", "4分以上"}


def test_free_becomes_cheap() -> None:
    assert CandidateSource.WIDENED_TENS in ways("景点", "门票", "免费", 15)["20元以下"]


@pytest.mark.parametrize(("text", "number"), [("100-150元", 120), ("no number", 5), ("", 5)])
def test_what_fits_or_says_nothing_is_left_alone(text: str, number: float) -> None:
    assert ways("餐馆", "人均消费", text, number) == {}
