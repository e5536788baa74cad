import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.dialogue.languages import NumberForms
from crosstalk.dialogue.schema import Band
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds, say_band, say_number
from crosstalk.worlds.world import load_world

YUAN = NumberForms("{value}元", "{low}-{high}元", "{low}元以上", "{high}元以下", "免费", "不免费")
CROWNS = NumberForms(
    "{value} crowns", "{low} to {high} crowns", "over {low} crowns", "under {high} crowns"
)
KRONEN = NumberForms("{value} Kronen", "{low} bis {high} Kronen", "ab {low} Kronen", decimal=",")
KRONA = NumberForms(
    "{value} كرونة", "من {low} إلى {high} كرونة", "{low} كرونة فأكثر", "{high} كرونة فأقل"
)


@pytest.mark.parametrize(
    ("forms", "text", "bounds"),
    [
        (YUAN, "100-150元", Bounds(100, 150)),
        (YUAN, "200元以上", Bounds(200, None)),
        (YUAN, "20元以下", Bounds(None, 20)),
        (YUAN, "75元", Bounds(75, 75)),
        (YUAN, "免费", Bounds(0, 0)),
        (YUAN, "不免费", Bounds(1, None)),
        (CROWNS, "over 50 crowns", Bounds(50, None)),
        (CROWNS, "1,200 crowns", Bounds(1200, 1200)),
        (KRONEN, "ab 4,5 Kronen", Bounds(4.5, None)),
        (KRONEN, "1.200 bis 2.000 Kronen", Bounds(1200, 2000)),
        (KRONA, "٥٠ كرونة فأكثر", Bounds(50, None)),
    ],
)
def test_numbers_are_read_in_the_forms_of_their_language(
    forms: NumberForms, text: str, bounds: Bounds
) -> None:
    assert read_bounds(forms, text) == bounds


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("4.5元以上", Bounds(4.5, None)),
        ("45分以上", Bounds(45, None)),
        ("1-1000", Bounds(1, 1000)),
        ("50~100元", Bounds(50, 100)),
        ("大概50元", Bounds(50, 50)),
        ("免费的", Bounds(0, 0)),
        ("不免费的", Bounds(1, None)),
        ("便宜", None),
        ("", None),
    ],
)
def test_what_wizards_typed_is_read_too(text: str, bounds: Bounds | None) -> None:
    assert read_bounds(YUAN, text) == bounds


@pytest.mark.parametrize("language", ["en", "zh", "de", "ar", "ru"])
def test_every_band_of_harbour_reads_back_as_it_was_said(language: str) -> None:
    world = load_world("harbour", language=language)
    for domain in world.schema.places:
        for slot in domain.slots:
            forms = forms_of(world.language, domain.key, slot)
            for band in slot.bands:
                said = say_band(forms, band)
                assert read_bounds(forms, said) == Bounds(band.low, band.high), said


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.sampled_from([YUAN, CROWNS, KRONEN, KRONA]))
def test_any_range_reads_back(low: int, more: int, forms: NumberForms) -> None:
    assert read_bounds(forms, say_band(forms, Band(low, low + more))) == Bounds(low, low + more)


@given(st.text(), st.sampled_from([YUAN, CROWNS, KRONEN, KRONA]))
def test_no_text_is_too_much(text: str, forms: NumberForms) -> None:
    bounds = read_bounds(forms, text)
    assert bounds is None or bounds != Bounds(None, None)


def test_numbers_are_said_with_their_unit() -> None:
    assert say_number(YUAN, 75) == "75元"
    assert say_number(YUAN, 1_500_000) == "1500000元"
    assert say_number(YUAN, 0) == "免费"
    assert say_number(KRONEN, 4.5) == "4,5 Kronen"


@pytest.mark.parametrize("band", [Band(4, None), Band(None, 4), Band(2, 4), Band(4, 4)])
def test_a_language_without_forms_says_every_band(band: Band) -> None:
    """The stars of `multiwoz`: at least and at most are said and read without words."""
    assert read_bounds(NumberForms(), say_band(NumberForms(), band)) == Bounds(band.low, band.high)
