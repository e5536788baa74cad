"""What translation does to vectors: differences between sentences and their translations."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.views import ANSWER_VIEWS, PLACES, TURN_OF_VIEW, Views

Matrix = NDArray[np.float32]
SAME_TURN: Final = 0.25
"""How alike the noise of two views of one turn is."""
EARLIER: Final = 0.3
"""A mean of several turns has so much of the noise of one."""


def noise_covariance(differences: list[Matrix]) -> Matrix:
    """Of a vector, the mean over languages."""
    return np.asarray(np.mean([np.cov(rows.T) for rows in differences], axis=0), np.float32)


def context_noise(noise: Matrix) -> Matrix:
    """The covariance of a context whose views have noise of this covariance."""
    width, views = len(noise), len(TURN_OF_VIEW)
    alike = _alike(TURN_OF_VIEW)
    found = np.zeros((width * (views + 1) + PLACES,) * 2, np.float32)
    found[: width * views, : width * views] = np.kron(alike, noise)
    mean = slice(width * views, width * (views + 1))
    found[mean, mean] = EARLIER * noise
    return found


def answer_noise(noise: Matrix) -> Matrix:
    return np.kron(_alike((0,) * ANSWER_VIEWS), noise)


def _alike(turns: tuple[int, ...]) -> Matrix:
    of = np.array(turns)
    return np.where(np.eye(len(of)) > 0, 1, SAME_TURN * (of[:, None] == of)).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Translated:
    """Exchanges as if every view had been translated."""

    contexts: Matrix
    answers: Matrix

    def parts(self) -> Iterator[tuple[Matrix, Matrix]]:
        yield self.contexts, self.answers


def translated(views: Views, differences: Matrix, *, seed: int) -> Translated:
    numbers = np.random.default_rng(seed)
    rows = np.arange(len(views))
    contexts, answers = views.contexts(rows), views.responses(rows)
    _add_noise(contexts, differences, numbers, mean_at=len(TURN_OF_VIEW))
    _add_noise(answers, differences, numbers)
    return Translated(contexts, answers)


def _add_noise(
    rows: Matrix, noise: Matrix, numbers: np.random.Generator, *, mean_at: int | None = None
) -> None:
    """Changes every view but those of nothing (all zeros)."""
    width = noise.shape[1]
    for view in range(rows.shape[1] // width):
        columns = slice(view * width, (view + 1) * width)
        there = np.abs(rows[:, columns]).sum(1, keepdims=True) > 0
        loud = math.sqrt(EARLIER) if view == mean_at else 1.0
        rows[:, columns] += loud * there * noise[numbers.integers(len(noise), size=len(rows))]
