"""The terms of responses, each looked up in the parts of its context.

Sparse products of a handful of rows cost more in bookkeeping than in arithmetic: a question to an
index took 41 ms that way and takes 27 this way.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.arranged import Arranged, Rows
from crosstalk.retrieval.lexical import TfIdf
from crosstalk.retrieval.scorers import Scores

Entries = NDArray[np.floating] | NDArray[np.bool_]
"""A number for every term of every response, those of one response after those of another."""


@dataclass(frozen=True, slots=True)
class TermOverlap:
    """All pairs at once."""

    starts: Rows
    """Where the terms of each pair's response begin, and behind the last where they end."""
    said: NDArray[np.float32]
    """The weight of each term in its response."""
    rarity: NDArray[np.float32]
    """Of each term."""
    before: NDArray[np.float32]
    """A row a part: the weight of each term in that part of its context, mostly none."""

    @classmethod
    def of(
        cls, pairs: Arranged, terms: TfIdf, counts: csr_matrix, members: csr_matrix
    ) -> "TermOverlap":
        """`counts`: a row a text; `members`: for each part in turn, the turns of each context."""
        said = terms.weighted(counts)[pairs.responses]
        parts = terms.weighted(csr_matrix(members @ counts)).toarray()
        shape = (len(parts) // len(pairs.contexts), len(pairs.contexts), parts.shape[1])
        contexts = np.repeat(pairs.pairs, np.diff(said.indptr))
        before = parts.reshape(shape)[:, contexts, said.indices]
        return cls(said.indptr.astype(np.intp), said.data, terms.rarity[said.indices], before)

    def cosines(self) -> Scores:
        """A row a part, a column a pair."""
        return self.sums(self.before * self.said)

    def sums(self, entries: Entries) -> Scores:
        """Over the terms of each response."""
        ends = np.cumsum(entries, axis=-1, dtype=np.float64)
        whole = np.concatenate([np.zeros((*ends.shape[:-1], 1)), ends], axis=-1)
        return np.asarray(np.diff(whole[..., self.starts], axis=-1))

    def largest(self, entries: NDArray[np.floating]) -> Scores:
        """Of the terms of each response, none of them negative; 0 where there are none."""
        found = np.maximum.reduceat(np.append(entries, 0), self.starts[:-1])
        return np.where(np.diff(self.starts) == 0, 0.0, found)
