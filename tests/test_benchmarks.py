"""The plan of the benchmarks: its commands exist, its tables look up stages that are there."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main
from benchmarks import run
from benchmarks.tables import FACTS, Results, table_lines

from crosstalk.cli.main import app
from crosstalk.reproduction.result_cells import REFERENCE, fill

PLAN: dict[str, Any] = tomllib.loads((run.HERE / "plan.toml").read_text(encoding="utf-8"))
COMMANDS = [command for stage in PLAN["stages"].values() for command in stage["commands"]]


TABLES = [*PLAN["tables"], PLAN["readme"]]
CELLS = [cell for table in TABLES for row in table["rows"] for cell in row]


def test_tables_look_up_stages_that_are_there() -> None:
    asked = {found[2] for cell in CELLS for found in REFERENCE.finditer(cell)}
    assert asked <= set(PLAN["stages"])
    for table in TABLES:
        assert all(len(row) == len(table["header"]) for row in table["rows"]), table


def test_stages_say_what_their_figures_rest_on() -> None:
    for name, stage in PLAN["stages"].items():
        said = [fact for fact in FACTS if fact in stage]
        assert not said or said == list(FACTS), f"{name} says only {', '.join(said)}"


def test_rows_of_the_readme_name_inputs_training_and_an_interval() -> None:
    table = PLAN["readme"]
    assert len(table["rows"]) <= 25
    inputs, trained, ours = (
        table["header"].index(each) for each in ("inputs", "trained on", "ours")
    )
    for row in table["rows"]:
        if row[ours] and REFERENCE.search(row[ours]):
            assert row[inputs] and row[trained], row
            assert all(found[4] or found[2] == "cards" for found in REFERENCE.finditer(row[ours]))


@pytest.mark.parametrize("command", [each for each in COMMANDS if each.startswith("crosstalk ")])
def test_commands_have_the_options_they_are_given(command: str) -> None:
    words = command.split()[1:]
    found: Any = typer.main.get_command(app)
    while hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    known = {option for each in found.params for option in (*each.opts, *each.secondary_opts)}
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


def _results(folder: Path, **printed: Any) -> Results:
    plan = {"stages": {name: {"commands": ["measure"], "inputs": "words"} for name in printed}}
    for name, figures in printed.items():
        about = {"commands": figures.pop("by", ["measure"])}
        text = json.dumps({**figures, "measured": about})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return Results(plan, folder)


def test_a_stage_without_a_model_that_it_needs_measures_no_other_one(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stage = {"commands": ["crosstalk world list --json"], "needs": ["{models}/mine/card.json"]}
    assert not run.run_stage("worlds", stage)
    assert "mine/card.json, which a stage before makes" in capsys.readouterr().err
    assert not (results / "worlds.json").exists()


def test_results_do_not_say_which_server_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1/")
    told = '{"user_voice": "openai:qwen@http://127.0.0.1:8080/v1"}'
    assert run.without_places(told) == '{"user_voice": "openai:qwen"}'


def test_cells_show_figures_with_intervals_and_what_the_plan_says(tmp_path: Path) -> None:
    found = _results(tmp_path, nlu={"f1": 96.7312, "turns": 200, "spans": {"f1": [95.94, 97.5]}})
    assert fill("{nlu:f1}", found) == "96.73"
    assert fill("{nlu:f1|spans/f1} on test", found) == "96.73 [95.9, 97.5] on test"
    assert fill("{nlu:f1|wilson turns}", found) == "96.73 [93.0, 98.3]"
    assert fill("{@nlu:inputs}", found) == "words"


def test_a_figure_of_other_commands_is_not_shown(tmp_path: Path) -> None:
    found = _results(tmp_path, old={"f1": 99.0, "by": ["something else"]}, new={"f1": 50.0})
    table = {"header": ["", "f1"], "rows": [["old", "{old:f1}"], ["new", "{new:f1}"]]}
    assert list(table_lines(table, found))[2:] == ["| new | 50.00 |"]
    assert found.missing == {"old"}
