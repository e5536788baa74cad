"""The two commands, as they are registered under `crosstalk train` and `crosstalk evaluate`."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from crosstalk.cli.evaluate import evaluate_nlu
from crosstalk.cli.train import train_nlu
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import CrosstalkError
from crosstalk.model_folders import find_model
from crosstalk.system.nlu import augmentation
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.trainers import nlu as trainer
from crosstalk.worlds.scaffold import copy_world
from crosstalk.worlds.world import load_world


def run(command: Callable[..., None], *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some seconds of learning instead of a minute."""
    small = replace(augmentation.QUICK, improvised=60, rounds=20)
    monkeypatch.setattr(trainer, "QUICK", small)
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)


@pytest.mark.usefixtures("little")
def test_a_corpus_is_understood_after_training(dialogues: list[Dialogue], tmp_path: Path) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues, corpus, to="native")
    told = ("--world", "harbour", "--data", corpus)
    trained = run(train_nlu, *told, "--quick", "--out", tmp_path / "models", "--passes", 8)
    assert trained.exit_code == 0, trained.output
    card = json.loads((tmp_path / "models/nlu-harbour-en/card.json").read_text())
    assert card["dialogues"] == len(dialogues)
    assert card["command"].startswith("crosstalk train nlu --world harbour --quick --data talks")
    judged = run(evaluate_nlu, *told, "--models", tmp_path / "models", "--json")
    figures = json.loads(judged.stdout)
    assert figures["utterances"] == 6 * len(dialogues)
    assert set(figures["by_intent"]) == {"General", "Inform", "Request"}
    assert {"f1", "precision", "recall"} == set(figures["user"]) == set(figures["system"])
    assert figures["f1"] > 30  # eight short passes; what it can learn is told in test_ranked


@pytest.mark.usefixtures("little")
def test_a_world_of_ones_own_is_learnt_from_practice_the_same_way_twice(tmp_path: Path) -> None:
    town = tmp_path / "town"
    copy_world("harbour", town)
    shutil.rmtree(town / "phrases")
    told = ("--world", town, "--practice", 10, "--quick", "--passes", 1, "--language", "ru")
    for models in ("one", "two"):
        trained = run(train_nlu, *told, "--out", tmp_path / models)
        assert trained.exit_code == 0, trained.output
    one, two = (find_model("nlu-town-ru", tmp_path / models) for models in ("one", "two"))
    for name in ("reader.safetensors", "model.txt", "phrases.json"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    world = load_world(town, language="ru")
    acts = RankedNLU.load(one, world).understand(Turn(Speaker.USER, "Спасибо!"), ())
    assert list(acts) == sorted(acts)


def test_an_unknown_model_is_refused_in_words(dialogues: list[Dialogue], tmp_path: Path) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues[:1], corpus, to="native")
    result = run(evaluate_nlu, "--model", "worst", "--data", corpus)
    assert isinstance(result.exception, CrosstalkError)
    assert "no NLU called 'worst'" in str(result.exception)


def test_a_world_nobody_has_trained_for_is_refused_in_words(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    corpus, town = tmp_path / "talks.jsonl", tmp_path / "town"
    write_corpus(dialogues[:1], corpus, to="native")
    copy_world("harbour", town)
    result = run(evaluate_nlu, "--world", town, "--data", corpus, "--models", tmp_path / "none")
    assert isinstance(result.exception, CrosstalkError)
    assert "no trained model called 'nlu-town-en'" in str(result.exception)


def test_fewer_passes_than_none_are_refused(dialogues: list[Dialogue], tmp_path: Path) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues[:1], corpus, to="native")
    result = run(train_nlu, "--data", corpus, "--out", tmp_path, "--passes", -1)
    assert result.exit_code == 2
