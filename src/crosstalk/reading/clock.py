"""Opening hours as an agent says them, compared with the cell of a table.

    reader = HoursReader(book, words)
    reader.agrees("open Monday to Saturday from six to ten in the evening", cell)  -> True

A time said without *am* or *pm* may be meant either way. What is said must be right; it need not be
all that the cell says.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.language.normalize import plain
from crosstalk.language.opening_hours import ALL_DAYS, OpeningHours
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.times import DAY, DAYS, HALF_DAY, times_of
from crosstalk.language.writing import Writing, writing_of
from crosstalk.reading.positions import letters_in_place
from crosstalk.reading.words import JudgingWords

ENDS: Final = 2
"""Times of a stretch: when it begins and when it ends."""
_DIGIT_TIME: Final = re.compile(r"(?<![\d.,:])(\d{1,2})[:：.](\d{2})(?![\d:])")
_CLAUSE: Final = re.compile(r"[,;，；،؛.。!！()（）]|\s[-–—]\s")
_NEVER: Final = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class SaidTime:
    """A time of day in a text and what it may mean, in minutes."""

    start: int
    end: int
    minutes: frozenset[int]


@dataclass(frozen=True, slots=True)
class SaidHours:
    """What a stretch of text says about opening hours."""

    times: tuple[SaidTime, ...]
    open_days: frozenset[int]
    """Days said as open; empty: none was said."""
    closed_days: frozenset[int]
    is_range: bool
    """The open days were said as a whole: a stretch of days, or every day."""
    is_always: bool
    start: int
    end: int


class HoursReader:
    """Reads opening hours in one language."""

    def __init__(self, book: Phrasebook, words: JudgingWords) -> None:
        self._book = book
        self._words = words
        self._writing = writing_of(book.language)
        self._cells = OpeningHours(book)
        self._clock = _ClockPatterns(words, self._writing)

    def read(self, text: str, *, expected: bool = False) -> SaidHours | None:
        """What a sentence says; None where it speaks of no hours.

        `expected`: the question was about hours, so that bare numbers may be times.
        """
        words = plain(text)
        always = self._words.has("always", words)
        about = expected or self._words.has("opening", words)
        visit = self._words.has("visit", words) and not self._words.has("opening", words)
        rated = self._book.has("points", words) and not self._words.has("opening", words)
        if visit and not _DIGIT_TIME.search(text):
            return None  # two to three hours are no time of day
        times = tuple(self._clock.find(self._without_ratings(text), loose=about))
        if rated and not expected:  # among ratings, words such as *three and a half* are none
            times = tuple(each for each in times if text[each.start].isdigit())
            if len(times) < ENDS:
                return None
        open_days, closed_days, is_range = self._days(text)
        about = about or self._words.has("open", words)
        said = times or (always and about) or ((open_days or closed_days) and about)
        if not said:
            return None
        start = min((each.start for each in times), default=0)
        end = max((each.end for each in times), default=len(text))
        return SaidHours(times, open_days, closed_days, is_range, always and not times, start, end)

    def times(self, text: str) -> list[SaidTime]:
        """The times of day in a text, whatever it speaks of."""
        return self._clock.find(self._without_ratings(text), loose=False)

    def _without_ratings(self, text: str) -> str:
        """Without numbers out of a number: *4.5 out of 5* is no time of day."""
        shown, places = letters_in_place(text)
        points = self._book.cues.get("points")
        for found in points.finditer(shown) if points else ():
            begin, end = places[found.start()], places[found.end() - 1] + 1
            if any(letter.isdigit() for letter in found[0]):
                head = re.search(r"[\d.,]+\s*$", text[:begin])
                begin = head.start() if head else begin
                text = text[:begin] + " " * (end - begin) + text[end:]
        return text

    def agrees(self, said: SaidHours, cell: str) -> bool | None:
        """Whether the cell bears out what was said; None where the cell cannot be read."""
        openings = self._cells.read(cell)
        if not openings:
            return None
        never_closes = any(
            each.days == ALL_DAYS and each.end - each.start == DAY for each in openings
        )
        if said.is_always or never_closes:
            return never_closes and (said.is_always or not said.times)
        ends = {end % DAY for each in openings for end in (each.start, each.end)}
        if any(not (time.minutes & ends) for time in said.times):
            return False
        return self._days_agree(said, frozenset(d for each in openings for d in each.days))

    def _days_agree(self, said: SaidHours, days: frozenset[int]) -> bool:
        if said.closed_days & days:
            return False
        if said.is_range:
            return said.open_days == days or said.open_days | said.closed_days == days
        return said.open_days <= days

    def _days(self, text: str) -> tuple[frozenset[int], frozenset[int], bool]:
        open_days: set[int] = set()
        closed: set[int] = set()
        is_range = is_daily = False
        for clause in _CLAUSE.split(text):
            words = plain(clause)
            found = self._named_days(words)
            if self._words.has("daily", words):
                is_range = is_daily = True
                closed |= found if self._is_closed(words) else set()
                continue
            if not found:
                continue
            whole = len(found) > 2 or self._is_stretch(words)
            if self._is_closed(words) and not whole:
                closed |= found
            else:
                open_days |= found
                is_range = is_range or whole
        if is_daily:  # every day but Sunday
            open_days = set(ALL_DAYS) - closed
        return frozenset(open_days), frozenset(closed), is_range

    def _is_closed(self, words: str) -> bool:
        """Whether the days of a clause are those on which a place is shut: *not on Sundays*."""
        negator = self._book.cues.get("negator")
        return self._words.has("closed", words) or bool(negator and negator.search(words))

    def _named_days(self, words: str) -> set[int]:
        if self._book.has("weekdays", words) and self._book.has("weekends", words):
            return set(ALL_DAYS)
        named = {
            number
            for number, day in enumerate(DAYS)
            if day in self._book.cues and self._book.cues[day].search(words)
        }
        if not named and not any(self._book.has(key, words) for key in ("weekdays", "weekends")):
            return set()
        return set(self._cells._days(words))

    def _is_stretch(self, words: str) -> bool:
        return any(self._book.has(key, words) for key in ("weekdays", "weekends"))


class _ClockPatterns:
    """Finds times of day, in digits and in words."""

    def __init__(self, words: JudgingWords, writing: Writing) -> None:
        clock = words.clock
        self._writing = writing
        self._spaced = writing.spaced
        named = {plain(word): hour for word, hour in clock.hours}
        self._hours = named | {plain(word): hour for word, hour in clock.counted}
        self._morning = _any(clock.morning, self._spaced)
        self._afternoon = _any(clock.afternoon, self._spaced)
        hour = rf"(?P<h>\d{{1,2}}|{_alternatives(named)})"
        counted = rf"(?P<h>\d{{1,2}}|{_alternatives(self._hours)})"
        begin = r"(?<![\w.,:])" if self._spaced else r"(?<![\d.,:])"
        end = r"(?![\w:]|[.,]\d)" if self._spaced else r"(?![\d:]|[.,]\d)"
        oclock = _alternatives(map(plain, clock.oclock))
        joint = r"\s*" if not self._spaced else r" ?"
        part = _alternatives(map(plain, (*clock.morning, *clock.afternoon)))
        self._shifted = [
            (
                re.compile(
                    begin + re.escape(plain(p.replace("{h}", "8"))).replace("8", hour) + end
                ),
                m,
            )
            for p, m in clock.shifted
        ]
        self._named = [(re.compile(begin + re.escape(plain(w)) + end), m) for w, m in clock.named]
        self._marked = (
            re.compile(rf"{begin}{counted}{joint}(?:{oclock}){end}") if oclock else _NEVER
        )
        self._ahead = re.compile(rf"{begin}(?:{oclock}) {counted}{end}") if oclock else _NEVER
        parted = part and self._spaced  # elsewhere the part of the day stands first
        self._parted = re.compile(rf"{begin}{counted}{joint}(?:{part}){end}") if parted else _NEVER
        bare = hour if self._spaced else r"(?P<h>\d{1,2})"
        self._bare = re.compile(rf"{begin}{bare}{end}")
        self._to = re.compile(
            rf"\s*(?:{_alternatives(map(str.lower, clock.to))})\s*(?:\w{{1,8}} )?"
        )
        self._stretch = re.compile(
            r"(?<![\w.,:])(?P<a>\d{1,2}) ?[-–—] ?(?P<b>\d{1,2})(?![\w:]|[.,]\d)"
        )
        self._from = _any(clock.origin, self._spaced)

    def find(self, text: str, *, loose: bool) -> list[SaidTime]:
        """Times of a text; `loose` also takes bare hours that are joined to others."""
        shown, places = letters_in_place(text)
        found: list[SaidTime] = []
        for match in _DIGIT_TIME.finditer(shown):
            if int(match[1]) <= 24 and int(match[2]) < 60:
                self._add(found, shown, match.span(), int(match[1]) * 60 + int(match[2]))
        if not self._spaced:
            self._add_signs(found, shown)
        self._add_words(found, shown)
        if loose:
            self._add_bare(found, shown)
        in_place = [_moved(each, places) for each in found]
        return sorted(in_place, key=lambda each: each.start)

    def _add_signs(self, found: list[SaidTime], shown: str) -> None:
        for time in times_of(self._writing).find(shown):
            said = shown[time.start : time.end]
            is_label = ":" in said and not any(letter.isdigit() for letter in said)
            if not is_label and not _taken(found, (time.start, time.end)):
                found.append(SaidTime(time.start, time.end, time.minutes))

    def _add_words(self, found: list[SaidTime], shown: str) -> None:
        for expression, shift in self._shifted:
            for match in expression.finditer(shown):
                self._add(found, shown, match.span(), self._hour(match["h"]) * 60 + shift)
        for expression, minutes in self._named:
            for match in expression.finditer(shown):
                if not _taken(found, match.span()):
                    found.append(SaidTime(*match.span(), frozenset({minutes})))
        for expression in (self._marked, self._ahead, self._parted):
            for match in expression.finditer(shown):
                self._add(found, shown, match.span(), self._hour(match["h"]) * 60)

    def _add_bare(self, found: list[SaidTime], shown: str) -> None:
        """Add bare hours beside a time or between words such as *from* and *to*."""
        for match in self._stretch.finditer(shown):
            for group in ("a", "b"):
                hour = self._hour(match[group])
                if 0 <= hour <= 24 and not _taken(found, match.span(group)):
                    self._add(found, shown, match.span(group), hour * 60)
        for match in self._bare.finditer(shown):
            span = match.span()
            hour = self._hour(match["h"])
            if _taken(found, span) or not 0 <= hour <= 24:
                continue
            before, after = shown[: span[0]].rstrip(), shown[span[1] :]
            joined = self._to.match(after) is not None and any(
                0 <= each.start - span[1] <= 12 for each in found
            )
            if joined or (self._from_ends(before) and self._follows(after)):
                self._add(found, shown, span, hour * 60)

    def _from_ends(self, before: str) -> bool:
        return any(match.end() == len(before) for match in self._from.finditer(before))

    def _follows(self, after: str) -> bool:
        """Whether a bare number ends a clause or is joined to another number."""
        rest = after.strip()
        joined = self._to.match(after)
        return not rest or bool(joined and self._bare.match(after[joined.end() :].lstrip()))

    def _hour(self, said: str) -> int:
        return int(said) if said.isdigit() else self._hours.get(said, 99)

    def _add(self, found: list[SaidTime], shown: str, span: tuple[int, int], minutes: int) -> None:
        if _taken(found, span) or not 0 <= minutes <= DAY:
            return
        around = shown[max(0, span[0] - 16) : span[0]], shown[span[0] : span[1] + 24]
        late = self._says(self._afternoon, around)
        early = self._says(self._morning, around)
        if late and not early:
            meant = (
                {minutes if minutes >= HALF_DAY else minutes + HALF_DAY, minutes % DAY}
                if (minutes < 5 * 60)
                else {minutes if minutes >= HALF_DAY else minutes + HALF_DAY}
            )
        elif early and not late:
            meant = {minutes % HALF_DAY} if minutes < 13 * 60 else {minutes}
        elif minutes > 12 * 60 + 59 or minutes < 60:
            meant = {minutes % DAY}
        else:
            meant = {minutes, (minutes + HALF_DAY) % DAY}
        found.append(SaidTime(*span, frozenset(each % DAY for each in meant)))

    def _says(self, part: re.Pattern[str], around: tuple[str, str]) -> bool:
        """Whether a word for a part of the day belongs to a time: right behind or before it."""
        before, after = around
        if not self._spaced and any(before.endswith(m[0]) for m in part.finditer(before)):
            return True
        if not self._spaced:
            return False
        behind = re.sub(r"^\S+(?:[ ](?:uhr|o clock|oclock|часов|часа|час))?", "", after).lstrip()
        whole = part.search(after[: len(after) - len(behind)] if behind else after)
        return bool(whole) or bool((found := part.match(behind)) and found.end())


def _taken(found: Iterable[SaidTime], span: tuple[int, int]) -> bool:
    return any(each.start < span[1] and span[0] < each.end for each in found)


def _alternatives(texts: Iterable[str]) -> str:
    longest_first = sorted({text for text in texts if text}, key=len, reverse=True)
    return "|".join(map(re.escape, longest_first)) or "(?!)"


def _any(texts: Sequence[str], spaced: bool) -> re.Pattern[str]:
    ways = _alternatives(plain(text) for text in texts)
    return re.compile(rf"(?<!\w)(?:{ways})(?!\w)" if spaced else f"(?:{ways})")


def _moved(time: SaidTime, places: Sequence[int]) -> SaidTime:
    return SaidTime(places[time.start], places[time.end - 1] + 1, time.minutes)
