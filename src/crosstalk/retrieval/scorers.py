"""What every ranker of responses does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]


class Scorer(Protocol):
    """How well each response fits its context; larger is better."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        """One score for each pair."""
        ...

    def save(self, folder: Path) -> None: ...


class LengthOnly:
    """The longest response: shows whether false ones give themselves away by their length."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.array([len(response) for response in responses], dtype=np.float64)


class Chance:
    """All responses alike: what guessing gives."""

    def score(self, contexts: Sequence[str], responses: Sequence[str]) -> Scores:
        return np.zeros(len(responses))
