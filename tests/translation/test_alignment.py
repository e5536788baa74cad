"""Values found, inflected or missing, in five languages."""

import pytest

from crosstalk.language.writing import writing_of
from crosstalk.translation.alignment import ValueState, align, align_segment
from crosstalk.translation.translation_segments import Segment


@pytest.mark.parametrize(
    ("language", "value", "text", "found"),
    [
        ("zh", "剑桥", "去剑桥的火车", ValueState.FOUND),
        ("zh", "星期四", "我要在周四出发", ValueState.INFLECTED),
        ("zh", "6", "我需要六张票", ValueState.INFLECTED),
        ("zh", "6", "16张票", ValueState.MISSING),
        ("zh", "昂贵的", "一家昂贵餐厅", ValueState.INFLECTED),
        ("zh", "白色福特", "一辆白色的福特", ValueState.INFLECTED),
        ("zh", "15:45", "下午3点45分之后", ValueState.INFLECTED),
        ("zh", "1", "我想要一张桌子", ValueState.MISSING),
        ("zh", "1", "一个人", ValueState.INFLECTED),
        ("zh", "北方", "在北部", ValueState.MISSING),
        ("zh", "tr1149", "乘坐TR1149离开", ValueState.FOUND),
        ("en", "guesthouse", "a guest house, please", ValueState.INFLECTED),
        ("en", "art", "a party", ValueState.MISSING),
        ("en", "centre", "in the center of town", ValueState.INFLECTED),
        ("en", "2", "for two people", ValueState.INFLECTED),
        ("de", "günstig", "ein günstiges Hotel", ValueState.INFLECTED),
        ("de", "Freitag", "ab FREITAG", ValueState.FOUND),
        ("de", "Norden", "im Süden", ValueState.MISSING),
        ("ru", "пятница", "в пятницу вечером", ValueState.INFLECTED),
        ("ru", "дешёвый", "дешевого отеля", ValueState.INFLECTED),
        ("ru", "центр", "на севере", ValueState.MISSING),
        ("ar", "الجمعة", "يوم الجُمعة", ValueState.FOUND),
        ("ar", "فندق", "في الفندق", ValueState.INFLECTED),
        ("ar", "متحف", "مطعم جيد", ValueState.MISSING),
        ("ar", "2", "طاولة لشخصين", ValueState.INFLECTED),
        ("ar", "1", "يوم الجمعة", ValueState.MISSING),
        ("sv", "fredag", "på fredag", ValueState.FOUND),
        ("sv", "fredag", "på lördag", ValueState.MISSING),
    ],
)
def test_a_value_in_its_utterance(language: str, value: str, text: str, found: ValueState) -> None:
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
        "hotel-day": ValueState.MISSING,
        "hotel-area": ValueState.UNSPOKEN,
        "hotel-parking": ValueState.IGNORED,
        "hotel-stars": ValueState.IGNORED,
        "hotel-people": ValueState.MISSING,
    }


def test_the_words_that_say_it_are_told() -> None:
    assert align("пятница", "в пятницу", writing_of("ru")) == (ValueState.INFLECTED, "пятницу")
    assert align("جمعة", "يوم الجمعة.", writing_of("ar")) == (ValueState.INFLECTED, "الجمعة")
    assert align("星期日", "周日出发", writing_of("zh")) == (ValueState.INFLECTED, "周日")


def test_nothing_is_in_an_empty_text() -> None:
    assert align("x", "", writing_of("en"))[0] is ValueState.MISSING
    assert align("", "x", writing_of("en"))[0] is ValueState.MISSING
