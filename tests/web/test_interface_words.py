"""The words of the interface: the same in every language, and all that pages ask for."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from crosstalk.collection.events import RETURN_REASONS
from crosstalk.collection.rooms import Status
from crosstalk.collection.study import Moment, Outcome
from crosstalk.collection.turn_checks import CODES
from crosstalk.labels.findings import RULES
from crosstalk.translation.error_marks import CATEGORIES, WEIGHTS
from crosstalk.web.collect.settings import KNOWN
from crosstalk.web.interface_words import FOLDER, OTHER, Text, accepted_language, languages, words
from crosstalk.web.store.role_store import GRANTED

WEB = FOLDER.parent
USED = re.compile(r"""\b(?:t|count|t\.count)\(["']([a-z]+\.[a-z_0-9]+)["'][,)]""")
"""Keys that are written out in templates and scripts."""
COUNTED = re.compile(r"""\bcount\(["']([a-z]+\.[a-z_0-9]+)["'],""")
NUMBERS = range(201)
LANGUAGES = ("ar", "de", "en", "ru", "zh")


def texts(code: str) -> dict[str, Text]:
    """Without those for tables that are told in English."""
    sections = {name: each for name, each in words(code).sections.items() if name != "statistics"}
    return {
        f"{section}.{key}": text for section, each in sections.items() for key, text in each.items()
    }


def counted(code: str) -> dict[str, dict[str, str]]:
    return {key: dict(text) for key, text in texts(code).items() if not isinstance(text, str)}


def placeholders(text: str) -> Counter[str]:
    return Counter(re.findall(r"\{(\w+)\}", text))


def test_the_languages_are_those_of_the_world() -> None:
    assert tuple(languages()) == LANGUAGES


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_same_words(code: str) -> None:
    assert texts(code).keys() == texts("en").keys()
    assert counted(code).keys() == counted("en").keys()
    for key, text in texts(code).items():
        english = texts("en")[key]
        if isinstance(text, str) and isinstance(english, str):
            assert placeholders(text) == placeholders(english), key
            assert text.strip() == text or english.strip() != english, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_counted_text_has_exactly_the_plural_forms_of_its_language(code: str) -> None:
    """One that stands for several numbers says which; others may put it into words."""
    plural = words(code).locale.plural_form
    numbers = Counter(plural(number) for number in NUMBERS)
    for key, forms in counted(code).items():
        assert forms.keys() == {*plural.tags, OTHER}, key
        for category, text in forms.items():
            assert not placeholders(text).keys() - {"n"}, key
            assert "{n}" in text or numbers[category] == 1, (key, category)


def test_numbers_choose_the_form_that_the_language_has_for_them() -> None:
    missing = {code: words(code).count for code in LANGUAGES}
    assert missing["en"]("room.missing", 1) == "1 cell is still empty"
    assert missing["en"]("room.missing", 3) == "3 cells are still empty"
    assert missing["zh"]("room.missing", 1) == "还有 1 个空格"
    assert missing["de"]("room.found", 1234) == "1.234 Treffer"
    russian = [missing["ru"]("room.found", number) for number in (1, 2, 5, 11, 21, 104)]
    endings = ("результат", "результата", "результатов", "результатов", "результат", "результата")
    assert [each.split()[-1] for each in russian] == list(endings)
    arabic = [missing["ar"]("room.found", number) for number in (1, 2, 3, 11, 100)]
    assert arabic == ["نتيجة واحدة", "نتيجتان", "3 نتائج", "11 نتيجة", "100 نتيجة"]


def test_numbers_and_days_are_written_as_the_language_does() -> None:
    moment = 1_795_000_000.0
    assert words("en").number(1234.5, 2) == "1,234.50"
    assert words("de").number(1234.5, 2) == "1.234,50"
    assert words("ar").number(12) == "12"  # Western digits, as in the forms
    assert words("en").day(moment) == "Nov 18, 2026, 11:06"
    assert words("de").day(moment) == "18. Nov. 2026, 11:06"
    assert words("zh").day(moment) == "2026年11月18日 11:06"
    assert words("en").day(None) == ""


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ("", "en"),
        ("fr", "en"),
        ("*", "en"),
        ("de-AT,de;q=0.8,en;q=0.5", "de"),
        ("fr, en;q=0.3, zh-CN;q=0.7", "zh"),
        ("EN-us;q=0.3,RU;q=0.4", "ru"),
        ("zh;q=0, ar;q=0.1", "ar"),
        ("de;q=much, zh;q=0.2", "zh"),
        ("den;q=1, ar;q=0.2", "ar"),
        (",;=q;;," * 5000, "en"),
    ],
)
def test_the_browser_says_which_language_it_prefers(header: str, code: str) -> None:
    assert accepted_language(header) == code


def sources() -> list[Path]:
    return sorted([*WEB.glob("templates/**/*.html"), *WEB.glob("static/*.js")])


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_pages_ask_for_words_that_are_there(path: Path) -> None:
    source = path.read_text("utf-8")
    assert not set(USED.findall(source)) - texts("en").keys()
    assert not set(COUNTED.findall(source)) - counted("en").keys()


MADE_UP: dict[str, Iterable[str]] = {
    "hints.{}": CODES.values(),
    "findings.{}": RULES,
    "study.outcome_{}": Outcome,
    "study.short_{}": Outcome,
    "study.moment_{}": Moment,
    "common.reason_{}": RETURN_REASONS,
    "common.status_{}": Status,
    "admin.role_{}": GRANTED,
    "translate.mark_{}": CATEGORIES,
    "translate.severity_{}": WEIGHTS,
    "admin.setting_{}": [each.name for each in KNOWN],
}
"""Keys that are put together: what stands in the gap."""


@pytest.mark.parametrize("pattern", MADE_UP)
def test_keys_that_are_put_together_have_words(pattern: str) -> None:
    assert not {pattern.format(each) for each in MADE_UP[pattern]} - texts("en").keys()


def test_scripts_and_templates_hold_no_markup_from_text() -> None:
    """User text goes through textContent and autoescaping only; styles and scripts are files."""
    for path in sources():
        source = path.read_text("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", source
        )
        assert not re.search(r"\|\s*safe\b|<style|\sstyle=|\son\w+=\"", source), path.name


def test_styles_follow_the_direction_of_writing() -> None:
    """Left and right would be wrong in Arabic; inline-start and inline-end are right in both."""
    physical = re.compile(
        r"(?<![\w-])((margin|padding|border)-(left|right)|left|right|float:\s*(left|right)"
        r"|text-align:\s*(left|right))\s*[:;]"
    )
    for path in sorted(WEB.glob("static/*.css")):
        assert not physical.search(path.read_text("utf-8")), path.name
