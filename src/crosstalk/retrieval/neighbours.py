"""Which of many vectors lie near one: only the nearest of some hundred clusters are searched."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.retrieval.arrays import open_array, write_array
from crosstalk.retrieval.scorers import Vectors

CENTRES, STARTS, ROWS, VECTORS = "centres.npy", "starts.npy", "rows.npy", "vectors.npy"
SEARCHED = 24
"""Clusters searched for one question; of a thousand, one in forty."""
ROUNDS, LEARNT = 8, 40
"""Rounds of k-means, and vectors for each centre that it learns from."""
BLOCK = 20_000
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Vectors in the order of their clusters, in 255 steps: near ones are looked up, not scored."""

    centres: Vectors
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    vectors: NDArray[np.int8]

    def near(self, asked: Vectors, wanted: int) -> Rows:
        """Numbers of the vectors with the largest products."""
        clusters = np.argsort(-(self.centres @ asked))[:SEARCHED]
        slices = [slice(self.starts[each], self.starts[each + 1]) for each in clusters]
        scores = np.concatenate([self.vectors[each].astype(np.float32) @ asked for each in slices])
        rows = np.concatenate([self.rows[each] for each in slices])
        if len(rows) > wanted:
            rows = rows[np.argpartition(-scores, wanted)[:wanted]]
        return rows.astype(np.int64)

    @classmethod
    def open(cls, folder: Path) -> "Neighbours":
        centres, starts, rows, vectors = (
            open_array(folder / name) for name in (CENTRES, STARTS, ROWS, VECTORS)
        )
        return cls(np.asarray(centres), np.asarray(starts), rows, vectors)


def write_neighbours(folder: Path, vectors: Vectors, *, seed: int = 1) -> None:
    count = max(1, round(len(vectors) ** 0.5))
    centres = _centres(vectors, count, np.random.default_rng(seed))
    clusters = np.concatenate(list(_nearest(vectors, centres)))
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(count + 1))
    write_array(folder / CENTRES, centres)
    write_array(folder / STARTS, starts.astype(np.int64))
    write_array(folder / ROWS, order.astype(np.int32))
    step = max(float(np.abs(vectors).max()), 1e-9) / 127
    write_array(folder / VECTORS, np.rint(vectors[order] / step).astype(np.int8))


def _centres(vectors: Vectors, count: int, rng: np.random.Generator) -> Vectors:
    """K-means on a sample; a centre that nothing is near to is drawn anew."""
    sample = vectors[rng.permutation(len(vectors))[: count * LEARNT]]
    centres = sample[:count].copy()
    for _ in range(ROUNDS):
        nearest = np.concatenate(list(_nearest(sample, centres)))
        sums = np.zeros_like(centres)
        np.add.at(sums, nearest, sample)
        sizes = np.bincount(nearest, minlength=count)
        lonely = sizes == 0
        sums[lonely] = sample[rng.integers(len(sample), size=int(lonely.sum()))]
        centres = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    return centres


def _nearest(vectors: Vectors, centres: Vectors) -> Iterator[NDArray[np.intp]]:
    half = (centres**2).sum(axis=1) / 2
    for at in range(0, len(vectors), BLOCK):
        yield np.argmax(vectors[at : at + BLOCK] @ centres.T - half, axis=1)
