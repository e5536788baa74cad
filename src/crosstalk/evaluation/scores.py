"""The counts that metrics are made of, and their 95 % intervals.

`Share` and `Hits` add up over turns, dialogues, goal types and languages. Intervals: Wilson's for a
share of independent cases (`wilson`); bootstrap over dialogues for everything else, because turns
of one dialogue depend on each other (`bootstrap` of summed counts, `bootstrap_mean` of numbers,
`resampled` and `percentiles` for statistics that take weights, such as kappa in kappa.py).
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import sqrt
from operator import add
from random import Random
from typing import TypeVar

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Counts = TypeVar("Counts")


@dataclass(frozen=True, slots=True)
class Share:
    """A number of right cases out of a total."""

    right: int = 0
    total: int = 0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.right + other.right, self.total + other.total)

    @property
    def percent(self) -> float | None:
        """None if the total is 0."""
        return 100 * self.right / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class Hits:
    """True positives, false positives and false negatives."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @classmethod
    def of(cls, guessed: Collection[Hashable], true: Collection[Hashable]) -> "Hits":
        """Compare two sets; duplicates count once."""
        ours, theirs = set(guessed), set(true)
        return cls(len(ours & theirs), len(ours - theirs), len(theirs - ours))

    def __add__(self, other: "Hits") -> "Hits":
        return Hits(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    @property
    def precision(self) -> float | None:
        """In percent; None if nothing was guessed."""
        total = self.right + self.wrong
        return 100 * self.right / total if total else None

    @property
    def recall(self) -> float | None:
        """In percent; None if nothing is true."""
        total = self.right + self.missed
        return 100 * self.right / total if total else None

    @property
    def f1(self) -> float | None:
        """Micro F1 in percent; None if nothing is true and nothing was guessed."""
        total = 2 * self.right + self.wrong + self.missed
        return 200 * self.right / total if total else None


# Intervals

BOOTSTRAP = "95 %, bootstrap over dialogues"
"""The name of the interval of `bootstrap` in outputs."""
Z = 1.96
"""Quantile of a two-sided 95 % interval."""


def rounded(value: float | None, digits: int = 2) -> float | None:
    """Round for outputs; None stays None."""
    return None if value is None else round(value, digits)


def wilson(right: float, total: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share, in percent; 0 to 100 if the total is 0."""
    if not total:
        return 0.0, 100.0
    share, spread = right / total, Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    low = 0.0 if right == 0 else middle - half
    high = 1.0 if right == total else middle + half
    return 100 * low, 100 * high


def wilson_of(share: Share) -> tuple[float, float]:
    """Wilson's interval of a `Share`."""
    return wilson(share.right, share.total)


def bootstrap(
    parts: Sequence[Counts],
    figure: Callable[[Counts], float | None],
    *,
    seed: int = 1,
    draws: int = 1000,
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of a figure of summed counts.

    `parts` are the counts of dialogues (or days): turns of one dialogue depend on each other, so
    whole dialogues are drawn, with replacement. None if the figure is undefined in every draw.
    """
    if not parts:
        return None
    rng = Random(seed)
    samples = (reduce(add, rng.choices(parts, k=len(parts))) for _ in range(draws))
    found = sorted(value for sample in samples if (value := figure(sample)) is not None)
    if not found:
        return None
    return found[int(0.025 * len(found))], found[int(0.975 * (len(found) - 1))]


def bootstrap_mean(
    values: FloatArray, *, seed: int = 1, draws: int = 1000
) -> tuple[float, float] | None:
    """The 95 % bootstrap interval of a mean; None of nothing.

    Samples are drawn in batches of about two million numbers, so that memory stays bounded.
    """
    if not len(values):
        return None
    rng = np.random.default_rng(seed)
    batch = max(1, 2_000_000 // len(values))
    means = [
        values[rng.integers(len(values), size=(min(batch, draws - done), len(values)))].mean(axis=1)
        for done in range(0, draws, batch)
    ]
    return percentiles(np.concatenate(means))


def resampled(groups: int, times: int, seed: int) -> FloatArray:
    """Weights of bootstrap samples (rows): how often each group is drawn in `groups` draws."""
    drawn = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), times)
    return drawn.astype(np.float64)


def percentiles(values: FloatArray) -> tuple[float, float] | None:
    """The 2.5 and 97.5 percentiles of the defined values; None if all are nan."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share in percent with its 95 % interval."""

    percent: float
    low: float
    high: float


def rate(right: int, total: int) -> Rate | None:
    """The rate with Wilson's interval; None if the total is 0."""
    return Rate(100 * right / total, *wilson(right, total)) if total else None


def weighted_rate(parts: Iterable[tuple[float, Rate]]) -> Rate | None:
    """The weighted mean of rates, weights summing to 1; None of nothing.

    The interval combines the distances of the parts' limits as those of independent samples
    (square-and-add, Zou and Donner's MOVER), so that it does not vanish if all parts are 100 %.
    """
    several = list(parts)
    if not several:
        return None
    percent = sum(weight * part.percent for weight, part in several)
    below = sqrt(sum((weight * (part.percent - part.low)) ** 2 for weight, part in several))
    above = sqrt(sum((weight * (part.high - part.percent)) ** 2 for weight, part in several))
    return Rate(percent, max(0.0, percent - below), min(100.0, percent + above))


def goal_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval of the mean over goals, shares of 1; None of no goal.

    A bootstrap over goals; Wilson's of the goals where all are alike and nothing can vary.
    """
    if values and len(set(values)) == 1:
        low, high = wilson(sum(values), len(values))
        return low / 100, high / 100
    return cluster_bootstrap(sorted(values))  # in whatever order they were found


def cluster_bootstrap(
    figures: Sequence[float], *, seed: int = 1, draws: int = 10_000
) -> tuple[float, float] | None:
    """95 % bootstrap interval of the mean over goals; whole goals are drawn."""
    return bootstrap_mean(np.array(figures, dtype=np.float64), seed=seed, draws=draws)
