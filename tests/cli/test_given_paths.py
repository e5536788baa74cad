"""Paths that commands are given, and where they print: whichever command it is."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import pytest
import typer
from tests.cli.test_every_command import EVERY
from tests.commands import Call, caller
from typer.testing import CliRunner

from crosstalk.cli.given_paths import check_paths, written
from crosstalk.corpora.corpus import read_corpus
from crosstalk.errors import FileProblem, OutputError
from crosstalk.files import writing

COMMAND = (sys.executable, "-m", "crosstalk")


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


@pytest.fixture
def corpus(crosstalk: Call, tmp_path: Path) -> Path:
    run, corpus = tmp_path / "run", tmp_path / "corpus.json"
    assert crosstalk("simulate", "-n", "2", "--level", "words", "--out", run)[0] == 0
    assert crosstalk("data", "convert", run, corpus, "--to", "native")[0] == 0
    return corpus


def goals(tmp_path: Path) -> Path:
    out = tmp_path / "goals.json"
    subprocess.run([*COMMAND, "goals", "sample", "-n", "2", "--out", out], check=True)
    return out


def test_parameters_that_write_are_known() -> None:
    """One that says so in its help and is not `readable=False` would be checked like an input."""
    for words, command in EVERY.items():
        known = written(command.callback)
        for each in command.params:
            is_path = "Path" in str(getattr(each, "type_descriptor", ""))
            assert is_path or each.name not in known, f"{words} {each.opts}"
            if is_path and each.name not in known:
                said = str(each.help).lower()
                assert said.split(maxsplit=1)[0] not in ("write", "draw", "save"), words
                assert "file to write" not in said, f"{words} {each.opts}"


def test_what_is_written_goes_by_the_option_not_by_its_name(tmp_path: Path) -> None:
    """`--out` may be read, and what is written may have any name."""
    app, file = typer.Typer(), tmp_path / "file"
    file.write_text("before")

    @app.command()
    def swap(
        out: Annotated[Path, typer.Option("--out")],
        picture: Annotated[Path, typer.Option("--picture", readable=False)],
    ) -> None:
        with writing(picture) as written_file:
            written_file.write(out.read_text())

    check_paths(app)
    call = partial(CliRunner().invoke, app)
    os.mkfifo(tmp_path / "pipe")
    refused = call(["--out", str(tmp_path / "pipe"), "--picture", str(tmp_path / "new")])
    assert isinstance(refused.exception, FileProblem) and "plain file" in str(refused.exception)
    refused = call(["--out", str(file), "--picture", str(file)])
    assert isinstance(refused.exception, OutputError)
    assert call(["--out", str(file), "--picture", str(tmp_path / "new")]).exit_code == 0
    assert (tmp_path / "new").read_text() == "before"


@pytest.mark.parametrize(
    "command",
    [
        ["data", "check"],
        ["goals", "stats"],
        ["translate", "check"],
        ["translate", "agreement"],
        ["report"],
        ["annotate", "evaluate"],
        ["logs", "stats"],
        ["retrieve", "chat"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_what_is_no_plain_file_is_refused_at_once(
    crosstalk: Call, tmp_path: Path, command: list[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one").symlink_to(tmp_path / "two")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    for place, words in (
        (tmp_path / "pipe", "is not a plain file"),
        (Path("/dev/zero"), "is not a plain file"),
        (tmp_path / "one", "the links lead in a circle"),
    ):
        code, _, err = crosstalk(*command, place)
        assert (code, words in err) == (2, True), err


def test_a_file_that_is_read_is_not_replaced(crosstalk: Call, corpus: Path, tmp_path: Path) -> None:
    before = list(read_corpus(corpus))
    link = tmp_path / "link.json"
    link.symlink_to(corpus)
    for out in (corpus, link):
        code, _, err = crosstalk("data", "convert", corpus, out, "--to", "crosswoz")
        assert code == 2
        assert "is a file that this command reads" in err
    train = tmp_path / "split" / "train.jsonl"
    train.parent.mkdir()
    corpus.rename(train)
    code, _, _ = crosstalk("data", "split", train, "--out", train.parent)
    assert code == 2
    assert list(read_corpus(train)) == before


def test_the_language_of_a_translation_is_no_path(
    crosstalk: Call, corpus: Path, tmp_path: Path
) -> None:
    code, _, err = crosstalk(
        "translate", "start", corpus, "--to", "../x", "--out", tmp_path / "work.json"
    )
    assert (code, "no language code" in err) == (2, True)
    assert not (tmp_path / "work.json").exists()


def test_names_that_are_no_text(crosstalk: Call, corpus: Path, tmp_path: Path) -> None:
    odd = corpus.rename(tmp_path / os.fsdecode(b"odd\xff.json"))
    assert crosstalk("data", "split", odd, "--out", tmp_path / "split")[0] == 0
    assert "odd\\udcff.json" in (tmp_path / "split" / "README.md").read_text()
    table = tmp_path / os.fsdecode(b"odd\xff.parquet")
    assert crosstalk("data", "convert", odd, table, "--to", "parquet")[0] == 0
    assert crosstalk("data", "check", table)[0] == 0
    log = tmp_path / os.fsdecode(b"#odd\xff.txt")
    log.write_text("[12:00] <ann> how do I mount it\n[12:01] <ben> ann: as root\n")
    code, _, err = crosstalk("logs", "extract", log, "--out", tmp_path / "threads")
    assert code == 0, err


def test_the_longest_lines(crosstalk: Call, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b"source,target\n" + b"a" * 20_000_000)
    for option in ("--glossary", "--memory"):
        code, _, err = crosstalk(
            "translate", "start", corpus, "--to", "de", "--out", tmp_path / "o", option, table
        )
        assert (code, "line 2 has more than 16 MiB" in err) == (2, True), err


@pytest.mark.parametrize("body", ["{}", "[]"])
def test_a_corpus_of_nothing_is_not_fine(crosstalk: Call, tmp_path: Path, body: str) -> None:
    file = tmp_path / "nothing.json"
    file.write_text(body)
    code, _, err = crosstalk("data", "check", file)
    assert (code, "nothing to check" in err) == (2, True)


def test_a_terminal_without_the_letters(tmp_path: Path) -> None:
    """Chinese in ASCII; JSON stays JSON."""
    command = [*COMMAND, "goals", "sample", "-n", "1", "--language", "zh"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for more in ([], ["--json"]):
        done = subprocess.run([*command, *more], env=ascii_only, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.isascii()
    shown = ["world", "show", "harbour", "--language", "zh"]
    done = subprocess.run([*COMMAND, *shown], env=ascii_only, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors(tmp_path: Path, closed: str) -> None:
    """What is printed must not go into a file that was opened meanwhile."""
    for words in ("goals sample -n 2", f"goals sample -n 2 --out {tmp_path}/goals.json"):
        shell = f"exec {sys.executable} -m crosstalk {words} {closed}"
        done = subprocess.run(["sh", "-c", shell], capture_output=True, check=False)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert (tmp_path / "goals.json").read_bytes() == goals(tmp_path).read_bytes()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_told() -> None:
    shell = f"exec {sys.executable} -m crosstalk goals sample -n 2 > /dev/full"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_folder_of_dialogues_whose_name_is_no_text(crosstalk: Call, tmp_path: Path) -> None:
    log = tmp_path / "chat.txt"
    log.write_text(
        "[12:00] <ann> how do I mount a disk?\n"
        "[12:01] <ben> ann: sudo mount /dev/sdb1 /mnt\n"
        "[12:02] <ann> ben: thanks\n"
    )
    out = tmp_path / os.fsdecode(b"odd\xff")
    for words in (
        ("logs", "extract", log, "--sure", 0, "--tsv", "--out", out),
        ("logs", "stats", out),
        ("logs", "answers", out, "--sure", 0, "--out", tmp_path / "answers.md"),
        ("retrieve", "triples", out, "--sampling", "v1", "--negatives", 1, "--out", tmp_path / "t"),
    ):
        code, _, err = crosstalk(*words)
        assert (code, "Traceback" in err) == (0, False), err
    assert "sudo mount" in (tmp_path / "answers.md").read_text()
