"""How familiar an utterance is to a trained model: the share of its letters' n-grams it has met.

    known = Familiarity.of(["在哪里？", "电话是多少"])
    known.share("地址在哪里")

Names and numbers are open to change and hardly count where an utterance is long. The n-grams are
kept as bits of a table (a Bloom filter with one hash): 260 KB, nothing of the texts.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from crosstalk.files import open_binary, writing_binary

FILE: Final = "familiar.bin"
LENGTH: Final = 4
"""Characters of an n-gram; begin and end of a clause count as one each."""
BITS: Final = 1 << 21
"""CrossWOZ has 85,000 different n-grams: 4 of 100 unknown ones seem familiar by chance."""
_OPEN: Final = re.compile(r"\[[^\]]*\]|[\s，。？！,.?!、～~：:；;]+")
"""Holes of templates, and what parts clauses."""


@dataclass(frozen=True, slots=True)
class Familiarity:
    """The n-grams of some texts."""

    table: bytes

    @classmethod
    def of(cls, texts: Iterable[str]) -> "Familiarity":
        table = bytearray(BITS // 8)
        for text in texts:
            for place in _places(text):
                table[place // 8] |= 1 << place % 8
        return cls(bytes(table))

    @classmethod
    def load(cls, folder: Path) -> "Familiarity":
        with open_binary(folder / FILE) as file:
            return cls(file.read())

    def save(self, folder: Path) -> None:
        with writing_binary(folder / FILE) as file:
            file.write(self.table)

    def share(self, text: str) -> float:
        """Of an utterance's n-grams, how many the texts have; 1 for an utterance without any."""
        met = [bool(self.table[place // 8] >> place % 8 & 1) for place in _places(text)]
        return sum(met) / len(met) if met else 1.0


def _places(text: str) -> Iterator[int]:
    for clause in _OPEN.split(text):
        marked = f"^{clause}$" if clause else ""
        for start in range(len(marked) - LENGTH + 1):
            yield zlib.crc32(marked[start : start + LENGTH].encode()) % BITS
