"""The five language packs of the built-in world: one city, told alike in five languages."""

from collections.abc import Iterator
from functools import cache
from random import Random

import pytest

from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.languages import LanguagePack, NumberForms
from crosstalk.dialogue.schema import SERVICE_MARK, Band, SlotKind
from crosstalk.goals.describe import describe
from crosstalk.goals.sampler import goal_sampler
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds, say_band, say_number
from crosstalk.worlds.tables import World, texts
from crosstalk.worlds.world import load_world

LANGUAGES = ("en", "zh", "de", "ar", "ru")
OTHERS = ("zh", "de", "ar", "ru")
NUMBERS = (SlotKind.NUMBER, SlotKind.RATING)
SEARCHED_BY_SUBSTRING = (
    ("attraction", "name"),
    ("attraction", "duration"),
    ("restaurant", "name"),
    ("restaurant", "dishes"),
    ("hotel", "name"),
    ("hotel", "type"),
    ("hotel", "services"),
)


@cache
def harbour(language: str) -> World:
    return load_world("harbour", language=language)


@cache
def goals(language: str) -> tuple[Goal, ...]:
    sampler = goal_sampler(harbour(language))
    return tuple(sampler.sample(Random(seed)) for seed in range(100))


def number_slots(language: str) -> Iterator[tuple[NumberForms, tuple[Band, ...], list[float]]]:
    """How each number slot is written, what goals ask of it, and the numbers in its table."""
    world = harbour(language)
    for place in world.schema.places:
        for slot in place.slots:
            if slot.kind in NUMBERS:
                cells = [row[slot.key] for row in world.tables[place.key]]
                known = [float(cell) for cell in cells if isinstance(cell, int | float)]
                yield forms_of(world.language, place.key, slot), slot.bands, known


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_goal_says_about_numbers_is_read_back(language: str) -> None:
    for forms, bands, _ in number_slots(language):
        for band in bands:
            assert read_bounds(forms, say_band(forms, band)) == Bounds(band.low, band.high)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_an_answer_says_about_numbers_is_read_back(language: str) -> None:
    for forms, _, known in number_slots(language):
        for number in known:
            assert read_bounds(forms, say_number(forms, number)) == Bounds(number, number)


def test_german_and_russian_write_decimals_with_a_comma() -> None:
    said = {language: say_band(forms_of_rating(language), Band(low=4.5)) for language in LANGUAGES}
    assert said == {
        "en": "4.5 points or more",
        "zh": "4.5分以上",
        "de": "mindestens 4,5 Punkte",
        "ar": "4.5 من 5 فأكثر",
        "ru": "4,5 из 5 и выше",
    }


def forms_of_rating(language: str) -> NumberForms:
    return harbour(language).language.forms["rating"]


def test_every_price_takes_the_russian_word_for_crowns_that_the_pack_writes() -> None:
    """«крон» follows 0, 5 to 9 and 11 to 14; «21 крона» and «32 кроны» need other words."""
    for forms, bands, known in number_slots("ru"):
        if "крон" not in forms.exact:
            continue
        bounds = [bound for band in bands for bound in (band.low, band.high) if bound]
        said = [number for number in [*known, *bounds] if say_number(forms, number) != forms.free]
        assert {number for number in said if not _takes_genitive_plural(int(number))} <= {1}


def _takes_genitive_plural(number: int) -> bool:
    return number % 10 in {0, 5, 6, 7, 8, 9} or number % 100 in {11, 12, 13, 14}


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("domain", "slot"), SEARCHED_BY_SUBSTRING)
def test_a_search_finds_the_same_in_every_language(domain: str, slot: str, language: str) -> None:
    """What contains what must not depend on the language."""
    assert contained(domain, slot, language) == contained(domain, slot, "en")


def contained(domain: str, slot: str, language: str) -> set[tuple[str, str]]:
    """Pairs of (English) values of which the first is found inside the second."""
    told = dict(pairs(domain, slot, language))
    return {
        (one, other)
        for one, inner in told.items()
        for other, outer in told.items()
        if one != other and inner in outer
    }


def pairs(domain: str, slot: str, language: str) -> Iterator[tuple[str, str]]:
    """Every value of a slot in English and in another language."""
    rows = zip(harbour("en").tables[domain], harbour(language).tables[domain], strict=True)
    for base, told in rows:
        yield from zip(texts(base[slot]), texts(told[slot]), strict=True)


@pytest.mark.parametrize("language", OTHERS)
def test_one_seed_draws_the_same_goal_in_every_language(language: str) -> None:
    for goal, base in zip(goals(language), goals("en"), strict=True):
        assert goal.type == base.type
        assert len(goal.description) == len(base.description)
        assert goal.tuples == tuple(in_language(each, language) for each in base.tuples)


def in_language(told: SemanticTuple, language: str) -> SemanticTuple:
    """An English tuple as another language must tell it."""
    pack = harbour(language).language
    slot, mark, service = told.slot.partition(SERVICE_MARK)
    if mark:
        slot += mark + pack.values[slot][service]
    value = _value_in_language(told, pack)
    return SemanticTuple(told.subgoal, told.domain, slot, value, told.expressed)


def _value_in_language(told: SemanticTuple, pack: LanguagePack) -> Value:
    if told.is_open or isinstance(told.value, Reference):
        return told.value
    if told.value == harbour("en").language.yes:
        return pack.yes
    renderings = pack.values.get(told.slot, {})
    if isinstance(told.value, tuple):
        return tuple(renderings[term] for term in told.value)
    return renderings.get(told.value) or _number_in_language(told, pack)


def _number_in_language(told: SemanticTuple, pack: LanguagePack) -> str:
    domain = harbour("en").schema.domain(told.domain)
    slot = domain.slot(told.slot) if domain else None
    assert slot is not None
    english, other = (forms_of(each, told.domain, slot) for each in (harbour("en").language, pack))
    said = {say_band(english, band): say_band(other, band) for band in slot.bands}
    return said[str(told.value)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_goals_are_told_in_whole_sentences_that_show_every_value(language: str) -> None:
    for goal in goals(language):
        for number, paragraph in enumerate(goal.description, start=1):
            told = [each for each in goal.tuples if each.subgoal == number]
            assert paragraph.endswith("." if language != "zh" else "。")
            assert "{" not in paragraph
            for each in told:
                assert all(text in paragraph for text in shown(each)), (each, paragraph)


def shown(told: SemanticTuple) -> list[str]:
    """What a reader of the paragraph must be able to find."""
    if SERVICE_MARK in told.slot:
        return [told.slot.partition(SERVICE_MARK)[2]]
    if isinstance(told.value, Reference):
        return [f"id={told.value.subgoal}"]
    return [told.value] if isinstance(told.value, str) else list(told.value)


def test_a_hotel_near_a_restaurant_in_five_languages() -> None:
    told = {language: describe(hotel_goal(language), harbour(language)) for language in LANGUAGES}
    assert told == {
        "en": (
            "You need a hotel (id=2) near id=1. It should be in the comfort class. "
            "It should offer laundry service. A room should cost 200-300 crowns a night. "
            "You want to find out the following: address and whether it has breakfast.",
        ),
        "zh": (
            "你需要在id=1附近找一家酒店(id=2)住下。你想住舒适型的。酒店得有洗衣服务。"
            "一晚的价格最好在200-300克朗。关于这家酒店，你想了解地址和有没有早餐。",
        ),
        "de": (
            "Sie brauchen ein Hotel (id=2) in der Nähe von id=1. "
            "Infrage kommt für Sie die Kategorie Komfort. Wichtig ist Ihnen: Wäscheservice. "
            "Eine Nacht sollte 200 bis 300 Kronen kosten. "
            "Das möchten Sie noch wissen: Adresse und ob es Frühstück gibt.",
        ),
        "ar": (
            "تحتاج إلى فندق (id=2) قريب من المكان (id=1). تفضّل الإقامة في فندق مريح. "
            "يهمّك توفّر خدمة غسيل الملابس. السعر المناسب لليلة الواحدة: من 200 إلى 300 كرونة. "
            "تودّ معرفة العنوان، ومدى توفّر إفطار.",
        ),
        "ru": (
            "Вам нужен отель (id=2) рядом с id=1. Вам подойдёт класс «комфорт». "
            "Обязательное условие — прачечная. Ночь должна стоить от 200 до 300 крон. "
            "Вас интересует следующее: адрес и есть ли там завтрак.",
        ),
    }


def hotel_goal(language: str) -> Tuples:
    english = (
        ("name", Reference(1, nearby=True)),
        ("type", "comfort"),
        ("services-laundry service", "yes"),
        ("price", "200-300 crowns"),
        ("address", ""),
        ("services-breakfast", ""),
    )
    tuples = (SemanticTuple(2, "hotel", slot, value) for slot, value in english)
    return tuple(each if language == "en" else in_language(each, language) for each in tuples)
