"""Progress of a training and its stopping criteria, as immutable values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """When a training ends; may change when a training resumes."""

    epochs: int
    patience: int = 0
    """Stop after this number of epochs without a better score; 0: never."""
    least_gain: float = 0.0
    """Minimum improvement that counts as better."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Finished epochs and the best of them; higher scores are better."""

    epoch: int = 0
    loss: float = float("inf")
    score: float = float("-inf")
    best_epoch: int = 0
    best_score: float = float("-inf")
    seconds: float = 0
    """Total time of all epochs."""

    @property
    def is_best(self) -> bool:
        """Whether the last epoch is the best so far; true before the first."""
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
        """The progress after one more epoch."""
        epoch, spent = self.epoch + 1, round(self.seconds + seconds, 1)
        if score > self.best_score + least_gain:
            return Progress(epoch, loss, score, epoch, score, spent)
        return Progress(epoch, loss, score, self.best_epoch, self.best_score, spent)
