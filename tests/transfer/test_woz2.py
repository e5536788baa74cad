"""WOZ 2.0: German states learnt in English, labels in either language."""

from pathlib import Path

import pytest
from tests.transfer import dst_made

from crosstalk.errors import InputError
from crosstalk.evaluation.state_transfer import score_states
from crosstalk.transfer.dst_transfer import TransferRun, track_with_best
from crosstalk.transfer.states.state_dialogues import label_language, state_turns, system_language
from crosstalk.transfer.states.state_files import read_states
from crosstalk.transfer.states.state_slots import WOZ2
from crosstalk.transfer.states.transfer_tasks import find_task


def test_labels_in_german_and_in_english_are_the_same_values(tmp_path: Path) -> None:
    data = dst_made.woz2_folder(tmp_path)
    task = find_task(data, "de")
    ontology = task.ontology(task.source())
    german = read_states(data / "woz2" / "woz_validate_de.json", "de", WOZ2)
    english = read_states(data / "woz2" / "woz_validate_de_en.json", "de", WOZ2)
    for one, two in zip(german, english, strict=True):
        assert (label_language(one), label_language(two), system_language(one)) == (
            "de",
            "en",
            "en",
        )
        for ours, theirs in zip(state_turns(one), state_turns(two), strict=True):
            ids = {slot: ontology.id_of(slot, value, "de") for slot, value in ours.state.items()}
            assert ids == dict(theirs.state)


def test_english_teaches_german(tmp_path: Path) -> None:
    data = dst_made.woz2_folder(tmp_path / "data")
    run = TransferRun(find_task(data, "de"), seeds=(1,), sentences=False)
    test = read_states(data / "woz2" / "woz_validate_de.json", "de", WOZ2)
    ((seed, guesses),) = track_with_best(run, test, kept=tmp_path / "kept")
    score = score_states(guesses, test, run.ontology)
    assert seed == 1
    assert score.joint.percent is not None
    assert score.joint.percent > 80


def test_real_labels_are_all_known(data_folder: Path) -> None:
    task = find_task(data_folder, "it")
    ontology = task.ontology(task.source())
    for dialogue in read_states(data_folder / "woz2" / "woz_validate_it.json.zip", "it", WOZ2):
        for turn in state_turns(dialogue):
            assert all(ontology.knows(*each, "it") for each in turn.state.items())


@pytest.mark.parametrize("given", ["en", "de"])
def test_a_file_of_another_language_is_refused(data_folder: Path, given: str) -> None:
    with pytest.raises(InputError, match=f"speak {given}, not it"):
        read_states(data_folder / "woz2" / f"woz_validate_{given}.json.zip", "it", WOZ2)
