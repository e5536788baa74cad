"""Slips of the keyboard: words that mean nothing else are read as those they resemble."""

from functools import cache

import pytest

from crosstalk.language.phrases import load_phrases
from crosstalk.language.spelling import Speller
from crosstalk.worlds.world import find_world, load_world


@cache
def _speller(language: str) -> Speller:
    world = load_world("harbour", language=language)
    book = load_phrases(find_world("harbour"), world.language, world.schema)
    return Speller(book, ())


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("en", "restaurnat", "restaurant"),
        ("en", "musuem", "museum"),
        ("en", "hii", "hi"),
        ("en", "breakfasst", "breakfast"),
        ("de", "parkplaz", "parkplatz"),
        ("de", "kosted", "kostet"),
        ("ru", "завтрек", "завтрак"),
        ("ru", "суана", "сауна"),
        ("ru", "недарагой", "недорогой"),
        ("ru", "транфсер", "трансфер"),
        ("ar", "مشكوور", "مشكور"),
    ],
)
def test_slips_are_corrected(language: str, typed: str, meant: str) -> None:
    assert _speller(language).corrected(typed) == meant


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "noon"),
        ("de", "hansen"),
        ("de", "studenten"),
        ("ru", "бассейнами"),
        ("ru", "ресторанчиках"),
        ("ar", "ومطعمين"),
    ],
)
def test_good_words_stay(language: str, word: str) -> None:
    assert _speller(language).corrected(word) == word
