"""The tracker of English MultiWOZ: trained by the command, kept, and blind to gold states."""

import json
from pathlib import Path

import pytest
from tests.transfer import dst_made

from crosstalk.errors import InputError
from crosstalk.trainers.job import Job
from crosstalk.trainers.states import train_states
from crosstalk.transfer.multiwoz_tracker import load, predicted, read_english, table_spelling
from crosstalk.transfer.states.state_dialogues import StateTurn, state_dialogue, state_turns


def test_it_learns_what_users_want_and_is_loaded_again(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data") / "multiwoz"
    folder = train_states(Job(tmp_path / "models", data=data / "val.json"))
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert (card["world"], card["dialogues"]) == ("multiwoz", 40)
    gold = read_english(data / "test-a.json")
    blind = [state_dialogue(each.id, "en", _without_states(state_turns(each))) for each in gold]
    found = predicted(load(folder), blind)
    right = [
        ours.state == theirs.state
        for one, two in zip(found, gold, strict=True)
        for ours, theirs in zip(state_turns(one), state_turns(two), strict=True)
    ]
    assert sum(right) > 0.8 * len(right)


def _without_states(turns: tuple[StateTurn, ...]) -> list[StateTurn]:
    return [StateTurn(turn.system, turn.user) for turn in turns]


def test_a_share_leaves_the_last_corpus_whole(tmp_path: Path) -> None:
    data = dst_made.multiwoz_folder(tmp_path / "data") / "multiwoz"
    job = Job(tmp_path / "models", data=data / "val.json")
    folder = train_states(job, [data / "test-a.json"], share=0.5)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    assert card["dialogues"] == 20 + 10


def test_another_world_has_no_such_states(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="learns from states of MultiWOZ"):
        train_states(Job(tmp_path / "models", world="harbour"))


def test_values_are_spelt_as_the_tables_have_them() -> None:
    turn = StateTurn("", "a guest house", {"hotel-type": "guest house", "hotel-area": "north"})
    (found,) = state_turns(table_spelling(state_dialogue("1", "en", [turn])))
    assert found.state == {"hotel-type": "guesthouse", "hotel-area": "north"}
