"""Random numbers by counter: those of any row can be had without those before it.

A block of rows has a generator of its own (Philox, keyed by the seed, counting by the block), so
that drawing is done for a thousand rows at once.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK = 1024
KEYS = 2**128
"""Keys there are; a seed may be any number."""


def draws(seed: int, rows: range, width: int) -> Iterator[NDArray[np.float64]]:
    """For each row `width` numbers from 0 up to 1."""
    for block in range(rows.start // BLOCK, (max(rows.stop, 1) - 1) // BLOCK + 1):
        table = _block(seed, block, width)
        first = max(rows.start - block * BLOCK, 0)
        last = min(rows.stop - block * BLOCK, BLOCK)
        yield from table[first:last]


def _block(seed: int, block: int, width: int) -> NDArray[np.float64]:
    philox = np.random.Philox(key=seed % KEYS, counter=[0, 0, block, width])
    return np.random.Generator(philox).random((BLOCK, width))
