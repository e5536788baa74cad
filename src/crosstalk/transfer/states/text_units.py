"""Units of raw text that may be forms of a word: words and short runs of words.

units = TextUnits.of(["a cheap hotel", "a hotel"], words, least=2)
units.names  ->  ["a", "hotel"]
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.sparse import csr_matrix

from crosstalk.language.state_words import StateWords
from crosstalk.language.tokenize import joined, wording

LONGEST: Final = 3
"""Words of the longest unit."""


@dataclass(frozen=True, slots=True)
class TextUnits:
    """The units of some texts, and which text has which."""

    names: list[str]
    within: csr_matrix
    """Texts by units: 1 where the text has the unit."""

    @classmethod
    def of(cls, texts: Sequence[str], words: StateWords, *, least: int) -> "TextUnits":
        """Units of at least so many texts."""
        read = [set(units_of(words.plain(text), words)) for text in texts]
        counts = Counter(unit for units in read for unit in units)
        names = sorted(unit for unit, count in counts.items() if count >= least)
        return cls(names, _matrix(read, names))

    @property
    def counts(self) -> dict[str, int]:
        sums = np.asarray(self.within.sum(axis=0)).ravel()
        return {name: int(count) for name, count in zip(self.names, sums, strict=True)}


def _matrix(read: Sequence[set[str]], names: Sequence[str]) -> csr_matrix:
    places = {name: place for place, name in enumerate(names)}
    rows, columns = list[int](), list[int]()
    for row, units in enumerate(read):
        found = sorted(places[unit] for unit in units if unit in places)
        rows += [row] * len(found)
        columns += found
    ones = np.ones(len(rows), np.float32)
    return csr_matrix((ones, (rows, columns)), shape=(len(read), len(names)))


def is_one_word(unit: str, words: StateWords) -> bool:
    return len(_said(unit, words)) == 1


def _said(text: str, words: StateWords) -> Sequence[str]:
    return words.tokens(text) if words.spaces else wording(text, words.language)


def units_of(text: str, words: StateWords) -> Iterator[str]:
    """Every run of words without a mark or a number in it."""
    said = _said(text, words)
    for start in range(len(said)):
        for end in range(start + 1, min(start + LONGEST, len(said)) + 1):
            if not re.fullmatch(r"[^\W\d_]+", said[end - 1]):
                break
            yield joined(said[start:end], words.language)
