"""Opening hours: a table cell read as days and times.

    hours = OpeningHours(book)
    hours.meets("Tuesday to Sunday 11:00-21:30", "mon")             ->  False
    hours.meets("daily 20:00-05:00", "fri 02:00")                   ->  True
    hours.meets("Mon, Wed and Fri 9:00-12:00, 14:00-18:00", "wed 15:00")    ->  True

A constraint is a day (`mon` to `sun`), a time (`22:00` or `22`), both, or `always`. Days are the
cues `mon` to `sun`, `weekdays`, `weekends` and `always` of the language's phrase file, the names
that its language file has for the days, and beginnings that no other day has (`Mo`, `Wed`); days
after its cues `except` and beside `closed` are taken out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from crosstalk.language.normalize import comparable, plain
from crosstalk.language.numerals import CLOCK
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.times import DAYS, times_of
from crosstalk.language.writing import writing_of

ALL_DAYS: Final = tuple(range(len(DAYS)))
MINUTES: Final = 24 * 60
SHORTEST: Final = 2
"""Letters of the shortest forms of days; many words are as short, so that these count only where at
most one other word stands beside them."""
MOST_BESIDE: Final = 2
"""Words beside days that are taken out: more say something else of them (`when it opens at`)."""
ALWAYS: Final = "always"
"""The constraint that a place never closes."""

_WISH: Final = re.compile(rf"({'|'.join(DAYS)})?\s*(?:(\d{{1,2}})(?::(\d\d))?)?")
_PART: Final = re.compile(r"[,;，；、،؛/&+]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SPAN: Final = re.compile(
    r"(?<![\d:.-])(\d{1,2})(?:[:：.h](\d\d))?\s*[-–—]\s*"
    r"(\d{1,2})(?:[:：.h](\d\d))?(?![\d:-]|\.[\d.])"
)
"""Two hours with a dash between them: `8-12`, `8.30-12.00`."""
_AROUND_THE_CLOCK: Final = re.compile(r"\b24\s*/\s*7\b")


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


@dataclass(frozen=True, slots=True)
class _Time:
    """A time of day and where it stands."""

    start: int
    end: int
    minutes: int


@dataclass(frozen=True, slots=True)
class _Mention:
    """A day and where its words stand."""

    start: int
    end: int
    day: int


def is_wish(text: str) -> bool:
    """Whether a text is a day, a time, or both."""
    return bool(text) and (text == ALWAYS or _WISH.fullmatch(text) is not None)


class OpeningHours:
    """Reads opening hours in one language.

    `book` may be None for a language without phrases; `days` are its words for Monday to Sunday.
    """

    def __init__(
        self, book: Phrasebook | None, days: Sequence[str] = (), *, language: str = ""
    ) -> None:
        self._book = book
        self._names = tuple(plain(day) for day in days)
        self._writing = writing_of(book.language if book else language)
        self._times = times_of(self._writing)
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
            self._known[text] = tuple(self._openings(text))
        return self._known[text]

    def _openings(self, text: str) -> Iterator[Opening]:
        """The openings of a text on the days on which it is not shut (`10-18, closed Mondays`)."""
        parts = [part for part in _PART.split(comparable(text)) if not self._times_in(part)]
        shut = {day for part in parts for day in self._shut(plain(part))}
        for opening in self._said(comparable(text)):
            days = tuple(day for day in opening.days if day not in shut)
            if days:
                yield replace(opening, days=days)

    def _shut(self, words: str) -> Sequence[int]:
        """Days that a text without times takes out: after *except*, or beside *closed*."""
        if excepted := self._excepted(words):
            return excepted[1]
        if not self._has("closed", words):
            return ()
        return self._days(words) if self._mentions(words) or self._has("weekends", words) else ()

    def _excepted(self, words: str) -> tuple[str, tuple[int, ...]] | None:
        """What stands before *except*, and the days after it, if nothing is said about them."""
        known = self._book.cues.get("except") if self._book else None
        cue = known.search(words) if known else None
        said = self._mentions(words[cue.end() :]) if cue else []
        left = len(_WORD.findall(words[cue.end() :])) - len(said) if cue else 0
        if cue is None or not said or left > MOST_BESIDE:
            return None
        return words[: cue.start()], tuple(each.day for each in said)

    def _said(self, text: str) -> Iterator[Opening]:
        """The openings of all parts; one without times adds its days to the next (`Mon, Wed 9:00`).

        One without words has the days of the one before (`Mon 9:00-12:00, 14:00-18:00`).
        """
        waiting, last = tuple[int, ...](), ALL_DAYS
        if _AROUND_THE_CLOCK.search(text):
            yield Opening(ALL_DAYS, 0, MINUTES)
            return
        for part in self._parts(text):
            times = self._times_in(part)
            words = plain(_without(part, times))
            excepted: Sequence[int] = ()
            if without := self._excepted(words):
                words, excepted = without
            if self._has(ALWAYS, words):
                yield Opening(ALL_DAYS, 0, MINUTES)
            elif times:
                days = last if not _WORD.search(words) and not waiting else self._days(words)
                last = tuple(sorted({*days, *waiting} - {*excepted}))
                waiting = ()
                for one, other in zip(times[0::2], times[1::2], strict=False):
                    end = other.minutes if other.minutes > one.minutes else other.minutes + MINUTES
                    yield Opening(last, one.minutes, end)
            elif self._says_days_alone(words) and not self._has("closed", words):
                waiting = (*waiting, *self._days(words))

    def _parts(self, text: str) -> Iterator[str]:
        """A text cut at commas, and where days follow a time."""
        for part in _PART.split(text):
            begin = 0
            for one, other in pairwise(self._times_in(part)[1:]):
                if self._mentions(plain(part[one.end : other.start])):
                    yield part[begin : one.end]
                    begin = one.end
            yield part[begin:]

    def _times_in(self, part: str) -> list[_Time]:
        """The times of a part in order, `9 am` as well as `9:00`.

        Where words have no spaces between them, the word before a time may belong to the one before
        that; there the digits count, if there are any.
        """
        found = [_Time(each.start, each.end, each.written) for each in self._times.find(part)]
        clock = [
            _Time(each.start(), each.end(), int(each[1]) * 60 + int(each[2]))
            for each in CLOCK.finditer(part)
        ]
        spans = [each for match in _SPAN.finditer(part) for each in _of_span(match)]
        is_read = len(found) >= len(clock) if self._writing.spaced else not clock
        times = found if is_read else clock
        return sorted(spans if len(spans) > len(times) else times, key=lambda each: each.start)

    def _days(self, words: str) -> tuple[int, ...]:
        if self._has("weekdays", words):
            return ALL_DAYS[:5]
        if self._has("weekends", words):
            return ALL_DAYS[5:]
        said = self._mentions(words)
        joins = [words[one.end : other.start].strip() for one, other in pairwise(said)]
        is_list = len(joins) > 1 and not any(joins)
        found = {each.day for each in said}
        for (one, other), join in zip(pairwise(said), joins, strict=True):
            if not is_list and not self._has("and", join):
                found.update(_from_to(one.day, other.day))
        return tuple(sorted(found)) or ALL_DAYS

    def _mentions(self, words: str) -> list[_Mention]:
        """The days of a text in order, each once."""
        cues = self._book.cues if self._book else {}
        found = [
            _Mention(match.start(), match.end(), number)
            for number, day in enumerate(DAYS)
            for match in (cues[day].finditer(words) if day in cues else ())
        ]
        short, others = list[_Mention](), 0
        for match in _WORD.finditer(words):
            if any(each.start < match.end() and match.start() < each.end for each in found):
                continue
            day = self._named(match[0])
            said = [_Mention(match.start(), match.end(), day)] if day is not None else []
            if len(match[0]) > SHORTEST:
                found += said
            else:
                short += said
            others += not (said or self._has("and", match[0]) or self._has("oclock", match[0]))
        return sorted(found + short if others <= 1 else found, key=lambda each: each.start)

    def _named(self, word: str) -> int | None:
        """The day that a word names or begins to name; None where it may be several."""
        full = [number for number, name in enumerate(self._names) if word.startswith(name)]
        short = [number for number, name in enumerate(self._names) if name.startswith(word)]
        found = full or (short if len(word) >= SHORTEST else [])
        return found[0] if len(found) == 1 else None

    def _says_days_alone(self, words: str) -> bool:
        said = self._mentions(words)
        left = "".join(
            words[before:after]
            for before, after in zip(
                [0, *(each.end for each in said)],
                [*(each.start for each in said), len(words)],
                strict=True,
            )
        )
        return bool(said) and not _WORD.search(left)

    def _has(self, cue: str, words: str) -> bool:
        return self._book is not None and self._book.has(cue, words)


def _of_span(match: re.Match[str]) -> Iterator[_Time]:
    """The two times of `8.30-12`; none where an hour is beyond 24."""
    hours, minutes = (int(match[1]), int(match[3])), (int(match[2] or 0), int(match[4] or 0))
    if max(hours) <= MINUTES // 60 and max(minutes) < 60:
        middle = match.end(2) if match[2] else match.end(1)
        yield _Time(match.start(), middle, hours[0] * 60 + minutes[0])
        yield _Time(middle, match.end(), hours[1] * 60 + minutes[1])


def _without(part: str, times: Sequence[_Time]) -> str:
    """A part with nothing but space where its times stand."""
    for time in times:
        part = part[: time.start] + " " * (time.end - time.start) + part[time.end :]
    return part


def _from_to(first: int, last: int) -> Iterator[int]:
    """The days from one to another, over the end of the week if need be."""
    for step in range((last - first) % len(DAYS) + 1):
        yield (first + step) % len(DAYS)
