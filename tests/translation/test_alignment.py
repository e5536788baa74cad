"""Values found, inflected or missing, in five languages."""

import pytest

from crosstalk.language.writing import writing_of
from crosstalk.translation.alignment import Found, align, align_segment
from crosstalk.translation.segments import Segment


@pytest.mark.parametrize(
    ("language", "value", "text", "found"),
    [
        ("zh", "剑桥", "去剑桥的火车", Found.FOUND),
        ("zh", "星期四", "我要在周四出发", Found.INFLECTED),
        ("zh", "6", "我需要六张票", Found.INFLECTED),
        ("zh", "6", "16张票", Found.MISSING),
        ("zh", "昂贵的", "一家昂贵餐厅", Found.INFLECTED),
        ("zh", "白色福特", "一辆白色的福特", Found.INFLECTED),
        ("zh", "15:45", "下午3点45分之后", Found.INFLECTED),
        ("zh", "1", "我想要一张桌子", Found.MISSING),
        ("zh", "1", "一个人", Found.INFLECTED),
        ("zh", "北方", "在北部", Found.MISSING),
        ("zh", "tr1149", "乘坐TR1149离开", Found.FOUND),
        ("en", "guesthouse", "a guest house, please", Found.INFLECTED),
        ("en", "art", "a party", Found.MISSING),
        ("en", "centre", "in the center of town", Found.INFLECTED),
        ("en", "2", "for two people", Found.INFLECTED),
        ("de", "günstig", "ein günstiges Hotel", Found.INFLECTED),
        ("de", "Freitag", "ab FREITAG", Found.FOUND),
        ("de", "Norden", "im Süden", Found.MISSING),
        ("ru", "пятница", "в пятницу вечером", Found.INFLECTED),
        ("ru", "дешёвый", "дешевого отеля", Found.INFLECTED),
        ("ru", "центр", "на севере", Found.MISSING),
        ("ar", "الجمعة", "يوم الجُمعة", Found.FOUND),
        ("ar", "فندق", "في الفندق", Found.INFLECTED),
        ("ar", "متحف", "مطعم جيد", Found.MISSING),
        ("ar", "2", "طاولة لشخصين", Found.INFLECTED),
        ("ar", "1", "يوم الجمعة", Found.MISSING),
        ("sv", "fredag", "på fredag", Found.FOUND),
        ("sv", "fredag", "på lördag", Found.MISSING),
    ],
)
def test_a_value_in_its_utterance(language: str, value: str, text: str, found: Found) -> None:
    assert align(value, text, writing_of(language))[0] is found


def test_labels_are_ignored_and_context_is_told_apart() -> None:
    segment = Segment(
        "d",
        0,
        "Yes, book it for friday.",
        (
            ("hotel-day", "friday"),
            ("hotel-area", "north"),
            ("hotel-parking", "yes"),
            ("hotel-stars", "dontcare"),
            ("hotel-people", "2"),
        ),
        machine="Ja, buchen Sie es für Montag.",
        machine_values=(
            ("hotel-day", "Freitag"),
            ("hotel-area", "Norden"),
            ("hotel-parking", "ja"),
            ("hotel-stars", "dontcare"),
        ),
    )
    found = {each.slot: each.found for each in align_segment(segment, "en", "de")}
    assert found == {
        "hotel-day": Found.MISSING,
        "hotel-area": Found.UNSPOKEN,
        "hotel-parking": Found.IGNORED,
        "hotel-stars": Found.IGNORED,
        "hotel-people": Found.MISSING,
    }


def test_the_words_that_say_it_are_told() -> None:
    assert align("пятница", "в пятницу", writing_of("ru")) == (Found.INFLECTED, "пятницу")
    assert align("جمعة", "يوم الجمعة.", writing_of("ar")) == (Found.INFLECTED, "الجمعة")
    assert align("星期日", "周日出发", writing_of("zh")) == (Found.INFLECTED, "周日")


def test_nothing_is_in_an_empty_text() -> None:
    assert align("x", "", writing_of("en"))[0] is Found.MISSING
    assert align("", "x", writing_of("en"))[0] is Found.MISSING
