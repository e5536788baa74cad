"""Context-response pairs over a table of distinct turns, so that each turn is analysed once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.response_sampling import LONGEST_CONTEXT
from crosstalk.retrieval.turn_table import lines_of, turns_of

Rows = NDArray[np.intp]
BLOCK = 32
"""Contexts per block."""


class ContextView(StrEnum):
    """A selection of a context's turns; turns alternate between the two speakers."""

    ALL = "all"
    LAST = "last"
    OWN = "own"
    """Turns of the person who responds."""
    OTHER = "other"
    """Turns of the other person."""
    FIRST = "first"
    EARLIER = "earlier"
    """Turns of the other person before the last turn."""


_SLICES = {
    ContextView.ALL: slice(None),
    ContextView.LAST: slice(-1, None),
    ContextView.OWN: slice(-2, None, -2),
    ContextView.OTHER: slice(-1, None, -2),
    ContextView.FIRST: slice(0, 1),
    ContextView.EARLIER: slice(-3, None, -2),
}


@dataclass(frozen=True, slots=True)
class IndexedPairs:
    """Pairs of a context and a response, as indices of turns."""

    texts: tuple[str, ...]
    """The distinct turns, as typed."""
    contexts: tuple[tuple[int, ...], ...]
    """The distinct contexts, as indices of their turns."""
    pairs: Rows
    """The context of each pair, as an index into `contexts`."""
    responses: Rows
    """The response of each pair, as an index into `texts`."""

    def members(self, part: ContextView, *, at_most: int = LONGEST_CONTEXT) -> csr_matrix:
        """Return a sparse matrix contexts x turns of the turns in a view, the newest first."""
        return self.stacked((part,), at_most=at_most)

    def stacked(
        self, parts: Sequence[ContextView], *, at_most: int = LONGEST_CONTEXT
    ) -> csr_matrix:
        """Stack the matrices of several views: all contexts for the first, then the second, ..."""
        chosen = [context[_SLICES[part]][:at_most] for part in parts for context in self.contexts]
        starts = np.cumsum([0, *map(len, chosen)])
        columns = np.fromiter((turn for turns in chosen for turn in turns), np.int32, starts[-1])
        ones = np.ones(len(columns), dtype=np.float32)
        return csr_matrix((ones, columns, starts), shape=(len(chosen), len(self.texts)))


class Numbering:
    """Numbers texts in the order in which they first occur."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, turn: str) -> int:
        return self.numbers.setdefault(typed_text(turn), len(self.numbers))


def indexed_blocks(contexts: Sequence[str], responses: Sequence[str]) -> Iterator[IndexedPairs]:
    """Index the pairs a few contexts at a time, which bounds the memory of features."""
    changes = [now != before for before, now in pairwise(contexts)]
    blocks = np.cumsum([False, *changes])[: len(contexts)] // BLOCK
    for block in np.unique(blocks):
        first, last = np.searchsorted(blocks, [block, block + 1])
        yield index_pairs(contexts[first:last], responses[first:last])


def index_pairs(contexts: Sequence[str], responses: Sequence[str]) -> IndexedPairs:
    """Index pairs given as texts with end marks."""
    numbered: dict[str, int] = {}
    pairs = [numbered.setdefault(context, len(numbered)) for context in contexts]
    return index_turns([turns_of(context) for context in numbered], pairs, responses)


def index_turns(
    contexts: Iterable[Sequence[str]], pairs: Sequence[int], responses: Sequence[str]
) -> IndexedPairs:
    """Index pairs given as turns; `pairs` holds the context number of each response."""
    number = Numbering()
    rows = tuple(tuple(map(number, turns[-LONGEST_CONTEXT:])) for turns in contexts)
    answers = np.fromiter(map(number, responses), np.intp, len(responses))
    return IndexedPairs(tuple(number.numbers), rows, np.asarray(pairs, dtype=np.intp), answers)


def typed_text(turn: str) -> str:
    """Return a turn as it was typed, without end marks."""
    return "\n".join(lines_of(turn))
