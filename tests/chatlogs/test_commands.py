"""`crosstalk logs` as a person uses it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.model_folders import find_model

PEOPLE = ("ann", "bob", "cat", "dan")


def write_log(folder: Path, days: int = 3, lines: int = 60) -> Path:
    """A channel in which people answer each other all day."""
    for day in range(1, days + 1):
        path = folder / f"2010/{1 + day // 20:02}/{1 + day % 20:02}/#help.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(_line(at, day) for at in range(lines)) + "\n")
    return folder


def _line(at: int, day: int) -> str:
    speaker, other = PEOPLE[(at + day) % 4], PEOPLE[(at + day + 1 + at % 2) % 4]
    return f"[{at // 60:02}:{at % 60:02}] <{speaker}> {other}: word{at % 7} and word{at % 5}?"


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output if result.exception is None else str(result.exception)


def digest(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    return {
        piece.name: pl.read_parquet(piece).rows() for piece in sorted(folder.glob("*/*.parquet"))
    }


@pytest.mark.parametrize("method", ["paper", "rules", "links"])
def test_extraction_is_the_same_for_any_number_of_workers(tmp_path: Path, method: str) -> None:
    logs = write_log(tmp_path / "logs", days=24)
    for workers in ("1", "2"):
        words = ["logs", "extract", str(logs), "--method", method, "-j", workers]
        command = [sys.executable, "-m", "crosstalk", *words, "--out", str(tmp_path / workers)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert digest(tmp_path / "1") == digest(tmp_path / "2") != {}


def test_lines_keep_conversation_parent_and_confidence(tmp_path: Path) -> None:
    logs = write_log(tmp_path / "logs", days=1)
    assert run("logs", "extract", logs, "--out", tmp_path / "out", "--tsv", "--sure", 0)[0] == 0
    table = pl.read_parquet(tmp_path / "out/dialogues/*.parquet")
    assert table["confidence"].is_between(0, 1).all()
    assert table["conversation"].str.len_chars().min()
    tsv = sorted((tmp_path / "out/dialogs").glob("*/*.tsv"))
    assert len(tsv) == table["dialogue"].n_unique()
    for path in tsv:
        rows = [row.split("\t") for row in path.read_text().splitlines()]
        assert len(rows) == int(path.parent.name)
        assert {len(row) for row in rows} == {4}
    code, text = run("logs", "stats", tmp_path / "out", "--json")
    record = json.loads(text)
    assert code == 0
    assert record["dialogues"] == table["dialogue"].n_unique()
    assert record["min_turns"] >= 3
    figure = tmp_path / "lengths.svg"
    assert run("logs", "stats", tmp_path / "out", "--figure", figure)[0] == 0
    assert "<svg" in figure.read_text()


def test_without_ray_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    logs = write_log(tmp_path / "logs", days=1)
    code, text = run("logs", "extract", logs, "--out", tmp_path / "out", "--engine", "ray")
    assert code != 0
    assert "the engine ray needs Ray" in text
    assert not (tmp_path / "out").exists()


def test_a_killed_extraction_is_finished_later(tmp_path: Path) -> None:
    logs = write_log(tmp_path / "logs", days=60, lines=800)
    assert run("logs", "extract", logs, "--out", tmp_path / "whole", "--method", "rules")[0] == 0
    words = ["logs", "extract", str(logs), "--method", "rules", "--out", str(tmp_path / "cut")]
    process = subprocess.Popen(
        [sys.executable, "-m", "crosstalk", *words], stdout=subprocess.DEVNULL
    )
    _wait_for(tmp_path / "cut/parts", process)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert run(*words)[0] != 0, "an unfinished folder is not overwritten"
    assert run(*words, "--resume")[0] == 0
    assert digest(tmp_path / "cut") == digest(tmp_path / "whole")


def _wait_for(folder: Path, process: "subprocess.Popen[bytes]") -> None:
    while process.poll() is None and not list(folder.glob("*.json")):
        time.sleep(0.01)


def test_evaluation_against_links(tmp_path: Path) -> None:
    raw = "[10:00] <ann> why?\n[10:01] <bob> ann: so\n[10:01] <cat> hi all\n[10:02] <ann> bob: ok"
    with zipfile.ZipFile(tmp_path / "days.zip", "w") as archive:
        archive.writestr("2010-01-01.raw.txt", raw)
        archive.writestr("2010-01-01.annotation.txt", "0 0 -\n0 1 -\n2 2 -\n1 3 -\n")
    code, text = run("logs", "evaluate", tmp_path / "days.zip", "--method", "rules", "--json")
    scores = json.loads(text)
    assert code == 0
    assert scores["link"] == {"p": 100, "r": 100, "f": 100}
    assert scores["vi"] == scores["one_to_one"] == scores["exact"]["f"] == 100
    assert scores["two_person"]["exact_or_prefix"] == 100


def test_the_field_s_figures_come_out(data_folder: Path) -> None:
    days = data_folder / "irc" / "dev.zip"
    previous = json.loads(run("logs", "evaluate", days, "--method", "previous", "--json")[1])
    assert round(previous["link"]["f"], 1) == 30.2  # published for these days
    paper = json.loads(run("logs", "evaluate", days, "--method", "paper", "--json")[1])
    assert abs(paper["vi"] - 80.0) < 1  # published: 80.0, 51.7, 9.5
    assert abs(paper["one_to_one"] - 51.7) < 1.5
    assert abs(paper["exact"]["f"] - 9.5) < 1.5
    links = json.loads(run("logs", "evaluate", days, "--json")[1])
    assert links["link"]["f"] > 73
    assert links["vi"] > 92
    assert links["one_to_one"] > 79
    assert links["exact"]["f"] > 37
    assert links["two_person"]["exact_or_prefix"] > 60
    assert links["two_person"]["purity"] > 97
    assert links["two_person"]["true_start"] > 75


@pytest.mark.parametrize(
    "words",
    [
        ("extract", "nothing-here", "--out", "out"),
        ("extract", ".", "--out", "out"),
        ("evaluate", ".", "--method", "links"),
        ("stats", "."),
        ("extract", ".", "--out", "out", "--method", "magic"),
    ],
)
def test_wrong_input_is_told_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = run("logs", *words)
    assert code != 0
    assert "Traceback" not in text
    assert not (tmp_path / "out").exists()


def test_what_a_killed_run_was_just_writing_is_taken_away(tmp_path: Path) -> None:
    logs = write_log(tmp_path / "logs", days=1)
    words = ("logs", "extract", logs, "--method", "rules", "--out", tmp_path / "out", "--resume")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/.run.json.0123.part").touch()
    assert run(*words)[0] == 0, "killed before it had begun"
    (tmp_path / "out/dialogues/.help.2010-01-0000.parquet.0123.part").touch()
    assert run(*words)[0] == 0
    assert not list((tmp_path / "out").rglob("*.part"))


def test_a_run_is_not_finished_by_another_linker(tmp_path: Path) -> None:
    logs = write_log(tmp_path / "logs", days=1)
    words = ("logs", "extract", logs, "--out", tmp_path / "out")
    assert run(*words)[0] == 0
    copy = tmp_path / "models/linker"
    shutil.copytree(find_model("linker"), copy)
    assert run(*words, "--resume", "--models", tmp_path / "models")[0] == 0, "the same one"
    card = json.loads((copy / "card.json").read_text())
    (copy / "card.json").write_text(json.dumps(card | {"seed": 7}))
    code, text = run(*words, "--resume", "--models", tmp_path / "models")
    assert code != 0
    assert "begun with other linker" in text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("stamp", ["[{}] <", "[2010-01-01 {}:00] <", "{} < "])
def test_other_channels_write_other_lines(tmp_path: Path, end: str, stamp: str) -> None:
    """The annotation may begin anywhere, here at the third line."""
    said = ["<ann> hi", "<bob> why?", "<cat> bob: so", "<bob> cat: ok", "<cat> bob: yes"]
    lines = [stamp.format(f"10:0{at}") + text[1:] for at, text in enumerate(said)]
    (tmp_path / "help.raw.txt").write_bytes(end.join(lines).encode())
    links = ["\ufeff1 2 -", "2 3 -", "3 4 -"]
    (tmp_path / "help.annotation.txt").write_bytes(end.join(links).encode())
    code, text = run("logs", "evaluate", tmp_path, "--method", "rules", "--json")
    scores = json.loads(text)
    assert code == 0
    assert (scores["lines"], scores["link"]["f"], scores["vi"]) == (3, 100, 100)


def test_annotated_lines_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "help.raw.txt").write_text("ann says hi\nbob says hi\n")
    (tmp_path / "help.annotation.txt").write_text("0 0 -\n0 1 -\n")
    shown = CliRunner().invoke(app, ["logs", "evaluate", str(tmp_path), "--method", "rules"])
    assert "help.raw.txt: 2 lines are no messages" in shown.stderr


def test_dialogues_may_lie_among_the_logs_they_were_made_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(tmp_path, days=1)
    monkeypatch.chdir(tmp_path)
    words = ("logs", "extract", ".", "--method", "rules", "--tsv", "--out")
    assert run(*words, "out")[0] == 0
    assert run(*words, "out", "--resume")[0] == 0
    assert run(*words, "again")[0] == 0
    assert json.loads(run("logs", "stats", "again", "--json")[1])["problems"] == []
    assert digest(tmp_path / "out") == digest(tmp_path / "again")


def test_an_unfinished_run_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    logs = write_log(tmp_path / "logs", days=24)
    out = tmp_path / "out"
    assert run("logs", "extract", logs, "--method", "rules", "--out", out)[0] == 0
    max((out / "parts").iterdir()).unlink()  # as if it had been killed before its last month
    (problem,) = json.loads(run("logs", "stats", out, "--json")[1])["problems"]
    assert "not finished, 1 parts are missing" in problem
    code, text = run("retrieve", "triples", out, "--out", tmp_path / "x.csv")
    assert code != 0
    assert "the extraction is not finished: 1 of 2 parts" in text
