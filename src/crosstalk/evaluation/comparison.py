"""Comparison of two runs over the same goals: which was better, by how much, and how surely.

    compared = compare(trials_of_a, trials_of_b)
    compared.difference, compared.interval, compared.p

Goals are the clusters: trials of one goal belong together, in tests and in intervals. With one
trial a goal the test is McNemar's exact one, with several a sign-flip test over the goals' mean
differences. Trials that infrastructure or the world kept from their end are left out.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.evaluation.scores import cluster_bootstrap, goal_interval
from crosstalk.evaluation.success_rates import pass_hat

DRAWS: Final = 10_000
EXACT_GOALS: Final = 16
"""Up to so many goals that differ, all 2^n sign flips are counted; above, they are drawn."""

Interval = tuple[float, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trial:
    """One judged conversation."""

    goal: str
    """Digest of the goal: runs are paired by it, not by its number."""
    trial: int
    success: bool | None
    """None: undecided."""
    id: str = ""
    groups: Mapping[str, str] | None = None
    """What it can be broken down by: language, goal type, perturbation, blame."""


def by_goal(trials: Iterable[Trial]) -> dict[str, list[bool]]:
    """Goal -> successes of its decided trials, in order."""
    found: dict[str, list[bool]] = {}
    for each in sorted(trials, key=lambda each: each.trial):
        if each.success is not None:
            found.setdefault(each.goal, []).append(each.success)
    return found


# Tests


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided p of McNemar's test; 1 where the two never differ."""
    total, less = only_a + only_b, min(only_a, only_b)
    tail: float = sum(comb(total, i) for i in range(less + 1)) / 2**total
    return min(1.0, 2 * tail)


def mcnemar_mid_p(only_a: int, only_b: int) -> float:
    """The same with half of the observed table's probability, which is less conservative."""
    total, less = only_a + only_b, min(only_a, only_b)
    tail: float = sum(comb(total, i) for i in range(less + 1)) / 2**total
    observed: float = comb(total, less) / 2**total
    return min(1.0, 2 * tail - observed)


def sign_flip(differences: Sequence[float], *, seed: int = 1, draws: int = DRAWS) -> float:
    """Two-sided p that mean differences this large arise where each sign is a coin toss."""
    given = np.array([each for each in differences if each != 0.0])
    if not len(given):
        return 1.0
    observed = abs(given.sum()) - 1e-12
    if len(given) <= EXACT_GOALS:
        bits = (np.arange(2 ** len(given))[:, None] >> np.arange(len(given))) & 1
        sums = np.abs((1 - 2 * bits) @ given)
        return float((sums >= observed).mean())
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], size=(draws, len(given)))
    return float((1 + (np.abs(signs @ given) >= observed).sum()) / (1 + draws))


def holm(values: Sequence[float]) -> list[float]:
    """P-values of several comparisons, adjusted by Holm's procedure."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted, highest = [0.0] * len(values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(values) - rank) * values[index]))
        adjusted[index] = highest
    return adjusted


# Intervals


@dataclass(frozen=True, slots=True)
class PassRate:
    """pass^k of a run with its interval; shares of 1."""

    value: float
    interval: Interval
    goals: int
    left_out: int
    """Goals with fewer decided trials than k."""


def pass_rate(trials: Iterable[Trial], k: int) -> PassRate | None:
    """The chance that k trials of a goal all succeed, meaned over goals; None of no goal."""
    goals = by_goal(trials).values()
    values = [pass_hat(sum(won), len(won), k) for won in goals if len(won) >= k]
    interval = goal_interval(values)
    if interval is None:
        return None
    return PassRate(sum(values) / len(values), interval, len(values), len(goals) - len(values))


# Comparison


@dataclass(frozen=True)
class Comparison:
    """Two runs, paired by goal; shares of 1."""

    a: Mapping[str, Sequence[bool]]
    b: Mapping[str, Sequence[bool]]
    unpaired: int = 0
    """Goals that only one of the two has decided trials of."""

    @cached_property
    def differences(self) -> dict[str, float]:
        """Goal -> mean of b less mean of a."""
        return {goal: _mean(self.b[goal]) - _mean(self.a[goal]) for goal in self.a}

    @property
    def rate_a(self) -> float:
        return _mean([_mean(won) for won in self.a.values()])

    @property
    def rate_b(self) -> float:
        return _mean([_mean(won) for won in self.b.values()])

    @property
    def difference(self) -> float:
        return _mean(list(self.differences.values()))

    @property
    def standard_error(self) -> float | None:
        values, mean = list(self.differences.values()), self.difference
        count = len(values)
        if count < 2:
            return None
        return sqrt(sum((value - mean) ** 2 for value in values) / (count * (count - 1)))

    @cached_property
    def interval(self) -> Interval | None:
        return cluster_bootstrap(list(self.differences.values()))

    @property
    def is_single(self) -> bool:
        """Whether every goal was tried once on either side."""
        return all(len(won) == 1 for side in (self.a, self.b) for won in side.values())

    @cached_property
    def p(self) -> float:
        if self.is_single:
            return mcnemar(len(self.lost), len(self.won))
        return sign_flip(list(self.differences.values()))

    @property
    def test(self) -> str:
        return "McNemar, exact" if self.is_single else "sign flips over goals"

    @property
    def lost(self) -> list[str]:
        """Goals in which b is worse."""
        return [goal for goal, difference in self.differences.items() if difference < 0]

    @property
    def won(self) -> list[str]:
        return [goal for goal, difference in self.differences.items() if difference > 0]

    @property
    def is_regression(self) -> bool:
        """Whether b is worse than a by more than chance explains (p < 0.05)."""
        return self.difference < 0 and self.p < 0.05


def compare(a: Iterable[Trial], b: Iterable[Trial]) -> Comparison:
    """Pair two runs by goal; goals that only one of them has are counted, not compared."""
    first, second = by_goal(a), by_goal(b)
    shared = [goal for goal in first if goal in second]
    unpaired = len(set(first) ^ set(second))
    return Comparison(
        {goal: first[goal] for goal in shared}, {goal: second[goal] for goal in shared}, unpaired
    )


def breakdown(
    a: Sequence[Trial], b: Sequence[Trial], key: str
) -> dict[str, tuple[Comparison, float]]:
    """Value of a group -> its comparison and the p-value adjusted over all values (Holm)."""
    values = list(dict.fromkeys(_group(each, key) for each in (*a, *b)))
    found = {value: compare(_of(a, key, value), _of(b, key, value)) for value in values if value}
    found = {value: each for value, each in found.items() if each.a}
    adjusted = holm([each.p for each in found.values()])
    return {value: (each, p) for (value, each), p in zip(found.items(), adjusted, strict=True)}


def _of(trials: Sequence[Trial], key: str, value: str) -> list[Trial]:
    return [each for each in trials if _group(each, key) == value]


def _group(trial: Trial, key: str) -> str:
    return (trial.groups or {}).get(key, "")


def shares_of(trials: Iterable[Trial], key: str) -> Counter[str]:
    """How many trials have each value of a group."""
    return Counter(_group(each, key) for each in trials if _group(each, key))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
