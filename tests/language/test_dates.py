"""Dates as people say them, in five languages; today is Monday, 1 June 2026."""

from datetime import date

import pytest

from crosstalk.language.dates import Dates, weekday_cues
from crosstalk.language.normalize import comparable
from crosstalk.language.phrases import load_phrases
from crosstalk.language.writing import writing_of
from crosstalk.worlds.world import load_world


def dates(code: str) -> Dates:
    world = load_world("harbour", language=code)
    assert world.folder is not None
    cues = weekday_cues(load_phrases(world.folder, world.language, world.schema).cues)
    return Dates(writing_of(code), world.language.days, today=date(2026, 6, 1), cues=cues)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Friday 5 June"),
        ("de", "Freitag, den 5. Juni"),
        ("zh", "6月5日星期五"),
        ("ar", "الجمعة 5 يونيو"),
        ("ru", "пятница, 5 июня"),
    ],
)
def test_what_is_said_is_read(code: str, said: str) -> None:
    assert dates(code).say("2026-06-05") == said
    assert [found.date for found in dates(code).find(comparable(said))] == ["2026-06-05"]


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "tomorrow at 8", ["2026-06-02"]),
        ("en", "on Friday, or on June 9th", ["2026-06-09"]),
        ("en", "next Monday", ["2026-06-08"]),
        ("en", "from 2026-06-30 on", ["2026-06-30"]),
        ("en", "on 31 June", []),
        ("en", "on 3 January", ["2026-01-03"]),
        ("de", "am 5.6. um 9 Uhr", ["2026-06-05"]),
        ("de", "übermorgen", ["2026-06-03"]),
        ("zh", "后天晚上", ["2026-06-03"]),
        ("zh", "下星期五", ["2026-06-05"]),
        ("ar", "غدًا", ["2026-06-02"]),
        ("ru", "в пятницу", ["2026-06-05"]),
        ("ru", "5-го июня", ["2026-06-05"]),
    ],
)
def test_dates_in_requests(code: str, text: str, found: list[str]) -> None:
    assert [each.date for each in dates(code).find(comparable(text))] == found


def test_within_a_week_a_day_is_enough() -> None:
    assert dates("en").say("2026-06-05", brief=True) == "Friday"
    assert dates("en").say("2026-06-08", brief=True) == "Monday 8 June", "Monday is today"


def test_without_today_only_full_dates_are_read() -> None:
    english = Dates(writing_of("en"))
    assert english.find("on friday 5 june, tomorrow") == []
    assert [each.date for each in english.find("on 2026-06-05")] == ["2026-06-05"]
