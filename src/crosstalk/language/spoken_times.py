"""Times of day in words, written in digits, so that the reader of times can read them.

    spoken = spoken_times_of(writing_of("en"))
    spoken.in_digits("friday at half past seven, for two")   ->  "friday at 7:30, for two"

`[clock]` in `writing.toml` has the ways of saying a time, with `{hour}`, `{next}` (the hour that is
under way: *полвосьмого*) and `{minute}`. Texts are in the form of `comparable`. Only for texts that
are known to hold a time: *at seven* says one there and nowhere else.
"""

import re
from collections.abc import Iterator
from functools import cache, cached_property, partial
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.language.times import DAY, HALF_DAY
from crosstalk.language.writing import Writing, numerals_of

_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_GROUPS: Final = {"hour": "hour", "next": "hour", "minute": "minute"}
MOST_MINUTES: Final = 59


@cache
def spoken_times_of(writing: Writing) -> "SpokenTimes":
    """The reader of a language; without `[clock]` texts stay as they are."""
    return SpokenTimes(writing)


class SpokenTimes:
    """Writes the times of one language in digits."""

    def __init__(self, writing: Writing) -> None:
        self._writing = writing

    def in_digits(self, text: str, *, bare: bool = True) -> str:
        """A text with `7:30` for *half past seven*; longer ways of saying a time come first.

        `bare`: full hours that only a small word marks are written so, too: *at seven*.
        """
        for pattern, offset in self._patterns:
            if not (bare or offset):
                continue
            text = pattern.sub(partial(self._written, offset=offset), text)
        return text

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], int]]:
        ways = sorted(self._writing.clock.items(), key=lambda way: -_weight(way[0]))
        return [(re.compile(self._expression(way)), offset) for way, offset in ways]

    def _expression(self, way: str) -> str:
        """A way of saying a time as a pattern; digits with marks of their own are no hours."""
        texts = _PLACEHOLDER.split(comparable(way))
        parts = [re.escape(each) for each in texts[::2]]
        groups = [self._group(name) for name in texts[1::2]]
        joined = "".join(part + group for part, group in zip(parts, [*groups, ""], strict=True))
        return rf"(?<![\w:.])(?:{joined})(?![\w:]|\.\d|-\d|\s*(?:{self._oclock}))"

    @property
    def _oclock(self) -> str:
        """What makes a time of an hour in digits, so that others read it."""
        words = [re.escape(comparable(each)) + r"\b" for each in self._writing.hour]
        return "|".join(words) or "(?!)"

    def _group(self, name: str) -> str:
        if name == "minute":
            words = [comparable(each) for each in self._writing.numerals if len(each) > 1]
            word = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
            return rf"(?P<minute>[0-5]?\d|(?:{word})(?:[ -](?:{word}))?)"
        hours = self._hours if name == "hour" else self._next_hours
        said = "|".join(map(re.escape, sorted(hours, key=len, reverse=True)))
        digits = r"1?\d|2[0-4]" if name == "hour" else "(?!)"
        return rf"(?P<{_GROUPS[name]}>{said}|{digits})"

    @cached_property
    def _hours(self) -> dict[str, int]:
        return dict(_numbered(self._writing.hours_in_words))

    @cached_property
    def _next_hours(self) -> dict[str, int]:
        return dict(_numbered(self._writing.next_hours_in_words))

    def _written(self, match: re.Match[str], *, offset: int) -> str:
        """The time in digits; minutes that are said are added or, before an hour, taken away."""
        said = match.groupdict()
        hour = said["hour"]
        known = self._hours | self._next_hours
        hours = int(hour) if hour.isdecimal() else known[hour]
        if minute := said.get("minute"):
            minutes = self._minutes(minute)
            if minutes is None:
                return match[0]
            offset = minutes if offset > 0 else -minutes
        at = hours * 60 + offset
        at += HALF_DAY if at < 0 or (hours == 1 and at < 60) else 0
        kept = match[0][: match.start("hour") - match.start()] if offset == 0 else ""
        return f"{kept}{at % DAY // 60}:{at % 60:02}"

    def _minutes(self, text: str) -> int | None:
        found = next(numerals_of(self._writing).in_text(text.replace("-", " ")), None)
        value = int(found.value) if found else -1
        return value if 0 <= value <= MOST_MINUTES else None


def _weight(way: str) -> int:
    """Letters, and more for minutes: *seven thirty* before *seven*."""
    return len(_PLACEHOLDER.sub("", way)) + 10 * len(_PLACEHOLDER.findall(way))


def _numbered(words: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    for number, forms in enumerate(words, 1):
        yield from ((comparable(form), number) for form in forms.split("|"))
