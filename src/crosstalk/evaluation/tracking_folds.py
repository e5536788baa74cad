"""Cross-validation of trackers, single turn: trained on some dialogues, judged on the others."""

from collections.abc import Callable, Sequence

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.evaluation.folds import folds_of
from crosstalk.evaluation.tracking import TrackingScore, score_tracking
from crosstalk.system.dst.tracker import Tracker


def cross_validate(
    dialogues: Sequence[Dialogue],
    schema: Schema,
    train: Callable[[list[Dialogue]], Tracker],
    *,
    folds: int,
) -> TrackingScore:
    """The sum over all folds."""
    total = TrackingScore()
    for learnt, judged in folds_of(dialogues, folds):
        total += score_tracking(train(learnt), judged, schema, hide_system_acts=False)
    return total
