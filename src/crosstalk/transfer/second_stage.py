"""The second stage of the retriever: boosted trees that see a context and a response together.

    SecondStage(trees, topics).scores(exchanges, members, weights, listed)

The first stage scores a pair by vectors that were made of each side alone. The trees see its scores
among those of the other candidates, what the two sides share, and what each of them is: its topic,
its place, whether it asks, names a time or a code. All columns mean the same in every language.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.training.ranking_trees import TreeSettings, train_ranking_trees
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.training.unit_vectors import unit_vectors
from crosstalk.transfer.overlap_scores import (
    NUMBER,
    overlap_terms,
    overlaps,
    stack_scores,
    standardised,
)
from crosstalk.transfer.retrieval_task import CandidateList, RetrievalExchange
from crosstalk.transfer.turn_vectors import SENTENCE_END, ExchangeVectors

Matrix = NDArray[np.floating]
Columns = NDArray[np.float32]
"""Exchanges x candidates x columns."""
Placed = tuple[Matrix, Matrix, Matrix]
"""Contexts, responses and response offsets; score = context @ response - offset."""
COMPARED: Final = ((0, 0), (0, 1), (0, 2), (1, 1), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (4, 1),
                   (4, 2), (5, 0), (6, 0))  # fmt: skip
"""Views of the context and of the response whose cosines the trees see."""
TOPICS: Final = 10
"""Principal directions in which the trees see single turns."""
TURNS: Final = (0, 3)
"""Views of the context that are seen so: the user's last turn, the system's before it."""
WRONG: Final = (20, 20)
"""Wrong responses that the trees learn from: those that the first stage likes best, and others."""
TREES: Final = TreeSettings(rounds=300, rate=0.06, leaves=31, fewest=100)


@dataclass(frozen=True, slots=True)
class Reading:
    """Exchanges as one vectoriser reads them, placed by each part of the first stage."""

    share: float
    """Its weight beside other readings of the same exchanges."""
    views: ExchangeVectors
    placed: tuple[Placed, ...]

    def scores(self, rows: list[int], columns: list[int]) -> list[Matrix]:
        return [one[rows] @ other[columns].T - off[columns] for one, other, off in self.placed]

    def cosines(self, rows: list[int], columns: list[int]) -> list[Matrix]:
        contexts = unit_vectors(self.views.table[self.views.turns[rows]])
        answers = unit_vectors(self.views.table[self.views.answers[columns]])
        return [contexts[:, one] @ answers[:, other].T for one, other in COMPARED]

    def topics(self, directions: Matrix, rows: list[int], columns: list[int]) -> list[Matrix]:
        """Return what the turns and the responses are about, for all pairs."""
        table = self.views.table
        sides = [table[self.views.turns[rows, view]] @ directions for view in TURNS]
        shape = (len(rows), len(columns))
        told = [np.broadcast_to(one[:, None], shape) for side in sides for one in side.T]
        answers = table[self.views.answers[columns, 0]] @ directions
        return told + [np.broadcast_to(one, shape) for one in answers.T]


@dataclass(frozen=True, slots=True)
class ListedPairs:
    """The pairs of a list of candidates: what is the same for all first stages."""

    rows: list[int]
    columns: list[int]
    overlaps: Columns
    beside: Columns
    """What the trees see beside scores."""

    @classmethod
    def of(
        cls,
        exchanges: Sequence[RetrievalExchange],
        readings: Sequence[Reading],
        topics: Matrix,
        listed: CandidateList,
    ) -> "ListedPairs":
        rows, columns = list(listed.asked), list(listed.candidates)
        asked = [exchanges[each] for each in rows]
        texts = [exchanges[each].response for each in columns]
        read = _mean(
            [r.cosines(rows, columns) + r.topics(topics, rows, columns) for r in readings], readings
        )
        found = overlaps(asked, texts)
        parts = [np.stack(read, axis=2), found, shared_words(asked, texts), _shapes(asked, texts)]
        return cls(rows, columns, found, np.concatenate(parts, axis=2, dtype=np.float32))

    def marks(self, readings: Sequence[Reading]) -> NDArray[np.float64]:
        """Return what the first stage adds up: scores and overlaps."""
        return stack_scores(mean_scores(readings, self.rows, self.columns), self.overlaps)

    def seen(self, marks: NDArray[np.float64], weights: Matrix) -> Columns:
        """Return what the trees see: each score, all of them added up, and their gaps first."""
        scores = [marks[:, :, at] for at in range(marks.shape[2] - self.overlaps.shape[2])]
        scores.append(standardised(marks @ weights))
        told = np.stack([each for score in scores for each in (score, _gap(score))], axis=2)
        return np.concatenate([told, self.beside], axis=2, dtype=np.float32)


def mean_scores(readings: Sequence[Reading], rows: list[int], columns: list[int]) -> list[Matrix]:
    """Return the standardised scores of each part of the first stage, averaged over readings."""
    return _mean([[standardised(s) for s in r.scores(rows, columns)] for r in readings], readings)


def _mean(kinds: Sequence[Sequence[Matrix]], readings: Sequence[Reading]) -> list[Matrix]:
    """Average each kind over the readings."""
    shares = [each.share for each in readings]
    return [np.average(each, axis=0, weights=shares) for each in zip(*kinds, strict=True)]


def _gap(scores: Matrix) -> Matrix:
    """Return how far each score is above the best of the other candidates."""
    two = np.sort(scores, axis=1)[:, -2:]
    best = scores >= two[:, 1:]
    return np.asarray(scores - np.where(best, two[:, :1], two[:, 1:]))


def shared_words(asked: Sequence[RetrievalExchange], answers: Sequence[str]) -> Columns:
    """Return, weighted by rarity among the candidates, which words of a response were said before.

    By the user last, by the system last, by anybody, by nobody; the rarest of either kind.
    """
    said = [overlap_terms(answer).words for answer in answers]
    places = {word: at for at, word in enumerate(dict.fromkeys(w for each in said for w in each))}
    has = np.zeros((len(answers), len(places)), np.float32)
    for row, words in enumerate(said):
        has[row, [places[word] for word in words]] = 1
    weights = has * (np.log(len(answers) / np.maximum(has.sum(0), 1)) + 0.1)
    found = np.zeros((len(asked), len(answers), 6), np.float32)
    for row, exchange in enumerate(asked):
        known = np.zeros((3, len(places)), np.float32)
        for back, text in enumerate(reversed(exchange.before)):
            at = [places[word] for word in overlap_terms(text).words if word in places]
            known[min(back, 2), at] = 1
        heard = weights * known.max(0)
        new = weights - heard
        found[row, :, :2] = weights @ known[:2].T
        found[row, :, 2:4] = np.stack([heard.sum(1), new.sum(1)], axis=1)
        found[row, :, 4:] = np.stack([_largest(heard), _largest(new)], axis=1)
    return found


def _largest(rows: Columns) -> Columns:
    return np.asarray(rows.max(1, initial=0))


ASKING: Final = re.compile(r"[?？؟]")
CALLING: Final = re.compile(r"[!！]")
TIME: Final = re.compile(r"\d{1,2}[:：]\d\d")
REFERENCE: Final = re.compile(r"(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{6,}")
LONG_NUMBER: Final = re.compile(r"\d{6,}")


@lru_cache(100_000)
def text_shape(text: str) -> tuple[float, ...]:
    """Return length, sentences, questions, calls, numbers; whether it has a time or a reference."""
    return (
        len(text),
        sum(map(bool, SENTENCE_END.split(text))),
        len(ASKING.findall(text)),
        bool(ASKING.match(text[-1:])),
        len(CALLING.findall(text)),
        len(NUMBER.findall(text)),
        bool(TIME.search(text)),
        bool(REFERENCE.search(text)),
        bool(LONG_NUMBER.search(text)),
    )


def _shapes(asked: Sequence[RetrievalExchange], answers: Sequence[str]) -> Columns:
    """Return the shapes of last turns and responses, and the place in the dialogue.

    Lengths are relative to those of the candidates, for languages differ in letters.
    """
    last = np.array([text_shape(each.before[-1]) for each in asked], np.float32)
    said = np.array([text_shape(each) for each in answers], np.float32)
    usual = max(float(said[:, 0].mean()), 1.0)
    last[:, 0] /= usual
    said[:, 0] /= usual
    place = np.array([[len(each.before) // 2] for each in asked], np.float32)
    sides = np.concatenate([last, place], axis=1)
    shape = (len(asked), len(answers))
    return np.concatenate(
        [
            np.broadcast_to(sides[:, None], (*shape, sides.shape[1])),
            np.broadcast_to(said[None], (*shape, said.shape[1])),
        ],
        axis=2,
    )


@dataclass(frozen=True, slots=True)
class SecondStage:
    """Trees, and the directions in which they see single turns."""

    trees: lightgbm.Booster
    topics: Matrix

    def scores(
        self,
        exchanges: Sequence[RetrievalExchange],
        members: Sequence[Sequence[Reading]],
        weights: Matrix,
        listed: CandidateList,
    ) -> NDArray[np.float64]:
        """Average what the trees say of the pairs over the first stages."""
        pairs = ListedPairs.of(exchanges, members[0], self.topics, listed)
        every = [pairs.seen(pairs.marks(readings), weights) for readings in members]
        shape = every[0].shape
        flat = np.concatenate([each.reshape(-1, shape[2]) for each in every])
        found = np.asarray(self.trees.predict(flat, num_threads=1), np.float64)
        return np.asarray(found.reshape(len(every), *shape[:2]).mean(axis=0))


def training_rows(seen: Columns, first: Matrix, rng: np.random.Generator) -> Columns:
    """Return a group of rows for each exchange, the right response (on the diagonal) first."""
    groups = []
    near, others = WRONG
    for row, scores in enumerate(first):
        wrong = np.flatnonzero(np.arange(len(scores)) != row)
        wrong = wrong[np.argsort(-scores[wrong], kind="stable")]
        rest = rng.permutation(wrong[near:])[:others]
        groups.append(seen[row, [row, *wrong[:near], *rest]])
    return np.concatenate(groups)


def train_second_stage(
    exchanges: Sequence[RetrievalExchange],
    readings: Sequence[Reading],
    weights: Matrix,
    topics: Matrix,
    lists: Sequence[CandidateList],
    *,
    seed: int,
    told: StepCallback = nobody,
) -> lightgbm.Booster:
    """Train on exchanges that are new to the first stage."""
    rng, rows = np.random.default_rng(seed), []
    for listed in lists:
        pairs = ListedPairs.of(exchanges, readings, topics, listed)
        marks = pairs.marks(readings)
        rows.append(training_rows(pairs.seen(marks, weights), marks @ weights, rng))
    size = min(len(lists[0].candidates), 1 + sum(WRONG))
    return train_ranking_trees(np.concatenate(rows), size, TREES, seed=seed, told=told)
