"""Amounts: what a text says about a number, in digits or words, with what stands around it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.language.normalize import word_form
from crosstalk.language.number_forms import Bounds
from crosstalk.language.numerals import composed, divided, read_digits
from crosstalk.language.scripts import is_undivided
from crosstalk.language.training_phrases import Numbers
from crosstalk.language.units import Unit, units

NEARLY: Final = 0.2
"""`about 100` is 80 to 120."""
MULTIPLIERS: Final = (10, 100, 1000)
LONGEST_SIMPLE: Final = 5
"""Letters of a number word that is not made up of others."""
_HOLE: Final = "{}"
_BELOW, _ABOVE, _ABOUT = "below", "above", "about"
_DIGITS: Final = re.compile(r"\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True)
class Number:
    """A number and the units it is written in."""

    value: float
    first: int
    last: int


class AmountReader:
    """Reads amounts as one phrase book writes them."""

    def __init__(self, numbers: Numbers) -> None:
        self._words = {word_form(word): value for word, value in numbers.words.items()}
        self._scales = [
            mark
            for mark in marks_of(numbers.points)
            if len(mark) > 1 and any(self._value(form) is not None for form in mark)
        ]
        self.marks = sorted(
            (
                (mark, kind)
                for kind, phrases in (
                    (_BELOW, numbers.below),
                    (_ABOVE, numbers.above),
                    (_ABOUT, numbers.about),
                )
                for mark in marks_of(phrases)
            ),
            key=lambda each: -len(each[0]),
        )

    def read(self, text: str) -> Bounds | None:
        """The bounds a text gives; a number alone gives itself as both."""
        there = self._unscaled(units(text))
        found = list(self.numbers(there))
        if not found:
            return None
        if len(found) > 1:
            low, high = sorted((found[0].value, found[1].value))
            return Bounds(low, high)
        kind = self._kind([unit.plain for unit in there])
        value = found[0].value
        match kind:
            case "below":
                return Bounds(None, value)
            case "above":
                return Bounds(value, None)
            case "about" if value >= 10:
                return Bounds(round(value * (1 - NEARLY)), round(value * (1 + NEARLY)))
            case _:
                return Bounds(value, value)

    def _unscaled(self, there: list[Unit]) -> list[Unit]:
        """Without what a rating is counted out of: `of 5` bounds nothing."""
        forms = tuple(unit.plain for unit in there)
        for scale in self._scales:
            for at in range(1, len(forms) - len(scale) + 1):
                if forms[at : at + len(scale)] == scale:
                    return there[:at] + there[at + len(scale) :]
        return there

    def _kind(self, forms: Sequence[str]) -> str:
        """The longest mark decides: `no more than` is not `more than`."""
        for mark, kind in self.marks:
            size = len(mark)
            for at in range(len(forms) - size + 1):
                if tuple(forms[at : at + size]) == mark:
                    return kind
        return ""

    def numbers(self, there: Sequence[Unit]) -> Iterator[Number]:
        """The numbers among units, in order; `two hundred and fifty` is one."""
        at = 0
        while at < len(there):
            values = self._values_from(there, at)
            total = composed(values, signs=is_undivided(there[at].plain))
            if total is not None:
                yield Number(total, at, at + len(values) - 1)
            at += max(len(values), 1)

    def _values_from(self, there: Sequence[Unit], at: int) -> list[float]:
        """The values of the units from here on that make one number."""
        values: list[float] = []
        last = 0.0
        for unit in there[at:]:
            value = self._value(unit.plain)
            if value is None or (values and (unit.plain[0].isdigit() or not _goes_on(last, value))):
                break
            last = last * value if value in MULTIPLIERS and 0 < last < value else value
            values.append(value)
        return values

    def _value(self, word: str) -> float | None:
        if _DIGITS.fullmatch(word):
            return read_digits(word)
        if word in self._words:
            return self._words[word]
        parts = divided(word, self._parts) if len(word) > LONGEST_SIMPLE else []
        return composed(parts)  # zweihundertfünfzig

    @cached_property
    def _parts(self) -> dict[str, float]:
        """Words of which others are made up."""
        return {word: value for word, value in self._words.items() if not is_undivided(word)}


def _goes_on(last: float, value: float) -> bool:
    """Whether a number word continues the one before: `two hundred`, `forty five`."""
    place = next((each for each in (1000, 100, 10) if last and last % each == 0), 1)
    return (value in MULTIPLIERS and last < value) or value < place


def marks_of(phrases: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What stands around the number, in plain units."""
    for phrase in phrases:
        forms = tuple(unit.plain for part in phrase.split(_HOLE) for unit in units(part))
        if forms:
            yield forms
