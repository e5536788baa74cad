"""`crosstalk train dst` and `crosstalk evaluate tracking` as a newcomer may give them."""

import json
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.dst import text_tracker_training
from crosstalk.trainers import dst as trainer
from crosstalk.trainers.data import TrainingData, share_of


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("talks") / "talks.jsonl"
    write_corpus(practice_dialogues("harbour", "en", 10, seed=3), file, to="native")
    return file


def crosstalk(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_words_are_trained_then_judged(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = partial(text_tracker_training.TextTrackerConfig, rounds=10, passes=1)
    monkeypatch.setattr(trainer, "TextTrackerConfig", quick)
    here = ("--world", "harbour", "--language", "en", "--data", corpus)
    trained = crosstalk("train", "dst", "--model", "words", *here, "--folds", 2, "--out", tmp_path)
    assert trained.exit_code == 0, trained.output
    card = json.loads((tmp_path / "dst-words" / "card.json").read_text())
    assert card["figures"]["protocol"] == "from words, 2-fold cross-validation by dialogue"
    judged = crosstalk("evaluate", "tracking", *here, "--models", tmp_path, "--json")
    result = json.loads(judged.stdout)
    assert {"joint_accuracy", "slot_f1", "select", "by_type"} <= set(result)
    # ten dialogues and ten rounds: either figure may be the larger one
    assert min(result["joint_accuracy"], card["figures"]["joint_accuracy"]) > 75


def test_folds_judge_the_tracker_that_is_given_forms(corpus: Path, tmp_path: Path) -> None:
    here = ("--world", "harbour", "--language", "en", "--data", corpus)
    trained = crosstalk("train", "dst", *here, "--folds", 2, "--out", tmp_path)
    assert trained.exit_code == 0, trained.output
    figures = json.loads((tmp_path / "dst" / "card.json").read_text())["figures"]
    assert figures["protocol"].startswith("single turn, 2-fold")
    assert 0 < figures["joint_accuracy"] <= 100


def test_a_smaller_share_is_part_of_a_larger_one() -> None:
    material = TrainingData([Dialogue(str(n), ()) for n in range(40)], "talks", "", "--data talks")
    quarter, half = (share_of(material, share).dialogues for share in (0.25, 0.5))
    assert len(quarter) == 10
    assert len(half) == 20
    assert {each.id for each in quarter} < {each.id for each in half}


@pytest.mark.parametrize("command", [("train", "dst", "--out", "x"), ("evaluate", "tracking")])
def test_an_unknown_tracker_is_refused(command: tuple[str, ...], corpus: Path) -> None:
    result = crosstalk(*command, "--model", "nobody", "--data", corpus)
    assert isinstance(result.exception, InputError)
    assert "nobody" in str(result.exception)
