"""The released acts of CrossWOZ, derived from its states."""

from itertools import islice
from pathlib import Path

from crosstalk.annotation.annotator import Annotator
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.evaluation.annotation_scores import score_annotation
from crosstalk.worlds.world import find_world, load_world


def test_val_is_annotated_as_released(data_folder: Path) -> None:
    annotator = Annotator.of(load_world("crosswoz", data=data_folder), find_world("crosswoz"))
    val = islice(read_corpus(data_folder / "crosswoz" / "val.json.zip"), 100)
    score = score_annotation(annotator, val)
    for side in Speaker:
        f1 = score.acts.by_side[side].f1
        assert f1 is not None and f1 > 98, (side, f1)
    for intent, hits in score.acts.by_intent.items():
        assert hits.f1 is not None and hits.f1 > 95, (intent, hits)
