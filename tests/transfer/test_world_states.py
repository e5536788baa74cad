"""States of a world's dialogues, learnt in English and tracked in another of its languages."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.corpora.native import write_native
from crosstalk.errors import InputError
from crosstalk.evaluation import world_transfer
from crosstalk.evaluation.state_transfer import StateTransfer, evaluate_states
from crosstalk.evaluation.world_transfer import task_of_world
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.training import sentence_encoders
from crosstalk.transfer.states.derived_words import blank_words
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.states.world_tasks import WorldTask


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_encoders, "is_installed", lambda: False)
    monkeypatch.setattr(world_transfer, "TRAINED", 4)


def dialogues_in(language: str, file: Path, count: int = 2) -> Path:
    setup = Setup("harbour", language, words=True)
    write_native(simulated_dialogues(Plan(9, count=count), setup), file)
    return file


@pytest.fixture
def arabic(tmp_path: Path) -> Path:
    return dialogues_in("ar", tmp_path / "ar.jsonl")


def task_in(folder: Path, test: Path) -> WorldTask:
    found = task_of_world(test, "ar", folder, folder / "kept")
    assert found is not None
    return found


def test_every_term_of_a_list_is_a_slot_and_says_the_same_in_both_languages(
    tmp_path: Path, arabic: Path
) -> None:
    task = task_in(tmp_path, arabic)
    english = task.read(dialogues_in("en", tmp_path / "en.jsonl"), "en")
    ontology = task.ontology(())
    for one, two in zip(english, task.read(arabic, "ar"), strict=True):
        states = [
            [ontology.ids(turn.state, code) for turn in state_turns(talk)][-1]
            for talk, code in ((one, "en"), (two, "ar"))
        ]
        assert states[0] == states[1]
        assert states[0]
    keys = {slot.key for slot in task.slots}
    assert {"hotel-services breakfast", "restaurant-dishes harbour chowder", "hotel-price"} <= keys
    assert "hotel-services" not in keys


def test_what_means_what_is_asked_by_the_score_alone(tmp_path: Path, arabic: Path) -> None:
    """The same values in another pairing: texts are read with the same forms."""
    task = task_in(tmp_path, arabic)

    def shifted(said: Mapping[str, str]) -> dict[str, str]:
        values = list(said.values())
        return dict(zip(said, values[1:] + values[:1], strict=True))

    other = {key: shifted(said) for key, said in task.values.renderings.items()}
    blind = replace(task, values=replace(task.values, renderings=other))
    words = blank_words("ar")
    reading, again = (each.reading_ontology((), words, None) for each in (task, blind))
    assert reading.forms == again.forms
    assert task.ontology(()).labels != blind.ontology(()).labels
    assert task.target_texts() == blind.target_texts()


def test_values_with_the_same_numbers_are_one(tmp_path: Path, arabic: Path) -> None:
    """Without vectors or a word of Arabic: digits are the same in both."""
    reading = task_in(tmp_path, arabic).reading_ontology((), blank_words("ar"), None)
    labels = reading.labels["ar"]
    assert labels["restaurant-cost"]["من 50 إلى 100 كرونة"] == "50-100 crowns"
    assert labels["restaurant-rating"]["5 من 5"] == "5 points"


def test_dialogues_to_learn_from_are_simulated_once(tmp_path: Path, arabic: Path) -> None:
    asked = StateTransfer("ar", tmp_path, arabic, seeds=1, out=tmp_path / "out", tables=False)
    found = evaluate_states(asked)
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("*.jsonl")}
    assert sorted(name[:11] for name in kept) == ["harbour-ar-", "harbour-en-"]
    assert evaluate_states(asked) == found
    assert found["task"] == "harbour (ar)"
    assert kept == {f.name: f.stat().st_mtime_ns for f in (tmp_path / "out").glob("*.jsonl")}


def test_tables_are_refused_for_a_world(tmp_path: Path, arabic: Path) -> None:
    with pytest.raises(InputError, match=r"harbour") as caught:
        evaluate_states(StateTransfer("ar", tmp_path, arabic, out=tmp_path / "out"))
    assert "--no-tables" in str(caught.value.remedy)
