"""How languages write numbers, times and inflected words: `tables/<code>.toml`, one file each.

A language without a file is checked by what is true of all: literal text and digits.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

from crosstalk.language.identify import primary

FOLDER: Final = Path(__file__).parent / "tables"


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """What a checker knows of one language; the defaults know nothing."""

    code: str
    script: str = ""
    """latin, cyrillic, arabic or han; empty: unknown."""
    direction: Literal["ltr", "rtl"] = "ltr"
    spaced: bool = True
    """Whether words are parted by spaces."""
    yes_no: tuple[str, ...] = ()
    """Values that say whether something is wanted: no text holds them as words."""
    endings: int = 0
    """Letters at the end of a word by which inflected forms may differ."""
    articles: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    """What may be written together with the word that follows."""
    numerals: Mapping[str, int] = field(default_factory=dict, hash=False)
    counted: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """Numerals that are articles too, and what they stand before when they count."""
    implied: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Words that say a number by themselves: an hour, the dual of a noun."""
    units: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Signs that multiply the numeral before them: ten, hundred."""
    morning: tuple[str, ...] = ()
    afternoon: tuple[str, ...] = ()
    hour: tuple[str, ...] = ()
    """What stands between hours and minutes, or after full hours, beside a colon."""
    minute: str = ""
    half: str = ""
    quarter: str = ""
    not_times: tuple[str, ...] = ()
    """What reads like an hour and means something else: `一点`, a little."""
    variants: tuple[tuple[str, ...], ...] = ()
    """Groups of spellings of one and the same word."""
    fillers: tuple[str, ...] = ()
    """Particles that may stand inside a value or not."""
    generic: tuple[str, ...] = ()
    """Words at either end of a value that a text may leave out."""


@cache
def language_table(code: str) -> LanguageTable:
    file = FOLDER / f"{primary(code)}.toml"
    if not code or not file.is_file():
        return LanguageTable(code)
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    read["variants"] = tuple(tuple(group) for group in read.get("variants", ()))
    for name, value in read.items():
        read[name] = tuple(value) if isinstance(value, list) else value
    return LanguageTable(code, **read)
