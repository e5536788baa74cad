"""The words of the interface: the same in every language, and all that pages ask for."""

import re
from pathlib import Path

import pytest

from crosstalk.web.interface_words import FOLDER, languages, words

WEB = FOLDER.parent
USED = re.compile(r"""\b(?:t|count|t\.count)\(["']([a-z]+\.[a-z_0-9]+)["'][,)]""")
"""Keys that are written out in templates and scripts."""


def keys(code: str) -> set[str]:
    """Without those for one thing, and those for tables that are told in English."""
    sections = {name: texts for name, texts in words(code).sections.items() if name != "statistics"}
    found = {f"{section}.{key}" for section, texts in sections.items() for key in texts}
    return {key for key in found if not key.endswith("_one")}


def placeholders(code: str, key: str) -> set[str]:
    section, _, name = key.partition(".")
    return set(re.findall(r"\{(\w+)\}", words(code).sections[section][name]))


def test_every_language_has_the_same_words() -> None:
    assert set(languages()) >= {"en", "zh"}
    for code in languages():
        assert keys(code) == keys("en"), code
        for key in keys(code):
            assert placeholders(code, key) == placeholders("en", key), (code, key)


def sources() -> list[Path]:
    return sorted([*WEB.glob("templates/**/*.html"), *WEB.glob("static/*.js")])


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_pages_ask_for_words_that_are_there(path: Path) -> None:
    asked = set(USED.findall(path.read_text("utf-8")))
    missing = {key for key in asked if key not in keys("en")}
    assert not missing


def test_a_count_of_one_has_its_own_words_where_the_language_does() -> None:
    assert words("en").count("room.missing", 1) == "1 cell is still empty"
    assert words("en").count("room.missing", 3) == "3 cells are still empty"
    assert words("zh").count("room.missing", 1) == "还有 1 个空格"


def test_scripts_and_templates_hold_no_markup_from_text() -> None:
    """User text goes through textContent and autoescaping only; styles and scripts are files."""
    for path in sources():
        source = path.read_text("utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", source
        )
        assert not re.search(r"\|\s*safe\b|<style|\sstyle=|\son\w+=\"", source), path.name
