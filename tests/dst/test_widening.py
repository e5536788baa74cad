"""How wizards make room for what they found."""

import pytest

from crosstalk.system.dst.slot_candidates import CandidateSource, widened
from crosstalk.worlds.world import load_schema

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
