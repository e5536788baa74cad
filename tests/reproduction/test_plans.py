"""Plans hold together, say what they will do, and refuse what is missing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer.main
from tests.reproduction import published_files
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.corpora.catalogue import catalogue
from crosstalk.errors import InputError
from crosstalk.reproduction.data_files import arranged, find_files
from crosstalk.reproduction.plans import SCALES, load_plan, plan_names
from crosstalk.reproduction.reproduction_run import (
    Reproduction,
    ReproductionRequest,
    plan_reproduction,
    reproduce,
)
from crosstalk.reproduction.result_cells import REFERENCE, fill, filled_rows
from crosstalk.reproduction.stage_runs import ABOUT, Stage, StageFailure

EVERY = [(paper, scale) for paper in plan_names() for scale in SCALES]


@pytest.mark.parametrize(("paper", "scale"), EVERY)
def test_every_name_in_a_plan_is_known(tmp_path: Path, paper: str, scale: str) -> None:
    plan = load_plan(paper, scale)
    files = {each.name for each in plan.files}
    assert all(each.page or each.dataset in catalogue() for each in plan.files)
    stages: set[str] = set()
    for stage in plan.stages:
        assert set(stage.needs) <= files, stage.name
        assert set(stage.after) <= stages, stage.name
        stages.add(stage.name)
        assert scale in stage.minutes
    everywhere = {each.name for each in load_plan(paper, "paper").stages}
    asked = {m[2] for t in plan.tables for r in t["rows"] for c in r for m in REFERENCE.finditer(c)}
    assert asked <= everywhere
    assert all(len(row) == len(t["header"]) for t in plan.tables for row in t["rows"])


@pytest.mark.parametrize(("paper", "scale"), EVERY)
def test_commands_have_the_options_they_are_given(tmp_path: Path, paper: str, scale: str) -> None:
    made = getattr(published_files, paper)(tmp_path / "data")
    request = ReproductionRequest(paper, made, tmp_path / "out", scale=scale)
    plan = load_plan(paper, scale)
    for run in Reproduction(request, plan, find_files(plan, made)).runs:
        for command in run.stage.commands:
            words = command.split()[1:]
            found: Any = typer.main.get_command(app)
            while hasattr(found, "commands"):
                found = found.commands[words.pop(0)]
            known = {name for each in found.params for name in (*each.opts, *each.secondary_opts)}
            assert {word for word in words if word.startswith("--")} <= known, command
            assert run.lacks or not re.search(r"[{}]", command), command


@pytest.mark.parametrize("paper", plan_names())
def test_what_is_measured_is_shown_or_used(paper: str) -> None:
    plan = load_plan(paper)
    shown = {m[2] for t in plan.tables for r in t["rows"] for c in r for m in REFERENCE.finditer(c)}
    used = {name for stage in plan.stages for name in stage.after}
    drawn = [table["figure"] for table in plan.tables if "figure" in table]
    for stage in plan.stages:
        figures = any(name in command for name in drawn for command in stage.commands)
        assert figures or stage.name in shown | used, f"{stage.name}: no table shows its result"


def test_missing_files_are_named_with_the_command_that_fetches_them(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    words = ["--data", str(tmp_path / "data"), "--out", str(tmp_path / "out")]
    dry = CliRunner().invoke(app, ["reproduce", "ubuntu", *words, "--dry-run", "--json"])
    assert dry.exit_code == 0
    missing = json.loads(dry.stdout)["missing"]
    assert {"file": "ubuntu/train.csv", "fetch": "crosstalk fetch ubuntu"}.items() <= (
        missing[0].items()
    )
    with pytest.raises(InputError, match=r"ubuntu/valid\.csv .*crosstalk fetch ubuntu"):
        reproduce(ReproductionRequest("ubuntu", tmp_path / "data", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_one_language_of_multi2woz_is_enough_and_none_is_too_few(tmp_path: Path) -> None:
    data = published_files.multi2woz(tmp_path / "data")
    for file in (data / "multi2woz").glob("*"):
        if "-cn" not in file.name:
            file.unlink()
    request = ReproductionRequest("multi2woz", data, tmp_path / "out", scale="smoke")
    planned = plan_reproduction(request)
    names = (run.stage.name for run in planned.reproduction.runs)
    states = dict(zip(names, planned.states, strict=True))
    assert states["dst-tod-zh-0"] == "planned"
    assert states["dst-tod-de-0"] == "skipped"
    for file in (data / "multi2woz").glob("*"):
        file.unlink()
    with pytest.raises(InputError, match="test_dials-ru"):
        reproduce(request)


def test_files_in_one_heap_are_linked_to_their_places(tmp_path: Path) -> None:
    made, heap = published_files.crosswoz(tmp_path / "made"), tmp_path / "heap"
    heap.mkdir()
    for file in (made / "crosswoz").glob("*.zip"):
        file.rename(heap / file.name)
    plan = load_plan("crosswoz", "smoke")
    found = arranged(plan, find_files(plan, heap), tmp_path / "out")
    assert found.data == tmp_path / "out" / "data"
    assert (found.data / "crosswoz" / "train.json.zip").is_file()


@pytest.mark.parametrize(
    "given", [{"paper": "nothing"}, {"scale": "huge"}, {"data": Path("nowhere")}]
)
def test_wrong_requests_are_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    asked = {"paper": "crosswoz", "data": tmp_path, "out": tmp_path / "out", **given}
    with pytest.raises(InputError):
        reproduce(ReproductionRequest(**asked))


def test_a_stage_is_done_until_its_commands_or_inputs_change(tmp_path: Path) -> None:
    stage = Stage("worlds", ("crosstalk world list --json",), inputs={"file": "abc"})
    result = tmp_path / "worlds.json"
    assert not stage.is_done(result)
    assert ABOUT in stage.run(result)
    assert stage.is_done(result)
    assert not Stage("worlds", stage.commands, inputs={"file": "def"}).is_done(result)
    with pytest.raises(StageFailure, match="exit code 2"):
        Stage("wrong", ("crosstalk world show nowhere --json",)).run(tmp_path / "wrong.json")
    assert not (tmp_path / "wrong.json").exists()


class Measured:
    """Results of two seeds, in memory."""

    def of(self, stage: str) -> list[dict[str, Any]]:
        return [{"f1": 90.0}, {"f1": 93.0}] if stage == "bert" else []

    def said(self, stage: str, fact: str) -> str:
        return ""


def test_several_seeds_show_their_mean_and_the_lowest_and_highest() -> None:
    assert fill("{bert:f1}", Measured()) == "91.50 (90.00 to 93.00)"
    table = {"rows": [["bert", "{bert:f1}"], ["trade", "{trade:f1}"]]}
    assert filled_rows(table, Measured()) == [["bert", "91.50 (90.00 to 93.00)"]]


def test_an_encoder_that_is_none_is_refused_before_anything_runs(tmp_path: Path) -> None:
    data, empty = published_files.crosswoz(tmp_path / "data"), tmp_path / "encoder"
    empty.mkdir()
    words = ["reproduce", "crosswoz", "--scale", "smoke", "--data", str(data)]
    words += ["--out", str(tmp_path / "out"), "--encoder", str(empty)]
    for more in ([], ["--dry-run"]):
        refused = CliRunner().invoke(app, [*words, *more])
        assert isinstance(refused.exception, InputError)
        assert "no config.json" in str(refused.exception)
        assert not (tmp_path / "out").exists()
