"""`crosstalk simulate`, as a user types it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run

Patch = pytest.MonkeyPatch
Shown = pytest.CaptureFixture[str]


def crosstalk(monkeypatch: Patch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def goal_file(path: Path, *goals: dict[str, Any]) -> Path:
    usual = {"world": "harbour", "language": "en", "type": "S"}
    lines = [json.dumps({"id": f"goal-{n}", **usual, **goal}) for n, goal in enumerate(goals)]
    path.write_text("\n".join(lines) + "\n")
    return path


def tuples(*pairs: tuple[str, Any], domain: str = "attraction") -> dict[str, Any]:
    return {"tuples": [[1, domain, slot, value, False] for slot, value in pairs]}


def ids(out: Path) -> list[str]:
    lines = (out / "dialogues" / "00000.jsonl").read_text().splitlines()
    return [json.loads(line)["id"] for line in lines]


@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_a_run_in_several_languages(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown, language: str
) -> None:
    out = tmp_path / "run"
    options: list[str | Path] = [
        "--language",
        language,
        "-n",
        "4",
        "--seed",
        "2",
        "--out",
        out,
        "--json",
    ]
    assert crosstalk(monkeypatch, "simulate", *options) == 0

    assert json.loads(capsys.readouterr().out) == {"run": str(out), "dialogues": 4}
    assert ids(out) == [f"harbour-2-{number}" for number in range(4)]


def test_former_names_of_options_still_work_and_say_so(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    run, former = tmp_path / "run", ("--repeat", "2", "--patience", "20")
    assert crosstalk(monkeypatch, "simulate", "-n", "1", *former, "--out", run) == 0
    shown = capsys.readouterr().err
    assert "--repeat is now called --trials" in shown
    assert "--patience is now called --timeout" in shown
    assert len(ids(run)) == 2


def test_goals_of_a_file(tmp_path: Path, monkeypatch: Patch) -> None:
    goals = goal_file(tmp_path / "goals.jsonl", tuples(("name", "Ocean Aquarium"), ("fee", "")))
    assert crosstalk(monkeypatch, "simulate", "--goals", goals, "--out", tmp_path / "run") == 0

    assert ids(tmp_path / "run") == ["goal-0"]


def test_goals_that_contradict_themselves_or_name_what_is_gone(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    """The run goes on, the person is told, and the report has the reason."""
    goals = goal_file(
        tmp_path / "goals.jsonl",
        tuples(("fee", "free"), ("fee", "150-200 crowns"), ("name", "")),
        tuples(("name", "Atlantis"), ("fee", "")),
        tuples(("fee", "free"), ("name", "")),
    )
    out = tmp_path / "run"
    assert crosstalk(monkeypatch, "simulate", "--goals", goals, "--out", out) == 0
    assert "2 goals cannot be met as they stand: goal-0, goal-1" in capsys.readouterr().err
    assert len(ids(out)) == 3
    assert crosstalk(monkeypatch, "report", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["dialogues"] == 3


def test_stopped_and_continued(tmp_path: Path, monkeypatch: Patch, capsys: Shown) -> None:
    out = tmp_path / "run"
    options: list[str | Path] = ["simulate", "-n", "3", "--out", out]
    assert crosstalk(monkeypatch, *options) == 0
    assert crosstalk(monkeypatch, *options) == 2
    assert "Add --resume to go on with it" in capsys.readouterr().err
    assert crosstalk(monkeypatch, *options, "--resume") == 0
    assert crosstalk(monkeypatch, *options, "--resume", "--policy", "rule") == 0, "the same"
    assert crosstalk(monkeypatch, *options, "--resume", "--user", "trees") == 2
    assert "user was rule, is now trees" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--world", "atlantis"], "neither a world of ours nor a folder"),
        (["--language", "xx"], "has no language 'xx'"),
        (["--user", "nobody"], "Known: rule, trees, best"),
        (["--policy", "nobody"], "Known: rule, sl, trees, best"),
        (["--protocol", "nobody"], "Known: paper, corrected"),
        (["--engine", "nobody"], "Known: local, ray"),
        (["--goals", "missing.jsonl"], "no such file"),
        (["-n", "3", "--per-type", "2"], "--per-type and -n cannot go together"),
    ],
)
def test_wrong_options_are_told_and_nothing_is_written(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown, words: list[str], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert crosstalk(monkeypatch, "simulate", "--out", "run", *words) == 2

    shown = capsys.readouterr().err
    assert told in shown
    assert "Traceback" not in shown
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ({"world": "crosswoz", **tuples(("name", ""))}, "the goal is about crosswoz"),
        (tuples(("name", ""), domain="moon"), "there is no domain 'moon'"),
        (tuples(("crater", "")), "attraction has no slot 'crater'"),
    ],
)
def test_goals_about_other_worlds_are_refused_before_anybody_talks(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown, goal: dict[str, Any], told: str
) -> None:
    goals = goal_file(tmp_path / "goals.jsonl", goal)
    assert crosstalk(monkeypatch, "simulate", "--goals", goals, "--out", tmp_path / "run") == 2

    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_same_seed_on_ray(tmp_path: Path, monkeypatch: Patch) -> None:
    pytest.importorskip("ray", reason="the engine ray: pip install 'crosstalk-dialogue[ray]'")
    for engine in ("local", "ray"):
        options: list[str | Path] = ["--engine", engine, "-n", "25", "--out", tmp_path / engine]
        assert crosstalk(monkeypatch, "simulate", *options) == 0
    local, there = (
        (tmp_path / engine / "dialogues" / "00000.jsonl").read_bytes()
        for engine in ("local", "ray")
    )
    assert local == there


def test_without_ray_the_message_names_it(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert crosstalk(monkeypatch, "simulate", "--engine", "ray", "--out", tmp_path / "run") == 2
    assert "crosstalk-dialogue[ray]" in capsys.readouterr().err
