"""Words by which the judge reads prose, from `language/data/<code>/judging.toml`.

words = judging_words("de")
words.has("refusing", plain("Leider gibt es nichts"))
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from crosstalk.language.patterns import pattern
from crosstalk.language.writing import DATA, primary

FILE: Final = "judging.toml"


@dataclass(frozen=True)
class ClockWords:
    """How a language says times of day in words."""

    oclock: tuple[str, ...] = ()
    morning: tuple[str, ...] = ()
    afternoon: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    """Between the ends of a stretch of time."""
    origin: tuple[str, ...] = ()
    """Before a time: from, at, until."""
    shifted: tuple[tuple[str, int], ...] = ()
    """Phrases with `{h}` -> minutes before or after that hour."""
    named: tuple[tuple[str, int], ...] = ()
    """Words for a time -> minutes since midnight."""
    hours: tuple[tuple[str, int], ...] = ()
    """Words for an hour -> the hour."""
    counted: tuple[tuple[str, int], ...] = ()
    """Numbers that are hours beside a part of the day: `ستة المسا`."""


@dataclass(frozen=True)
class JudgingWords:
    """The cues of one language; one without a file has none."""

    language: str
    cues: Mapping[str, re.Pattern[str]]
    clock: ClockWords

    @property
    def is_known(self) -> bool:
        return bool(self.cues)

    def has(self, cue: str, plain_text: str) -> bool:
        found = self.cues.get(cue)
        return bool(found and found.search(plain_text))

    def spans(self, cue: str, plain_text: str) -> list[tuple[int, int]]:
        found = self.cues.get(cue)
        return [match.span() for match in found.finditer(plain_text)] if found else []


@cache
def judging_words(code: str) -> JudgingWords:
    """The words of a language; a code may name a region too."""
    file = DATA / primary(code) / FILE
    read: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    cues = {key: pattern(phrases, code) for key, phrases in read.get("cues", {}).items()}
    return JudgingWords(code, cues, _clock(read.get("clock", {})))


def _clock(read: Mapping[str, Any]) -> ClockWords:
    return ClockWords(
        oclock=tuple(read.get("oclock", ())),
        morning=tuple(read.get("morning", ())),
        afternoon=tuple(read.get("afternoon", ())),
        to=tuple(read.get("to", ())),
        origin=tuple(read.get("from", ())),
        shifted=tuple(read.get("shifted", {}).items()),
        named=tuple(read.get("named", {}).items()),
        hours=tuple(read.get("hours", {}).items()),
        counted=tuple(read.get("counted", {}).items()),
    )
