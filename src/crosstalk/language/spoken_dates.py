"""Dates as people say them: `Friday 5 June`, `tomorrow`, `am 5. Juni`, `6月5日`.

    dates = Dates(writing_of("en"), ("Monday", ...), today=date(2026, 6, 1))
    dates.say("2026-06-05")                       ->  "Friday 5 June"
    dates.find("on friday, or on 9 june")         ->  Friday the 5th, Tuesday the 9th

Month names, their order in a date and words such as *tomorrow* are in `writing.toml`; days of the
week come from the language pack and the phrase book; `DateReader` finds days with
their months. Texts are in the form of `comparable`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from crosstalk.language.dates import DateReader
from crosstalk.language.normalize import comparable
from crosstalk.language.times import DAYS
from crosstalk.language.writing import Writing

_YEAR: Final = re.compile(r"\d{4}(?=-)")
HALF_YEAR: Final = 183
"""Days that a date without a year may lie back; a month before that is one of the next year."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in a text."""

    start: int
    end: int
    date: str
    """As tables write it: `2026-06-05`."""


class Dates:
    """Says and finds the dates of one language."""

    def __init__(
        self,
        writing: Writing,
        weekdays: Sequence[str] = (),
        *,
        today: date | None = None,
        cues: Mapping[str, re.Pattern[str]] | None = None,
    ) -> None:
        """`cues`: patterns of `mon` to `sun`; without `today` only dates with a year count."""
        self._writing = writing
        self._weekdays = tuple(weekdays)
        self._today = today
        self._cues = cues or {}
        months = [[comparable(form) for form in each.split("|")] for each in writing.months]
        marks = [comparable(each) for each in writing.day_marks]
        self._reader = DateReader(months, spaced=writing.spaced, marks=marks)

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
        found: list[FoundDate] = []
        for finder in (self._named, self._relative, self._weekday):
            for each in finder(text):
                if any(each.start < other.end and other.start < each.end for other in found):
                    continue
                found.append(each)
            if found and finder == self._relative:
                return sorted(found, key=lambda each: each.start)
        return sorted(found, key=lambda each: each.start)

    def _named(self, text: str) -> Iterator[FoundDate]:
        for said in self._reader.find(text):
            iso = _YEAR.match(text, said.start)
            try:
                day = self._in_year(said.month, said.day, int(iso[0]) if iso else None)
            except ValueError:  # the 31st of June is no date
                continue
            yield FoundDate(said.start, said.end, day.isoformat())

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


def weekday_cues(cues: Mapping[str, re.Pattern[str]]) -> dict[str, re.Pattern[str]]:
    """The patterns of days among the cues of a phrase book."""
    return {key: cues[key] for key in DAYS if key in cues}
