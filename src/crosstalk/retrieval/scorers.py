"""The interface of rankers, and the two baselines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]


class Scorer(Protocol):
    """Scores how well each response fits its context; larger is better."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        """One score for each pair."""
        ...

    def save(self, folder: Path) -> None: ...


@runtime_checkable
class VectorScorer(Protocol):
    """A scorer with vectors whose dot products rank responses, for nearest-neighbour lookup."""

    def context_vectors(self, contexts: Sequence[str]) -> Vectors: ...

    def response_vectors(self, responses: Sequence[str]) -> Vectors: ...


class LengthOnly:
    """Prefers the longest response: shows whether length reveals the negatives."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.array([len(response) for response in responses], dtype=np.float64)


class Chance:
    """Scores all responses alike: the level of chance."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.zeros(len(responses))
