"""Dialogues put together again from the rows of a file."""

from random import Random

import pytest
from tests.retrieval.made import table

from crosstalk.errors import InputError
from crosstalk.retrieval.response_files import dialogues_of_pairs
from crosstalk.retrieval.response_sampling import Sampling, training_pairs
from crosstalk.retrieval.turn_table import TurnTable


def test_rows_of_the_first_release_give_the_dialogues_back() -> None:
    assert (
        dialogues_of_pairs(training_pairs(table(), Sampling.V1, 2, seed=1)).turns == table().turns
    )


def test_rows_need_not_stand_together() -> None:
    pairs = list(training_pairs(table(), Sampling.V2, 1, 1, range(2000)))
    Random(1).shuffle(pairs)
    assert set(dialogues_of_pairs(pairs).turns) == set(table().turns)


def test_a_dialogue_longer_than_a_context_is_one_dialogue() -> None:
    turns = tuple(f"turn number {at} of many __eou__" for at in range(30))
    long = TurnTable((table().turns[1], turns, table().turns[0]), ("a", "b", "c"), (0, 1, 2))
    assert dialogues_of_pairs(training_pairs(long, Sampling.V1, 1, seed=1)).turns == long.turns


def test_one_dialogue_is_too_few() -> None:
    with pytest.raises(InputError, match="1 dialogues are too few"):
        dialogues_of_pairs([("a __eot__ b __eot__", "c", True)])
