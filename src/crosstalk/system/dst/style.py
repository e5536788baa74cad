"""A clerk's style: how likely it is, by the words of the answers so far, that names get typed.

Some wizards type the name of whatever is talked about into the form, most never do. The two kinds
write differently: letters, pairs of letters and signs of their answers give them away.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import exp, log, sqrt
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

LEAST = 5
"""Answers a pair of letters must stand in to count."""
MOST = 2500
SOFTNESS = 1.0
"""Of the penalty on weights; .1 and 10 tell the two kinds apart no better on CrossWOZ val."""


@dataclass(frozen=True, slots=True)
class Style:
    """Weights of letters and of pairs of letters in what a clerk wrote."""

    weights: Mapping[str, float] = field(default_factory=dict)
    rarity: Mapping[str, float] = field(default_factory=dict)
    bias: float = 0.0

    def likelihood(self, texts: Sequence[str]) -> float:
        """That the clerk has the habit; the bias alone speaks where nothing was written yet."""
        found = _scaled(texts, self.rarity)
        return 1 / (1 + exp(-self.bias - sum(self.weights[gram] * x for gram, x in found.items())))

    def to_json(self) -> dict[str, Any]:
        grams = [[gram, weight, self.rarity[gram]] for gram, weight in self.weights.items()]
        return {"bias": self.bias, "grams": grams}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> "Style":
        grams = told["grams"]
        weights = {gram: weight for gram, weight, _ in grams}
        return cls(weights, {gram: rarity for gram, _, rarity in grams}, told["bias"])


def learn_style(samples: Sequence[tuple[Sequence[str], bool]]) -> Style:
    """From (answers before, whether the habit was seen); logistic regression."""
    seen = Counter(gram for texts, _ in samples for gram in _grams(texts))
    kept = sorted((gram for gram in seen if seen[gram] >= LEAST), key=lambda g: (-seen[g], g))[
        :MOST
    ]
    rarity = {gram: round(log(len(samples) / seen[gram]) + 1, 4) for gram in kept}
    if not samples:
        return Style()
    matrix = _matrix([_scaled(texts, rarity) for texts, _ in samples], kept)
    weights, bias = _logistic(matrix, np.array([float(label) for _, label in samples]))
    return Style(dict(zip(kept, weights, strict=True)), rarity, bias)


def _grams(texts: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text in texts:
        found.update(text)
        found.update(map("".join, pairwise(text)))
    return found


def _scaled(texts: Iterable[str], rarity: Mapping[str, float]) -> dict[str, float]:
    found = {
        gram: (1 + log(count)) * rarity[gram]
        for gram, count in _grams(texts).items()
        if gram in rarity
    }
    length = sqrt(sum(x * x for x in found.values())) or 1.0
    return {gram: x / length for gram, x in found.items()}


def _matrix(rows: Sequence[Mapping[str, float]], kept: Sequence[str]) -> csr_matrix:
    column = {gram: number for number, gram in enumerate(kept)}
    values = [x for row in rows for x in row.values()]
    columns = [column[gram] for row in rows for gram in row]
    starts = np.cumsum([0, *map(len, rows)])
    return csr_matrix((values, columns, starts), shape=(len(rows), len(kept)))


def _logistic(matrix: csr_matrix, labels: np.ndarray) -> tuple[list[float], float]:
    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias = point[:-1], point[-1]
        margin = matrix @ weights + bias
        signed = np.where(labels > 0, -margin, margin)
        total = np.logaddexp(0, signed).sum() + weights @ weights / (2 * SOFTNESS)
        error = 1 / (1 + np.exp(-margin)) - labels
        slope = np.append(matrix.T @ error + weights / SOFTNESS, error.sum())
        return float(total), slope

    found = minimize(loss, np.zeros(matrix.shape[1] + 1), jac=True, method="L-BFGS-B").x
    return [round(float(x), 4) for x in found[:-1]], round(float(found[-1]), 4)
