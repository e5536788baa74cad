"""Results of several runs side by side, and the figure over shots."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import FileProblem, InputError
from crosstalk.reports.transfer_tables import TransferCurve, published_for, read_results, tables


def states(target: str, shots: int, accuracy: float, **more: Any) -> dict[str, Any]:
    given = {"task": "MultiWOZ-XX", "model": "best", "protocol": "corrected", **more}
    return {**given, "target": target, "shots": shots, "joint_goal_accuracy": accuracy}


def answers(target: str, shots: int, recall: float, **more: Any) -> dict[str, Any]:
    given = {"data": "made up", "model": "best", "protocol": "corrected", **more}
    return {**given, "target": target, "shots": shots, "r100@1": recall}


def read(folder: Path, *results: dict[str, Any]) -> list[TransferCurve]:
    return read_results(written(folder, *results))


def written(folder: Path, *results: dict[str, Any]) -> list[Path]:
    files = [folder / f"{number}.json" for number in range(len(results))]
    for file, result in zip(files, results, strict=True):
        file.write_text(json.dumps(result), encoding="utf-8")
    return files


def test_languages_stand_side_by_side_without_shots(tmp_path: Path) -> None:
    zero, _ = tables(read(tmp_path, states("de", 0, 71.0), states("zh", 0, 30.5)))
    assert zero.header == ("model", "de", "zh")
    assert zero.rows == (("best, MultiWOZ-XX", "71.00", "30.50"),)


def test_shots_stand_side_by_side_for_each_language(tmp_path: Path) -> None:
    _, shots = tables(read(tmp_path, states("zh", 0, 30.0), states("zh", 100, 42.25)))
    assert shots.rows == (("zh: best, MultiWOZ-XX", "30.00", "-", "-", "-", "-", "42.25"),)


def test_published_figures_are_of_the_same_benchmark(tmp_path: Path) -> None:
    ours = read(tmp_path, states("zh", 0, 30.0), states("de", 0, 70.0, task="WOZ 2.0 DE"))
    found = {(each.model, each.language): each.values for each in published_for(ours)}
    assert found["MLM Mono-CC", "zh"][100] == 35.61
    assert found["XQA-DST", "de"] == {0: 66.2}
    assert ("MLM Mono-CC", "de") not in found


def test_states_and_answers_are_tables_of_their_own(tmp_path: Path) -> None:
    ours = read(tmp_path, states("zh", 0, 30.0), answers("zh", 0, 35.0))
    assert [each.title.partition(",")[0] for each in tables(ours)[::2]] == [
        "joint goal accuracy",
        "R_100@1",
    ]
    assert {each.values[100] for each in published_for(ours) if each.model == "TLM"} == {
        32.51,
        51.63,
    }


def test_protocols_encoders_and_shared_values_are_rows_of_their_own(tmp_path: Path) -> None:
    ours = read(
        tmp_path,
        states("zh", 0, 1.0, model="published", encoder="nano"),
        states("zh", 0, 2.0, model="published", encoder="nano", values="shared"),
        states("zh", 0, 3.0, model="published", encoder="nano", protocol="paper"),
    )
    assert sorted(each.model for each in ours) == [
        "published (nano)",
        "published (nano, paper's protocol)",
        "published (nano, shared values)",
    ]


def test_seeds_give_a_span(tmp_path: Path) -> None:
    seeds = [{"seed": 1, "joint_goal_accuracy": 1.0}, {"seed": 2, "joint_goal_accuracy": 3.0}]
    (curve,) = read(tmp_path, states("zh", 5, 2.0, seeds=seeds))
    assert curve.spreads == {5: (1.0, 3.0)}


def test_the_command_prints_and_draws(tmp_path: Path) -> None:
    results = [states("zh", 0, 20.0), states("zh", 100, 30.0), answers("ru", 0, 33.0)]
    figure = tmp_path / "shots.svg"
    words = ["transfer", "report", *map(str, written(tmp_path, *results))]
    told = CliRunner().invoke(app, [*words, "--figure", str(figure), "--json"])
    assert told.exit_code == 0, told.output
    first = json.loads(told.stdout)[0]
    assert {"model": "best, MultiWOZ-XX", "zh": "20.00"} in first["rows"]
    assert {"model": "XLM-R, Multi2WOZ (paper)", "zh": "1.35"} in first["rows"]
    drawn = figure.read_bytes()
    assert drawn.lstrip().startswith(b"<?xml")
    CliRunner().invoke(app, [*words, "--figure", str(figure)])
    assert figure.read_bytes() == drawn


def test_other_files_and_figures_are_refused(tmp_path: Path) -> None:
    (file,) = written(tmp_path, {"accuracy": 1})
    with pytest.raises(FileProblem, match="not what"):
        read_results([file])
    (file,) = written(tmp_path, states("zh", 7, 20.0))
    with pytest.raises(FileProblem, match="shots are 7"):
        read_results([file])
    (file,) = written(tmp_path, states("zh", 0, 20.0))
    told = CliRunner().invoke(app, ["transfer", "report", str(file), "--figure", "f.gif"])
    assert isinstance(told.exception, InputError)
