"""Results of several runs side by side, and the figure over shots."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.errors import InputError
from crosstalk.reports.states_transfer import curves, rows_of


def result(target: str, shots: int, accuracy: float, **more: Any) -> dict[str, Any]:
    given = {"task": f"task {target}", "model": "best", "protocol": "corrected", **more}
    return {**given, "target": target, "shots": shots, "joint_goal_accuracy": accuracy}


def test_languages_stand_side_by_side() -> None:
    rows = rows_of([result("de", 0, 71.0), result("it", 0, 80.5), result("it", 100, 90.25)])
    assert rows == [
        ["task de, best", "71.00", "-", "-", "-", "-", "-"],
        ["task it, best", "80.50", "-", "-", "-", "-", "90.25"],
    ]


def test_published_figures_stand_beside_chinese_ones() -> None:
    names = [row[0] for row in rows_of([result("zh", 0, 25.0)])]
    assert names[0] == "task zh, best"
    assert all("published" in name for name in names[1:])


def test_the_leaky_protocol_is_a_row_of_its_own() -> None:
    found = curves([result("zh", 0, 25.0), result("zh", 0, 26.0, protocol="paper")])
    assert list(found) == ["task zh, best", "task zh, best, selected on the target"]


def test_the_command_prints_and_draws(tmp_path: Path) -> None:
    files = []
    for shots in (0, 100):
        file = tmp_path / f"{shots}.json"
        file.write_text(json.dumps(result("zh", shots, 20.0 + shots / 10)), encoding="utf-8")
        files.append(str(file))
    figure = tmp_path / "shots.svg"
    told = CliRunner().invoke(
        app, ["transfer", "dst-table", *files, "--figure", str(figure), "--json"]
    )
    assert json.loads(told.stdout) == {"task zh, best": {"0": 20.0, "100": 30.0}}
    assert figure.read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text("[1]", encoding="utf-8")
    told = CliRunner().invoke(app, ["transfer", "dst-table", str(file)])
    assert isinstance(told.exception, InputError)
