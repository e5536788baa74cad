"""Which of many responses have the rare words of a context: lists of responses by word."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.retrieval.arrays import open_array, write_array
from crosstalk.retrieval.lexical import TfIdf

STARTS, ROWS, WORTHS = "word-starts.npy", "word-rows.npy", "word-worths.npy"
READ = 50_000
"""Entries read for one context, the rarest words first: bounds the time whatever the context.

With four times as many the answers score the same, and take 8 ms longer of a million."""
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Postings:
    """For each word (by hash) the responses that have it, and what it is worth there."""

    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    worths: NDArray[np.float16]
    count: int

    def likely(self, words: NDArray[np.integer], wanted: int) -> Rows:
        """The responses that share most with a context of these words."""
        firsts, lasts = self.starts[words], self.starts[words + 1]
        sizes = lasts - firsts
        order = [at for at in np.argsort(sizes, kind="stable") if sizes[at]]
        read = np.cumsum(sizes[order])
        kept = [at for at, total in zip(order, read, strict=True) if total <= READ] or order[:1]
        if not kept:
            return np.zeros(0, dtype=np.int64)
        slices = [slice(firsts[at], min(lasts[at], firsts[at] + READ)) for at in kept]
        rows = np.concatenate([self.rows[each] for each in slices])
        worths = np.concatenate([self.worths[each] for each in slices]).astype(np.float32)
        return _heaviest(rows, worths, self.count, wanted)

    @classmethod
    def open(cls, folder: Path, count: int) -> "Postings":
        arrays = [open_array(folder / name) for name in (STARTS, ROWS, WORTHS)]
        return cls(np.asarray(arrays[0]), arrays[1], arrays[2], count)


def _heaviest(
    rows: NDArray[np.int32], worths: NDArray[np.float32], count: int, wanted: int
) -> Rows:
    totals = np.bincount(rows, worths, minlength=count)
    ordered = np.sort(rows)
    found = ordered[np.diff(ordered, prepend=-1) > 0]  # np.unique takes ten times as long
    if len(found) > wanted:
        found = found[np.argpartition(-totals[found], wanted)[:wanted]]
    return found.astype(np.int64)


def write_postings(folder: Path, words: TfIdf, texts: Sequence[str]) -> None:
    worths = words.okapi(words.counts(texts)).tocsc()
    write_array(folder / STARTS, worths.indptr.astype(np.int64))
    write_array(folder / ROWS, worths.indices.astype(np.int32))
    write_array(folder / WORTHS, worths.data.astype(np.float16))
