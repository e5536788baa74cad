"""Numbers, times and reference codes in a text: what every translation must keep.

read_figures("leaves after 3:45 PM, reference 6xjzp2j2", writing_of("en"))
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crosstalk.language.normalize import comparable
from crosstalk.language.numerals import in_digits, without_thousands
from crosstalk.language.remembered import remembered
from crosstalk.language.times import DayTime, times_of
from crosstalk.language.writing import Writing, numerals_of

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


def _figures(text: str, table: Writing) -> Figures:
    text = comparable(text)
    codes = frozenset(code for code in _CODE.findall(text) if not _HALF.fullmatch(code))
    times = times_of(table).find(text)
    rest = _blanked(text, times)
    digits = frozenset(map(_plain, _NUMBER.findall(_without(rest, codes))))
    named, implied = frozenset(_named(rest, table)), frozenset(_implied(rest, table))
    return Figures(codes, tuple(each.minutes for each in times), digits, named, implied)


read_figures = remembered(_figures, 4096)


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


def _blanked(text: str, times: Iterable[DayTime]) -> str:
    """The text without its times."""
    for time in times:
        text = text[: time.start] + " " * (time.end - time.start) + text[time.end :]
    return text


def _plain(number: str) -> str:
    """`1,200` and `1.200` are 1200; `4,5` and `4.5` stay a decimal; `07` is 7."""
    number = without_thousands(number).replace(",", ".")
    number = number.rstrip(".")
    return number if len(number) > 4 else _ORDINAL.sub("", number)


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
