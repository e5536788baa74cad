"""Numerals: what the words or signs of a number are worth together.

composed([2, 100, 50])                     ->  250    two hundred and fifty
composed([5, 20])                          ->  25     fünfundzwanzig
composed([1, 100, 5], signs=True)          ->  150    一百五
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

JOIN: Final = -1
"""The value of words that only join others: and, und."""
_POINTS: Final = re.compile(r"[.,](?=\d{3}(?!\d))")
"""A mark before exactly three digits parts thousands: no price has three decimals."""

N = TypeVar("N", int, float)


def divided(word: str, numbers: Mapping[str, N]) -> list[N]:
    """The number words a word is made of: `hundertfünfzig` is two; none where it is no number."""
    if word in numbers:
        return [numbers[word]]
    for end in range(len(word) - 1, 0, -1):
        if word[:end] in numbers:
            parts = [numbers[word[:end]]]
            parts.extend(divided(word[end:], numbers))
            if len(parts) > 1:
                return parts
    return []


def composed(values: Sequence[N], *, signs: bool = False) -> N | None:
    """The number that words make one after the other, or, with `signs`, Chinese signs."""
    said = [value for value in values if value != JOIN]
    if not said:
        return None
    return _of_signs(said) if signs else _of_words(said)


def _of_words(values: Sequence[N]) -> N:
    total: N = 0
    current: N = 0
    for value in values:
        if value == 1000:
            total, current = total + max(current, 1) * value, 0
        elif value == 100 and 0 < current < 100:
            current *= value
        else:
            current += value
    return total + current


def _of_signs(values: Sequence[N]) -> N:
    """Ten, hundred and so on multiply the digit before them; digits alone stand in a row.

    A last digit behind a hundred counts for the next smaller place: `一百五` is 150.
    """
    total: N = 0
    digit: N | None = None
    place: N = 0
    for value in values:
        if value >= 10000:
            total = max(total + (digit or 0), 1) * value
        elif value >= 10:
            total += (1 if digit is None else digit) * value
        else:
            digit = value if digit is None else digit * 10 + value
            continue
        digit, place = None, value
    if digit is None:
        return total
    shortened = place >= 100 and digit < 10 and values[-2] == place
    return total + (digit * place // 10 if shortened else digit)


def read_digits(text: str) -> float:
    """`1,200` and `1.200` are 1200; `4,5` and `4.5` are a decimal."""
    return float(without_thousands(text).replace(",", "."))


def without_thousands(text: str) -> str:
    """Numbers without the marks between their thousands."""
    return _POINTS.sub("", text)
