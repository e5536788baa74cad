"""Cross-validation by dialogue: every dialogue is judged once, by a model that never saw it."""

from collections.abc import Iterator, Sequence
from random import Random

from crosstalk.dialogue.dialogues import Dialogue


def folds_of(
    dialogues: Sequence[Dialogue], folds: int
) -> Iterator[tuple[list[Dialogue], list[Dialogue]]]:
    """(dialogues to learn from, dialogues to judge), so many times; always the same parts."""
    mixed = list(dialogues)
    Random(0).shuffle(mixed)
    for fold in range(folds):
        learnt = [each for number, each in enumerate(mixed) if number % folds != fold]
        yield learnt, mixed[fold::folds]
