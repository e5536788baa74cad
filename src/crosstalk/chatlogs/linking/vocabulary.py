"""Words as numbers, each with marks for what kind of word it is: what numpy can count."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain, count

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]

EDGES = ".,:;!?()\"'<>@"
"""No name has these marks in it; words are what stands between them."""


class WordIds:
    """Numbers of words, from `first` on as they come."""

    def __init__(self, first: int = 0) -> None:
        self.first = first
        self._numbers: defaultdict[str, int] = defaultdict(count(first).__next__)
        self._marks = bytearray()

    def __len__(self) -> int:
        return len(self._numbers)

    def mark(self, words: Iterable[str], mark: int) -> None:
        """`mark` is one bit of eight."""
        places = [self._numbers[word] - self.first for word in words]
        self._grow()
        for place in places:
            self._marks[place] |= mark

    def numbers(self, lines: list[list[str]]) -> Ints:
        """Of all words, line after line."""
        return np.array(
            list(map(self._numbers.__getitem__, chain.from_iterable(lines))), dtype=np.int64
        )

    def marks(self, numbers: Ints) -> Bytes:
        self._grow()
        marks: Bytes = np.frombuffer(bytes(self._marks), dtype=np.uint8)[numbers - self.first]
        return marks

    def _grow(self) -> None:
        self._marks.extend(bytes(len(self._numbers) - len(self._marks)))


def split_words(texts: list[str]) -> list[list[str]]:
    """Words in small letters. All texts in one go: small strings cost more than long ones."""
    together = "\n".join([text.replace("\n", " ") for text in texts]).casefold()
    for mark in EDGES:
        together = together.replace(mark, " ")
    return [text.split() for text in together.split("\n")] if texts else []
