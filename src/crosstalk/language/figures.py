"""Numbers, times and reference codes in a text: what every translation must keep.

read_figures("leaves after 3:45 PM, reference 6xjzp2j2", writing_of("en"))
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.language.numerals import in_digits, without_thousands
from crosstalk.language.writing import Writing, numerals_of

DAY: Final = 24 * 60
_CODE: Final = re.compile(
    r"(?<![a-z0-9])(?=[a-z0-9]*[a-z])(?=[a-z0-9]*\d)[a-z0-9]{4,}(?![a-z0-9])", re.ASCII
)
"""Letters and digits in one word of four and more: TR1149, 6xjzp2j2, cb21sj."""
_HALF: Final = re.compile(r"\d{1,2}(?:am|pm|st|nd|rd|th|min|mins|hrs)", re.ASCII)
_NUMBER: Final = re.compile(r"(?<!\d)(?<!\d[.,:])\d+(?:[.,]\d+)*")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ORDINAL: Final = re.compile(r"^0+(?=\d)")


@dataclass(frozen=True, slots=True)
class Figures:
    """What a text has of them, in one form whatever the language."""

    codes: frozenset[str]
    times: tuple[frozenset[int], ...]
    """Each time as minutes of the day; two where a text does not say which half of the day."""
    numbers: frozenset[str]
    """Written in digits, thousands not parted."""
    named: frozenset[str]
    """Written as words."""
    implied: frozenset[str] = frozenset()
    """Inside a word: an hour is one hour, an Arabic dual is two."""

    @property
    def minutes(self) -> frozenset[int]:
        return frozenset[int]().union(*self.times)

    @property
    def all_numbers(self) -> frozenset[str]:
        return self.numbers | self.named


@lru_cache(maxsize=8192)
def read_figures(text: str, table: Writing) -> Figures:
    text = comparable(text)
    codes = frozenset(code for code in _CODE.findall(text) if not _HALF.fullmatch(code))
    times, rest = _times(text, table)
    digits = frozenset(map(_plain, _NUMBER.findall(_without(rest, codes))))
    named, implied = frozenset(_named(rest, table)), frozenset(_implied(rest, table))
    return Figures(codes, tuple(times), digits, named, implied)


def numbers_alike(text: str, table: Writing) -> list[str]:
    """The numbers of a text, written alike: `4,5` as `4.5`, `1,000` as `1000`, `一百` as `100`.

    Times are not told from numbers: whoever looks for `19:00` finds 19 and 0.
    """
    said = numerals_of(table).in_text(comparable(text).replace("٫", "."))
    ends = (end for number in said for end in (number.value, number.high) if end is not None)
    return [in_digits(end) for end in ends]


def _without(text: str, codes: frozenset[str]) -> str:
    for code in sorted(codes, key=len, reverse=True):
        text = text.replace(code, " ")
    return text


def _plain(number: str) -> str:
    """`1,200` and `1.200` are 1200; `4,5` and `4.5` stay a decimal; `07` is 7."""
    number = without_thousands(number).replace(",", ".")
    number = number.rstrip(".")
    return number if len(number) > 4 else _ORDINAL.sub("", number)


def _times(text: str, table: Writing) -> tuple[list[frozenset[int]], str]:
    """The times, and the text without them."""
    found: list[frozenset[int]] = []

    def take(match: re.Match[str]) -> str:
        minutes = _minutes(match, table)
        if minutes is None:
            return match[0]
        found.append(minutes)
        return " "

    for pattern in _patterns(table):
        text = pattern.sub(take, text)
    return found, text


@lru_cache(maxsize=16)
def _patterns(table: Writing) -> tuple[re.Pattern[str], ...]:
    before = _any([*table.morning, *table.afternoon])
    early = rf"(?:(?P<before>{before})\s*)?" if before else "(?P<before>(?!))?"
    late = rf"(?:\s*(?P<after>{before})(?!\w))?" if before else "(?P<after>(?!))?"
    hour = rf"(?<!\d)(?<!\d[.,:])(?P<hour>\d{{1,2}}|{_numeral(table)})"
    patterns = [rf"{early}{hour}[:：](?P<minute>[0-5]\d)(?!\d){late}"]
    if table.hour:
        minute = rf"(?P<minute>[0-5]?\d|{_numeral(table)})"
        if table.half:
            quarter = rf"(?P<quarter>{_numeral(table)}|\d){table.quarter}"
            minute = rf"{quarter}|{minute}|(?P<half>{table.half})"
        patterns.append(rf"{early}{hour}\s*(?:{_any(table.hour)})(?:\s*(?:{minute}))?{late}")
        patterns.append(rf"{early}{hour}\.(?P<minute>[0-5]\d)\s*(?:{_any(table.hour)}){late}")
    if before and table.spaced:
        patterns.append(rf"{hour}(?P<minute>(?!))?(?P<before>(?!))?\s*(?P<after>{before})(?!\w)")
    return tuple(re.compile(pattern) for pattern in patterns)


def _any(texts: list[str] | tuple[str, ...]) -> str:
    return "|".join(re.escape(comparable(text)) for text in sorted(texts, key=len, reverse=True))


def _numeral(table: Writing) -> str:
    """Numerals of a language that writes no spaces; elsewhere hours are written in digits."""
    if table.spaced or not table.numerals:
        return "(?!)"
    signs = "".join([*table.numerals, *table.units])
    return rf"[{signs}]{{1,3}}"


def _minutes(match: re.Match[str], table: Writing) -> frozenset[int] | None:
    if match[0].strip() in table.not_times:
        return None
    groups = match.groupdict()
    hour = _whole(groups["hour"], table)
    minute = _whole(groups.get("minute") or "0", table)
    if groups.get("half"):
        minute = 30
    if quarter := groups.get("quarter"):
        minute = 15 * (_whole(quarter, table) or 0)
    if hour is None or minute is None or hour > 24 or minute > 59:
        return None
    said = groups.get("before") or groups.get("after") or ""
    at = (hour * 60 + minute) % DAY
    if said in map(comparable, table.afternoon):
        return frozenset({at if hour >= 12 else at + DAY // 2})
    if said or hour > 12 or hour == 0:
        return frozenset({at if hour != 12 or not said else at - DAY // 2})
    return frozenset({at, (at + DAY // 2) % DAY})


def _whole(text: str, table: Writing) -> int | None:
    number = numerals_of(table).at(list(text), 0) if not text.isdecimal() else None
    return int(number.value) if number else int(text)


def _named(text: str, table: Writing) -> Iterator[str]:
    """Numbers in words or signs."""
    for number in numerals_of(table).in_text(text):
        said = text[number.start : number.end]
        if number.in_words and _counts(said, text[number.end :], table):
            yield from number.digits.split("~")


def _implied(text: str, table: Writing) -> Iterator[str]:
    """Numbers inside of other words."""
    known = {comparable(word): number for word, number in table.implied.items()}
    words = _LETTERS.findall(text) if known else []
    bare = (word.removeprefix(comparable(each)) for word in words for each in ("", *table.prefixes))
    return (str(known[word]) for word in bare if word in known)


def _counts(run: str, after: str, table: Writing) -> bool:
    """Whether a numeral that is an article too stands before something that is counted."""
    counted = table.counted.get(run)
    return counted is None or not after or after.startswith(tuple(counted))
