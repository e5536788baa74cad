"""Matrices kept small: a byte a number, and a scale for each column.

Rounding moves a score by some thousandths; a model is a quarter of its size.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

Tensor = NDArray[np.generic]
Matrix = NDArray[np.floating]
SCALE: Final = ":scale"
STEPS: Final = 127


def packed(tensors: Mapping[str, Matrix]) -> dict[str, Tensor]:
    """Matrices in bytes, beside their scales; vectors stay as they are."""
    found: dict[str, Tensor] = {}
    for name, each in tensors.items():
        if each.ndim < 2:
            found[name] = np.ascontiguousarray(each, np.float32)
            continue
        scale = np.maximum(np.abs(each).max(0), 1e-12) / STEPS
        found[name] = np.rint(each / scale).astype(np.int8)
        found[name + SCALE] = scale.astype(np.float32)
    return found


def unpacked(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[np.float32]]:
    whole = {name: np.asarray(each, np.float32) for name, each in tensors.items()}
    return {
        name: each * whole[name + SCALE] if name + SCALE in whole else each
        for name, each in whole.items()
        if not name.endswith(SCALE)
    }
