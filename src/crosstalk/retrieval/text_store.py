"""A million texts on disk, any of them read alone: their bytes in one file, ends in another."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.files import writing_binary
from crosstalk.retrieval.arrays import open_array, write_array

BYTES, ENDS = "texts.bin", "ends.npy"


@dataclass(frozen=True, slots=True)
class TextStore:
    """Texts by number; only those asked for are read."""

    raw: NDArray[np.uint8]
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:
        first = int(self.ends[number - 1]) if number else 0
        return bytes(self.raw[first : int(self.ends[number])]).decode(errors="replace")

    @classmethod
    def open(cls, folder: Path) -> "TextStore":
        ends = open_array(folder / ENDS)
        size = (folder / BYTES).stat().st_size
        raw = np.memmap(folder / BYTES, np.uint8, "r") if size else np.zeros(0, np.uint8)
        return cls(np.asarray(raw), ends)


def write_texts(folder: Path, texts: Sequence[str]) -> None:
    with writing_binary(folder / BYTES) as out:
        sizes = [out.write(text.encode(errors="replace")) for text in texts]
    write_array(folder / ENDS, np.cumsum(sizes, dtype=np.int64))
