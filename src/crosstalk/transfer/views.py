"""Exchanges as rows of numbers: what was said before an answer, and the answer, each in some views.

A view is a vector of a whole turn or of one of its sentences: on single sentences the encoder is at
its best, and most alike across languages. Rows are put together when they are asked for, since all
of 48,000 exchanges at once would be 800 MB.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.interpreter import Interpreter

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


def ends_of(text: str) -> tuple[str, str]:
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
class Views:
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

    def some(self, rows: Numbers) -> "Views":
        return replace(
            self,
            turns=self.turns[rows],
            answers=self.answers[rows],
            earlier=self.earlier[rows],
            before=self.before[rows],
            place=self.place[rows],
        )


@dataclass(frozen=True, slots=True)
class ViewReader:
    """Reads exchanges with a frozen encoder; `mean` is that of the source's turns."""

    encoder: CachedEncoder
    mean: Matrix
    interpreter: Interpreter | None = None
    """Of another language: texts are read as if they were in the source."""
    told: Callable[[int, int], None] = lambda done, of: None

    def rows(self, texts: Sequence[str]) -> Matrix:
        rows = np.asarray(SCALE * (self.encoder.vectors(texts, told=self.told) - self.mean))
        return self.interpreter.moved(rows, texts) if self.interpreter else rows

    def views(self, exchanges: Sequence[Exchange]) -> Views:
        places: dict[str, int] = {}

        def at(text: str) -> int:
            return places.setdefault(text, len(places))

        turns = [[at(text) for text in _turn_views(each.before)] for each in exchanges]
        answers = [[at(each.response), *map(at, ends_of(each.response))] for each in exchanges]
        before = [[at(text) for text in each.before[:-STANDING]] for each in exchanges]
        table = self.rows(list(places))
        if "" in places:
            table[places[""]] = 0
        return Views(
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
    return [last, *ends_of(last), system, ends_of(system)[1], user, other]


def _mean(table: Matrix, rows: Sequence[int]) -> Matrix:
    return np.asarray(table[list(rows)].mean(0) if rows else np.zeros(table.shape[1], np.float32))
