"""A head over frozen turns: contexts and answers are led to where those that belong together meet.

Learnt with the other answers of a batch as the false ones. Much of its input is left out at random:
a head that cannot rely on any number serves languages it has not seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.progress import Progress
from crosstalk.transfer.training_steps import Judge, Pace, TrainingSetup, learn
from crosstalk.transfer.views import ANSWER_VIEWS, CONTEXT_VIEWS, PLACES, WHOLE_TURNS, Views

import torch  # isort: skip
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy, normalize  # isort: skip

Matrix = NDArray[np.float32]
Batch = tuple[Matrix, Matrix, NDArray[np.int64]]
"""Contexts, answers, and a number for each answer text."""
BACKWARDS: Final = 0.3
"""How much it counts to find the context of an answer."""


@dataclass(frozen=True, slots=True)
class HeadShape:
    """How large a head is."""

    view: int
    """Numbers of a view."""
    hidden: int
    out: int
    left_out: float = 0.3
    """Of the input, and of the hidden numbers, while learning."""


class Member(nn.Module):
    """One of a head's networks; it sees some of the views."""

    def __init__(self, shape: HeadShape, contexts: Sequence[int], answers: Sequence[int]) -> None:
        super().__init__()
        places = shape.view * CONTEXT_VIEWS + np.arange(PLACES)
        self.seen = np.concatenate([_columns(contexts, shape.view), places])
        self.seen_answers = _columns(answers, shape.view)
        self.context = _side(len(self.seen), shape)
        self.answer = _side(len(self.seen_answers), shape)
        self.scale = nn.Parameter(torch.tensor([math.log(14.0)]))

    def forward(self, contexts: Matrix, answers: Matrix) -> tuple[Tensor, Tensor]:
        """Rows of length 1 whose products are the scores."""
        one = self.context(torch.from_numpy(contexts[:, self.seen]))
        other = self.answer(torch.from_numpy(answers[:, self.seen_answers]))
        return normalize(one, dim=-1), normalize(other, dim=-1)

    def loss(self, batch: Batch) -> Tensor:
        contexts, answers, texts = batch
        one, other = self(contexts, answers)
        scores = self.scale.exp() * one @ other.T
        twins = torch.from_numpy(texts[:, None] == texts[None, :])
        scores = scores.masked_fill(twins & ~torch.eye(len(texts), dtype=torch.bool), -1e4)
        right = torch.arange(len(texts))
        return cross_entropy(scores, right) + BACKWARDS * cross_entropy(scores.T, right)


class RetrievalHead(nn.Module):
    """Two members, one that sees whole turns alone; its forward is the loss of a batch.

    They err differently: together they are right a point or more oftener than one of their size.
    """

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        every = Member(shape, range(CONTEXT_VIEWS), range(ANSWER_VIEWS))
        whole = Member(shape, [*WHOLE_TURNS, CONTEXT_VIEWS - 1], [0])
        self.members = nn.ModuleList([every, whole])

    def forward(self, batch: Batch) -> Tensor:
        losses = [member.loss(batch) for member in self._each()]
        return torch.stack(losses).mean()

    def placed(self, contexts: Matrix, answers: Matrix) -> tuple[Matrix, Matrix]:
        """Rows whose products are the scores of both members added."""
        self.eval()
        with torch.no_grad():
            met = [member(contexts, answers) for member in self._each()]
        one, other = (torch.cat(rows, dim=1).numpy() for rows in zip(*met, strict=True))
        return one, other

    def _each(self) -> list[Member]:
        return [each for each in self.members if isinstance(each, Member)]


def _columns(views: Sequence[int], width: int) -> NDArray[np.int64]:
    return np.concatenate([np.arange(view * width, (view + 1) * width) for view in views])


def _side(width: int, shape: HeadShape) -> nn.Sequential:
    return nn.Sequential(
        nn.Dropout(shape.left_out),
        nn.Linear(width, shape.hidden),
        nn.GELU(),
        nn.Dropout(shape.left_out),
        nn.Linear(shape.hidden, shape.out),
    )


def train_head(
    head: RetrievalHead, views: Views, judge: Judge, pace: Pace, course: TrainingSetup
) -> Progress:
    """The best check remains."""
    return learn(head, lambda rng: _draw(views, pace.batch, rng), judge, pace, course)


def _draw(views: Views, size: int, rng: Random) -> Batch:
    rows = np.array(rng.sample(range(len(views)), min(size, len(views))))
    return views.contexts(rows), views.responses(rows), views.texts[rows]


def first_of_hundred(contexts: Matrix, answers: Matrix) -> float:
    """In percent, of rows whose products are scores; hundreds in their order."""
    size = min(100, len(contexts))
    starts = range(0, len(contexts) - size + 1, size)
    hits = 0
    for start in starts:
        rows = slice(start, start + size)
        best = (contexts[rows] @ answers[rows].T).argmax(1)
        hits += int((best == np.arange(size)).sum())
    return 100 * hits / (len(starts) * size)
