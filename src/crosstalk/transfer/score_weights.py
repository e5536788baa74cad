"""Several scores of a pair made into one: weights that put the right answer first.

Each score is first laid out within its list (mean 0, spread 1), since how loud it is differs from
language to language; overlaps are taken as they are.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
SMALL = 1e-3
"""How much weights are held small."""


def laid_out(scores: NDArray[np.floating]) -> Matrix:
    """Every row with mean 0 and spread 1."""
    spread = scores.std(axis=1, keepdims=True)
    return np.asarray((scores - scores.mean(axis=1, keepdims=True)) / np.maximum(spread, 1e-9))


def stacked(scores: Sequence[NDArray[np.floating]], overlaps: NDArray[np.floating]) -> Matrix:
    """One number a kind for each exchange and candidate: laid-out scores, then overlaps."""
    each = [laid_out(score)[:, :, None] for score in scores]
    return np.asarray(np.concatenate([*each, overlaps], axis=2), np.float64)


def fit_weights(lists: Sequence[Matrix]) -> Matrix:
    """Weights under which the right answers, on the diagonals, are likeliest."""
    from scipy.optimize import minimize

    kinds = lists[0].shape[2]

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        total, slope, count = 0.0, np.zeros(kinds), 0
        for marks in lists:
            likely = _softmax(marks @ weights)
            right = np.arange(len(marks))
            total -= float(np.log(likely[right, right] + 1e-30).sum())
            slope += np.einsum("rc,rck->k", likely, marks) - marks[right, right].sum(0)
            count += len(marks)
        held = SMALL * weights
        return total / count + float(held @ weights), slope / count + 2 * held

    start = np.zeros(kinds)
    start[0] = 1.0
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return np.asarray(found.x, np.float64)


def _softmax(scores: Matrix) -> Matrix:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
