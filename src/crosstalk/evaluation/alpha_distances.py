"""Krippendorff's alpha where ratings differ more or less: numbers (interval), sets (MASI).

    alpha_figure(dialogues, interval_distances, raters=2)
    interval_alpha([(1, 1), (2, 4), (3, None)])

alpha = 1 - Do / De: the mean distance of two ratings of one unit over that of any two ratings.
Nominal alpha is in `kappa.py`.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Final

import numpy as np

from crosstalk.evaluation.kappa import Bootstrap, Figure, Unit
from crosstalk.evaluation.scores import FloatArray

Distances = Callable[[Sequence[Hashable]], FloatArray]
"""The distances of all pairs of ratings."""
MOST_FOR_INTERVALS: Final = 3000
"""With more different ratings, bootstrap samples take too long: the value has no interval."""


def interval_distances(ratings: Sequence[Hashable]) -> FloatArray:
    """Squared differences of numbers."""
    numbers = np.array([float(each) for each in ratings if isinstance(each, int | float)])
    found: FloatArray = (numbers[:, None] - numbers[None, :]) ** 2
    return found


def masi_distances(ratings: Sequence[Hashable]) -> FloatArray:
    """1 - J m for sets (tuples, frozensets, strings of letters): J is Jaccard's share of common
    elements; m is 1 for equal sets, 2/3 if one holds the other, 1/3 if they overlap, else 0.
    """
    sets = [frozenset(each) if isinstance(each, Collection) else {each} for each in ratings]
    elements = {each: n for n, each in enumerate(dict.fromkeys(x for some in sets for x in some))}
    table = np.zeros((len(sets), max(1, len(elements))))
    for row, some in enumerate(sets):
        table[row, [elements[each] for each in some]] = 1
    common, sizes = table @ table.T, table.sum(axis=1)
    union = sizes[:, None] + sizes[None, :] - common
    smaller = np.minimum(sizes[:, None], sizes[None, :])
    monotonic = np.where(common == 0, 0.0, np.where(common == smaller, 2 / 3, 1 / 3))
    jaccard = np.divide(common, union, out=np.ones_like(common), where=union > 0)
    found: FloatArray = 1 - jaccard * np.where(common == union, 1.0, monotonic)
    return found


def alpha_figure(
    groups: Sequence[Iterable[tuple[Unit, int]]], distances: Distances, by: Bootstrap | None = None
) -> Figure:
    """Alpha over units by group (a dialogue), with its interval over samples of groups.

    Ratings that are None are missing; units with one rating count nothing.
    """
    numbers: dict[Hashable, int] = {}
    cells: list[tuple[int, int, float]] = []
    pairs: list[tuple[int, int, int, float]] = []
    for group, units in enumerate(groups):
        for unit, times in units:
            given = [numbers.setdefault(each, len(numbers)) for each in unit if each is not None]
            if len(given) < 2:
                continue
            cells += [(group, each, times) for each in given]
            share = times / (len(given) - 1)
            pairs += [
                (group, one, other, share)
                for n, one in enumerate(given)
                for m, other in enumerate(given)
                if n != m
            ]
    if not cells:
        return Figure(None)
    between = distances(list(numbers))
    counts = np.zeros((len(groups), len(numbers)))
    for group, category, count in cells:
        counts[group, category] += count
    observed = np.zeros(len(groups))
    for group, one, other, share in pairs:
        observed[group] += share * between[one, other]

    def statistic(weights: FloatArray) -> FloatArray:
        drawn = weights @ counts
        total = drawn.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = weights @ observed / total
            expected = ((drawn @ between) * drawn).sum(axis=1) / (total * (total - 1))
            value: FloatArray = np.where(expected > 0, 1 - found / expected, np.nan)
        return value

    if by is None or len(numbers) > MOST_FOR_INTERVALS:
        value = float(statistic(np.ones((1, len(groups))))[0])
        return Figure(None if np.isnan(value) else value)
    return by.figure(statistic, len(groups))


def interval_alpha(units: Iterable[Unit]) -> float | None:
    """Alpha of numbers."""
    return alpha_figure([[(unit, 1) for unit in units]], interval_distances).value


def masi_alpha(units: Iterable[Unit]) -> float | None:
    """Alpha of sets."""
    return alpha_figure([[(unit, 1) for unit in units]], masi_distances).value
