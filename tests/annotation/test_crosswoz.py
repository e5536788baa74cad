"""The released acts of CrossWOZ, derived from its states."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

from crosstalk.annotation.adjudication import CellChoice, differences
from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.decisions import decisions
from crosstalk.annotation.settlement import settle
from crosstalk.corpora.corpus import read_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker
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


def without_a_tick(dialogue: Dialogue, rng: Random) -> Dialogue | None:
    """The dialogue with one tick of its user dropped, and the act that it stood for."""
    new = list(ticked(dialogue))
    if not new:
        return None
    at, row = rng.choice(new)
    turns = list(dialogue.turns)
    for number in range(at, len(turns)):
        table = turns[number].user_state
        if table is not None:
            dropped = replace(table[row], expressed=False)
            turns[number] = replace(
                turns[number], user_state=(*table[:row], dropped, *table[row + 1 :])
            )
    said = turns[at].user_state
    assert said is not None
    about = (said[row].domain, said[row].slot)
    acts = tuple(act for act in turns[at].acts if (act.domain, act.slot) != about)
    turns[at] = replace(turns[at], acts=acts)
    return replace(dialogue, turns=tuple(turns))


def ticked(dialogue: Dialogue) -> Iterator[tuple[int, int]]:
    """Turn and row of each tick; rows that are ticked once and for all."""
    before = dialogue.goal.tuples if dialogue.goal else ()
    for number, turn in enumerate(dialogue.turns):
        for row, each in enumerate(turn.user_state or ()):
            if each.expressed and row < len(before) and not before[row].expressed:
                yield number, row
        before = turn.user_state or before


def test_a_dropped_tick_is_one_decision(data_folder: Path) -> None:
    rng = Random(7)
    val = list(islice(read_corpus(data_folder / "crosswoz" / "val.json.zip"), 99))
    differing, decided = [], []
    for dialogue in val:
        other = without_a_tick(dialogue, rng)
        assert other is not None
        found = decisions(dialogue, other)
        differing.append(len(list(differences(dialogue, other))))
        decided.append(len(found))
        choices = {each.key: CellChoice.RIGHT for each in found}
        assert settle(dialogue, other, choices).turns == other.turns
    assert set(decided) == {1}
    assert 6 < sum(differing) / len(differing) < 9
