"""Cross-validation by dialogue: every dialogue is scored once, by a model not trained on it."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Protocol, Self, TypeVar

from crosstalk.dialogue.dialogues import Dialogue


class SummableScore(Protocol):
    """A score that can be summed over dialogues."""

    def __add__(self, other: Self, /) -> Self: ...


Model = TypeVar("Model")
Score = TypeVar("Score", bound=SummableScore)


def cross_validate(
    dialogues: Sequence[Dialogue],
    folds: int,
    *,
    train: Callable[[list[Dialogue]], Model],
    score: Callable[[Model, list[Dialogue]], Score],
) -> Score:
    """The sum of the scores of all folds."""
    first, *others = (score(train(learnt), judged) for learnt, judged in folds_of(dialogues, folds))
    return sum(others, start=first)


def folds_of(
    dialogues: Sequence[Dialogue], folds: int
) -> Iterator[tuple[list[Dialogue], list[Dialogue]]]:
    """(Training dialogues, test dialogues) of each fold; always the same folds."""
    mixed = list(dialogues)
    Random(0).shuffle(mixed)
    for fold in range(folds):
        learnt = [each for number, each in enumerate(mixed) if number % folds != fold]
        yield learnt, mixed[fold::folds]
