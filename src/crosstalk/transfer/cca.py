"""Canonical correlation analysis (CCA) in closed form, and PCA, between contexts and responses.

The fit needs only the first and second moments of the pairs (`Moments`), which add over parts of
the data; translation noise is one more covariance. The score of a pair is its log-likelihood ratio
(together against independent) under a Gaussian model.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

Float32Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PCA:
    """Principal directions as columns."""

    directions: Float32Matrix

    def narrowed(self, rows: Float32Matrix) -> Float32Matrix:
        """Project every view of each row; columns after the views stay."""
        width = len(self.directions)
        views = rows.shape[1] // width
        parts = [rows[:, at * width : (at + 1) * width] @ self.directions for at in range(views)]
        return np.concatenate([*parts, rows[:, views * width :]], axis=1)


def basis_of(vectors: Float32Matrix, width: int) -> PCA:
    """Fit PCA; directions are sorted and signed, so the same vectors give the same basis."""
    _, directions = np.linalg.eigh(np.cov(vectors.T))
    kept = directions[:, ::-1][:, :width]
    signs = np.sign(kept[np.abs(kept).argmax(0), np.arange(kept.shape[1])])
    return PCA(np.asarray(kept * signs, np.float32))


Matrix = NDArray[np.floating]
HIGHEST: Final = 0.98
"""Correlations are clipped here; at 1 scores would be unbounded."""


@dataclass(frozen=True, slots=True)
class Moments:
    """First and second moments (sums) of context and response rows; moments of parts add."""

    count: float
    context: Matrix
    answer: Matrix
    contexts: Matrix
    """Sum of outer products of contexts."""
    answers: Matrix
    both: Matrix

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(
            self.count + other.count,
            self.context + other.context,
            self.answer + other.answer,
            self.contexts + other.contexts,
            self.answers + other.answers,
            self.both + other.both,
        )

    def centred(self) -> "Moments":
        """Subtract the corpus mean, which removes the offset between languages."""
        return Moments(
            self.count,
            self.context * 0,
            self.answer * 0,
            self.contexts - np.outer(self.context, self.context) / self.count,
            self.answers - np.outer(self.answer, self.answer) / self.count,
            self.both - np.outer(self.context, self.answer) / self.count,
        )

    def noised(self, contexts: Matrix, answers: Matrix) -> "Moments":
        """Add independent noise of these covariances to each side."""
        return replace(
            self,
            contexts=self.contexts + self.count * contexts,
            answers=self.answers + self.count * answers,
        )


def moments_of(contexts: Matrix, answers: Matrix) -> Moments:
    return Moments(
        float(len(contexts)),
        contexts.sum(0),
        answers.sum(0),
        contexts.T @ contexts,
        answers.T @ answers,
        contexts.T @ answers,
    )


@dataclass(frozen=True, slots=True)
class CCA:
    """Canonical directions of contexts and responses, and their correlations."""

    contexts: Matrix
    answers: Matrix
    together: Matrix
    """Correlations, the highest first."""

    def placed(self, contexts: Matrix, answers: Matrix) -> tuple[Matrix, Matrix, Matrix]:
        """Return contexts, responses and offsets; score = context @ response - offset."""
        rho = self.together
        one, other = contexts @ self.contexts, answers @ self.answers
        worth = (other**2) @ (rho**2 / (1 - rho**2) / 2)
        return one * (rho / (1 - rho**2)), other, worth


def fit_cca(moments: Moments, *, width: int, ridge: float) -> CCA:
    """Fit CCA; `ridge` is a share of the mean variance added to every direction."""
    one = _whitening(moments.contexts / moments.count, ridge)
    other = _whitening(moments.answers / moments.count, ridge)
    left, together, right = np.linalg.svd(
        one @ (moments.both / moments.count) @ other, full_matrices=False
    )
    kept = np.clip(together[:width], 0, HIGHEST)
    return CCA(one @ left[:, :width], other @ right[:width].T, kept)


def _whitening(covariance: Matrix, ridge: float) -> Matrix:
    size = len(covariance)
    values, vectors = np.linalg.eigh(
        covariance + ridge * np.trace(covariance) / size * np.eye(size)
    )
    return np.asarray(vectors / np.sqrt(np.maximum(values, 1e-9)) @ vectors.T)
