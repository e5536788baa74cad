"""False responses that are hard to tell from the true one: nearest by cosine (the paper's 6.2).

A block of rows shares a pool of responses drawn at random; a row takes from it those most like its
true response. Pools are drawn by counter, as rows are, so that any row can be made alone.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.draws import BLOCK, draws
from crosstalk.retrieval.lexical import WORDS, TfIdf, learn_rarity
from crosstalk.retrieval.sampling import Cut, FalseOnes, Numbers, Sampling, random_false
from crosstalk.retrieval.turns import TurnTable

POOL = 2000
"""The nearest of so many; more are nearer, and sooner or later right answers themselves."""


def hard_false(table: TurnTable, sampling: Sampling, seed: int) -> FalseOnes:
    """The most similar of a random pool, never the very words of the true response."""
    weights = learn_rarity(WORDS, (" ".join(turns) for turns in table.turns))
    anyone = random_false(table, sampling)

    @lru_cache(maxsize=2)
    def pool(block: int) -> tuple[list[str], csr_matrix]:
        [numbers] = draws(~seed & (2**63 - 1), range(block, block + 1), 2 * POOL)
        texts = anyone(0, Cut(0, 0, 0), numbers)
        return texts, weights.vectors(texts)

    def nearest(row: int, cut: Cut, numbers: Numbers) -> list[str]:
        texts, vectors = pool(row // BLOCK)
        true = table.turns[cut.dialogue][cut.response]
        wanted = len(numbers) // 2
        chosen = _nearest(weights, true, texts, vectors, wanted)
        return [*chosen, *anyone(row, cut, numbers)][:wanted]  # a tiny pool may hold too few

    return nearest


def _nearest(
    weights: TfIdf, true: str, texts: list[str], vectors: csr_matrix, wanted: int
) -> list[str]:
    scores: NDArray[np.float32] = (vectors @ weights.vectors([true]).T).toarray().ravel()
    chosen: dict[str, None] = {}
    for at in np.argsort(-scores, kind="stable"):
        if texts[at] != true:
            chosen[texts[at]] = None
        if len(chosen) == wanted:
            break
    return list(chosen)
