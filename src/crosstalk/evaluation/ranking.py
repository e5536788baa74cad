"""Recall at k and mean reciprocal rank of true responses among false ones.

A tie counts as what breaking it at random gives on average: scores that are all alike are chance.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Ranking:
    """For each group, how its true response stands; the groups of several files add up."""

    better: tuple[int, ...] = ()
    """False responses scored above the true one."""
    tied: tuple[int, ...] = field(default=())
    """False responses scored the same."""

    def __add__(self, other: "Ranking") -> "Ranking":
        return Ranking(self.better + other.better, self.tied + other.tied)

    def recall(self, k: int) -> float | None:
        """Percent of groups with the true response among the k best."""
        return _percent(self._recalls(k))

    @property
    def reciprocal_rank(self) -> float | None:
        """Mean of 1 / rank, in percent."""
        return _percent(self._reciprocals())

    def interval(self, k: int, *, seed: int = 1, samples: int = 1000) -> tuple[float, float] | None:
        """95 % bootstrap interval of recall at k, over groups."""
        return _bootstrap(self._recalls(k), seed, samples)

    def reciprocal_rank_interval(
        self, *, seed: int = 1, samples: int = 1000
    ) -> tuple[float, float] | None:
        """95 % bootstrap interval of the mean reciprocal rank."""
        return _bootstrap(self._reciprocals(), seed, samples)

    def _recalls(self, k: int) -> NDArray[np.float64]:
        better, tied = np.array(self.better), np.array(self.tied)
        return np.clip((k - better) / (tied + 1), 0, 1) if len(better) else np.zeros(0)

    def _reciprocals(self) -> NDArray[np.float64]:
        return np.array(
            [
                sum(1 / (better + place) for place in range(1, tied + 2)) / (tied + 1)
                for better, tied in zip(self.better, self.tied, strict=True)
            ]
        )


def rank(scores: Sequence[float] | NDArray[np.float64]) -> Ranking:
    """One group: the score of the true response first, then those of the false ones."""
    return rank_all([np.asarray(scores, dtype=np.float64)])


def rank_all(groups: Iterable[NDArray[np.float64]]) -> Ranking:
    """Many groups, each as in `rank`. A score that is not a number counts as the lowest."""
    better, tied = [], []
    for scores in groups:
        values = np.nan_to_num(scores, nan=-np.inf)
        better.append(int((values[1:] > values[0]).sum()))
        tied.append(int((values[1:] == values[0]).sum()))
    return Ranking(tuple(better), tuple(tied))


def _percent(values: NDArray[np.float64]) -> float | None:
    return 100 * float(values.mean()) if len(values) else None


def _bootstrap(values: NDArray[np.float64], seed: int, samples: int) -> tuple[float, float] | None:
    if not len(values):
        return None
    draw = np.random.default_rng(seed)
    means = [values[draw.integers(len(values), size=len(values))].mean() for _ in range(samples)]
    low, high = np.percentile(means, [2.5, 97.5])
    return 100 * float(low), 100 * float(high)
