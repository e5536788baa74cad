"""Networks that are trained epoch by epoch, stopped, and go on."""

from pathlib import Path

import pytest

from crosstalk.errors import FileProblem
from crosstalk.training.identity import Identity
from crosstalk.training.progress import Limits
from crosstalk.training.steps import Step

pytest.importorskip("torch", reason="networks need the extra `neural`")

import torch

from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.loop import train_epochs


class Doubling:
    """A network of one layer that learns to double, with dropout so that draws matter."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.line = torch.nn.Linear(2, 1)
        self.network = torch.nn.Sequential(torch.nn.Dropout(0.2), self.line)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), lr=0.05)
        self._seen = torch.arange(20.0).reshape(10, 2) / 20

    def learn(self, epoch: int) -> float:
        self.optimizer.zero_grad()
        loss = self._loss()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(loss.detach())

    def judge(self) -> float:
        return -float(self._loss())

    def _loss(self) -> torch.Tensor:
        return torch.nn.functional.mse_loss(self.network(self._seen), 2 * self._seen[:, :1])


def test_a_network_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "", 3))
    whole, resumed = Doubling(), Doubling()
    ended = train_epochs(whole, Limits(6), seed=3)
    train_epochs(Doubling(), Limits(2), seed=3, checkpoint=checkpoint)
    told: list[Step] = []
    again = train_epochs(resumed, Limits(6), seed=3, checkpoint=checkpoint, told=told.append)
    assert [step.step for step in told] == [3, 4, 5, 6]
    assert again.best_score == ended.best_score
    for mine, theirs in zip(resumed.network.parameters(), whole.network.parameters(), strict=True):
        assert torch.equal(mine, theirs)


def test_the_best_epoch_remains() -> None:
    lesson = Doubling()
    scores = iter([1.0, 5.0, 2.0, 3.0])
    kept: list[torch.Tensor] = []

    def judge() -> float:
        kept.append(lesson.line.weight.detach().clone())
        return next(scores)

    lesson.judge = judge  # type: ignore[method-assign]
    ended = train_epochs(lesson, Limits(10, patience=2), seed=1)
    assert (ended.epoch, ended.best_epoch) == (4, 2)
    assert torch.equal(lesson.line.weight, kept[1])


def test_a_checkpoint_of_another_training_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.safetensors"
    train_epochs(Doubling(), Limits(1), seed=3, checkpoint=Checkpoint(file, Identity({}, "", 3)))
    other = Checkpoint(file, Identity({}, "", 4))
    with pytest.raises(FileProblem, match="seed was 3 and is now 4"):
        train_epochs(Doubling(), Limits(2), seed=4, checkpoint=other)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", Identity({}, "", 3))
    train_epochs(Doubling(), Limits(1), seed=3, checkpoint=checkpoint)
    checkpoint.file.write_bytes(checkpoint.file.read_bytes()[:-20])
    with pytest.raises(FileProblem, match="cannot be read"):
        train_epochs(Doubling(), Limits(2), seed=3, checkpoint=checkpoint)
