"""Agreement beyond chance: Cohen's and Fleiss' kappa, PABAK, Gwet's AC1, Krippendorff's alpha.

    cohen_kappa([("yes", "yes"), ("yes", "no")])
    Bootstrap(seed=1).figure(lambda weights: cohen(ratings, weights), dialogues)

Counts are kept per group of units (a dialogue), so that one pass over the units serves the value
and all bootstrap samples: a sample is a weight for each group.

If all ratings are the same, agreement cannot be told from chance and the statistic is undefined
(nan; None in the plain functions). Raters who are constant and differ have a Cohen's kappa of 0.
Where nearly all ratings are the same, kappa is low for good agreement; PABAK and AC1 are not.
Alpha is nominal here; with distances it is in `alpha_distances.py`.
Annotator agreement (agreement.py) and translation control (quality_control.py) use it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from crosstalk.evaluation.scores import FloatArray, percentiles, resampled, rounded

CERTAIN: Final = 1 - 1e-12
"""Expected agreement above this is 1 up to rounding; one differing pair in a million is below."""
Unit = Sequence[Hashable | None]
"""The rating of each rater for one unit; None for a missing rating."""


@dataclass(frozen=True)
class Ratings:
    """Counts of ratings by group (rows) and category (columns)."""

    units: FloatArray
    """Number of units."""
    agreement: FloatArray
    """Sum over units of the share of agreeing pairs among all pairs of raters."""
    ratings: FloatArray
    """Number of ratings of units with at least two."""
    weighted: FloatArray
    """Sum over units of agreeing pairs of ratings, weighted as in alpha."""
    categories: FloatArray
    """Ratings by category; group x category."""
    by_rater: FloatArray
    """The same by rater; rater x group x category."""


def count_ratings(groups: Sequence[Iterable[tuple[Unit, int]]], raters: int) -> Ratings:
    """Count the units of each group, given with multiplicity; units with one rating are skipped."""
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


def pabak(ratings: Ratings, weights: FloatArray) -> FloatArray:
    """Prevalence- and bias-adjusted kappa: twice the observed agreement minus one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found: FloatArray = 2 * (weights @ ratings.agreement) / (weights @ ratings.units) - 1
    return found


def gwet(ratings: Ratings, weights: FloatArray, categories: int = 2) -> FloatArray:
    """Gwet's AC1; `categories`: how many there are to choose from, also those nobody chose.

    Its chance agreement is at most one over their number, so it is never undefined.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = weights @ ratings.agreement / (weights @ ratings.units)
        shares = weights @ ratings.categories / (weights @ ratings.ratings)[:, None]
        expected = (shares * (1 - shares)).sum(axis=1) / (max(2, categories) - 1)
        return _beyond(observed, expected)


def alpha(ratings: Ratings, weights: FloatArray) -> FloatArray:
    """Any number of raters; ratings may be missing."""
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


def pabak_of(units: Iterable[Unit]) -> float | None:
    return _one(pabak, units, 2)


def gwet_ac1(units: Iterable[Unit], categories: int = 2) -> float | None:
    return _one(lambda ratings, weights: gwet(ratings, weights, categories), units, 2)


def _one(statistic: Any, units: Iterable[Unit], raters: int) -> float | None:
    ratings = count_ratings([[(unit, 1) for unit in units]], raters)
    found = float(statistic(ratings, np.ones((1, 1)))[0])
    return None if np.isnan(found) else found


SAMPLES: Final = 1000
Statistic = Callable[[FloatArray], FloatArray]
"""Weights of the dialogues, one row per sample -> one value per row; nan if undefined."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A statistic with its 95 % interval; None if it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    def record(self, digits: int = 4, interval_digits: int = 4) -> dict[str, Any]:
        """As JSON, rounded."""
        low, high = self.low, self.high
        span = (
            None
            if low is None or high is None
            else [round(low, interval_digits), round(high, interval_digits)]
        )
        return {"value": rounded(self.value, digits), "interval": span}

    def words(self, digits: int) -> tuple[str, str]:
        """The value and its interval as text; a dash if it is undefined."""
        if self.value is None:
            return "-", ""
        span = "" if self.low is None else f"{self.low:.{digits}f} to {self.high:.{digits}f}"
        return f"{self.value:.{digits}f}", span


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Bootstrap intervals over dialogues: percentiles over samples drawn with a seed."""

    seed: int = 0
    samples: int = SAMPLES

    def figure(self, statistic: Statistic, dialogues: int) -> Figure:
        """The value of a statistic over all dialogues, and its interval over samples of them."""
        if not dialogues:
            return Figure(None)
        value = float(statistic(np.ones((1, dialogues)))[0])
        span = percentiles(statistic(resampled(dialogues, self.samples, self.seed)))
        return Figure(None) if np.isnan(value) or span is None else Figure(value, *span)
