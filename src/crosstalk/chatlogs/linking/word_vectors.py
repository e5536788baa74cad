"""Word vectors learnt from the chat itself: words that stand near the same words are alike.

    words, vectors = learn_vectors(lines, width=64, fewest=5)

A vector is the positive pointwise mutual information of a word with all others, reduced to a few
numbers. `WordVectors` adds them up over the lines of a log, rare words counting more.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.linking.line_columns import split_words
from crosstalk.training.unit_vectors import unit_vectors

Floats = NDArray[np.float32]
WINDOW = 5
"""Words at most so far apart are near; a word at distance n counts 1/n."""
WIDTH = 64
FEWEST = 5
"""Times that a word must occur."""


def learn_vectors(
    lines: Sequence[Sequence[str]], *, width: int = WIDTH, fewest: int = FEWEST
) -> tuple[list[str], Floats]:
    """Return the words that are frequent enough, and a vector of length 1 for each."""
    from scipy.sparse import csr_array
    from sklearn.decomposition import TruncatedSVD

    counts = Counter(chain.from_iterable(lines))
    words = sorted(word for word, count in counts.items() if count >= fewest)
    if len(words) < 2:
        return [], np.zeros((0, width), np.float32)
    rows, columns, weights = _near(lines, {word: place for place, word in enumerate(words)})
    near = csr_array((weights, (rows, columns)), shape=(len(words),) * 2)
    near.sum_duplicates()
    pairs = near.tocoo()
    totals: NDArray[np.float64] = near.sum(axis=1)
    # rare company counts for less than it seems: totals to the power of 3/4
    shares = totals**0.75 / max((totals**0.75).sum(), 1e-9)
    information = np.log(pairs.data / totals[pairs.row] / shares[pairs.col])
    kept = information > 0
    positive = csr_array(
        (information[kept], (pairs.row[kept], pairs.col[kept])), shape=near.shape, dtype=np.float64
    )
    size = min(width, len(words) - 1)
    reduced = TruncatedSVD(size, random_state=0).fit(positive)
    scale = np.sqrt(np.maximum(reduced.singular_values_, 1e-9))
    vectors = np.zeros((len(words), width), np.float32)
    vectors[:, :size] = reduced.transform(positive) / scale
    return words, unit_vectors(vectors)


def _near(
    lines: Iterable[Sequence[str]], places: dict[str, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return pairs of words near each other, in both orders, with the weight of their distance."""
    found = [[places[word] for word in line if word in places] for line in lines]
    words = np.array(list(chain.from_iterable(found)), dtype=np.int64)
    owners = np.repeat(np.arange(len(found)), list(map(len, found)))
    rows, columns, weights = [words[:0]], [words[:0]], [np.zeros(0)]
    for distance in range(1, WINDOW + 1):
        one, other = words[distance:], words[:-distance]
        together = owners[distance:] == owners[:-distance]
        one, other = one[together], other[together]
        rows += [one, other]
        columns += [other, one]
        weights.append(np.full(2 * len(one), 1 / distance))
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(weights)


@dataclass(frozen=True)
class WordVectors:
    """Words and their vectors, from which vectors of lines are made."""

    words: tuple[str, ...]
    vectors: Floats
    """One row per word, its length the word's rarity."""

    @classmethod
    def learn(cls, texts: Sequence[str], without: Iterable[str] = ()) -> "WordVectors":
        """Learn from the texts of lines, leaving out some words, such as people's names."""
        others = frozenset(without)
        lines = [[word for word in line if word not in others] for line in split_words([*texts])]
        words, vectors = learn_vectors(lines)
        used = Counter(word for line in lines for word in set(line))
        rarity = np.log([max(2, len(lines)) / used[word] for word in words])
        weighed = vectors * np.maximum(rarity, 0.1)[:, None]
        return cls(tuple(words), np.asarray(weighed, np.float16).astype(np.float32))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words, 1)}

    @cached_property
    def _rows(self) -> Floats:
        """The vectors after a row of zeros for all unknown words."""
        return np.vstack([np.zeros((1, self.vectors.shape[1]), np.float32), self.vectors])

    def of_lines(self, texts: Sequence[str]) -> Floats:
        """Return a vector for each line, whose numbers have a mean square of 1 (or all are 0)."""
        from scipy.sparse import csr_array

        lines = split_words([*texts])
        ends = np.cumsum([0, *map(len, lines)])
        words = map(self._places.get, chain.from_iterable(lines), repeat(0))
        places = np.fromiter(words, np.int64, int(ends[-1]))
        ones = np.ones(len(places), np.float32)
        uses = csr_array((ones, places, ends), shape=(len(lines), len(self._rows)))
        return unit_vectors(uses @ self._rows) * np.float32(self.vectors.shape[1] ** 0.5)
