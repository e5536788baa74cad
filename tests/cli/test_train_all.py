"""`crosstalk train --all`, and what may stand before the name of a module."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.errors import InputError
from crosstalk.trainers import model_quality, train_all
from crosstalk.trainers.train_all import TrainingTask, parts_of


def run(*command: str | Path) -> Result:
    return CliRunner().invoke(app, ["train", *map(str, command)])


@pytest.fixture
def only_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def one(world: str, language: str) -> Iterator[TrainingTask]:
        yield TrainingTask("user", ("--practice", "10"), ("user",))

    monkeypatch.setattr(train_all, "parts_of", one)
    monkeypatch.setattr(model_quality, "TALKS", 2)


@pytest.mark.usefixtures("only_the_user")
def test_everything_is_trained_once(tmp_path: Path) -> None:
    command = ("--all", "--world", "harbour", "--language", "de", "--out", tmp_path)
    first = run(*command)
    assert first.exit_code == 0
    assert "user: average precision" in first.stderr
    assert "verified success of 2 simulated conversations" in first.stderr
    card = tmp_path / "user" / "card.json"
    written = card.stat().st_mtime_ns
    assert json.loads(card.read_text())["language"] == "de"
    assert "already there" in run(*command).stderr
    assert card.stat().st_mtime_ns == written
    assert "already there" not in run(*command, "--seed", "2").stderr


@pytest.mark.usefixtures("only_the_user")
def test_what_failed_is_named(tmp_path: Path) -> None:
    (tmp_path / "user").write_text("in the way")
    failed = run("--all", "--world", "harbour", "--out", tmp_path)
    assert isinstance(failed.exception, InputError)
    assert "not trained: user" in failed.exception.message


def test_all_modules_have_their_part() -> None:
    assert {part.kind for part in parts_of("harbour", "en")} == {
        "nlu",
        "dst",
        "policy",
        "user",
        "nlg",
    }


def test_options_before_a_module_are_refused() -> None:
    refused = run("--world", "harbour", "user", "--out", "models")
    assert refused.exit_code == 2
    assert "belongs to --all" in refused.stderr


def test_without_a_name_help_is_shown() -> None:
    assert "--all" in run().stdout
