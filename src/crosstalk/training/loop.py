"""The training loop of a network: learn, score, report, save a checkpoint; keep the best epoch.

An interrupted training resumes after its last complete epoch and ends with the same weights: the
random numbers of an epoch depend on the seed and the number of the epoch alone.
"""

import time
from typing import Protocol

from crosstalk.training.checkpoint import (
    Checkpoint,
    copied,
    load_checkpoint,
    save_checkpoint,
)
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import Step, StepCallback, nobody

import torch  # isort: skip  # after checkpoint, which explains that it is missing
from torch import Tensor, nn  # isort: skip


class EpochTask(Protocol):
    """What differs between trainings: the network, one epoch, and the held-out score."""

    @property
    def network(self) -> nn.Module: ...

    @property
    def optimizer(self) -> torch.optim.Optimizer: ...

    def learn(self, epoch: int) -> float:
        """Train one epoch, counted from 1, and return the mean loss.

        Data order must depend on the seed and `epoch` alone.
        """
        ...

    def judge(self) -> float:
        """The held-out score; higher is better (minus the loss, if there is no other)."""
        ...


def train_epochs(
    task: EpochTask,
    limits: Limits,
    *,
    seed: int | None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
    part: str = "",
) -> Progress:
    """Train up to the limits; the network is left with the weights of its best epoch.

    `seed` seeds torch's generator before every epoch; None leaves it alone. Either way dropout
    masks and data order of a resumed training are the same as without the interruption.
    """
    best = copied(task.network)
    progress = Progress()
    if checkpoint:
        progress = load_checkpoint(checkpoint, task.network, task.optimizer, best)
    while not progress.ended(limits):
        progress = _one_epoch(task, progress, limits, seed)
        if progress.is_best:
            best = copied(task.network)
        score = round(progress.score, 6)
        told(Step(progress.epoch, progress.loss, score, progress.seconds, part, limits.epochs))
        if checkpoint:  # after reporting: an epoch is rather reported twice than never
            save_checkpoint(checkpoint, progress, task.network, task.optimizer, best)
    task.network.load_state_dict(best)
    task.network.eval()
    return progress


def _one_epoch(task: EpochTask, progress: Progress, limits: Limits, seed: int | None) -> Progress:
    started, epoch = time.monotonic(), progress.epoch + 1
    if seed is not None:
        torch.manual_seed(seed * 1_000 + epoch)
    task.network.train()
    loss = task.learn(epoch)
    task.network.eval()
    with torch.no_grad():
        score = task.judge()
    spent = time.monotonic() - started
    return progress.after(loss, score, spent, least_gain=limits.least_gain)


def gradient_step(
    loss: Tensor,
    optimizer: torch.optim.Optimizer,
    clip: float | None = None,
    processes: Processes | None = None,
) -> float:
    """One step of the optimizer, gradients clipped to the norm `clip`; returns the loss.

    Gradients are averaged over `processes` that train together.
    """
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    if processes is not None:
        processes.average_gradients(parameters)
    if clip is not None:
        nn.utils.clip_grad_norm_(parameters, clip)
    optimizer.step()
    return float(loss.detach())
