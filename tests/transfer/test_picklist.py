"""The published tracker: lists of strings, one picked a slot."""

from dataclasses import replace
from random import Random

import pytest
import torch

from crosstalk.corpora.multiwoz_labels import ANY, NONE
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.training.small_encoders import NanoShape, nano_encoder
from crosstalk.transfer.states.picklist import (
    FROM_NOTHING,
    Picklist,
    examples,
    picklists,
    train,
)
from crosstalk.transfer.states.state_dialogues import StateTurn, state_dialogue, state_turns
from crosstalk.transfer.states.state_slots import multiwoz_slots
from crosstalk.transfer.step_training import TrainingSetup

SLOTS = tuple(slot for slot in multiwoz_slots() if slot.key in ("hotel-area", "hotel-stars"))
TRAINING = replace(FROM_NOTHING, pieces=60)
AREAS = ("north", "south", "centre")


def dialogues(count: int) -> list[Dialogue]:
    rng = Random(3)
    made = []
    for number in range(count):
        area, stars = rng.choice(AREAS), str(rng.randint(3, 5))
        first = StateTurn("", f"a hotel in the {area}", {"hotel-area": area})
        second = StateTurn(
            "how many stars ?", f"{stars} stars", {"hotel-area": area, "hotel-stars": stars}
        )
        made.append(state_dialogue(str(number), "en", (first, second)))
    return made


@pytest.fixture(scope="module")
def network() -> Picklist:
    torch.set_num_threads(1)
    told = dialogues(30)
    texts = [
        text for each in told for turn in state_turns(each) for text in (turn.system, turn.user)
    ]
    shape = NanoShape(vocabulary=80, width=32, inner=64)
    lists = picklists(SLOTS, [{"hotel-area": AREAS, "hotel-stars": ("3", "4", "5")}])
    return Picklist(nano_encoder(texts, seed=1, shape=shape), lists, TRAINING)


def test_nothing_and_anything_come_first(network: Picklist) -> None:
    assert all(values[:2] == [NONE, ANY] for values in network.lists.values())


def test_the_last_pieces_of_a_long_history_are_read(network: Picklist) -> None:
    long = replace(examples(dialogues(1))[1], before=("word " * 80, "word " * 80))
    row = network.pieces(long)
    assert len(row) == 60
    assert row[1:] == network.pieces(replace(long, before=("more " * 9, *long.before)))[1:]


def test_a_value_that_is_not_listed_teaches_nothing(network: Picklist) -> None:
    known = examples(dialogues(1))[0]
    strange = replace(known, state={"hotel-area": "the moon", "hotel-stars": "9"})
    assert float(network([strange]).detach()) == 0
    assert float(network([known]).detach()) > 0


def test_it_learns(network: Picklist) -> None:
    pace = replace(FROM_NOTHING.pace, steps=120, check_every=60, batch=12, warm_up=5, rate=5e-3)
    told = dialogues(30)
    train(network, examples(told), told[:5], pace, TrainingSetup(1))
    tracked = network.track(told[:10])
    turns = zip(
        [state for states in tracked for state in states],
        [turn.state for each in told[:10] for turn in state_turns(each)],
        strict=True,
    )
    assert sum(guess == dict(true) for guess, true in turns) >= 15  # of 20; nothing said: 0


def test_shots_are_so_many_epochs() -> None:
    assert FROM_NOTHING.over_shots(48).steps == FROM_NOTHING.epochs * 2
