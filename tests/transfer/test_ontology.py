"""The translated ontology: one id a value, forms in both languages, labels as published."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.corpora.multiwoz_labels import ANY, NONE, normalised
from crosstalk.language.state_words import known_languages, words_of
from crosstalk.transfer.states.ontology import build, finder_of
from crosstalk.transfer.states.state_slots import multiwoz_key, multiwoz_slots

ENGLISH = {
    "hotel-name": ["acorn guest house", "a and b guest house", "a and b guesthouse"],
    "hotel-pricerange": ["cheap", "moderate"],
    "hotel-area": ["centre"],
}
PAIRS = {
    "hotel-name": [
        ("acorn guest house", "橡果宾馆"),
        ("a and b guest house", " A&B 宾馆"),
        ("a and b guesthouse", "A&B 宾馆"),
    ],
    "hotel-pricerange": [
        ("cheap", "便宜的"),
        ("moderate", "中等的"),
        ("moderately priced", "价格公道的"),
    ],
}


def test_there_are_the_thirty_slots_as_published() -> None:
    assert len({slot.key for slot in multiwoz_slots()}) == 30
    booked = [slot.key for slot in multiwoz_slots() if slot.name.startswith("book ")]
    assert booked == [
        "hotel-book day",
        "hotel-book people",
        "hotel-book stay",
        "train-book people",
        "restaurant-book day",
        "restaurant-book people",
        "restaurant-book time",
    ]
    assert multiwoz_key("hotel", "bookday") == multiwoz_key("hotel", "day") == "hotel-book day"
    assert multiwoz_key("train", "leave") == "train-leaveat"
    assert {slot.domain for slot in multiwoz_slots()} == {
        "hotel",
        "train",
        "restaurant",
        "attraction",
        "taxi",
    }


def test_two_values_with_one_translation_are_one() -> None:
    ontology = build(multiwoz_slots(), ENGLISH, language="zh", pairs=PAIRS)
    one = ontology.id_of("hotel-name", "a and b guest house", "en")
    assert one == ontology.id_of("hotel-name", "a and b guesthouse", "en")
    assert one == ontology.id_of("hotel-name", "a&b 宾馆", "zh")


def test_wordings_of_the_dictionary_become_forms() -> None:
    ontology = build(multiwoz_slots(), ENGLISH, language="zh", pairs=PAIRS)
    found = finder_of(ontology, "zh").find(words_of("zh").tokens("价格公道的酒店"))
    assert {each.what.get("hotel-pricerange") for each in found} >= {"moderate"}


def test_a_name_is_found_without_its_generic_word() -> None:
    ontology = build(multiwoz_slots(), ENGLISH)
    found = list(finder_of(ontology, "en").find(words_of("en").tokens("Book the Acorn please")))
    assert [each.what["hotel-name"] for each in found] == ["acorn guest house"]


def test_a_label_that_only_the_target_lists_is_its_own_id() -> None:
    ontology = build(
        multiwoz_slots(), ENGLISH, language="zh", pairs=PAIRS, native={"hotel-area": ["东方"]}
    )
    assert ontology.id_of("hotel-area", "东方", "zh") == "东方"
    assert ontology.knows("hotel-area", "东方", "zh")
    assert not ontology.knows("hotel-area", "月球", "zh")


@pytest.mark.parametrize(
    ("slot", "label", "meant"),
    [
        ("hotel-type", "guesthouse", "guest house"),
        ("hotel-type", "bed and breakfast", NONE),
        ("hotel-internet", "free", "yes"),
        ("attraction-type", "musuem", "museum"),
        ("hotel-area", "cent", "centre"),
        ("hotel-book day", "we", "wednesday"),
        ("restaurant-pricerange", "ch", "cheap"),
        ("train-leaveat", "9:15", "09:15"),
        ("hotel-area", "Do n't care", ANY),
        ("hotel-area", "not mentioned", NONE),
        ("hotel-area", "未提及", NONE),
        ("hotel-stars", "4 stars", "4"),
    ],
)
def test_labels_are_mended_as_published(slot: str, label: str, meant: str) -> None:
    assert normalised(slot, label) == meant


def test_other_languages_are_left_as_they_are() -> None:
    assert normalised("hotel-type", "Guesthouse", english=False) == "guesthouse"


@given(st.sampled_from([slot.key for slot in multiwoz_slots()]), st.text())
def test_mending_twice_changes_nothing_more(slot: str, label: str) -> None:
    once = normalised(slot, label)
    assert normalised(slot, once) == once


def test_every_language_has_the_same_cues_for_slots() -> None:
    assert {"en", "zh", "de", "it"} <= set(known_languages())
    needed = {slot.topic for slot in multiwoz_slots()}
    for language in ("en", "zh"):
        assert needed <= set(words_of(language).cues)
