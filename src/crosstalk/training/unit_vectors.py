"""Vectors of length 1, whose dot products are cosines: `unit_vectors(rows)`."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

SHORTEST: Final = 1e-6
"""Shorter vectors are divided by this, so that zeros stay zeros."""


def unit_vectors(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the vectors along the last axis with length 1; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, SHORTEST), np.float32)
