"""Rates with their uncertainty, and pass^k."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.96
"""Of a two-sided 95 % interval."""


def wilson(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share in percent (Wilson's score interval); all of it for none."""
    if not total:
        return 0.0, 100.0
    share, spread = right / total, Z * Z / total
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    low = 0.0 if right == 0 else middle - half
    high = 1.0 if right == total else middle + half
    return 100 * low, 100 * high


@dataclass(frozen=True, slots=True)
class Rate:
    """A share in percent with its 95 % interval."""

    percent: float
    low: float
    high: float


def rate(right: int, total: int) -> Rate | None:
    """None where there was nothing to count."""
    return Rate(100 * right / total, *wilson(right, total)) if total else None


def weighted_rate(parts: Iterable[tuple[float, Rate]]) -> Rate | None:
    """The mean of (weight, rate), weights summing to 1; None of nothing.

    The interval puts the distances of the parts' limits together as those of independent samples
    (square-and-add, Zou and Donner's MOVER), so that it does not vanish where all parts are 100 %.
    """
    several = list(parts)
    if not several:
        return None
    percent = sum(weight * part.percent for weight, part in several)
    below = sqrt(sum((weight * (part.percent - part.low)) ** 2 for weight, part in several))
    above = sqrt(sum((weight * (part.high - part.percent)) ** 2 for weight, part in several))
    return Rate(percent, max(0.0, percent - below), min(100.0, percent + above))


def pass_hat(successes: int, tries: int, k: int) -> float:
    """The chance that k tries drawn from these all succeed: C(c, k) / C(n, k)."""
    if not 1 <= k <= tries:
        raise ValueError(f"k is {k}, which is not between 1 and {tries} tries")
    return comb(successes, k) / comb(tries, k)
