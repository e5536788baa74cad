"""Opening hours: the text of a table cell, read as days and times, and wishes about them.

    hours = OpeningHours(book)
    hours.meets("Tuesday to Sunday 11:00-21:30", "mon")         -> False
    hours.meets("daily 20:00-05:00", "fri 02:00")               -> True

A wish is a day (`mon` to `sun`), a time (`22:00` or `22`), both, or `always`. Words for days come
from the phrase file of the language: its cues `mon` to `sun`, `weekdays`, `weekends` and `always`.
"""

import re
from dataclasses import dataclass
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.numerals import CLOCK
from crosstalk.language.phrases import Phrasebook

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ALL_DAYS: Final = tuple(range(len(DAYS)))
MINUTES: Final = 24 * 60

_WISH: Final = re.compile(rf"({'|'.join(DAYS)})?\s*(?:(\d{{1,2}})(?::(\d\d))?)?")
ALWAYS: Final = "always"
"""The wish for a place that never closes."""
_PART: Final = re.compile(r"[,;，；،؛]")


@dataclass(frozen=True, slots=True)
class Opening:
    """A stretch of time on some days of the week."""

    days: tuple[int, ...]
    start: int
    """Minutes since midnight."""
    end: int
    """More than 24 hours where it goes into the night."""

    def holds(self, day: int | None, minute: int | None) -> bool:
        if minute is None:
            return day is None or day in self.days
        days = self.days if day is None else (day,)
        return any(self._covers(each, minute) for each in days)

    def _covers(self, day: int, minute: int) -> bool:
        """On that day, or in the night that the day before goes into."""
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
        """Whether a place with these hours is open then; None where either says nothing."""
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
