"""Mentions: whether a text says a value, whatever its case, width and spaces.

Chinese does not part its words; elsewhere a value must not stand inside a longer word.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from crosstalk.system.nlu.gazetteer import folded

_NUMBER: Final = re.compile(r"(?<![\d:])\d+(?:[.,]\d+)?(?![\d:])")
"""Not the hours and minutes of a time of day."""
_FIRST_CHINESE: Final = "\u2e80"
_SPACES: Final = re.compile(r"\s+")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Lower case, half width, single spaces."""
    return _SPACES.sub(" ", folded(text)).strip()


def mentions(text: str, value: str) -> bool:
    said, value = plain(text), plain(value)
    at = said.find(value) if value else -1
    while at >= 0:
        if not _inside_word(said, at) and not _inside_word(said, at + len(value)):
            return True
        at = said.find(value, at + 1)
    return False


def _inside_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and all(
        each.isalpha() and each < _FIRST_CHINESE for each in text[at - 1 : at + 1]
    )


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text as they are written, with a point for decimals."""
    return frozenset(each.replace(",", ".") for each in _NUMBER.findall(plain(text)))


def mentions_number(text: str, value: str) -> bool:
    """Whether all numbers of a value stand in a text, whatever its words."""
    wanted = numbers_in(value)
    return bool(wanted) and wanted <= numbers_in(text)


def mentioned_terms(text: str, terms: Iterable[str]) -> frozenset[str]:
    """The terms a text says; "free breakfast" does not say "breakfast" as well."""
    said, found = plain(text), set()
    for term in sorted(terms, key=len, reverse=True):
        if mentions(said, term):
            found.add(term)
            said = said.replace(plain(term), "\n")
    return frozenset(found)
