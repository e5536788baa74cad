"""Rates with their uncertainty, and pass^k."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from math import comb, sqrt
from operator import add
from random import Random
from typing import Final, TypeVar

from crosstalk.dialogue.goals import GoalType
from crosstalk.evaluation.counts import Share

PUBLISHED: Final[Mapping[GoalType, int]] = {
    GoalType.S: 417,
    GoalType.M: 1573,
    GoalType.M_T: 691,
    GoalType.CM: 1759,
    GoalType.CM_T: 572,
}
"""Dialogues of each type in CrossWOZ's training split, as its paper counts them (5,012)."""
SOURCE: Final = "CrossWOZ's training split"


class Mix(StrEnum):
    """What `overall` weighs goal types by."""

    NATURAL = "natural"
    """All dialogues as they were drawn."""
    PUBLISHED = "published"
    """The types' rates, weighted by `PUBLISHED`."""


def shares(counts: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The weight of each type, from easy to hard; they sum to 1."""
    total = sum(counts.values())
    return {kind: counts[kind] / total for kind in GoalType if counts.get(kind)}


def published_weights(among: Mapping[GoalType, int]) -> dict[GoalType, float]:
    """The published weights of the types that a run has dialogues of."""
    return shares({kind: PUBLISHED[kind] for kind, count in among.items() if count})


Counts = TypeVar("Counts")

BOOTSTRAP = "95 %, bootstrap over dialogues"
"""What outputs call the interval of `bootstrap`."""
Z = 1.96
"""Of a two-sided 95 % interval."""


def rounded(value: float | None, digits: int = 2) -> float | None:
    """For outputs; None stays None."""
    return None if value is None else round(value, digits)


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


def wilson_of(share: Share) -> tuple[float, float]:
    """Wilson's interval of counts."""
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
