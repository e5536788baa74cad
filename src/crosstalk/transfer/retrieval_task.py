"""The task of `crosstalk transfer retrieve`: exchanges, candidate lists for R_100, the request.

Candidate lists are as published: a seeded shuffle cut into hundreds. Every exchange of a hundred
has the answers of all of them as candidates; the last, short hundred is filled up from the one
before. The lists follow from the number of exchanges and the seed alone.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.transfer.transfer_corpora import (
    Corpus,
    DialogueTexts,
    draw_shots,
    find_corpus,
    read_dialogue_texts,
)


@dataclass(frozen=True, slots=True)
class RetrievalExchange:
    """A context (all turns before, the user's last) and the system's response."""

    dialogue: str
    before: tuple[str, ...]
    response: str


def exchanges_of(dialogues: Iterable[DialogueTexts]) -> list[RetrievalExchange]:
    return [each for dialogue in dialogues for each in exchanges_in(dialogue.id, dialogue.texts)]


def exchanges_in(id: str, texts: Sequence[str]) -> Iterator[RetrievalExchange]:
    for place in answered(len(texts)):
        if texts[place]:
            yield RetrievalExchange(id, tuple(texts[:place]), texts[place])


def answered(turns: int) -> range:
    """Return the positions of system turns that are followed by a user turn."""
    return range(1, turns - 1, 2)


SIZE: Final = 100


@dataclass(frozen=True, slots=True)
class CandidateList:
    """Exchanges with the same candidates, by their index in the corpus."""

    asked: tuple[int, ...]
    candidates: tuple[int, ...]
    """The exchanges asked, in order, then those that fill up."""


def candidate_lists(exchanges: int, *, seed: int, size: int = SIZE) -> list[CandidateList]:
    if exchanges < size:
        raise InputError(
            f"{exchanges} exchanges are too few for lists of {size} candidates",
            remedy=f"Give a test file with {size} answers of the system or more.",
        )
    order = list(range(exchanges))
    Random(f"candidates {seed}").shuffle(order)
    cut = [tuple(order[start : start + size]) for start in range(0, exchanges, size)]
    return [
        CandidateList(asked, asked + (cut[place - 1][: size - len(asked)] if place else ()))
        for place, asked in enumerate(cut)
    ]


class ExchangeScores(Protocol):
    """Exchanges encoded by a retriever; `among` returns the scores of candidates."""

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]: ...


Read = Callable[[Sequence[RetrievalExchange]], ExchangeScores]
Watching = Callable[[Path], Any]
"""Returns a context manager whose value receives training steps."""


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """What to retrieve with: languages, shots, data and models."""

    source: str
    target: str
    shots: int
    data: Path
    models: Path
    """Folder of trained models."""
    encoder: str = "nano"
    """Of the published retriever: name or folder of its encoder."""
    published: bool = False
    """Select the zero-shot model on the target's development split, as published."""
    watching: Watching | None = field(default=None, compare=False)
    warn: Callable[[str], None] = field(default=lambda message: None, compare=False)
    steps: int | None = None
    """Training steps of the published retriever; None: as published, or those of `nano`."""

    def target_dialogues(self) -> list[DialogueTexts]:
        """Return the development dialogues, from which shots are drawn."""
        return read_dialogue_texts(self.target_corpus().file)

    def target_shots(self, seed: int) -> list[DialogueTexts]:
        return draw_shots(self.target_dialogues(), self.shots, seed=seed)

    def target_corpus(self) -> Corpus:
        return find_corpus(self.data, self.target, "dev")
