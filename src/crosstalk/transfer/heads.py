"""A head over frozen turns: contexts and answers are led to where those that belong together meet.

Learnt with the other answers of a batch as the false ones. So that it serves languages it has not
seen, differences between sentences and their translations are added to the turns at random.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.progress import Progress
from crosstalk.training.steps import Told, nobody
from crosstalk.transfer.learning import Pace, learn
from crosstalk.transfer.views import EARLIER, TURNS

import torch  # isort: skip
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy, normalize  # isort: skip

Matrix = NDArray[np.float32]
BACKWARDS: Final = 0.3
"""How much it counts to find the context of an answer."""
READ_AT_ONCE: Final = 4096


@dataclass(frozen=True, slots=True)
class HeadShape:
    """How large a head is."""

    turn: int
    """Numbers of a turn."""
    context: int
    """Numbers of a context."""
    hidden: int = 512
    out: int = 256
    dropout: float = 0.2


class Side(nn.Module):
    """One side: a straight way and a bent one, added."""

    def __init__(self, width: int, shape: HeadShape) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.straight = nn.Linear(width, shape.out)
        self.bent = nn.Sequential(
            nn.Dropout(shape.dropout),
            nn.Linear(width, shape.hidden),
            nn.GELU(),
            nn.Dropout(shape.dropout),
            nn.Linear(shape.hidden, shape.out),
        )

    def forward(self, rows: Tensor) -> Tensor:
        normed = self.norm(rows)
        return normalize(self.straight(normed) + self.bent(normed), dim=-1)


class Head(nn.Module):
    """Its forward is the loss of a batch: contexts, answers, and a number for each answer text."""

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        self.shape = shape
        self.context = Side(shape.context, shape)
        self.answer = Side(shape.turn, shape)
        self.scale = nn.Parameter(torch.tensor(math.log(12.0)))

    def forward(self, batch: tuple[Matrix, Matrix, NDArray[np.int64]]) -> Tensor:
        contexts, answers, texts = batch
        one, other = (
            self.context(torch.from_numpy(contexts)),
            self.answer(torch.from_numpy(answers)),
        )
        scores = self.scale.exp() * one @ other.T
        twins = torch.from_numpy(texts[:, None] == texts[None, :])
        scores = scores.masked_fill(twins & ~torch.eye(len(texts), dtype=torch.bool), -1e4)
        right = torch.arange(len(texts))
        return cross_entropy(scores, right) + BACKWARDS * cross_entropy(scores.T, right)

    def placed(self, contexts: Matrix, answers: Matrix) -> tuple[Matrix, Matrix]:
        """Rows whose products are the scores."""
        self.eval()
        with torch.no_grad():
            one = _in_parts(self.context, contexts)
            return float(self.scale.exp()) * one, _in_parts(self.answer, answers)


def _in_parts(side: nn.Module, rows: Matrix) -> Matrix:
    parts = [
        side(torch.from_numpy(rows[at : at + READ_AT_ONCE])).numpy()
        for at in range(0, len(rows), READ_AT_ONCE)
    ]
    return np.asarray(np.concatenate(parts), np.float32)


@dataclass(frozen=True, slots=True)
class Pairs:
    """What is learnt from: rows of contexts and answers, and which answers are the same text."""

    contexts: Matrix
    answers: Matrix
    texts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class Source:
    """Pairs, how often a batch takes from them, and the differences that are added to their turns.

    A pair is noised as a whole, with differences of one language.
    """

    pairs: Pairs
    share: float = 1.0
    noises: Sequence[Matrix] = ()
    noised: float = 0.7


def train_head(
    head: Head,
    sources: Sequence[Source],
    held_out: Pairs,
    pace: Pace,
    *,
    seed: int,
    checkpoint: Checkpoint | None = None,
    told: Told = nobody,
    part: str = "head",
) -> Progress:
    """The best check remains, by how often the right answer is first among a hundred."""
    return learn(
        head,
        lambda rng: draw(sources, pace.batch, rng),
        lambda: first_of_hundred(head, held_out),
        pace,
        seed=seed,
        checkpoint=checkpoint,
        told=told,
        part=part,
    )


def draw(
    sources: Sequence[Source], size: int, rng: Random
) -> tuple[Matrix, Matrix, NDArray[np.int64]]:
    """A batch; the sources share it, and no text of one is taken for that of another."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    total = sum(source.share for source in sources)
    drawn = [
        _drawn(source, max(1, round(size * source.share / total)), numbers) for source in sources
    ]
    texts = [texts + number * 10_000_000 for number, (_, _, texts) in enumerate(drawn)]
    contexts, answers, _ = zip(*drawn, strict=True)
    return np.concatenate(contexts), np.concatenate(answers), np.concatenate(texts)


def _drawn(
    source: Source, size: int, numbers: np.random.Generator
) -> tuple[Matrix, Matrix, NDArray[np.int64]]:
    rows = numbers.integers(len(source.pairs), size=size)
    contexts, answers = source.pairs.contexts[rows], source.pairs.answers[rows]
    if source.noises:
        noise = source.noises[int(numbers.integers(len(source.noises)))]
        chosen = np.flatnonzero(numbers.random(size) < source.noised)
        add_noise(contexts, answers, chosen, noise, numbers)
    return contexts, answers, source.pairs.texts[rows]


def add_noise(
    contexts: Matrix,
    answers: Matrix,
    chosen: NDArray[np.int64],
    noise: Matrix,
    numbers: np.random.Generator,
) -> None:
    """Changes the chosen rows; turns that are not there (all zeros) stay so."""
    width = answers.shape[1]

    def some() -> Matrix:
        return noise[numbers.integers(len(noise), size=len(chosen))]

    answers[chosen] += some()
    for part in range(TURNS + 1):
        columns = slice(part * width, (part + 1) * width)
        turns = contexts[chosen, columns]
        there = np.abs(turns).sum(1, keepdims=True) > 0
        loud = 1.0 if part < TURNS else math.sqrt(EARLIER)
        contexts[chosen, columns] = turns + loud * some() * there


def first_of_hundred(head: Head, pairs: Pairs) -> float:
    """In percent; hundreds in the order of the pairs, which should be shuffled."""
    contexts, answers = head.placed(pairs.contexts, pairs.answers)
    size = min(100, len(pairs))
    starts = range(0, len(pairs) - size + 1, size)
    hits = 0
    for start in starts:
        rows = slice(start, start + size)
        best = (contexts[rows] @ answers[rows].T).argmax(1)
        hits += int((best == np.arange(size)).sum())
    return 100 * hits / (len(starts) * size)
