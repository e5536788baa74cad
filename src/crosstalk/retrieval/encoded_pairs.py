"""The pairs of a training file as word ids on disk: more pairs than memory holds.

Ids are in one unnamed file, which is gone when the process is; memory holds a few bytes for each
pair. A million pairs of the released corpus take half a gigabyte of disk.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.retrieval.response_sampling import Pair
from crosstalk.retrieval.turn_table import turns_of

Ids = NDArray[np.int32]
HELD_OUT = 20
"""One opening turn in so many is held out, with all dialogues that begin with it."""
AT_ONCE = 5_000
"""Pairs between two writes."""


@dataclass(frozen=True, slots=True)
class EncodedPairs:
    """Contexts and responses by row."""

    ids: Ids
    """All texts one after the other: context, response, context, ..."""
    starts: NDArray[np.int64]
    right: NDArray[np.bool_]
    held_out: NDArray[np.bool_]

    def context(self, row: int) -> Ids:
        return self._text(2 * row)

    def response(self, row: int) -> Ids:
        return self._text(2 * row + 1)

    def lengths(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Words of the contexts."""
        return self.starts[2 * rows + 1] - self.starts[2 * rows]

    def _text(self, number: int) -> Ids:
        return np.asarray(self.ids[self.starts[number] : self.starts[number + 1]])


def encode_pairs(
    pairs: Iterable[Pair], encode: Callable[[str], Ids], folder: Path | None = None
) -> EncodedPairs:
    """Encode every pair; raises `InputError` unless there are true and false ones to learn from.

    `folder`: where the unnamed file lies; None: where temporary files do.
    """
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    lengths: list[int] = []
    right: list[bool] = []
    held_out: list[bool] = []
    with TemporaryFile(dir=folder) as file:
        for some in _batches(pairs):
            texts = [encode(text) for context, response, _ in some for text in (context, response)]
            file.write(np.concatenate(texts).astype(np.int32).tobytes())
            lengths += map(len, texts)
            right += (true for _, _, true in some)
            held_out += (_is_held_out(context) for context, _, _ in some)
        file.flush()
        ids: Ids = np.memmap(file, np.int32, "r") if lengths else np.zeros(0, np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    found = EncodedPairs(ids, starts, np.array(right, bool), np.array(held_out, bool))
    if not (found.right & ~found.held_out).any() or not (~found.right & ~found.held_out).any():
        raise InputError(
            "the file has no true, or no false, responses to learn from",
            remedy="Make one: crosstalk retrieve triples DIR --negatives 1 --out FILE",
        )
    return found


def _batches(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    remaining = iter(pairs)
    while batch := list(islice(remaining, AT_ONCE)):
        yield batch


def _is_held_out(context: str) -> bool:
    digest = blake2b(turns_of(context)[0].encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") % HELD_OUT == 0


def different_texts(pairs: Iterable[Pair]) -> Iterator[str]:
    """The texts of the true pairs, each once; of those seen, only digests are kept."""
    seen: set[bytes] = set()
    for context, response, right in pairs:
        for text in (context, response) if right else ():
            key = blake2b(text.encode(), digest_size=8).digest()
            if key not in seen:
                seen.add(key)
                yield text
