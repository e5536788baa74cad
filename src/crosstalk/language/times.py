"""Times of day.

    times_of(writing_of("en")).find("at 5:45 pm")[0].written              ->  1065

`TimeReader` is the one reader of `15:45`, `3:45 PM`, `um 16 Uhr 15` and `下午四点半`; the words
around hours and minutes come from `writing.toml`. It reads texts in the form of `comparable`, or
tokens joined by single spaces.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.language.writing import Writing, numerals_of

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY: Final = 24 * 60
HALF_DAY: Final = 12 * 60
_MARKS: Final = ":："
_MISTYPED: Final = ":：;."
_PIECE: Final = re.compile(r"\w+|[^\w\s]")
_BEGINS: Final = r"(?<!\d)(?<!\d[.,:])"
_NEVER: Final = "(?!)"


@dataclass(frozen=True, slots=True)
class DayTime:
    """A time of day and the characters it is written in."""

    start: int
    end: int
    core: tuple[int, int]
    """Position of hour and minutes, without words for a part of the day."""
    written: int
    """Minutes since midnight, with the hour as written."""
    minutes: frozenset[int]
    """Possible minutes; two if the half of the day is not given."""


@cache
def times_of(table: Writing, *, loose: bool = False) -> "TimeReader":
    """The reader of a language.

    `loose` also takes `17.15`, `17;15`, `1715` and words for noon, and reads hours in digits alone.
    """
    return TimeReader(table, loose=loose)


class TimeReader:
    """Finds the times of day in texts of one language."""

    def __init__(self, table: Writing, *, loose: bool = False) -> None:
        self._table = table
        self._loose = loose
        self._afternoon = frozenset(_tight(comparable(each)) for each in table.afternoon)

    def find(self, text: str) -> list[DayTime]:
        """The times of a text; those in digits first, because they are the most certain."""
        found: list[DayTime] = []
        for pattern in self._patterns:
            for match in pattern.finditer(text):
                if time := self._time(match):
                    found.append(time)
                    text = text[: time.start] + " " * (time.end - time.start) + text[time.end :]
        return found

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(pattern) for pattern in self._expressions())

    def _expressions(self) -> Iterator[str]:
        table = self._table
        part = self._any([*table.morning, *table.afternoon])
        early, late = rf"(?:(?P<before>{part})\s*)?", rf"(?:\s*(?P<after>{part})(?!\w))?"
        hour = rf"{_BEGINS}(?P<hour>\d{{1,2}}|{self._numeral})"
        marks = _MISTYPED if self._loose else _MARKS
        yield rf"{early}(?P<core>{hour}[{marks}](?P<minute>[0-5]\d))(?!\d){late}"
        if self._loose:
            hours, minutes = "(?P<hour>[01]\\d|2[0-4])", "(?P<minute>[0-5]\\d)"
            yield rf"(?<![\w:])(?P<core>{hours}{minutes})(?![\w:]){late}"
        if table.hour:
            oclock = f"(?:{self._any(table.hour)})"
            yield rf"{early}(?P<core>{hour}\s*{oclock}(?:\s*(?:{self._minute}))?){late}"
            yield rf"{early}(?P<core>{hour}\.(?P<minute>[0-5]\d)\s*{oclock}){late}"
        if table.spaced:
            yield rf"(?P<core>{hour}\s*(?P<after>{part}))(?!\w)"
        if self._loose:
            begins = r"(?<!\w)" if table.spaced else ""
            yield rf"{begins}(?P<core>(?P<noon>{self._any(table.noon)}))"

    @property
    def _numeral(self) -> str:
        """Numerals of a language that writes no spaces; elsewhere hours are written in digits."""
        digits_only = self._loose or self._table.spaced
        signs = "" if digits_only else "".join(self._table.number_words)
        return rf"[{signs}]{{1,3}}" if signs else _NEVER

    @property
    def _minute(self) -> str:
        """Minutes behind an hour in words: two digits, or one before the word for minutes."""
        table = self._table
        named = rf"(?=\s*{table.minute})" if table.minute else _NEVER
        signs = self._numeral.replace("{1,3}", "{2,3}")
        minute = rf"(?P<minute>[0-5]\d|{signs}|(?:\d|{self._numeral}){named})"
        if not table.half:
            return minute
        quarter = rf"(?P<quarter>{self._numeral}|\d){table.quarter}"
        return rf"{quarter}|{minute}|(?P<half>{table.half})"

    def _any(self, texts: Sequence[str]) -> str:
        """Any of some texts, whatever spaces stand between their parts."""
        longest_first = sorted(map(comparable, texts), key=len, reverse=True)
        pieces = (_PIECE.findall(each) if self._table.spaced else each for each in longest_first)
        return "|".join(r"\s*".join(map(re.escape, each)) for each in pieces) or _NEVER

    def _time(self, match: re.Match[str]) -> DayTime | None:
        groups = match.groupdict()
        if _tight(match[0]) in self._table.not_times:
            return None
        hour, minute = (12, 0) if groups.get("noon") else self._hour_and_minute(groups)
        if hour > 24 or minute > 59:
            return None
        said = _tight(groups.get("before") or groups.get("after") or "")
        at = hour * 60 + minute
        if said in self._afternoon:
            at = at if hour >= 12 else at + HALF_DAY
        elif said and hour == 12:
            at -= HALF_DAY
        sure = said or hour > 12 or hour == 0
        meant = {at % DAY} if sure else {at, (at + HALF_DAY) % DAY}
        return DayTime(match.start(), match.end(), match.span("core"), at, frozenset(meant))

    def _hour_and_minute(self, groups: dict[str, str | None]) -> tuple[int, int]:
        if groups.get("half"):
            minute = 30
        elif quarter := groups.get("quarter"):
            minute = 15 * self._whole(quarter)
        else:
            minute = self._whole(groups.get("minute") or "0")
        return self._whole(groups["hour"] or "0"), minute

    def _whole(self, text: str) -> int:
        if text.isdecimal():
            return int(text)
        number = numerals_of(self._table).at(list(text), 0)
        return int(number.value) if number else DAY


def minutes_of(time: str) -> int:
    """The minutes from midnight to a time of the tables, `HH:MM`."""
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


def _tight(text: str) -> str:
    return "".join(text.split())
