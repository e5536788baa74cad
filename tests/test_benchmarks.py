"""The plan of the benchmarks: its commands exist, its tables look up stages that are there."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main
from benchmarks import run

from crosstalk.cli.main import app

PLAN: dict[str, Any] = tomllib.loads((run.HERE / "plan.toml").read_text(encoding="utf-8"))
COMMANDS = [command for stage in PLAN["stages"].values() for command in stage["commands"]]


def test_tables_look_up_stages_that_are_there() -> None:
    tables = [*PLAN["tables"], PLAN["readme"]]
    cells = [cell for table in tables for row in table["rows"] for cell in row]
    asked = {cell[1:].partition(":")[0] for cell in cells if cell.startswith("=")}
    assert asked <= set(PLAN["stages"])
    for table in tables:
        assert all(len(row) == len(table["header"]) for row in table["rows"]), table


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("crosstalk ")])
def test_commands_have_the_options_they_are_given(command: str) -> None:
    words = command.split()[1:]
    found: Any = typer.main.get_command(app)
    while hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    known = {option for each in found.params for option in each.opts}
    assert {word for word in words if word.startswith("-")} <= known


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("python ")])
def test_measurements_are_there(command: str) -> None:
    first, module = command.split()[1:3]
    script = f"{module.replace('.', '/')}.py" if first == "-m" else first
    assert (run.HERE.parent / script).exists()


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    return tmp_path


def test_a_stage_that_is_done_is_known_by_its_commands_and_inputs(results: Path) -> None:
    stage = {"commands": ["crosstalk world list --json"]}
    assert not run.is_done("worlds", stage)
    assert run.run_stage("worlds", stage)
    assert run.is_done("worlds", stage)
    assert not run.is_done("worlds", {"commands": ["crosstalk world list --json", "x"]})
    told = json.loads((results / "worlds.json").read_text())
    assert told["measured"]["minutes"] >= 0


def test_a_stage_that_takes_too_long_or_fails_leaves_no_result(results: Path) -> None:
    slow = "python -c __import__('time').sleep(20)"
    assert not run.run_stage("slow", {"commands": [slow], "minutes": 0})
    assert not run.run_stage("wrong", {"commands": ["crosstalk no-such-command"]})
    assert not list(results.iterdir())
