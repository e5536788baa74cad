"""`crosstalk train dst --model trade` and `crosstalk evaluate tracking --model trade`."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import CrosstalkError, FileProblem
from crosstalk.model_folders import read_card
from crosstalk.system.dst.tracker import empty_form
from crosstalk.training.word_vectors import read_word_vectors
from crosstalk.worlds.world import load_schema

HARBOUR = ("--world", "harbour", "--language", "en")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(each) for each in arguments])


def talk(number: int) -> Dialogue:
    form = empty_form(load_schema("harbour", language="en")[0])
    kind = ("grand", "cosy")[number % 2]
    wished = form.with_domain(form.get("hotel").with_slot("type", kind))
    turns = (
        Turn(Speaker.USER, f"A {kind} hotel."),
        Turn(Speaker.SYSTEM, "Here.", first_query=wished, last_query=wished),
    )
    return Dialogue(str(number), turns, language="en", world="harbour")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("CROSSTALK_DATA", raising=False)
    write_corpus([talk(number) for number in range(12)], tmp_path / "talks.jsonl", to="native")
    return tmp_path / "talks.jsonl"


def trained(corpus: Path, *options: object) -> Result:
    given = ("--model", "trade", "--data", corpus, "--out", corpus.parent / "models")
    return run("train", "dst", *HARBOUR, *given, *options)


def test_train_and_evaluate(corpus: Path) -> None:
    vectors = corpus.parent / "vectors.txt"
    vectors.write_text("1 100\ngrand" + " 0.5" * 100 + "\n")
    result = trained(corpus, "--epochs", 1, "--quick", "--vectors", vectors)
    assert result.exit_code == 0, result.output
    folder = corpus.parent / "models" / "dst-trade-harbour-en"
    card = read_card(folder)
    assert "--quick --vectors vectors.txt --data talks.jsonl --epochs 1 --seed 1" in card["command"]
    assert str(corpus.parent) not in json.dumps(card)
    assert not (folder / "checkpoint.safetensors").exists()

    told = run(
        "evaluate", "tracking", *HARBOUR, "--model", "trade", "--data", corpus,
        "--models", folder.parent, "--json",
    )  # fmt: skip
    figures = json.loads(told.stdout)
    assert figures["turns"] == 12
    assert {"joint_accuracy", "slot_f1", "select", "by_type"} <= set(figures)


def test_vectors_are_a_word_and_its_numbers_a_line(tmp_path: Path) -> None:
    (tmp_path / "good").write_text("2 2\ntea 1 2.5\n. . 3 4\n")
    (tmp_path / "bad").write_text("tea 1 2.5\nhouse of tea\n")
    (tmp_path / "short").write_text("tea 1 2.5\nhouse 1\n")
    read = dict(read_word_vectors(tmp_path / "good"))
    assert {word: vector.tolist() for word, vector in read.items()} == {
        "tea": [1, 2.5],
        ". .": [3, 4],
    }
    with pytest.raises(FileProblem, match="line 2: not a word and its 2 numbers"):
        list(read_word_vectors(tmp_path / "bad"))
    with pytest.raises(FileProblem, match="line 2: not a word and its 2 numbers"):
        list(read_word_vectors(tmp_path / "short"))


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        (("train", "dst", "--model", "trader", "--out", "models"), "no tracker called 'trader'"),
        (("evaluate", "tracking", "--model", "trader"), "no tracker called 'trader'"),
        (("evaluate", "tracking", "--model", "trade"), "no trained model called 'dst-trade"),
    ],
)
def test_wrong_questions_are_refused(
    corpus: Path, command: tuple[str, ...], complaint: str
) -> None:
    result = run(*command, *HARBOUR, "--data", corpus)
    assert isinstance(result.exception, CrosstalkError)
    assert complaint in result.exception.message
