"""Amounts: what a text says about a number, in digits or words, with what stands around it."""

from collections.abc import Iterator, Sequence
from typing import Final

from crosstalk.language.normalize import word_form
from crosstalk.language.number_forms import Bounds
from crosstalk.language.numerals import Number, Numerals
from crosstalk.language.training_phrases import Numbers
from crosstalk.language.units import Unit, units

NEARLY: Final = 0.2
"""`about 100` is 80 to 120."""
_HOLE: Final = "{}"
_BELOW, _ABOVE, _ABOUT = "below", "above", "about"


class AmountReader:
    """Reads amounts as one phrase book writes them."""

    def __init__(self, numbers: Numbers) -> None:
        self._numerals = Numerals({word_form(word): n for word, n in numbers.words.items()})
        self._scales = [
            mark
            for mark in marks_of(numbers.points)
            if len(mark) > 1 and any(map(self._numerals.values, mark))
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
        if len(found) > 1 or found[0].high is not None:
            low, high = sorted((found[0].value, found[0].high or found[1].value))
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
        """The numbers among units, in order."""
        return self._numerals.spans([unit.plain for unit in there])


def marks_of(phrases: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """What stands around the number, in plain units."""
    for phrase in phrases:
        forms = tuple(unit.plain for part in phrase.split(_HOLE) for unit in units(part))
        if forms:
            yield forms
