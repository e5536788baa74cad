"""The two commands, as they are registered under `crosstalk train` and `crosstalk evaluate`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from crosstalk.cli.evaluate_nlu import evaluate_nlu
from crosstalk.cli.train_nlu import train_nlu
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import CrosstalkError
from crosstalk.formats.corpus import write_corpus
from crosstalk.modules import boosted


def run(command: Callable[..., None], *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(each) for each in arguments])


def test_a_world_of_ones_own_is_understood_after_training(
    dialogues: list[Dialogue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boosted, "ROUNDS", 20)
    monkeypatch.setitem(boosted.SETTINGS, "num_threads", 1)
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues, corpus, to="native")
    told = ("--world", "harbour", "--data", corpus)
    trained = run(train_nlu, *told, "--out", tmp_path / "models", "--passes", 8)
    assert trained.exit_code == 0, trained.output
    card = json.loads((tmp_path / "models/nlu-harbour/card.json").read_text())
    assert card["dialogues"] == len(dialogues)
    judged = run(evaluate_nlu, *told, "--models", tmp_path / "models", "--json")
    figures = json.loads(judged.stdout)
    assert figures["utterances"] == 6 * len(dialogues)
    assert set(figures["by_intent"]) == {"General", "Inform", "Request"}
    assert {"f1", "precision", "recall"} == set(figures["user"]) == set(figures["system"])
    assert figures["f1"] > 30  # eight short passes; what it can learn is told in test_ranked


def test_an_unknown_model_is_refused_in_words(dialogues: list[Dialogue], tmp_path: Path) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues[:1], corpus, to="native")
    result = run(evaluate_nlu, "--model", "worst", "--data", corpus)
    assert isinstance(result.exception, CrosstalkError)
    assert "no NLU called 'worst'" in str(result.exception)


def test_a_world_nobody_has_trained_for_is_refused_in_words(
    dialogues: list[Dialogue], tmp_path: Path
) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues[:1], corpus, to="native")
    result = run(
        evaluate_nlu, "--world", "harbour", "--data", corpus, "--models", tmp_path / "none"
    )
    if (Path(boosted.__file__).parents[1] / "models/nlu-harbour").exists():
        pytest.skip("a model for harbour ships")
    assert isinstance(result.exception, CrosstalkError)
    assert "no trained model" in str(result.exception)


def test_no_passes_teach_nothing(dialogues: list[Dialogue], tmp_path: Path) -> None:
    corpus = tmp_path / "talks.jsonl"
    write_corpus(dialogues[:1], corpus, to="native")
    result = run(train_nlu, "--data", corpus, "--out", tmp_path, "--passes", 0)
    assert isinstance(result.exception, CrosstalkError)
    assert "--passes 0" in str(result.exception)
