"""Finding things in what people type: plain text, phrases, numbers, names."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.dialogue.schema import SlotKind
from crosstalk.errors import WorldError
from crosstalk.language.names import NameFinder
from crosstalk.language.normalize import plain, tidy
from crosstalk.language.number_forms import Bounds
from crosstalk.language.patterns import pattern
from crosstalk.language.phrases import Phrasebook, load_phrases
from crosstalk.language.quantities import Quantities
from crosstalk.worlds.world import find_world, load_world


@cache
def book(language: str) -> Phrasebook:
    world = load_world("harbour", language=language)
    return load_phrases(find_world("harbour"), world.language, world.schema)


@cache
def names(language: str) -> NameFinder:
    world = load_world("harbour", language=language)
    places = [(each.domain, name) for each in world.columns(SlotKind.NAME) for name in each.texts]
    return NameFinder(places, language, book(language).cues["small"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's the CAFÉ's  number?", "whats the cafes number"),
        ("Fünf-Minuten-Nudeln", "funf minuten nudeln"),
        ("1,200 crowns, rated 4,5", "1200 crowns rated 4.5"),
        ("５０－１００元", "50 ~ 100元"),
        ("٤٫٥ نجوم", "4.5 نجوم"),
        ("مُتحَفٌ", "متحف"),
        ("Ещё", "еще"),
        ("Курорт «Остров Цапель»", "курорт остров цапель"),
    ],
)
def test_plain_text(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(max_size=80))
def test_plain_text_stays_plain(text: str) -> None:
    assert plain(plain(tidy(text))) == plain(tidy(text))


def test_what_cannot_be_shown_is_taken_out() -> None:
    assert tidy("a\x00b\u202e c\ud800\ufeff\nd") == "a b c d"


@pytest.mark.parametrize(
    ("language", "phrases", "text"),
    [
        ("en", ["recommend*"], "could you recommend something"),
        ("en", ["what ... eat"], "what is there to eat"),
        ("zh", ["附近"], "故宫附近的餐馆"),
        ("ar", ["فندق"], "وبالفندق"),
        ("ru", ["отел*"], "рядом с отелем"),
    ],
)
def test_patterns_find_phrases(language: str, phrases: list[str], text: str) -> None:
    assert pattern(phrases, language).search(plain(text))


def test_patterns_do_not_look_inside_words() -> None:
    assert not pattern(["inn"], "en").search("dinner")
    assert not pattern([], "en").search("anything")


@pytest.mark.parametrize(
    ("language", "text", "low", "high", "unit"),
    [
        ("en", "under 100 crowns", None, 100, "money"),
        ("en", "at least 4.5 stars", 4.5, None, "points"),
        ("en", "between 50 and 80", 50, 80, ""),
        ("en", "around 100 crowns", 80, 120, "money"),
        ("en", "two hundred and fifty crowns", 250, 250, "money"),
        ("en", "for 4 people", 4, 4, "persons"),
        ("zh", "一百五以下", None, 150, ""),
        ("zh", "两千块左右", 1600, 2400, "money"),
        ("zh", "四点五分以上", 4.5, None, "points"),
        ("de", "höchstens zweihundertfünfzig Kronen", None, 250, "money"),
        ("de", "zwischen 100 und 150", 100, 150, ""),
        ("ar", "أقل من ثلاثمئة كرونة", None, 300, "money"),
        ("ar", "مئة وخمسين كرونة على الأقل", 150, None, "money"),
        ("ru", "не дороже трёхсот крон", None, 300, "money"),
        ("ru", "от 50 до 100 крон", 50, 100, "money"),
        ("en", "between fifty and eighty crowns", 50, 80, "money"),
        ("en", "3 hundred crowns", 300, 300, "money"),
        ("de", "zwischen fünfzig und achtzig Kronen", 50, 80, "money"),
        ("de", "fünf und zwanzig Kronen", 25, 25, "money"),
        ("ru", "1,5 тысячи крон", 1500, 1500, "money"),
        ("zh", "1.5万块", 15000, 15000, "money"),
        ("zh", "一百零五块", 105, 105, "money"),
        ("zh", "两三百块", 200, 300, "money"),
    ],
)
def test_numbers(
    language: str, text: str, low: float | None, high: float | None, unit: str
) -> None:
    quantities = Quantities(book(language))
    [found] = quantities.find(quantities.with_digits(plain(text)))
    assert (found.bounds, found.unit) == (Bounds(low, high), unit)


@pytest.mark.parametrize("text", ["another one", "the first one", "one of them"])
def test_one_is_seldom_a_number(text: str) -> None:
    assert Quantities(book("en")).with_digits(text) == text


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "is the maritme musem open", "Maritime Museum"),
        ("en", "tell me about copper ladle please", "The Copper Ladle"),
        ("zh", "沉船博物馆怎么样", "沉船博物馆"),
        ("de", "in der Nähe des Gouverneurspalasts", "Gouverneurspalast"),
        ("ar", "قرب المتحف البحري", "المتحف البحري"),
        ("ru", "недалеко от Морского музея", "Морской музей"),
        ("ru", "в Бельведере", "Отель «Бельведер»"),
    ],
)
def test_names_inflected_misspelt_and_in_part(language: str, text: str, name: str) -> None:
    found = [place[1] for mention in names(language).find(plain(text)) for place in mention.places]
    assert name in found


def test_a_world_in_a_language_nobody_taught_it() -> None:
    world = load_world("harbour")
    foreign = replace(world, language=replace(world.language, code="fi", name="suomi"))
    with pytest.raises(WorldError, match="does not speak suomi"):
        load_phrases(find_world("harbour"), foreign.language, foreign.schema)
