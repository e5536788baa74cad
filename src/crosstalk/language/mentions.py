"""Mentions: whether a text says a value, whatever its case, width and spaces.

Chinese does not part its words; elsewhere a value must not stand inside a longer word.
"""

import re
from collections.abc import Iterable
from typing import Final

from crosstalk.language.normalize import squeezed
from crosstalk.language.numerals import DIGITS
from crosstalk.language.scripts import inside_word

_NUMBER: Final = re.compile(rf"(?<![\d:]){DIGITS.pattern}(?![\d:])")
"""Not the hours and minutes of a time of day."""


def mentions(text: str, value: str) -> bool:
    said, value = squeezed(text), squeezed(value)
    at = said.find(value) if value else -1
    while at >= 0:
        ends = (at, at + len(value))
        if not any(inside_word(said, end, digits=False) for end in ends):
            return True
        at = said.find(value, at + 1)
    return False


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text as they are written, with a point for decimals."""
    return frozenset(each.replace(",", ".") for each in _NUMBER.findall(squeezed(text)))


def mentions_number(text: str, value: str) -> bool:
    """Whether all numbers of a value stand in a text, whatever its words."""
    wanted = numbers_in(value)
    return bool(wanted) and wanted <= numbers_in(text)


def mentioned_terms(text: str, terms: Iterable[str]) -> frozenset[str]:
    """The terms a text says; "free breakfast" does not say "breakfast" as well."""
    said, found = squeezed(text), set()
    for term in sorted(terms, key=len, reverse=True):
        if mentions(said, term):
            found.add(term)
            said = said.replace(squeezed(term), "\n")
    return frozenset(found)
