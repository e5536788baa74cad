"""How a language is written: `writing_of("zh").full_stop`. The table is `data/<code>/writing.toml`.

Spaces, marks, numerals, times of day, endings. A language without a file is read by what is true of
most: words between spaces, digits, literal text.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

from crosstalk.language.identify import primary

DATA: Final = Path(__file__).parent / "data"
"""One folder a language with `phrases.toml`, `writing.toml`, `states.toml`; each may be missing."""


@dataclass(frozen=True, slots=True)
class Writing:
    """One language; the defaults hold for every language that has no table."""

    code: str
    script: str = ""
    """latin, cyrillic, arabic or han; empty: unknown."""
    direction: Literal["ltr", "rtl"] = "ltr"
    spaced: bool = True
    """Whether words are parted by spaces."""
    divided: Literal["spaces", "jieba"] = "spaces"
    """How the words of a text are found."""
    full_stop: str = "."
    ranges: tuple[str, ...] = (" - ", "-", "–")
    """What people write between the two ends of a range."""
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
    point: str = ""
    """What stands between a number in signs and its decimals."""
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
def writing_of(code: str) -> Writing:
    """How the language of a code is written; a code may name a region too."""
    file = DATA / primary(code) / "writing.toml"
    if not code or not file.is_file():
        return Writing(code)
    read = tomllib.loads(file.read_text(encoding="utf-8"))
    read["variants"] = tuple(tuple(group) for group in read.get("variants", ()))
    for name, value in read.items():
        read[name] = tuple(value) if isinstance(value, list) else value
    return Writing(code, **read)
