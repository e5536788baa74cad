"""Kernel ridge mapping of sentence vectors from another language to the source language.

The encoder and everything trained on it work best in the source language. The mapping is fitted on
texts and their source translations: it predicts the difference of the two vectors by kernel ridge
regression, in closed form. A text unlike all training texts is moved by the mean difference only.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.unit_vectors import unit_vectors
from crosstalk.transfer.overlap_scores import is_unspaced

Matrix = NDArray[np.float32]
Pair = tuple[str, str]
"""A text and its translation in the source language."""
MOST: Final = 16_000
"""Maximum number of pairs: a gigabyte while fitting, and half a minute of one core."""
VECTOR: Final = 0.3
"""Weight of the vector cosine in the kernel; character n-grams have the rest."""
RIDGE: Final = 0.3
AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class TextKernel:
    """Similarity to the training texts, between 0 and 1: vector cosine plus n-gram cosine."""

    grams: Any
    """A fitted TfidfVectorizer of character n-grams."""
    centre: Matrix
    met: Matrix
    met_grams: Any

    def to_met(self, rows: Matrix, texts: Sequence[str]) -> Matrix:
        near = VECTOR * (unit_vectors(rows - self.centre) @ self.met.T)
        shared = self.grams.transform(texts) @ self.met_grams.T
        return np.asarray(near + (1 - VECTOR) * shared.toarray(), np.float32)


@dataclass(frozen=True, slots=True)
class RidgeMapping:
    """The fitted mapping: mean offset plus kernel-weighted offsets of training texts."""

    alike: TextKernel
    moves: Matrix
    mean: Matrix

    def moved(self, rows: Matrix, texts: Sequence[str]) -> Matrix:
        """Return the vectors `rows` of these texts, mapped to the source language."""
        found = rows + self.mean
        for start in range(0, len(texts), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            found[some] += self.alike.to_met(rows[some], texts[some]) @ self.moves
        return found


def fit_ridge_mapping(
    pairs: Sequence[Pair], vectors: Callable[[Sequence[str]], Matrix], *, ridge: float = RIDGE
) -> RidgeMapping:
    """Fit the mapping; a larger `ridge` trusts single pairs less. Uses at most `MOST` pairs."""
    from scipy.linalg import cho_factor, cho_solve

    texts, originals = map(list, zip(*pairs[:MOST], strict=True))
    rows = vectors(texts)
    apart = vectors(originals) - rows
    alike = _alike(texts, rows)
    kernel = np.concatenate(
        [
            alike.to_met(rows[start : start + AT_ONCE], texts[start : start + AT_ONCE])
            for start in range(0, len(texts), AT_ONCE)
        ]
    )
    kernel.flat[:: len(texts) + 1] += ridge
    factor = cho_factor(kernel, lower=True, overwrite_a=True, check_finite=False)
    mean = apart.mean(0)
    moves = cho_solve(factor, apart - mean, overwrite_b=True, check_finite=False)
    return RidgeMapping(alike, np.asarray(moves, np.float32), mean)


def _alike(texts: Sequence[str], rows: Matrix) -> TextKernel:
    from sklearn.feature_extraction.text import TfidfVectorizer

    unspaced = 2 * sum(map(is_unspaced, texts)) > len(texts)
    kind, sizes = ("char", (1, 3)) if unspaced else ("char_wb", (2, 5))
    grams = TfidfVectorizer(
        analyzer=kind, ngram_range=sizes, sublinear_tf=True, dtype=np.float32
    ).fit(texts)
    centre = rows.mean(0)
    return TextKernel(grams, centre, unit_vectors(rows - centre), grams.transform(texts))
