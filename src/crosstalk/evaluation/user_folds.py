"""Cross-validation of the learned user: trained on some dialogues, judged on the others."""

from collections.abc import Sequence
from random import Random

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.evaluation.folds import folds_of
from crosstalk.evaluation.users import UserScore, score_user
from crosstalk.users.predicted import PredictedUser
from crosstalk.users.training import Growth, train_user


def cross_validate(
    dialogues: Sequence[Dialogue],
    schema: Schema,
    language: LanguagePack,
    *,
    folds: int,
    growth: Growth | None = None,
) -> UserScore:
    """The sum over all folds."""
    total = UserScore()
    for learnt, judged in folds_of(dialogues, folds):
        user = PredictedUser(schema, language, train_user(learnt, schema, language, growth))
        total += score_user(user, judged, Random(0)).overall
    return total
