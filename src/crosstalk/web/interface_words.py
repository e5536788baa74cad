"""The texts of the interface: one file per language, `words/<code>.toml`, in sections."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "words"
DEFAULT: Final = "en"


@dataclass(frozen=True, slots=True)
class InterfaceWords:
    """Every text of one language, under `section.key`."""

    code: str
    name: str
    direction: str
    sections: Mapping[str, Mapping[str, str]]

    def __call__(self, key: str, **values: object) -> str:
        """The text of a key with its {placeholders} filled in; raises KeyError if unknown."""
        section, _, name = key.partition(".")
        text = self.sections[section][name]
        for placeholder, value in values.items():
            text = text.replace("{" + placeholder + "}", str(value))
        return text

    def count(self, key: str, number: int, **values: object) -> str:
        """A text about a number of things; `key_one` for one, if the language has it."""
        section, _, name = key.partition(".")
        single = number == 1 and f"{name}_one" in self.sections[section]
        return self(f"{key}_one" if single else key, n=number, **values)

    def maybe(self, key: str, otherwise: str) -> str:
        section, _, name = key.partition(".")
        return self.sections.get(section, {}).get(name, otherwise)

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

    def of(self, *sections: str) -> dict[str, dict[str, str]]:
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
    """The language of the interface for a browser's `Accept-Language`."""
    accepted = header.lower()
    return next((code for code in languages() if accepted.startswith(code)), DEFAULT)
