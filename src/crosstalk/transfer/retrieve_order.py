"""What `crosstalk transfer retrieve` was asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.transfer.corpora import Corpus, DialogueTexts, find_corpus, read_talks
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.shots import draw_shots


class EncodedExchanges(Protocol):
    """Exchanges that a retriever has read."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]: ...


Read = Callable[[Sequence[Exchange]], EncodedExchanges]
Watching = Callable[[Path], Any]
"""Makes a context whose value hears of steps."""


@dataclass(frozen=True, slots=True)
class RetrieveOrder:
    """Which retriever, learnt from what."""

    source: str
    target: str
    shots: int
    data: Path
    models: Path
    """Where trained models are kept."""
    encoder: str = "nano"
    """published: which encoder"""
    published: bool = False
    """Whether the zero-shot model is selected on the target's development split, as published."""
    watching: Watching | None = field(default=None, compare=False)
    warn: Callable[[str], None] = field(default=lambda message: None, compare=False)

    def target_talks(self) -> list[DialogueTexts]:
        """What shots are drawn from."""
        return read_talks(self.target_corpus().file)

    def target_shots(self, seed: int) -> list[DialogueTexts]:
        return draw_shots(self.target_talks(), self.shots, seed=seed)

    def target_corpus(self) -> Corpus:
        return find_corpus(self.data, self.target, "dev")
