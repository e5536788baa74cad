"""The layers of the reader's network, in numpy."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from crosstalk.errors import InputError

try:
    import numpy as np
    import numpy.typing as npt
except ModuleNotFoundError as error:
    raise InputError(
        "our understanding needs numpy, which is not installed",
        remedy='Install the extras: pip install "crosstalk-dialogue[learn,neural]"',
    ) from error

FloatArray = npt.NDArray[np.float32]

MOST: Final = 500_000
"""Multiplications in one product. From 2^19 on OpenBLAS takes several threads, which on a busy
machine wait for each other a hundred times as long as the product takes."""


def blocks(weight: FloatArray, width: int) -> FloatArray:
    """Value and gate x three characters x a square block each."""
    return np.ascontiguousarray(weight.reshape(2, width, 3, width).transpose(0, 2, 3, 1))


Neighbours = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def neighbours(starts: list[int], dilation: int) -> Neighbours:
    """For each character the ones before and after it; the row past all where there is none."""
    total = starts[-1]
    at = np.arange(total)
    first = np.repeat(starts[:-1], np.diff(starts))
    last = np.repeat(starts[1:], np.diff(starts))
    before, after = at - dilation, at + dilation
    return np.where(before >= first, before, total), np.where(after < last, after, total)


def gated(
    hidden: FloatArray, around: Neighbours, weight: FloatArray, bias: FloatArray
) -> FloatArray:
    """A dilated convolution over three characters, with a gate."""
    size, width = hidden.shape
    padded = np.concatenate([hidden, np.zeros((1, width), dtype=np.float32)])
    three = [padded[around[0]], hidden, padded[around[1]]]
    both = np.empty((2, size, width), dtype=np.float32)
    for start, end in _evenly(size, MOST // (width * width)):
        rows = [each[start:end] for each in three]
        for number in (0, 1):
            out = np.matmul(rows[0], weight[number, 0], out=both[number, start:end])
            out += rows[1] @ weight[number, 1]
            out += rows[2] @ weight[number, 2]
    both += bias
    passed: FloatArray = both[0] * sigmoid(both[1])
    return passed


def product(rows: FloatArray, weight: FloatArray) -> FloatArray:
    parts = [rows[start:end] @ weight for start, end in _evenly(len(rows), MOST // weight.size)]
    return np.concatenate(parts)


def _evenly(size: int, most: int) -> Iterator[tuple[int, int]]:
    """Stretches of at most so many rows, about equally long."""
    count = -(-size // max(1, most))
    bounds = [size * number // count for number in range(count + 1)]
    return pairwise(bounds)


def normal(hidden: FloatArray, scale: FloatArray, shift: FloatArray) -> FloatArray:
    width = np.float32(hidden.shape[1])
    centred: FloatArray = hidden - (hidden.sum(axis=1) / width)[:, None]
    squares: FloatArray = np.einsum("ij,ij->i", centred, centred)
    centred /= np.sqrt(squares / width + np.float32(1e-5))[:, None]
    centred *= scale
    centred += shift
    return centred


def sigmoid(values: FloatArray) -> FloatArray:
    powers = np.exp(-np.maximum(values, np.float32(-60)))
    powers += 1
    odds: FloatArray = np.reciprocal(powers)
    return odds


def softmax(values: FloatArray) -> FloatArray:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    odds: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return odds
