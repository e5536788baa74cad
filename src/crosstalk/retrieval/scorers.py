"""What every ranker of responses does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]


class Scorer(Protocol):
    """How well each response fits its context; larger is better."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        """One score for each pair."""
        ...

    def save(self, folder: Path) -> None: ...


@runtime_checkable
class VectorScorer(Protocol):
    """A scorer for which near vectors are likely responses: they can be looked up among many."""

    def context_vectors(self, contexts: Sequence[str]) -> Vectors: ...

    def response_vectors(self, responses: Sequence[str]) -> Vectors: ...


class LengthOnly:
    """The longest response: shows whether false ones give themselves away by their length."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.array([len(response) for response in responses], dtype=np.float64)


class Chance:
    """All responses alike: what guessing gives."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.zeros(len(responses))
