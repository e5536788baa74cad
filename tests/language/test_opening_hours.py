"""Opening hours as tables have them, with days in full, in short, in lists and in stretches."""

import pytest

from crosstalk.language.opening_hours import OpeningHours
from crosstalk.language.phrases import load_phrases
from crosstalk.worlds.moments import Moments
from crosstalk.worlds.world import load_world


def hours(code: str) -> OpeningHours:
    world = load_world("harbour", language=code)
    assert world.folder is not None
    book = load_phrases(world.folder, world.language, world.schema)
    return OpeningHours(book, world.language.days)


def open_days(code: str, text: str, time: str = "10:00") -> str:
    read = hours(code)
    days = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    return "".join("x" if read.meets(text, f"{day} {time}") else "." for day in days)


@pytest.mark.parametrize(
    ("code", "text", "days"),
    [
        ("en", "Tuesday to Sunday 9:00-18:00", ".xxxxxx"),
        ("en", "Mon-Sat 9:00-18:00", "xxxxxx."),
        ("en", "Wed–Sun 9:00–18:00", "..xxxxx"),
        ("en", "Mon, Wed, Fri 9:00-18:00", "x.x.x.."),
        ("en", "Monday and Thursday 9:00-12:00", "x..x..."),
        ("en", "Mon/Thu 9:00-12:00", "x..x..."),
        ("en", "Mon-Fri 9:00-18:00 Sat 9:30-12:00", "xxxxxx."),
        ("en", "Mon-Fri 8:00-9:00, 9:30-18:00; Sun 12:00-15:00", "xxxxx.."),
        ("en", "Fri to Mon 9 am - 6 pm", "x...xxx"),
        ("en", "Monday to Saturday 9:00-18:00, closed on Sundays", "xxxxxx."),
        ("en", "every day except Monday 9:00-18:00", ".xxxxxx"),
        ("en", "9:00-18:00, closed Mondays", ".xxxxxx"),
        ("en", "Tue & Thu 9-16", ".x.x..."),
        ("en", "Mon-Fri 8.30-12.00 and 13.00-17.00", "xxxxx.."),
        ("en", "24/7", "xxxxxxx"),
        ("de", "Mo-Sa 9:00-18:00 Uhr", "xxxxxx."),
        ("de", "Mo–Fr 8–12 und 14–18 Uhr", "xxxxx.."),
        ("de", "montags geschlossen, sonst 9–18 Uhr", ".xxxxxx"),
        ("ru", "ежедневно, кроме понедельника, 9:00–18:00", ".xxxxxx"),
        ("zh", "周二、周四9:00-16:00", ".x.x..."),
        ("zh", "周末休息，工作日9:00-18:00", "xxxxx.."),
        ("ar", "يوميا ما عدا الجمعة 9:00-22:00", "xxxx.xx"),
        ("de", "Mi–So 9:00–18:00", "..xxxxx"),
        ("de", "Montag und Donnerstag 9:00-12:00", "x..x..."),
        ("ru", "Пн-Пт 9:00-18:00", "xxxxx.."),
        ("ru", "со среды по воскресенье с 9:30 до 22:30", "..xxxxx"),
        ("zh", "周六,周日 09:00-21:00  周一至周三 09:00-19:00", "xxx..xx"),
        ("ar", "من الاثنين إلى الخميس 9:00-18:00", "xxxx..."),
    ],
)
def test_days(code: str, text: str, days: str) -> None:
    assert open_days(code, text) == days


def test_halves_of_the_day() -> None:
    text = "it opens on sunday from 2:00 p.m. to 5:00 p.m."
    assert hours("en").meets(text, "sun 15:00")
    assert not hours("en").meets(text, "sun 4:00")


def test_a_language_without_phrases_has_its_days() -> None:
    days = ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche")
    read = OpeningHours(None, days, language="fr")
    assert read.meets("lun-ven 9:00-18:00", "wed 9:00")
    assert not read.meets("lun-ven 9:00-18:00", "sat 9:00")


def test_a_wish_names_the_day_in_the_language() -> None:
    moments = Moments(load_world("harbour", language="de"))
    assert moments.is_open("Di-So 9:00-18:00", "Montag 9:00") is False
    assert moments.is_open("Di-So 9:00-18:00", "Dienstag 9:00") is True
