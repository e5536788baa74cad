"""Dates as people say them: `Friday 5 June`, `tomorrow`, `am 5. Juni`, `6月5日`.

    dates = Dates(writing_of("en"), ("Monday", ...), today=date(2026, 6, 1))
    dates.say("2026-06-05")                       ->  "Friday 5 June"
    dates.find("on friday, or on 9 june")         ->  Friday the 5th, Tuesday the 9th
    dates.find_days("on 9 june")                  ->  month 6, day 9, in whatever year

Month names, their order in a date and words such as *tomorrow* are in `writing.toml`; days of the
week come from the language pack and the phrase book. Texts are in the form of `comparable`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.language.phrases import cues_of
from crosstalk.language.times import DAYS
from crosstalk.language.writing import Writing

_ISO: Final = re.compile(r"(?<!\d)(\d{4})-(\d{1,2})-(\d{1,2})(?!\d)")
_DAY_FIRST: Final = re.compile(r"(?<![\d.:])(\d{1,2})[./](\d{1,2})[./](?:(\d{4})(?!\d))?(?!\d)")
_NUMBER: Final = r"(?<![\d.:])(\d{1,2})"
MOST_DAYS: Final = 31
MOST_MONTHS: Final = 12
HALF_YEAR: Final = 183
"""Days that a date without a year may lie back; a month before that is one of the next year."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text."""

    start: int
    end: int
    date: str
    """As tables write it: `2026-06-05`."""


@dataclass(frozen=True, slots=True)
class SaidDate:
    """A day of a month in a text, perhaps with its year."""

    start: int
    end: int
    month: int
    day: int
    year: int | None = None

    def is_in(self, text: str) -> bool:
        """Whether it is a date of the form `2026-06-08`, in whatever year."""
        return text[5:] == f"{self.month:02}-{self.day:02}"


class Dates:
    """Says and finds the dates of one language."""

    def __init__(
        self,
        writing: Writing,
        weekdays: Sequence[str] = (),
        *,
        today: date | None = None,
        cues: Mapping[str, re.Pattern[str]] | None = None,
        form: Callable[[str], str] = comparable,
    ) -> None:
        """`cues`: patterns of `mon` to `sun`; without `today` only dates with a year count.

        `form`: the spelling of the texts that dates are looked for in.
        """
        self._writing = writing
        self._weekdays = tuple(weekdays)
        self._today = today
        self._cues = cues or {}
        self._months = {
            form(name): number
            for number, each in enumerate(writing.months, 1)
            for name in each.split("|")
        }
        self._pattern = _day_and_month(writing, list(self._months)) if self._months else None

    def say(self, text: str, *, brief: bool = False) -> str:
        """A date in words; the text itself where it is no date or the language has no months.

        `brief`: within a week, the day of the week alone.
        """
        try:
            day = date.fromisoformat(text)
        except ValueError:
            return text
        if brief and self._is_near(day):
            return self._weekdays[day.weekday()]
        if not self._writing.months or not self._writing.date_form:
            return text
        weekday = self._weekdays[day.weekday()] if len(self._weekdays) == len(DAYS) else ""
        month = self._writing.months[day.month - 1].partition("|")[0]
        said = self._writing.date_form
        for name, value in (("weekday", weekday), ("day", str(day.day)), ("month", month)):
            said = said.replace(f"{{{name}}}", value)
        return said.strip(" ,，")

    def _is_near(self, day: date) -> bool:
        """Whether a day of the week is enough to name a date."""
        named = self._today is not None and len(self._weekdays) == len(DAYS)
        return named and 0 < (day - (self._today or day)).days < len(DAYS)

    def find(self, text: str) -> list[FoundDate]:
        """The dates of a text, in order; a day of the week beside a date only repeats it."""
        said = self.find_days(text)
        for each in self._without_month(text, tuple(said)):
            said += [] if _meets_any(each, said) else [each]
        found = [date for each in said for date in self._dated(each)]
        found += [each for each in self._relative(text) if not _meets_any(each, found)]
        if not found:
            for day in self._weekday(text):
                found += [] if _meets_any(day, found) else [day]
        return sorted(found, key=lambda each: each.start)

    def find_days(self, text: str) -> list[SaidDate]:
        """The days of months in a text, in order, in whatever year."""
        found: list[SaidDate] = []
        for each in (*self._written(text), *self._named(text)):
            if _is_day(each) and not _meets_any(each, found):
                found.append(each)
        return sorted(found, key=lambda each: each.start)

    def _without_month(self, text: str, dated: Sequence[SaidDate]) -> Iterator[SaidDate]:
        """Days whose month is that of a date nearby, or the next that has not passed.

        `3 to 5 June`, `June 3 to 5`, `the 11th`.
        """
        marks, close = rf"(?:{self._marks})?", r"(?![\w:.])"
        until = rf"\s*(?:{self._until})\s*"
        for each in dated:
            if before := re.search(rf"{_NUMBER}{marks}{until}$", text[: each.start]):
                yield replace(each, start=before.start(), end=each.start, day=int(before[1]))
            if after := re.match(rf"{until}{_NUMBER}{marks}{close}", text[each.end :]):
                end = each.end + after.end()
                yield replace(each, start=each.end, end=end, day=int(after[1]))
        for pattern in self._lone_days:
            for match in pattern.finditer(text):
                yield self._next(match, dated)

    def _next(self, match: re.Match[str], dated: Sequence[SaidDate]) -> SaidDate:
        """A day without its month: that of the last date before it, else the next such day."""
        day, today = int(match["day"]), self._today or date.min
        before = [each for each in dated if each.start < match.start()]
        if before:
            return SaidDate(*match.span(), before[-1].month, day, before[-1].year)
        month = today.month if day >= today.day else today.month % MOST_MONTHS + 1
        return SaidDate(*match.span(), month, day)

    @property
    def _until(self) -> str:
        words = sorted(map(comparable, self._writing.until), key=len, reverse=True)
        return "|".join(map(re.escape, words)) or "(?!)"

    @property
    def _marks(self) -> str:
        return "|".join(re.escape(comparable(each)) for each in self._writing.day_marks) or "(?!)"

    @cached_property
    def _lone_days(self) -> list[re.Pattern[str]]:
        if self._today is None:
            return []
        begins, ends = (r"(?<![\w.])", r"(?![\w:])") if self._writing.spaced else (r"(?<!\d)", "")
        ways = (comparable(way).partition("{day}") for way in self._writing.lone_days)
        return [
            re.compile(rf"{begins}{re.escape(lead)}(?P<day>\d{{1,2}}){re.escape(rest)}{ends}")
            for lead, _, rest in ways
        ]

    def _dated(self, said: SaidDate) -> Iterator[FoundDate]:
        try:
            day = self._in_year(said.month, said.day, said.year)
        except ValueError:  # the 31st of June is no date
            return
        yield FoundDate(said.start, said.end, day.isoformat())

    def _written(self, text: str) -> Iterator[SaidDate]:
        for match in _ISO.finditer(text):
            year, month, day = map(int, match.groups())
            yield SaidDate(*match.span(), month, day, year)
        for match in _DAY_FIRST.finditer(text):
            year_said = int(match[3]) if match[3] else None
            yield SaidDate(*match.span(), int(match[2]), int(match[1]), year_said)

    def _named(self, text: str) -> Iterator[SaidDate]:
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            said = match.groupdict()
            day = next((said[key] for key in ("day", "day_after") if said.get(key)), "")
            word = next((said[key] for key in ("month", "month_first") if said.get(key)), "")
            month = self._months.get(word or "")
            if day and month:
                yield SaidDate(*match.span(), month, int(day))

    def _relative(self, text: str) -> Iterator[FoundDate]:
        if self._today is None:
            return
        words = sorted(self._writing.relative_days, key=len, reverse=True)
        for word in words:
            edge = r"(?<!\w)" if self._writing.spaced else ""
            close = r"(?!\w)" if self._writing.spaced else ""
            for match in re.finditer(f"{edge}{re.escape(comparable(word))}{close}", text):
                day = self._today + timedelta(days=self._writing.relative_days[word])
                yield FoundDate(match.start(), match.end(), day.isoformat())

    def _weekday(self, text: str) -> Iterator[FoundDate]:
        """The next such day after today."""
        if self._today is None:
            return
        for number, (start, end) in self.weekdays(text):
            ahead = (number - self._today.weekday() - 1) % len(DAYS) + 1
            yield FoundDate(start, end, (self._today + timedelta(days=ahead)).isoformat())

    def weekdays(self, text: str) -> Iterator[tuple[int, tuple[int, int]]]:
        """Days of the week in a text: their number from Monday on, and where they stand."""
        for number, key in enumerate(DAYS):
            name = self._weekdays[number] if len(self._weekdays) == len(DAYS) else ""
            patterns = [self._cues[key]] if key in self._cues else []
            patterns += [re.compile(re.escape(comparable(name)))] if name else []
            for pattern in patterns:
                yield from ((number, match.span()) for match in pattern.finditer(text))

    def _in_year(self, month: int, day: int, year: int | None) -> date:
        if year is not None:
            return date(year, month, day)
        if self._today is None:
            raise ValueError("without today no year is known")
        said = date(self._today.year, month, day)
        if (self._today - said).days > HALF_YEAR:
            return said.replace(year=said.year + 1)
        return said


def _is_day(said: SaidDate) -> bool:
    return 1 <= said.month <= MOST_MONTHS and 1 <= said.day <= MOST_DAYS


def _meets_any(one: FoundDate | SaidDate, others: Sequence[FoundDate | SaidDate]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _day_and_month(writing: Writing, months: Sequence[str]) -> re.Pattern[str]:
    """A day with the name of its month behind or, in some languages, before it."""
    names = "|".join(re.escape(each) for each in sorted(months, key=len, reverse=True))
    if not writing.spaced:
        after = "|".join(re.escape(each) for each in writing.day_marks) or "(?!)"
        return re.compile(rf"(?P<month_first>{names})\s*(?P<day_after>\d{{1,2}})\s*(?:{after})?")
    marks = "|".join(re.escape(each) for each in writing.day_marks)
    mark = rf"(?:\s*(?:{marks}))?" if marks else ""
    forward = rf"(?<![\d:])(?P<day>\d{{1,2}}){mark}\s+(?P<month>{names})(?!\w)"
    backward = rf"(?<!\w)(?P<month_first>{names})\s+(?P<day_after>\d{{1,2}}){mark}(?![\d:])"
    return re.compile(f"{forward}|{backward}")


def weekday_cues(cues: Mapping[str, re.Pattern[str]]) -> dict[str, re.Pattern[str]]:
    """The patterns of days among the cues of a phrase book."""
    return {key: cues[key] for key in DAYS if key in cues}


def weekday_words(code: str) -> tuple[tuple[str, ...], ...]:
    """The words of each day of the week in a language, Monday first; empty: none are known."""
    cues = cues_of(code)
    return tuple(tuple(cues[day]) for day in DAYS) if all(day in cues for day in DAYS) else ()
