"""Rates with their uncertainty, and pass^k."""

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


def pass_hat(successes: int, tries: int, k: int) -> float:
    """The chance that k tries drawn from these all succeed: C(c, k) / C(n, k)."""
    if not 1 <= k <= tries:
        raise ValueError(f"k is {k}, which is not between 1 and {tries} tries")
    return comb(successes, k) / comb(tries, k)
