"""How well conversations were told apart, as the field computes it (Kummerfeld et al. 2019).

Values add over log files: variation of information and one-to-one overlap are pooled over all
lines, exact matches and links are counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np
from scipy.optimize import linear_sum_assignment

from crosstalk.evaluation.counts import Hits

Labels = Sequence[int]
"""For each line the number of its conversation."""


@dataclass(frozen=True, slots=True)
class Separation:
    """Sums over lines; add them over files, then ask."""

    lines: int = 0
    overlap: int = 0
    """Lines in the best one-to-one matching of conversations."""
    guessed_entropy: float = 0.0
    """Sum of n log n over conversations, and so on: what pooled entropies are made of."""
    true_entropy: float = 0.0
    joint_entropy: float = 0.0
    exact: Hits = field(default=Hits())

    @classmethod
    def of(cls, guessed: Labels, true: Labels) -> "Separation":
        joint = Counter(zip(guessed, true, strict=True))
        ours, theirs = Counter(guessed), Counter(true)
        return cls(
            len(true),
            _best_overlap(joint, ours, theirs),
            _n_log_n(ours),
            _n_log_n(theirs),
            _n_log_n(joint),
            _exact(joint, ours, theirs),
        )

    def __add__(self, other: "Separation") -> "Separation":
        return Separation(
            self.lines + other.lines,
            self.overlap + other.overlap,
            self.guessed_entropy + other.guessed_entropy,
            self.true_entropy + other.true_entropy,
            self.joint_entropy + other.joint_entropy,
            self.exact + other.exact,
        )

    @property
    def variation(self) -> float | None:
        """100 (1 - VI / log2 n) over the lines of all files; 100 is perfect."""
        if self.lines < 2:
            return None
        # H(X|Y) + H(Y|X) = 2 H(X,Y) - H(X) - H(Y), with H = log2 n - (sum of n_i log2 n_i) / n
        conditional = self.guessed_entropy + self.true_entropy - 2 * self.joint_entropy
        return 100 * (1 - conditional / self.lines / log2(self.lines))

    @property
    def one_to_one(self) -> float | None:
        return 100 * self.overlap / self.lines if self.lines else None


def _n_log_n(sizes: Counter[int] | Counter[tuple[int, int]]) -> float:
    return sum(size * log2(size) for size in sizes.values())


def _best_overlap(joint: Counter[tuple[int, int]], ours: Counter[int], theirs: Counter[int]) -> int:
    rows = {label: row for row, label in enumerate(ours)}
    columns = {label: column for column, label in enumerate(theirs)}
    shared = np.zeros((len(rows), len(columns)), dtype=np.int64)
    for (guess, truth), lines in joint.items():
        shared[rows[guess], columns[truth]] = lines
    return int(shared[linear_sum_assignment(shared, maximize=True)].sum())


def _exact(joint: Counter[tuple[int, int]], ours: Counter[int], theirs: Counter[int]) -> Hits:
    """Conversations of more than one line found whole."""
    right = sum(
        lines > 1 and lines == ours[guess] == theirs[truth]
        for (guess, truth), lines in joint.items()
    )
    guessed = sum(size > 1 for size in ours.values())
    true = sum(size > 1 for size in theirs.values())
    return Hits(right, guessed - right, true - right)
