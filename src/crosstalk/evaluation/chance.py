"""Agreement beyond chance: Cohen's and Fleiss' kappa, Krippendorff's alpha (nominal).

Everything is a sum over groups of units (dialogues), so that one pass over the units serves the
figure and every bootstrap sample of it: a sample weighs the groups.

Where the ratings leave nothing to chance because all of them are the same, agreement cannot be told
from habit and the figure is undefined (nan; None in the plain functions). Raters who are constant
and differ have a Cohen's kappa of 0.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

CERTAIN: Final = 1 - 1e-12
"""Counts are whole numbers: one unlike pair among a million is far below this, rounding above."""
FloatArray = npt.NDArray[np.float64]
Unit = Sequence[Hashable | None]
"""What each rater said about one thing; None where a rater said nothing."""


@dataclass(frozen=True)
class Ratings:
    """Units by group, counted: one row a group, one column a category."""

    units: FloatArray
    """How many units."""
    agreement: FloatArray
    """Sum over units of the share of agreeing pairs among all pairs of raters."""
    ratings: FloatArray
    """How many ratings; of units with two and more."""
    weighted: FloatArray
    """Sum over units of agreeing pairs of ratings, each pair counted as alpha does."""
    categories: FloatArray
    """Ratings by category; group x category."""
    by_rater: FloatArray
    """The same by rater; rater x group x category."""


def count_ratings(groups: Sequence[Iterable[tuple[Unit, int]]], raters: int) -> Ratings:
    """Units with how often each occurs, group by group; units with one rating say nothing."""
    numbers: dict[Hashable, int] = {}
    cells: list[tuple[int, int, int, int]] = []
    sums = np.zeros((4, len(groups)))
    for group, units in enumerate(groups):
        for unit, times in units:
            given = [(rater, rating) for rater, rating in enumerate(unit) if rating is not None]
            if len(given) < 2:
                continue
            sums[:, group] += times * np.array(_agreement([rating for _, rating in given]))
            for rater, rating in given:
                cells.append((rater, group, numbers.setdefault(rating, len(numbers)), times))
    by_rater = np.zeros((raters, len(groups), max(1, len(numbers))))
    for rater, group, category, times in cells:
        by_rater[rater, group, category] += times
    return Ratings(sums[0], sums[1], sums[2], sums[3], by_rater.sum(axis=0), by_rater)


def _agreement(given: Sequence[Hashable]) -> tuple[float, float, float, float]:
    size = len(given)
    pairs = sum(given.count(rating) for rating in given) - size
    return 1.0, pairs / (size * (size - 1)), float(size), pairs / (size - 1)


def cohen(ratings: Ratings, weights: FloatArray) -> FloatArray:
    """Two raters; one kappa for each row of weights over the groups."""
    units = weights @ ratings.units
    first, second = (weights @ table for table in ratings.by_rater)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = weights @ ratings.agreement / units
        expected = (first * second).sum(axis=1) / units**2
        return _beyond(observed, expected)


def fleiss(ratings: Ratings, weights: FloatArray) -> FloatArray:
    """Any number of raters, all of whom rated every unit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = weights @ ratings.agreement / (weights @ ratings.units)
        shares = weights @ ratings.categories / (weights @ ratings.ratings)[:, None]
        return _beyond(observed, (shares**2).sum(axis=1))


def alpha(ratings: Ratings, weights: FloatArray) -> FloatArray:
    """Any number of raters, some of whom may have said nothing about some units."""
    total = weights @ ratings.ratings
    counts = weights @ ratings.categories
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = weights @ ratings.weighted / total
        expected = (counts * (counts - 1)).sum(axis=1) / (total * (total - 1))
        return _beyond(observed, expected)


def _beyond(observed: FloatArray, expected: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (observed - expected) / (1 - expected)
    return np.where(expected > CERTAIN, np.nan, found)


def cohen_kappa(units: Iterable[Unit]) -> float | None:
    return _one(cohen, units, 2)


def fleiss_kappa(units: Iterable[Unit]) -> float | None:
    several = list(units)
    return _one(fleiss, several, max(map(len, several), default=0))


def krippendorff_alpha(units: Iterable[Unit]) -> float | None:
    several = list(units)
    return _one(alpha, several, max(map(len, several), default=0))


def _one(statistic: Any, units: Iterable[Unit], raters: int) -> float | None:
    ratings = count_ratings([[(unit, 1) for unit in units]], raters)
    found = float(statistic(ratings, np.ones((1, 1)))[0])
    return None if np.isnan(found) else found


def resampled(groups: int, times: int, seed: int) -> FloatArray:
    """Weights of bootstrap samples: how often each group is drawn, `groups` draws a sample."""
    drawn = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), times)
    return drawn.astype(np.float64)


def interval(values: FloatArray) -> tuple[float, float] | None:
    """The middle 95 % of what is defined; None where nothing is."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return None
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)
