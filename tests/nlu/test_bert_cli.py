"""`crosstalk train nlu --model bert` and `crosstalk evaluate nlu --model bert`."""

import json
from pathlib import Path

import pytest
from tests.torchrun import torchrun
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import CrosstalkError
from crosstalk.model_folders import read_card

HARBOUR = ("--world", "harbour", "--language", "en")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


@pytest.fixture
def corpus(dialogues: list[Dialogue], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    write_corpus(dialogues[:20], tmp_path / "talks.jsonl", to="native")
    return tmp_path / "talks.jsonl"


def trained(corpus: Path, *options: object) -> Result:
    given = ("--data", corpus, "--out", corpus.parent / "models", "--steps", 2)
    return run("train", "nlu", *HARBOUR, *given, *options)


def test_train_and_evaluate(corpus: Path) -> None:
    result = trained(corpus, "--model", "bert-no-context")
    assert result.exit_code == 0, result.output
    folder = corpus.parent / "models" / "nlu-bert-no-context-harbour-en"
    card = read_card(folder)
    assert "without context" in card["what"]
    assert card["figures"]["dialogues"] == {"learnt from": 18, "held out": 2}
    assert (folder / "metrics.jsonl").read_text().count("\n") == 2
    assert not (folder / "checkpoint.safetensors").exists()

    told = run(
        "evaluate", "nlu", *HARBOUR, "--model", "bert-no-context", "--data", corpus,
        "--models", folder.parent, "--json",
    )  # fmt: skip
    figures = json.loads(told.stdout)
    assert figures["values"] == "wordpiece"
    assert {"f1", "precision", "recall", "by_type", "by_intent"} <= set(figures)

    again = trained(corpus, "--model", "bert", "--encoder", folder)
    assert again.exit_code == 0, again.output
    card = read_card(folder.parent / "nlu-bert-harbour-en")
    assert "with context, from nlu-bert-no-context-harbour-en" in card["what"]
    assert str(corpus.parent) not in json.dumps(card)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--model", "bertha"), "no NLU called 'bertha'"),
        (("--model", "bert", "--encoder", "no-such-folder"), "--encoder no-such-folder"),
        (("--model", "bert", "--rate", "-1"), "nothing would be learned"),
    ],
)
def test_wrong_orders_are_refused(corpus: Path, options: tuple[str, ...], complaint: str) -> None:
    result = trained(corpus, *options)
    assert isinstance(result.exception, CrosstalkError)
    assert complaint in result.exception.message
    assert not list((corpus.parent / "models").glob("*/card.json"))


def test_ten_dialogues_are_needed(dialogues: list[Dialogue], corpus: Path) -> None:
    write_corpus(dialogues[:9], corpus.parent / "few.jsonl", to="native")
    result = trained(corpus.parent / "few.jsonl", "--model", "bert")
    assert isinstance(result.exception, CrosstalkError)
    assert "every tenth is held out" in result.exception.message


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--model", "bert", "--values", "neat"), "--values neat"),
        (("--model", "best", "--values", "wordpiece"), "only models with wordpieces"),
        (("--model", "bert2"), "no NLU called 'bert2'"),
    ],
)
def test_wrong_questions_are_refused(
    corpus: Path, options: tuple[str, ...], complaint: str
) -> None:
    result = run("evaluate", "nlu", *HARBOUR, "--data", corpus, *options)
    assert isinstance(result.exception, CrosstalkError)
    assert complaint in result.exception.message


def test_two_processes_train_one_model(corpus: Path) -> None:
    models = corpus.parent / "models"
    command = (
        "-m", "crosstalk", "train", "nlu", *HARBOUR, "--model", "bert-no-context",
        "--data", corpus, "--out", models, "--steps", "2",
    )  # fmt: skip
    told = torchrun(*map(str, command), out=models)
    assert told.returncode == 0, told.stderr
    assert told.stdout.count("nlu-bert-no-context-harbour-en") == 1
    card = read_card(corpus.parent / "models" / "nlu-bert-no-context-harbour-en")
    assert card["figures"]["training"]["epoch"] == 2
