"""Times of day and opening hours.

    times_of(writing_of("en")).find("at 5:45 pm")[0].written              ->  1065
    OpeningHours(book).meets("Tuesday to Sunday 11:00-21:30", "mon")      ->  False
    OpeningHours(book).meets("daily 20:00-05:00", "fri 02:00")            ->  True

`TimeReader` is the one reader of `15:45`, `3:45 PM`, `um 16 Uhr 15` and `下午四点半`; the words
around hours and minutes come from `writing.toml`. It reads texts in the form of `comparable`, or
tokens joined by single spaces. `OpeningHours` reads a table cell as days and times. A constraint on
it is a day (`mon` to `sun`), a time (`22:00` or `22`), both, or `always`; days are the cues
`mon` to `sun`, `weekdays`, `weekends` and `always` of the language's phrase file.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

from crosstalk.language.normalize import comparable, plain
from crosstalk.language.numerals import CLOCK
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.writing import Writing, numerals_of

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ALL_DAYS: Final = tuple(range(len(DAYS)))
MINUTES: Final = 24 * 60

_WISH: Final = re.compile(rf"({'|'.join(DAYS)})?\s*(?:(\d{{1,2}})(?::(\d\d))?)?")
ALWAYS: Final = "always"
"""The constraint that a place never closes."""
_PART: Final = re.compile(r"[,;，；،؛]")


@dataclass(frozen=True, slots=True)
class Opening:
    """A time span on some days of the week."""

    days: tuple[int, ...]
    start: int
    """Minutes since midnight."""
    end: int
    """More than 24 hours if it ends after midnight."""

    def holds(self, day: int | None, minute: int | None) -> bool:
        if minute is None:
            return day is None or day in self.days
        days = self.days if day is None else (day,)
        return any(self._covers(each, minute) for each in days)

    def _covers(self, day: int, minute: int) -> bool:
        """Whether it is open then, also in the night after the day before."""
        today = day in self.days and self.start <= minute < self.end
        before = (day - 1) % len(DAYS) in self.days
        return today or (before and self.start <= minute + MINUTES < self.end)


def is_wish(text: str) -> bool:
    """Whether a text is a day, a time, or both."""
    return bool(text) and (text == ALWAYS or _WISH.fullmatch(text) is not None)


class OpeningHours:
    """Reads opening hours in one language."""

    def __init__(self, book: Phrasebook) -> None:
        self._book = book
        self._known: dict[str, tuple[Opening, ...]] = {}

    def meets(self, text: str, wish: str) -> bool | None:
        """Whether a place with these hours is open then; None if either cannot be read."""
        found, openings = _WISH.fullmatch(wish), self.read(text)
        if wish == ALWAYS and openings:
            return any(
                each.days == ALL_DAYS and each.end - each.start == MINUTES for each in openings
            )
        if found is None or not openings:
            return None
        day = DAYS.index(found[1]) if found[1] else None
        minute = int(found[2]) * 60 + int(found[3] or 0) if found[2] else None
        return any(opening.holds(day, minute) for opening in openings)

    def read(self, text: str) -> tuple[Opening, ...]:
        if text not in self._known:
            self._known[text] = tuple(
                opening for part in _PART.split(text) for opening in self._part(part)
            )
        return self._known[text]

    def _part(self, text: str) -> list[Opening]:
        times = [int(hour) * 60 + int(minute) for hour, minute in CLOCK.findall(text)]
        words = plain(CLOCK.sub(" ", text))
        if self._book.has("always", words):
            return [Opening(ALL_DAYS, 0, MINUTES)]
        days = self._days(words)
        pairs = zip(times[0::2], times[1::2], strict=False)
        return [Opening(days, start, end if end > start else end + MINUTES) for start, end in pairs]

    def _days(self, words: str) -> tuple[int, ...]:
        if self._book.has("weekdays", words):
            return ALL_DAYS[:5]
        if self._book.has("weekends", words):
            return ALL_DAYS[5:]
        found = [
            (match.start(), number)
            for number, day in enumerate(DAYS)
            for match in (self._book.cues[day].finditer(words) if day in self._book.cues else ())
        ]
        if not found:
            return ALL_DAYS
        first, last = min(found)[1], max(found)[1]
        return tuple((first + step) % len(DAYS) for step in range((last - first) % len(DAYS) + 1))


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


def _tight(text: str) -> str:
    return "".join(text.split())
