"""Words that sound alike in different alphabets."""

import pytest

from crosstalk.language.sounds import romanised, sounds_of


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        ("London", "Λονδίνο"),
        ("Cambridge", "Кембридж"),
        ("Cambridge", "كامبريدج"),
        ("Stevenage", "Стивенидж"),
        ("Peterborough", "Питерборо"),
        ("Norwich", "Норвич"),
        ("Broxbourne", "Броксборн"),
    ],
)
def test_a_name_sounds_as_its_transliteration(name: str, spelt: str) -> None:
    assert sounds_of(name) == sounds_of(spelt)


def test_other_words_sound_otherwise() -> None:
    assert len({sounds_of(word) for word in ("sitar", "четыре", "палас", "получи")}) == 4


def test_letters_are_read_by_their_unicode_names() -> None:
    assert [romanised(letter) for letter in "бфщйéß"] == ["b", "f", "shch", "i", "e", "s"]
    assert "".join(map(romanised, "京ь7-")) == ""
