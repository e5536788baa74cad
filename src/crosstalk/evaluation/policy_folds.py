"""Cross-validation of policies: trained on some dialogues, judged on the others."""

from collections.abc import Callable, Sequence

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.folds import folds_of
from crosstalk.evaluation.policies import Answer, PolicyScore, score_answers


def cross_validate(
    dialogues: Sequence[Dialogue], train: Callable[[list[Dialogue]], Answer], *, folds: int
) -> PolicyScore:
    """The sum over all folds."""
    total = PolicyScore()
    for learnt, judged in folds_of(dialogues, folds):
        total += score_answers(train(learnt), judged).overall
    return total
