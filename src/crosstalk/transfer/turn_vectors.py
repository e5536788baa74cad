"""Sentence vectors of exchanges: several views of the context and of the response.

A view is the vector of a whole turn or of one of its sentences: on single sentences the encoder is
most accurate, and most alike across languages. Translation noise, sampled from differences between
sentences and their translations, simulates other languages.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.retrieval_task import RetrievalExchange
from crosstalk.transfer.ridge_mapping import RidgeMapping

Matrix = NDArray[np.float32]
Numbers = NDArray[np.int64]
SCALE: Final = 20.0
"""Vectors of length 1 have some 500 numbers; scaled by this, a number is about 1."""
STANDING: Final = 4
"""Last turns with a view of their own; all earlier ones share one mean vector."""
TURN_OF_VIEW: Final = (0, 0, 0, 1, 1, 2, 3)
"""The turn (counted back) of each view: the user's last turn, its first and last sentence; the
system's turn before it and its last sentence; the two turns before those."""
WHOLE_TURNS: Final = (0, 3, 5, 6)
"""Views that are whole turns."""
CONTEXT_VIEWS: Final = len(TURN_OF_VIEW) + 1
"""One more for the mean of all earlier turns."""
ANSWER_VIEWS: Final = 3
PLACES: Final = 8
"""Positions in the dialogue, one-hot; all later ones share the last."""
LOUD: Final = 2.0
"""Scale of the position features: about a few numbers of a view."""
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
SHORTEST: Final = 4
"""Minimum characters of a sentence; a shorter one is joined to the next."""


def first_and_last_sentence(text: str) -> tuple[str, str]:
    """Return the first and the last sentence of a text."""
    found: list[str] = []
    for part in SENTENCE_END.split(text):
        if not re.search(r"\w", part):
            continue
        if found and len(found[-1]) < SHORTEST:
            found[-1] += f" {part.strip()}"
        else:
            found.append(part.strip())
    return (found[0], found[-1]) if found else (text, text)


@dataclass(frozen=True, slots=True)
class ExchangeVectors:
    """Exchanges as indices into a table of vectors.

    Rows are built on demand: all rows of 48,000 exchanges would take 800 MB.
    """

    table: Matrix
    """One row per distinct text; the empty text is all zeros."""
    turns: Numbers
    """Table indices, exchanges x context views."""
    answers: Numbers
    earlier: Matrix
    """The mean vector of all turns without a view of their own."""
    before: Numbers
    """The number of those turns."""
    place: Numbers
    """Position of the exchange in its dialogue."""

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def texts(self) -> Numbers:
        """An id for each response text; equal texts have equal ids."""
        return np.asarray(self.answers[:, 0])

    def contexts(self, rows: Numbers) -> Matrix:
        views = self.table[self.turns[rows]].reshape(len(rows), -1)
        place = np.eye(PLACES, dtype=np.float32)[np.minimum(self.place[rows], PLACES - 1)]
        return np.concatenate([views, self.earlier[rows], LOUD * place], axis=1)

    def responses(self, rows: Numbers) -> Matrix:
        return self.table[self.answers[rows]].reshape(len(rows), -1)

    def parts(self, size: int = 4096) -> Iterator[tuple[Matrix, Matrix]]:
        """Yield context and response rows of all exchanges in batches."""
        for start in range(0, len(self), size):
            rows = np.arange(start, min(start + size, len(self)))
            yield self.contexts(rows), self.responses(rows)

    def some(self, rows: Numbers) -> "ExchangeVectors":
        return replace(
            self,
            turns=self.turns[rows],
            answers=self.answers[rows],
            earlier=self.earlier[rows],
            before=self.before[rows],
            place=self.place[rows],
        )


@dataclass(frozen=True, slots=True)
class ExchangeVectoriser:
    """Encodes exchanges with a frozen encoder; `mean` is the mean vector of source turns."""

    encoder: CachedEncoder
    mean: Matrix
    mapping: RidgeMapping | None = None
    """Maps vectors of another language to those of their source translations."""
    told: Callable[[int, int], None] = lambda done, of: None

    def rows(self, texts: Sequence[str]) -> Matrix:
        rows = np.asarray(SCALE * (self.encoder.vectors(texts, told=self.told) - self.mean))
        return self.mapping.moved(rows, texts) if self.mapping else rows

    def views(self, exchanges: Sequence[RetrievalExchange]) -> ExchangeVectors:
        places: dict[str, int] = {}

        def at(text: str) -> int:
            return places.setdefault(text, len(places))

        turns = [[at(text) for text in _turn_views(each.before)] for each in exchanges]
        answers = [
            [at(each.response), *map(at, first_and_last_sentence(each.response))]
            for each in exchanges
        ]
        before = [[at(text) for text in each.before[:-STANDING]] for each in exchanges]
        table = self.rows(list(places))
        if "" in places:
            table[places[""]] = 0
        return ExchangeVectors(
            table,
            np.array(turns),
            np.array(answers),
            np.stack([_mean(table, rows) for rows in before]),
            np.array([len(rows) for rows in before]),
            np.array([len(each.before) // 2 for each in exchanges]),
        )


def _turn_views(before: Sequence[str]) -> list[str]:
    """Return the text of each context view; empty if there is no such turn."""
    last, system, user, other = [*before[: -STANDING - 1 : -1], "", "", ""][:STANDING]
    return [
        last,
        *first_and_last_sentence(last),
        system,
        first_and_last_sentence(system)[1],
        user,
        other,
    ]


def _mean(table: Matrix, rows: Sequence[int]) -> Matrix:
    return np.asarray(table[list(rows)].mean(0) if rows else np.zeros(table.shape[1], np.float32))


SAME_TURN: Final = 0.25
"""Correlation of the translation noise of two views of one turn."""
EARLIER: Final = 0.3
"""Variance of the noise of the mean of earlier turns, relative to one turn."""


def noise_covariance(differences: list[Matrix]) -> Matrix:
    """Return the covariance of translation differences, averaged over languages."""
    return np.asarray(np.mean([np.cov(rows.T) for rows in differences], axis=0), np.float32)


def context_noise(noise: Matrix) -> Matrix:
    """Return the noise covariance of a whole context from that of one view."""
    width, views = len(noise), len(TURN_OF_VIEW)
    alike = _view_correlations(TURN_OF_VIEW)
    found = np.zeros((width * (views + 1) + PLACES,) * 2, np.float32)
    found[: width * views, : width * views] = np.kron(alike, noise)
    mean = slice(width * views, width * (views + 1))
    found[mean, mean] = EARLIER * noise
    return found


def answer_noise(noise: Matrix) -> Matrix:
    return np.kron(_view_correlations((0,) * ANSWER_VIEWS), noise)


def _view_correlations(turns: tuple[int, ...]) -> Matrix:
    of = np.array(turns)
    return np.where(np.eye(len(of)) > 0, 1, SAME_TURN * (of[:, None] == of)).astype(np.float32)


def noised(views: ExchangeVectors, differences: Matrix, *, seed: int) -> ExchangeVectors:
    """Add the difference of a sampled translation to each text; what is all zeros stays so."""
    numbers = np.random.default_rng(seed)

    def moved(rows: Matrix, loud: float) -> Matrix:
        there = np.abs(rows).sum(1, keepdims=True) > 0
        drawn = differences[numbers.integers(len(differences), size=len(rows))]
        return np.asarray(rows + loud * there * drawn, np.float32)

    table, earlier = moved(views.table, 1.0), moved(views.earlier, math.sqrt(EARLIER))
    return replace(views, table=table, earlier=earlier)
