"""A score of the target language's own words, learnt from its shots alone.

N-grams of characters serve every script; what they say of a turn is folded into some hundred
numbers, and canonical correlations tell which of a context's go with which of an answer's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.canonical import Canonical, canonical, moments_of
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.overlap import is_unspaced

Matrix = NDArray[np.float32]
WIDTH: Final = 300
DIRECTIONS: Final = 200
RIDGE: Final = 1.0
MOST: Final = 40_000
"""Kinds of n-grams; each must be met three times."""
EARLIER: Final = 0.7
"""Turns before the last one count so much."""


@dataclass(frozen=True, slots=True)
class TargetWords:
    """Folds texts, and places contexts and answers."""

    counts: Any
    folds: Any
    canonical: Canonical
    centre: tuple[Matrix, Matrix]

    def placed(self, exchanges: Sequence[Exchange]) -> tuple[Matrix, Matrix, Matrix]:
        contexts, answers = _views(self.counts, self.folds, exchanges)
        one, other, worth = self.canonical.placed(
            contexts - self.centre[0], answers - self.centre[1]
        )
        return np.asarray(one), np.asarray(other), np.asarray(worth)


def learn_words(shots: Sequence[Exchange]) -> TargetWords:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = sorted({text for each in shots for text in (each.before[-1], each.response)})
    unspaced = 2 * sum(map(is_unspaced, texts)) > len(texts)
    kinds = {"analyzer": "char", "ngram_range": (1, 3)}
    spaced = {"analyzer": "char_wb", "ngram_range": (2, 5)}
    counts = TfidfVectorizer(
        min_df=3, max_features=MOST, sublinear_tf=True, **(kinds if unspaced else spaced)
    )
    seen = counts.fit_transform(texts)
    width = min(WIDTH, min(seen.shape) - 1)
    folds = TruncatedSVD(width, random_state=0, n_iter=3).fit(seen)
    contexts, answers = _views(counts, folds, shots)
    centre = (contexts.mean(0), answers.mean(0))
    moments = moments_of(contexts - centre[0], answers - centre[1])
    return TargetWords(counts, folds, canonical(moments, width=DIRECTIONS, ridge=RIDGE), centre)


def _views(counts: Any, folds: Any, exchanges: Sequence[Exchange]) -> tuple[Matrix, Matrix]:
    def folded(texts: list[str]) -> Matrix:
        return np.asarray(folds.transform(counts.transform(texts)), np.float32)

    context = [
        folded([each.before[-1] for each in exchanges]),
        EARLIER * folded([each.before[-2] if len(each.before) > 1 else "" for each in exchanges]),
        EARLIER * folded([" ".join(each.before[:-2]) for each in exchanges]),
    ]
    return np.concatenate(context, axis=1), folded([each.response for each in exchanges])
