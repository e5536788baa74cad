"""Times of day and numbers among the tokens of a text: views of `times` and `numerals`."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from crosstalk.language.numerals import Number, in_digits
from crosstalk.language.state_words import StateWords
from crosstalk.language.times import times_of
from crosstalk.language.token_forms import FormFinder, FormMatch
from crosstalk.language.writing import numerals_of

MOST: Final = 20
"""A number above that is no number of people, nights or stars."""


def times(tokens: Sequence[str], words: StateWords) -> Iterator[FormMatch[str]]:
    """Every time of day as `HH:MM`; an hour of the afternoon by its word."""
    starts = list(accumulate((len(token) + 1 for token in tokens), initial=0))
    found = times_of(words.writing, loose=True).find(" ".join(tokens))
    for time in sorted(found, key=lambda each: each.start):
        first, last = (bisect(starts, at) for at in (time.core[0], time.core[1] - 1))
        yield FormMatch(first - 1, last, f"{time.written // 60:02}:{time.written % 60:02}")


def numbers(tokens: Sequence[str], words: StateWords) -> Iterator[FormMatch[str]]:
    """Small numbers that are no part of a time, as digits."""
    taken = {place for each in times(tokens, words) for place in range(each.start, each.end)}
    read = [
        FormMatch(number.start, number.end, in_digits(number.value))
        for number in numerals_of(words.writing).spans(tokens)
        if _counts(number, tokens, words)
    ]
    forms = {form: str(number) for form, number in words.numbers.items()}
    for each in sorted(
        (*read, *FormFinder(words, forms).find(tokens)), key=lambda each: each.start
    ):
        if each.start not in taken:
            yield each


def _counts(number: Number, tokens: Sequence[str], words: StateWords) -> bool:
    """Whether a number is small and, in words, stands before something that is counted."""
    after = tokens[number.end] if number.end < len(tokens) else ""
    counted = not number.in_words or not words.classifiers or after in words.classifiers
    return counted and number.value <= MOST and number.value == int(number.value)
