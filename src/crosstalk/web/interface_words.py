"""The texts of the interface: one file per language, `words/<code>.toml`, in sections.

A text that depends on a number is a table with one form for each plural category of the language:
`found = {one = "{n} found", other = "{n} found"}`. Babel says which category a number has, on
pages; the browser's `Intl.PluralRules` does in scripts. Both follow CLDR.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale, negotiate_locale
from babel.dates import format_skeleton
from babel.numbers import format_decimal

FOLDER: Final = Path(__file__).parent / "words"
DEFAULT: Final = "en"
OTHER: Final = "other"
"""The plural category that every language has."""
FIRST_STRONG: Final = "\u2068"
POP: Final = "\u2069"
"""Unicode's marks around a text that is written in the direction of its own first letter."""
Text = str | Mapping[str, str]
"""A text, or one for each plural category."""


@dataclass(frozen=True, slots=True)
class InterfaceWords:
    """Every text of one language, under `section.key`."""

    code: str
    name: str
    direction: str
    sections: Mapping[str, Mapping[str, Text]]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its {placeholders} filled in; raises KeyError if unknown."""
        text = self._text(key)
        if not isinstance(text, str):
            raise KeyError(f"{key} depends on a number")
        return self._filled(text, values)

    def count(self, key: str, number: int, **values: object) -> str:
        """A text about a number of things, in the form that the language has for the number."""
        text = self._text(key)
        form = text if isinstance(text, str) else self._form(text, number)
        return self._filled(form.replace("{n}", self.number(number)), values)

    def _filled(self, text: str, values: Mapping[str, object]) -> str:
        """Names keep their own direction in a sentence from right to left."""
        for placeholder, value in values.items():
            isolated = self.direction == "rtl" and isinstance(value, str)
            shown = f"{FIRST_STRONG}{value}{POP}" if isolated else str(value)
            text = text.replace("{" + placeholder + "}", shown)
        return text

    def _text(self, key: str) -> Text:
        section, _, name = key.partition(".")
        return self.sections[section][name]

    def _form(self, forms: Mapping[str, str], number: int) -> str:
        return forms.get(self.locale.plural_form(number), forms[OTHER])

    @property
    def locale(self) -> Locale:
        return Locale.parse(self.code)

    def number(self, value: float, places: int | None = None) -> str:
        """A number as the language writes it, with Western digits."""
        pattern = None if places is None else f"#,##0.{'0' * places}"
        return format_decimal(value, pattern, locale=self.locale, numbering_system="latn")

    def day(self, moment: float | None) -> str:
        """A time (seconds since 1970) as date and time, UTC."""
        if not moment:
            return ""
        when = datetime.fromtimestamp(moment, UTC)
        date = format_skeleton("yMMMd", when, locale=self.locale)
        both = str(self.locale.datetime_formats["medium"])
        return both.format(f"{when:%H:%M}", date).replace("'", "")

    def maybe(self, key: str, otherwise: str) -> str:
        section, _, name = key.partition(".")
        text = self.sections.get(section, {}).get(name, otherwise)
        return text if isinstance(text, str) else otherwise

    def told(self, title: str) -> str:
        """The translated title of a statistics table, whose parts are translated separately."""
        start, colon, rest = title.partition(": ")
        if not colon or f"{start}:" not in self.sections.get("statistics", {}):
            return self.maybe(f"statistics.{title}", title)
        words, closing = (
            rest.removesuffix(")"),
            self.maybe("statistics.)", ")") if rest.endswith(")") else "",
        )
        told = self.maybe(f"statistics.{words}", words)
        return self.maybe(f"statistics.{start}:", start) + told + closing

    def of(self, *sections: str) -> dict[str, dict[str, Text]]:
        """Sections of texts for a script."""
        return {section: dict(self.sections[section]) for section in sections}


@cache
def words(code: str) -> InterfaceWords:
    with (FOLDER / f"{code}.toml").open("rb") as file:
        read = tomllib.load(file)
    about = read.pop("language")
    return InterfaceWords(code, about["name"], about["direction"], read)


@cache
def languages() -> dict[str, str]:
    """The languages of the interface, by code, each under its own name."""
    codes = sorted(path.stem for path in FOLDER.glob("*.toml"))
    return {code: words(code).name for code in codes}


def accepted_language(header: str) -> str:
    """The language of the interface for a browser's `Accept-Language`: the one it prefers most."""
    weighed = sorted(_weighed(header), key=lambda each: -each[0])
    return negotiate_locale([tag for _, tag in weighed], languages(), sep="-") or DEFAULT


MOST_TAGS: Final = 50
"""Browsers send a handful; a header of thousands is no reason to work."""


def _weighed(header: str) -> Iterator[tuple[float, str]]:
    for part in header.lower().split(",", MOST_TAGS)[:MOST_TAGS]:
        tag, _, weight = part.replace(" ", "").partition(";q=")
        try:
            preferred = float(weight or 1)
        except ValueError:
            continue
        if tag and preferred > 0:
            yield preferred, tag
