"""Number words and signs, and the longest known text at a position."""

import pytest

from crosstalk.language.figures import numbers_alike
from crosstalk.language.gazetteer import KnownTexts, among
from crosstalk.language.normalize import comparable, folded, squeezed, tight, word_form
from crosstalk.language.numerals import JOIN, composed, divided, read_digits
from crosstalk.language.writing import writing_of

GERMAN = {"zwei": 2, "fünf": 5, "zwanzig": 20, "fünfzig": 50, "hundert": 100, "und": JOIN}


@pytest.mark.parametrize(
    ("word", "number"),
    [("zweihundertfünfzig", 250), ("fünfundzwanzig", 25), ("hundert", 100), ("hund", None)],
)
def test_words_made_of_number_words(word: str, number: int | None) -> None:
    assert composed(divided(word, GERMAN)) == number


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ([1, 100, 5], 150),  # 一百五
        ([1, 100, 0, 5], 105),  # 一百零五
        ([2, 10, 3], 23),
        ([10, 5], 15),
        ([1, 2, 3], 123),
        ([3, 10000], 30000),
    ],
)
def test_chinese_signs(values: list[int], number: int) -> None:
    assert composed(values, signs=True) == number


def test_digits_with_marks() -> None:
    assert (read_digits("1,200"), read_digits("1.200"), read_digits("4,5")) == (1200, 1200, 4.5)


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("zh", "四点五分以上", ["4.5"]),
        ("zh", "一百块", ["100"]),
        ("en", "two for 1,000 crowns", ["2", "1000"]),
        ("de", "ab 4,50", ["4.5"]),
        ("ar", "٢٠٠ كرونة", ["200"]),
        ("fr", "deux pour 20", ["20"]),
    ],
)
def test_numbers_written_alike(language: str, text: str, numbers: list[str]) -> None:
    assert numbers_alike(text, writing_of(language)) == numbers


def test_the_longest_known_text_at_a_position() -> None:
    known = KnownTexts(["new", "new york"])
    assert known.longest("in new york city", 3) == 11
    assert known.longest("in new york city", 0) == 0
    assert known.longest("in newer", 3, lambda text, at: not text[at].isalnum()) == 0
    assert list(known.ends("in new york city", 3)) == [6, 11]


def test_known_texts_among_tokens_that_may_be_several_words() -> None:
    known = KnownTexts([("new",), ("new", "york")])
    assert list(among(known, [("knew", "new"), ("york",)], 0)) == [("new",), ("new", "york")]


def test_normal_forms() -> None:
    assert folded("Ａ口 CAFÉ") == "a口 café"
    assert squeezed(" Ａ口  CAFÉ ") == "a口 café"
    assert tight("010-8816 1234") == "01088161234"
    assert comparable("3:45 PM’s") == "3:45 pm's"
    assert word_form("الفندق") == "فندق"


@pytest.mark.parametrize(("language", "text"), [("en", "1" * 400), ("zh", "亿" * 2000)])
def test_numbers_beyond_measure_are_none(language: str, text: str) -> None:
    assert numbers_alike(f"{text} 4", writing_of(language)) == ["4"]
