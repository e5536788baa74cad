"""Exchanges as rows of numbers: what was said before an answer, and the answer, each in some views.

A view is a vector of a whole turn or of one of its sentences: on single sentences the encoder is at
its best, and most alike across languages. Rows are put together when they are asked for, since all
of 48,000 exchanges at once would be 800 MB.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.retrieval_task import Exchange
from crosstalk.transfer.ridge_mapping import RidgeMapping

Matrix = NDArray[np.float32]
Numbers = NDArray[np.int64]
SCALE: Final = 20.0
"""Vectors have length 1 and some 500 numbers; so much louder, a number is about 1."""
STANDING: Final = 4
"""Turns that stand by themselves; those before them are one mean."""
TURN_OF_VIEW: Final = (0, 0, 0, 1, 1, 2, 3)
"""The user's last turn, its first and last sentence; the system's before it, its last sentence;
the two turns before those."""
WHOLE_TURNS: Final = (0, 3, 5, 6)
"""Views that are whole turns."""
CONTEXT_VIEWS: Final = len(TURN_OF_VIEW) + 1
"""And the mean of all that came earlier."""
ANSWER_VIEWS: Final = 3
PLACES: Final = 8
"""Of the dialogue; all later ones are one."""
LOUD: Final = 2.0
"""Of a place: as loud as a few numbers of a view."""
SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])\s*")
SHORTEST: Final = 4
"""Characters of a sentence; what is shorter belongs to the next."""


def first_and_last_sentence(text: str) -> tuple[str, str]:
    """The first and the last sentence of a text."""
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
    """Exchanges as places in a table of vectors."""

    table: Matrix
    """A row a text; the last is all zeros: nothing was said."""
    turns: Numbers
    """For each exchange a place in the table for each view of its context."""
    answers: Numbers
    earlier: Matrix
    """The mean of the turns before those that stand by themselves."""
    before: Numbers
    """How many those are."""
    place: Numbers
    """How far the dialogue has come."""

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def texts(self) -> Numbers:
        """A number for each answer; the same text has the same one."""
        return np.asarray(self.answers[:, 0])

    def contexts(self, rows: Numbers) -> Matrix:
        views = self.table[self.turns[rows]].reshape(len(rows), -1)
        place = np.eye(PLACES, dtype=np.float32)[np.minimum(self.place[rows], PLACES - 1)]
        return np.concatenate([views, self.earlier[rows], LOUD * place], axis=1)

    def responses(self, rows: Numbers) -> Matrix:
        return self.table[self.answers[rows]].reshape(len(rows), -1)

    def parts(self, size: int = 4096) -> Iterator[tuple[Matrix, Matrix]]:
        """Contexts and answers of all exchanges, some at a time."""
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
    """Reads exchanges with a frozen encoder; `mean` is that of the source's turns."""

    encoder: CachedEncoder
    mean: Matrix
    mapping: RidgeMapping | None = None
    """Of another language: texts are read as if they were in the source."""
    told: Callable[[int, int], None] = lambda done, of: None

    def rows(self, texts: Sequence[str]) -> Matrix:
        rows = np.asarray(SCALE * (self.encoder.vectors(texts, told=self.told) - self.mean))
        return self.mapping.moved(rows, texts) if self.mapping else rows

    def views(self, exchanges: Sequence[Exchange]) -> ExchangeVectors:
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
    """The texts of a context's views; empty where nothing was said."""
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
"""How alike the noise of two views of one turn is."""
EARLIER: Final = 0.3
"""A mean of several turns has so much of the noise of one."""


def noise_covariance(differences: list[Matrix]) -> Matrix:
    """Of a vector, the mean over languages."""
    return np.asarray(np.mean([np.cov(rows.T) for rows in differences], axis=0), np.float32)


def context_noise(noise: Matrix) -> Matrix:
    """The covariance of a context whose views have noise of this covariance."""
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


@dataclass(frozen=True, slots=True)
class Translated:
    """Exchanges as if every view had been translated."""

    contexts: Matrix
    answers: Matrix

    def parts(self) -> Iterator[tuple[Matrix, Matrix]]:
        yield self.contexts, self.answers


def translated(views: ExchangeVectors, differences: Matrix, *, seed: int) -> Translated:
    numbers = np.random.default_rng(seed)
    rows = np.arange(len(views))
    contexts, answers = views.contexts(rows), views.responses(rows)
    _add_noise(contexts, differences, numbers, mean_at=len(TURN_OF_VIEW))
    _add_noise(answers, differences, numbers)
    return Translated(contexts, answers)


def _add_noise(
    rows: Matrix, noise: Matrix, numbers: np.random.Generator, *, mean_at: int | None = None
) -> None:
    """Changes every view but those of nothing (all zeros)."""
    width = noise.shape[1]
    for view in range(rows.shape[1] // width):
        columns = slice(view * width, (view + 1) * width)
        there = np.abs(rows[:, columns]).sum(1, keepdims=True) > 0
        loud = math.sqrt(EARLIER) if view == mean_at else 1.0
        rows[:, columns] += loud * there * noise[numbers.integers(len(noise), size=len(rows))]
