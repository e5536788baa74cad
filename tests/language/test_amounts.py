import pytest

from crosstalk.language.number_forms import Bounds
from crosstalk.language.training_phrases import AmountReader, load_book
from crosstalk.worlds.world import find_world


@pytest.mark.parametrize(
    ("code", "text", "bounds"),
    [
        ("en", "under 100 crowns", Bounds(None, 100)),
        ("en", "no more than two hundred fifty", Bounds(None, 250)),
        ("en", "not less than 4.5", Bounds(None, 4.5)),  # "less than": the book has no "not less"
        ("en", "no less than 4.5", Bounds(4.5, None)),
        ("en", "between 20 and 50", Bounds(20, 50)),
        ("en", "1,200", Bounds(1200, 1200)),
        ("en", "4.5 out of 5 or better", Bounds(4.5, None)),
        ("ar", "4 من 5 فأكثر", Bounds(4, None)),
        ("ru", "4,5 из 5 и выше", Bounds(4.5, None)),
        ("de", "höchstens zweihundertfünfzig Kronen", Bounds(None, 250)),
        ("de", "mindestens 4,5", Bounds(4.5, None)),
        ("ru", "не дороже трёхсот крон", Bounds(None, 300)),
        ("ru", "от 20 до 50", Bounds(20, 50)),
        ("zh", "两百五十以内", Bounds(None, 250)),
        ("zh", "四百左右", Bounds(320, 480)),
        ("ar", "بحد أقصى أربعمئة", Bounds(None, 400)),
        ("ar", "بين 20 و50", Bounds(20, 50)),
    ],
)
def test_amounts_as_people_say_them(code: str, text: str, bounds: Bounds) -> None:
    assert AmountReader(load_book(find_world("harbour"), code).numbers).read(text) == bounds


@pytest.mark.parametrize("text", ["cheap", "½", "", "a+b"])
def test_no_number_no_amount(text: str) -> None:
    assert AmountReader(load_book(find_world("harbour"), "en").numbers).read(text) is None


def test_arabic_digits_are_digits() -> None:
    reader = AmountReader(load_book(find_world("harbour"), "ar").numbers)
    assert reader.read("أقل من ٣٠٠") == Bounds(None, 300)
