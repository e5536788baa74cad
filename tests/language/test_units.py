from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.language.normalize import word_form
from crosstalk.language.tokenize import units


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("What's 4.5, Café?", ["what", "'", "s", "4.5", ",", "cafe", "?"]),
        ("人均50克朗wifi", ["人", "均", "50", "克", "朗", "wifi"]),
        ("Straße für Ärzte", ["strasse", "fur", "arzte"]),
        ("بالقرب من المنارةِ و50", ["قرب", "من", "مناره", "و", "50"]),
        ("ёлка ещё", ["елка", "еще"]),
    ],
)
def test_words_or_characters_in_plain_form(text: str, forms: list[str]) -> None:
    assert [unit.plain for unit in units(text)] == forms


def test_arabic_spelling_variants_are_the_same() -> None:
    assert word_form("أريد") == word_form("اريد")
    assert word_form("الفندق") == word_form("فندق") == word_form("والفندق")


@given(st.text(max_size=80))
def test_units_lie_in_the_text_one_after_the_other(text: str) -> None:
    found = units(text)
    assert all(0 <= unit.start < unit.end <= len(text) for unit in found)
    assert all(left.end <= right.start for left, right in pairwise(found))
