"""A training that is killed, for real, goes on and ends as if nothing had happened."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.corpora.corpus import write_corpus
from crosstalk.errors import FileProblem
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.training.steps import read_metrics

KILLER = """
import os, signal, sys
from crosstalk.training.steps import MetricsLog
from crosstalk.cli.main import run

part, step = sys.argv[1], int(sys.argv[2])
write = MetricsLog.__call__

def write_and_die(self, told):
    write(self, told)
    if (told.part, told.step) == (part, step):
        os.kill(os.getpid(), signal.SIGKILL)

MetricsLog.__call__ = write_and_die
sys.argv = ["crosstalk", *sys.argv[3:]]
run()
"""
SCLSTM = ("nlg", "--model", "sclstm", "--side", "sys", "--epochs", "2")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("corpus") / "practice.jsonl"
    write_corpus(practice_dialogues("harbour", "en", 12, seed=1), file, to="native")
    return file


def train(*command: str) -> None:
    ended = CliRunner().invoke(app, ["train", *command])
    assert ended.exit_code == 0, ended.output


@pytest.mark.parametrize(
    ("command", "name", "at", "weights"),
    [
        (("user",), "user", ("telling", 60), "model.json"),
        (("policy",), "policy", ("acts", 300), "model.txt"),
        (("policy", "--model", "sl"), "policy-sl", ("", 3), "weights.safetensors"),
        (("dst",), "dst", ("edits", 300), "model.txt"),
        (SCLSTM, "nlg-sclstm-harbour-system", ("", 1), "weights.safetensors"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_killed_training_goes_on(
    command: tuple[str, ...],
    name: str,
    at: tuple[str, int],
    weights: str,
    corpus: Path,
    tmp_path: Path,
) -> None:
    if {"sl", "sclstm"} & set(command):
        pytest.importorskip("torch", reason="networks need the extra `neural`")
    given = [*command, "--world", "harbour", "--data", str(corpus), "--out"]
    ended, whole = tmp_path / "killed" / name, tmp_path / "whole" / name
    assert kill_at(*at, *given, str(ended.parent)) == -9
    assert not (ended / "card.json").exists()
    train(*given, str(ended.parent))
    train(*given, str(whole.parent))
    assert (ended / weights).read_bytes() == (whole / weights).read_bytes()
    assert {file.name for file in ended.iterdir()} == {file.name for file in whole.iterdir()}
    assert losses(ended) == losses(whole)


def kill_at(part: str, step: int, *command: str) -> int:
    words = [sys.executable, "-c", KILLER, part, str(step), "train", *command]
    return subprocess.run(words, check=False, capture_output=True).returncode


def losses(folder: Path) -> list[tuple[str, int, float]]:
    told = read_metrics(folder / "metrics.jsonl")
    return [(raw.get("part", ""), raw["step"], raw["loss"]) for raw in told]


def test_another_training_does_not_go_on_from_there(corpus: Path, tmp_path: Path) -> None:
    given = ["user", "--world", "harbour", "--data", str(corpus), "--out", str(tmp_path)]
    assert kill_at("values", 60, *given) == -9
    refused = CliRunner().invoke(app, ["train", *given, "--seed", "2"])
    assert isinstance(refused.exception, FileProblem)
    assert "its seed was 1 and is now 2" in refused.exception.message
