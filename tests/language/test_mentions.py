"""Mentions of values in texts."""

import pytest

from crosstalk.language.gazetteer import mentioned_terms, mentions, mentions_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("To the FERRY  inn!", "Ferry Inn"),
        ("外婆家(北京apm店）就是", "外婆家(北京apm店)"),
        ("住在故宫附近", "故宫"),
        ("В «Ferry Inn»?", "Ferry Inn"),
    ],
)
def test_case_width_and_spaces_do_not_matter(text: str, value: str) -> None:
    assert mentions(text, value)


@pytest.mark.parametrize(
    ("text", "value"), [("a barbecue", "bar"), ("a barbecue", "cue"), ("something", "")]
)
def test_parts_of_words_are_no_mentions(text: str, value: str) -> None:
    assert not mentions(text, value)


def test_a_number_is_found_without_its_unit() -> None:
    assert mentions_number("评分4.7，不错", "4.7分")
    assert mentions_number("Bewertung 4,7", "4.7 Punkte")
    assert not mentions_number("opens at 10:30", "30 crowns")
    assert not mentions_number("1050 crowns", "50 crowns")
    assert not mentions_number("no number", "free")


def test_a_term_inside_a_longer_one_is_not_said() -> None:
    terms = ("breakfast", "free breakfast", "sauna")
    assert mentioned_terms("free breakfast and sauna", terms) == {"free breakfast", "sauna"}
    assert mentioned_terms("free breakfast, breakfast in bed", terms) == set(terms[:2])
