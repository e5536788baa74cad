"""What `--data` means to every training."""

from pathlib import Path

import pytest

from crosstalk.corpora.corpus import write_corpus
from crosstalk.errors import InputError
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.trainers.data import find_source


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with the validation split of harbour."""
    held = list(practice_dialogues("harbour", "de", 2, seed=1, user="rule"))
    write_corpus(held, tmp_path / "harbour" / "val.jsonl", to="native")
    return tmp_path


def test_a_corpus_is_taken_as_it_is(folder: Path) -> None:
    file = folder / "harbour" / "val.jsonl"
    material = find_source("harbour", None, file).dialogues(seed=1)
    assert (len(material.dialogues), material.learnt_from) == (2, "val.jsonl")
    assert (
        material.command("user", seed=0, folds=0)
        == "crosstalk train user --data val.jsonl --seed 0"
    )


def test_a_data_folder_gives_its_training_split_or_else_its_validation_split(folder: Path) -> None:
    assert find_source("harbour", None, folder).corpus == folder / "harbour" / "val.jsonl"
    train = (folder / "harbour" / "val.jsonl").rename(folder / "harbour" / "train.jsonl")
    source = find_source("harbour", None, folder)
    assert (source.corpus, source.folder) == (train, folder)
    assert find_source("harbour", None, folder / "harbour") == source


def test_a_world_with_templates_needs_no_corpus(tmp_path: Path) -> None:
    for data in (None, tmp_path):
        source = find_source("harbour", "en", data)
        assert source.corpus is None
    first, again = (source.dialogues(seed=1, practice=10) for _ in range(2))
    assert first == again
    assert first.learnt_from == "10 simulated dialogues (en, seed 1)"
    assert first.option == "--language en --practice 10"


def test_other_worlds_say_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not hold crosswoz/val"):
        find_source("crosswoz", None, tmp_path)
    with pytest.raises(InputError, match="no corpus was named"):
        find_source("crosswoz", None, None)
    with pytest.raises(InputError, match="no such file or folder"):
        find_source("harbour", None, tmp_path / "missing")


def test_crosswoz_as_it_is_published(data_folder: Path) -> None:
    source = find_source("crosswoz", None, data_folder)
    assert source.corpus is not None
    assert source.corpus.parent == data_folder / "crosswoz"
