"""Understanding trained on a small corpus alone, for users apart from the system."""

from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.nlu.encoding import ReaderConfig
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.worlds.tables import World

pytest.importorskip("torch")


def test_it_understands_with_and_without_context(harbour: World, tmp_path: Path) -> None:
    from crosstalk.system.nlu.ranked_training import (
        SMALL_CORPUS,
        SmallCorpus,
        train_on_small_corpus,
    )
    from crosstalk.system.nlu.reader_training import ReaderTraining

    dialogues = list(practice_dialogues("harbour", "en", 6, seed=1))
    small = replace(
        SMALL_CORPUS,
        reader=ReaderConfig(width=16, pair_buckets=64, dilations=(1,)),
        training=ReaderTraining(passes=2, batch=8),
        rounds=20,
    )
    corpus = SmallCorpus(dialogues, taught=lambda dialogue, turn: turn > 0)
    train_on_small_corpus(harbour, corpus, small).save(tmp_path)
    model = RankedNLU.load(tmp_path, harbour)
    turn = Turn(Speaker.USER, "Thank you, goodbye!")
    assert model.understand(turn, dialogues[0].turns[:2]) == model.understand(
        turn, dialogues[0].turns[:2]
    )
    assert isinstance(model.understand(turn, ()), tuple)


def test_turns_that_are_not_taught_are_left_out(harbour: World) -> None:
    from crosstalk.system.nlu.ranked_training import READERS, SmallCorpus

    dialogues = list(practice_dialogues("harbour", "en", READERS, seed=1))
    corpus = SmallCorpus(dialogues, taught=lambda dialogue, turn: turn != 1)
    assert dialogues[0].turns[1] not in list(corpus.turns())
    assert dialogues[0].turns[0] in list(corpus.turns(without=1))
    assert dialogues[0].turns[0] not in list(corpus.turns(without=0))


def test_values_change_from_pass_to_pass_and_acts_do_not(harbour: World) -> None:
    from crosstalk.system.nlu.ranked_training import refilled

    turns = [turn for each in practice_dialogues("harbour", "en", 2, seed=1) for turn in each.turns]
    supply = refilled(harbour, turns, seed=1)
    assert supply(1) == supply(1) != supply(2)
    assert [sample.keys for sample in supply(1)] == [sample.keys for sample in supply(2)]
