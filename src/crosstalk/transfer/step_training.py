"""Training by steps with a check every so many steps; all networks of `transfer` use it.

An objective is a module whose `forward` takes a batch and returns its loss. An epoch of
`training.loop` is the interval between two checks. Works in one process or under `torchrun`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import autocast
from crosstalk.training.loop import train_epochs
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after checkpoint, which says in words that it is missing
from torch import nn  # isort: skip

NO_DECAY: Final = ("bias", "norm", "LayerNorm")
CARRIED: Final = "carried"


@dataclass(frozen=True, slots=True)
class Pace:
    """Length, learning rate and batch size of a training."""

    steps: int
    check_every: int
    rate: float
    batch: int
    patience: int = 0
    """Stop after so many checks without a better score; 0: never."""
    least_gain: float = 0.0
    """Minimum improvement that counts as a better score."""
    warm_up: int = 0
    falls: bool = True
    """Linear decay of the learning rate; else it is constant."""
    decay: float = 0.01
    clip: float = 1.0
    gathered: int = 1
    """Gradient accumulation: batches per step."""
    clears: bool = True
    """If False, gradients are never zeroed and add up, as in the published tracker."""

    @property
    def limits(self) -> Limits:
        return Limits(math.ceil(self.steps / self.check_every), self.patience, self.least_gain)

    def rate_at(self, step: int) -> float:
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        left = 1 - (step - self.warm_up) / max(self.steps - self.warm_up, 1)
        return self.rate * left if self.falls else self.rate


@dataclass(frozen=True, slots=True)
class Schedule:
    """The training on the source, and epochs over the shots of the target."""

    pace: Pace
    epochs: int
    """Over the shots."""
    slips: bool = False
    """Mask padding as the published code does."""

    def over_shots(self, shots: int) -> Pace:
        """Return the pace for the shots: `epochs` epochs, the last weights are kept."""
        steps = min(max(1, self.epochs * shots // self.pace.batch), self.pace.steps)
        return replace(self.pace, steps=steps, check_every=steps, patience=0, warm_up=0)


@dataclass(frozen=True, slots=True)
class TrainingSetup:
    """Seed, checkpoint, progress callback and processes of a training."""

    seed: int
    checkpoint: Checkpoint | None = None
    told: StepCallback = nobody
    part: str = ""
    """Name of the trained part in progress reports."""
    processes: Processes = field(default_factory=Processes)


BatchSampler = Callable[[Random], Any]
"""Draws a batch."""
Judge = Callable[[], float]
"""Returns the score on held-out data; larger is better."""


class SteppedTraining:
    """Adapts an objective and its batches to `training.loop`: an epoch is one check interval."""

    def __init__(
        self,
        objective: nn.Module,
        draw: BatchSampler,
        judge: Judge,
        pace: Pace,
        course: TrainingSetup,
    ) -> None:
        self.network: nn.Module = objective.to(course.processes.device)
        self.optimizer: torch.optim.Optimizer = torch.optim.AdamW(groups(objective, pace))
        self._draw = draw
        self._judge = judge
        self._pace = pace
        self._seed = course.seed
        self._processes = course.processes

    def learn(self, epoch: int) -> float:
        first = (epoch - 1) * self._pace.check_every
        steps = range(first, min(first + self._pace.check_every, self._pace.steps))
        rng = Random(f"{self._seed} {epoch} {self._processes.rank}")
        torch.manual_seed((self._seed * 1_000 + epoch) * 1_000 + self._processes.rank)
        self._take_up()
        loss = sum(self._step(rng, self._pace.rate_at(step)) for step in steps) / len(steps)
        self._lay_down()
        return loss

    def _take_up(self) -> None:
        """Restore gradients that are never zeroed; checkpoints store them with the optimizer."""
        for weights, state in self.optimizer.state.items():
            weights.grad = state.pop(CARRIED, None)

    def _lay_down(self) -> None:
        if not self._pace.clears:
            for weights, state in self.optimizer.state.items():
                state[CARRIED] = weights.grad

    def judge(self) -> float:
        score = self._judge() if self._processes.is_first else 0.0
        return self._processes.agreed(score)

    def _step(self, rng: Random, rate: float) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["share"]
        if self._pace.clears:
            self.optimizer.zero_grad()
        total = 0.0
        for _ in range(self._pace.gathered):
            with autocast():
                loss = self.network(self._draw(rng)) / self._pace.gathered
            loss.backward()
            total += float(loss.detach())
        self._processes.average_gradients(self.network.parameters())
        nn.utils.clip_grad_norm_(self.network.parameters(), self._pace.clip)
        self.optimizer.step()
        return total


def groups(objective: nn.Module, pace: Pace) -> list[dict[str, Any]]:
    """Group parameters by weight decay and by the learning-rate shares in `objective.slow`."""
    slow: dict[str, float] = getattr(objective, "slow", {})
    found: dict[tuple[float, float], list[nn.Parameter]] = {}
    for name, each in objective.named_parameters():
        share = next((part for prefix, part in slow.items() if name.startswith(prefix)), 1.0)
        decay = 0.0 if any(mark in name for mark in NO_DECAY) else pace.decay
        found.setdefault((share, decay), []).append(each)
    return [
        {"params": each, "share": share, "weight_decay": decay, "lr": pace.rate * share}
        for (share, decay), each in found.items()
    ]


def train_in_steps(
    objective: nn.Module,
    draw: BatchSampler,
    judge: Judge,
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """Train the objective; it ends with the weights of its best check."""
    return train_epochs(
        SteppedTraining(objective, draw, judge, pace, course),
        pace.limits,
        seed=None,
        checkpoint=course.checkpoint,
        told=course.told,
        part=course.part,
    )
