"""Contexts and responses with every turn once: what is learnt of a turn is worked out once."""

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
"""Contexts worked on together."""


class ContextView(StrEnum):
    """Turns of a context, seen by whoever is to respond: turns alternate between two people."""

    ALL = "all"
    LAST = "last"
    OWN = "own"
    """What the one who responds said before."""
    OTHER = "other"
    """What the other one said."""
    FIRST = "first"
    EARLIER = "earlier"
    """What the other one said before the last turn."""


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
    """Pairs of context and response, as numbers of turns."""

    texts: tuple[str, ...]
    """Every turn that occurs, once, a line of it a line."""
    contexts: tuple[tuple[int, ...], ...]
    """Every context that occurs, once, as numbers of its turns."""
    pairs: Rows
    """For each pair the number of its context."""
    responses: Rows
    """For each pair the number of the turn that responds."""

    def members(self, part: ContextView, *, at_most: int = LONGEST_CONTEXT) -> csr_matrix:
        """Which turns belong to the part: one row a context, newest turns first."""
        return self.stacked((part,), at_most=at_most)

    def stacked(
        self, parts: Sequence[ContextView], *, at_most: int = LONGEST_CONTEXT
    ) -> csr_matrix:
        """The same for several parts: all contexts for the first, then for the second ..."""
        chosen = [context[_SLICES[part]][:at_most] for part in parts for context in self.contexts]
        starts = np.cumsum([0, *map(len, chosen)])
        columns = np.fromiter((turn for turns in chosen for turn in turns), np.int32, starts[-1])
        ones = np.ones(len(columns), dtype=np.float32)
        return csr_matrix((ones, columns, starts), shape=(len(chosen), len(self.texts)))


class Numbering:
    """Numbers for texts, in the order in which they are first met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, turn: str) -> int:
        return self.numbers.setdefault(typed_text(turn), len(self.numbers))


def indexed_blocks(contexts: Sequence[str], responses: Sequence[str]) -> Iterator[IndexedPairs]:
    """The same pairs, a few contexts at a time: what is worked out of them stays small."""
    changes = [now != before for before, now in pairwise(contexts)]
    blocks = np.cumsum([False, *changes])[: len(contexts)] // BLOCK
    for block in np.unique(blocks):
        first, last = np.searchsorted(blocks, [block, block + 1])
        yield index_pairs(contexts[first:last], responses[first:last])


def index_pairs(contexts: Sequence[str], responses: Sequence[str]) -> IndexedPairs:
    """Pairs as they stand in a file."""
    numbered: dict[str, int] = {}
    pairs = [numbered.setdefault(context, len(numbered)) for context in contexts]
    return index_turns([turns_of(context) for context in numbered], pairs, responses)


def index_turns(
    contexts: Iterable[Sequence[str]], pairs: Sequence[int], responses: Sequence[str]
) -> IndexedPairs:
    """`pairs`: for each response the number of its context."""
    number = Numbering()
    rows = tuple(tuple(map(number, turns[-LONGEST_CONTEXT:])) for turns in contexts)
    answers = np.fromiter(map(number, responses), np.intp, len(responses))
    return IndexedPairs(tuple(number.numbers), rows, np.asarray(pairs, dtype=np.intp), answers)


def typed_text(turn: str) -> str:
    """A turn as it was typed: a line a line, no marks."""
    return "\n".join(lines_of(turn))
