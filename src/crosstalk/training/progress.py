"""How far a training has come, and when it should stop: a value, new after every epoch."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """When a training ends. Both may change when it goes on after a stop."""

    epochs: int
    patience: int = 0
    """So many epochs in a row without a better score end it; 0: only `epochs` does."""
    least_gain: float = 0.0
    """A score that is better by less is not."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Epochs done and the best of them. A score may be anything of which more is better."""

    epoch: int = 0
    loss: float = float("inf")
    score: float = float("-inf")
    best_epoch: int = 0
    best_score: float = float("-inf")
    seconds: float = 0
    """Spent on all epochs together."""

    @property
    def is_best(self) -> bool:
        """Whether the last epoch was the best so far; before the first, it is."""
        return self.best_epoch == self.epoch

    @property
    def stale(self) -> int:
        """Epochs since the best one."""
        return self.epoch - self.best_epoch

    def ended(self, limits: Limits) -> bool:
        tired = 0 < limits.patience <= self.stale
        return self.epoch >= limits.epochs or tired

    def after(
        self, loss: float, score: float, seconds: float, *, least_gain: float = 0.0
    ) -> "Progress":
        """One epoch later, which took so many seconds."""
        epoch, spent = self.epoch + 1, round(self.seconds + seconds, 1)
        if score > self.best_score + least_gain:
            return Progress(epoch, loss, score, epoch, score, spent)
        return Progress(epoch, loss, score, self.best_epoch, self.best_score, spent)
