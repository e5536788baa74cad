"""`crosstalk retrieve` as a person uses it."""

import json
import shutil
from pathlib import Path

import pytest
from tests.retrieval.made import groups, pairs, record, refusal, run, write_logs
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.evaluation.response_selection import AT
from crosstalk.model_folders import SHIPPED, model_folders
from crosstalk.retrieval.response_files import write_groups, write_pairs


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Extracted dialogues with a training file and a test file."""
    folder = tmp_path_factory.mktemp("logs")
    logs = write_logs(folder / "logs")
    run("logs", "extract", logs, "--method", "paper", "--out", folder / "out")
    triples = ("retrieve", "triples", folder / "out", "--seed", 3)
    run(*triples, "--sampling", "v1", "--negatives", 1, "--out", folder / "train.csv")
    run(*triples, "--sampling", "v2", "--negatives", 9, "--out", folder / "test.csv")
    return folder


@pytest.mark.parametrize("model", ["tfidf", "char", "bm25", "best"])
def test_from_dialogues_to_scores(place: Path, tmp_path: Path, model: str) -> None:
    asked = ("retrieve", "train", "--model", model, "--epochs", 1, "--out", tmp_path / "m")
    run(*asked, "--data", place / "train.csv")
    scores = record("retrieve", "evaluate", "--model", tmp_path / "m", "--data", place / "test.csv")
    assert scores["r10@1"] > 50 > scores["baselines"]["chance"]["r10@1"] == pytest.approx(10)
    assert scores["r10@1"] <= scores["r10@2"] <= scores["r10@5"] <= 100
    assert {"r2@1", "mrr"} | {f"r10@{k}" for k in AT} <= set(scores)
    low, high = scores["intervals"]["r10@1"]
    assert low <= scores["r10@1"] <= high
    shown = run("retrieve", "evaluate", "--model", tmp_path / "m", "--data", place / "test.csv")
    assert "longest" in shown
    assert "chance" in shown


@pytest.mark.parametrize("model", ["rnn", "lstm"])
def test_the_papers_networks_train_on_groups_too(place: Path, tmp_path: Path, model: str) -> None:
    asked = ("retrieve", "train", "--model", model, "--data", place / "test.csv", "--epochs", 1)
    run(*asked, "--out", tmp_path / "m")
    card = json.loads((tmp_path / "m" / "card.json").read_text())
    assert card["command"].startswith(f"crosstalk retrieve train --model {model}")
    assert not (tmp_path / "m" / "checkpoint.safetensors").exists()
    assert (
        record(*("retrieve", "evaluate", "--model", tmp_path / "m", "--data", place / "test.csv"))[
            "r10@1"
        ]
        >= 0
    )


def test_a_ranker_can_be_trained_on_the_dialogues_themselves(place: Path, tmp_path: Path) -> None:
    run("retrieve", "train", "--model", "char", "--data", place / "out", "--out", tmp_path / "m")
    assert (tmp_path / "m" / "card.json").exists()


def test_the_same_seed_writes_the_same_file(place: Path, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        run("retrieve", "triples", place / "out", "--hard", "--out", tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    run("retrieve", "triples", place / "out", "--seed", 2, "--out", tmp_path / "c.csv")
    assert (tmp_path / "a.csv").read_bytes() != (tmp_path / "c.csv").read_bytes()


def test_parts_and_layouts(place: Path, tmp_path: Path) -> None:
    part = ("--split", "random", "--part", "train")
    said = run("retrieve", "triples", place / "out", *part, "--out", tmp_path / "a.csv")
    assert "dialogues" in said
    pairs = ("--layout", "pairs", "--negatives", 3, "--rows", 50)
    said = run("retrieve", "triples", place / "out", *pairs, "--out", tmp_path / "b.csv")
    assert said.startswith("50 rows")


def test_an_index_answers_and_chats(place: Path, tmp_path: Path) -> None:
    run("retrieve", "train", "--model", "char", "--data", place / "out", "--out", tmp_path / "m")
    made = ("--model", tmp_path / "m", "--out", tmp_path / "index")
    assert "responses" in run("retrieve", "index", place / "train.csv", *made)
    answers = record("retrieve", "ask", tmp_path / "index", "about the printer", "--top", 2)
    assert len(answers) == 2
    assert "printer" in answers[0]["text"]
    assert "printer" in run("retrieve", "ask", tmp_path / "index", "hello", "about the printer")
    said = run("retrieve", "chat", tmp_path / "index", said="the printer\nthe printer\n\nthe fan\n")
    first, second, third = said.splitlines()
    assert "printer" in first
    assert second not in ("the printer", first)
    assert "fan" in third


def test_lines_of_a_text_file_can_be_indexed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("try the other disk\n\nreboot it\ntry the other disk\n")
    run("retrieve", "train", "--model", "bm25", "--data", place / "out", "--out", tmp_path / "m")
    made = ("--model", tmp_path / "m", "--out", tmp_path / "index")
    assert run("retrieve", "index", tmp_path / "lines.txt", *made) == "2 responses\n"
    asked = ["retrieve", "ask", str(tmp_path / "index"), "quantum", "--json"]
    nothing = CliRunner().invoke(app, asked)
    assert (nothing.exit_code, json.loads(nothing.stdout)) == (1, [])
    assert "nothing fits" in nothing.stderr


def test_a_table_and_a_curve(tmp_path: Path) -> None:
    write_pairs(tmp_path / "train.csv", pairs())
    write_groups(tmp_path / "test.csv", groups(), 9)
    data = ("--data", tmp_path / "train.csv", "--test", tmp_path / "test.csv")
    asked = ("retrieve", "table", *data, "--model", "tfidf", "--model", "rnn", "--epochs", 1)
    shown = run(*asked, "--out", tmp_path / "models")
    assert "LSTM v1" in shown
    assert "rnn" in shown
    curve = ("retrieve", "curve", *data, "--model", "char", "--points", tmp_path / "points.json")
    points = record(*curve, "--shares", "0.5,1", "--figure", tmp_path / "curve.svg")
    assert [point["rows"] for point in points["char"]] == [len(pairs()) // 2, len(pairs())]
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert record(*curve, "--shares", "1")["char"] == points["char"][1:]
    assert len(json.loads((tmp_path / "points.json").read_text())) == 2
    (tmp_path / "points.json").write_text('["not a point"]')
    assert "not a file of points" in refusal(*curve, "--shares", "1")


def test_wrong_input_is_answered_in_words(place: Path, tmp_path: Path) -> None:
    triples = ("retrieve", "triples", place / "out", "--out", tmp_path / "x.csv")
    train = ("retrieve", "train", "--out", tmp_path / "m")
    data = ("--data", place / "train.csv")
    index = ("retrieve", "index", place / "train.csv", "--out", tmp_path / "i")
    (tmp_path / "false.csv").write_text("Context,Utterance,Label\na,b,0\n")
    said = {
        refusal("retrieve", "triples", tmp_path, "--out", tmp_path / "x.csv"): "no extracted",
        refusal(*triples, "--sampling", "v3"): "no sampling called 'v3'",
        refusal(*triples, "--layout", "heaps"): "no layout called 'heaps'",
        refusal(*triples, "--split", "time"): "go together",
        refusal(*triples, "--seed", 1, "--split", "x,y", "--part", "train"): "no way to split",
        refusal(*triples, "--split", "time", "--part", "half"): "no part called 'half'",
        refusal(*triples, "--sampling", "v1", "--rows", 3): "--rows is for",
        refusal(*train, *data, "--model", "magic"): "no ranker called 'magic'",
        refusal(*train, *data, "--model", "char", "--vectors", tmp_path / "v"): "no use for",
        refusal(*train, "--data", tmp_path / "none.csv"): "no such file",
        refusal(*train, "--data", tmp_path / "false.csv"): "no true response",
        refusal("retrieve", "evaluate", "--model", tmp_path / "none", *data): "no such model",
        refusal("retrieve", "evaluate", "--model", place, "--data", tmp_path / "none"): "no such",
        refusal(*index, "--model", place / "out"): "card.json",
        refusal("retrieve", "ask", tmp_path, "hello"): "not an index",
        refusal("retrieve", "ask", tmp_path, " "): "nothing was said",
    }
    for words, expected in said.items():
        assert expected in words


def test_a_model_of_another_kind_is_named(place: Path, tmp_path: Path) -> None:
    other = model_folders(SHIPPED)[0]
    words = refusal("retrieve", "evaluate", "--model", other, "--data", place / "test.csv")
    assert "a model of another kind" in words


def test_a_folder_of_somebody_else_is_not_written_into(place: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("theirs")
    train = ("retrieve", "train", "--model", "char", "--data", place / "train.csv", "--out")
    assert "something else than a ranker: config.json" in refusal(*train, tmp_path)
    assert (tmp_path / "config.json").read_text() == "theirs"
    assert "is a file" in refusal(*train, tmp_path / "config.json")
    other = tmp_path / "nlu"
    shutil.copytree(model_folders(SHIPPED)[0], other)
    assert "a model of another kind" in refusal(*train, other)


def test_a_table_does_not_take_rankers_of_other_data(place: Path, tmp_path: Path) -> None:
    table = ("retrieve", "table", "--model", "tfidf", "--test", place / "test.csv")
    into = ("--out", tmp_path / "models")
    run(*table, "--data", place / "train.csv", *into)
    run(*table, "--data", place / "train.csv", *into)
    (tmp_path / "train.csv").write_bytes((place / "test.csv").read_bytes())
    said = refusal(*table, "--data", tmp_path / "train.csv", *into)
    assert "was trained otherwise, or on other data" in said
