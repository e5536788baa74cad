"""Dialogues drawn for experts, without annotation."""

from random import Random

import pytest

from crosstalk.annotation.annotator import Annotator
from crosstalk.annotation.expert_sample import blind, sample, without_acts
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.errors import InputError

MANY = [Dialogue(str(number), ()) for number in range(100)]


def test_a_share_in_order_by_seed() -> None:
    drawn = sample(MANY, 0.1, Random(3))
    assert len(drawn) == 10
    assert [int(each.id) for each in drawn] == sorted(int(each.id) for each in drawn)
    assert drawn == sample(MANY, 0.1, Random(3)) != sample(MANY, 0.1, Random(4))


def test_at_least_one_and_at_most_all() -> None:
    assert len(sample(MANY, 0.001, Random(0))) == 1
    assert sample(MANY, 1, Random(0)) == MANY


@pytest.mark.parametrize("share", [0, -1, 1.5, float("nan")])
def test_impossible_shares_are_refused(share: float) -> None:
    with pytest.raises(InputError):
        sample(MANY, share, Random(0))


def test_blind_leaves_words_and_goal(annotator: Annotator, dialogue: Dialogue) -> None:
    stripped = blind(annotator.annotate(dialogue))
    assert stripped.goal == dialogue.goal and stripped.final_goal is None
    assert [turn.text for turn in stripped.turns] == [turn.text for turn in dialogue.turns]
    for turn in stripped.turns:
        assert turn == Turn(turn.speaker, turn.text)


def test_without_acts_leaves_the_states(annotator: Annotator, dialogue: Dialogue) -> None:
    assert without_acts(annotator.annotate(dialogue)) == dialogue
