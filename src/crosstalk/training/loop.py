"""Epochs of a network: learn, judge, tell, keep; the best one is what remains.

A training that was killed goes on from its last whole epoch and ends with the same weights: every
epoch draws from the seed and its own number.
"""

import time
from typing import Protocol

from crosstalk.training.checkpoint import (
    Checkpoint,
    copied,
    load_checkpoint,
    save_checkpoint,
)
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import Step, StepCallback, nobody

import torch  # isort: skip  # after checkpoint, which says in words that it is missing
from torch import nn  # isort: skip


class Lesson(Protocol):
    """What is particular to one training."""

    @property
    def network(self) -> nn.Module: ...

    @property
    def optimizer(self) -> torch.optim.Optimizer: ...

    def learn(self, epoch: int) -> float:
        """One epoch, counted from 1; gives the mean loss. Draw order from the seed and `epoch`."""
        ...

    def judge(self) -> float:
        """The score on what is held out; more is better (minus the loss, if there is no other)."""
        ...


def train_epochs(
    lesson: Lesson,
    limits: Limits,
    *,
    seed: int | None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
    part: str = "",
) -> Progress:
    """Train until the limits say so; the lesson's network is left with its best weights.

    torch's own generator is seeded anew before every epoch; None leaves it alone. Either way
    dropout and order are after a kill what they would have been.
    """
    best = copied(lesson.network)
    progress = Progress()
    if checkpoint:
        progress = load_checkpoint(checkpoint, lesson.network, lesson.optimizer, best)
    while not progress.ended(limits):
        progress = _one_epoch(lesson, progress, limits, seed)
        if progress.is_best:
            best = copied(lesson.network)
        score = round(progress.score, 6)
        told(Step(progress.epoch, progress.loss, score, progress.seconds, part, limits.epochs))
        if checkpoint:  # after telling: an epoch is rather told twice than never
            save_checkpoint(checkpoint, progress, lesson.network, lesson.optimizer, best)
    lesson.network.load_state_dict(best)
    lesson.network.eval()
    return progress


def _one_epoch(lesson: Lesson, progress: Progress, limits: Limits, seed: int | None) -> Progress:
    started, epoch = time.monotonic(), progress.epoch + 1
    if seed is not None:
        torch.manual_seed(seed * 1_000 + epoch)
    lesson.network.train()
    loss = lesson.learn(epoch)
    lesson.network.eval()
    with torch.no_grad():
        score = lesson.judge()
    spent = time.monotonic() - started
    return progress.after(loss, score, spent, least_gain=limits.least_gain)
