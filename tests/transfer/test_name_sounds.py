"""Names of places in texts of another alphabet, found by sound."""

from crosstalk.transfer.states import derived_words
from crosstalk.transfer.states.name_sounds import Likeness, ordinary_words, spoken_names
from crosstalk.transfer.states.ontology import PLACES, build
from crosstalk.transfer.states.state_slots import multiwoz_slots
from crosstalk.transfer.states.target_texts import TargetTexts

NAMES = ["bishops stortford", "curry garden", "curry prince", "rice house"]


def test_a_word_that_one_name_has_says_the_name() -> None:
    found = spoken_names(NAMES, ["стортфорда", "бишопс стортфорд", "карри", "поезд"], set())
    assert found == {"bishops stortford": ["стортфорда", "бишопс стортфорд"]}


def test_a_word_of_several_names_says_one_of_them_with_its_neighbour() -> None:
    found = spoken_names(NAMES, ["карри принс", "карри гарден"], {"garden"})
    assert found == {"curry prince": ["карри принс"], "curry garden": ["карри гарден"]}


def test_words_of_everyday_are_no_names() -> None:
    """`рис хаус` sounds like a name of two everyday words; `принс` is written small here."""
    assert spoken_names(NAMES, ["рис хаус"], {"rice", "house"}) == {}
    assert spoken_names(NAMES, ["принс"], set(), everyday={"принс"}) == {}
    assert ordinary_words(["The house", "a house in Ely", "House"]) == {"house", "a", "in"}


def test_long_names_may_have_a_slip_and_an_ending() -> None:
    likeness = Likeness()
    assert likeness.alike("stavanadS", "stavanatS")
    assert likeness.alike("narvaS", "narvaSam")
    assert not likeness.alike("narvaS", "narmaS")
    assert not likeness.alike("narvaS", "narvaSanska")


def test_names_are_forms_of_the_derived_table() -> None:
    english = {"train-destination": ["stevenage", "norwich"], "hotel-area": ["north"]}
    said = ["Поезд в Стивенидж", "Из Норвича в Стивенидж", "В Стивенидж из Норвича", "Из Норвича"]
    texts = TargetTexts("ru", said, [])
    words = derived_words.derive_words(texts, build(multiwoz_slots(), english), [], None)
    assert words.values[PLACES]["stevenage"][0] == "стивенидж"
    assert words.values[PLACES]["norwich"][0] == "норвича"
