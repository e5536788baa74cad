"""`crosstalk evaluate speech`, as a person calls it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from crosstalk.simulation.run_folders import shards

Crosstalk = Callable[..., int]


@pytest.fixture
def run(crosstalk: Crosstalk, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "run"
    assert crosstalk("simulate", "--words", "-n", 4, "--seed", 1, "--out", folder) == 0
    capsys.readouterr()
    return folder


def test_our_words_say_every_value_once_and_nothing_false(
    run: Path, crosstalk: Crosstalk, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk("evaluate", "speech", run, "--json") == 0
    score = json.loads(capsys.readouterr().out)
    assert score["slot_error_rate"] == 0 and score["values"] > 20
    assert score["false_claims"] == 0 and score["claims"] > 20
    assert crosstalk("evaluate", "speech", run, "--turns", 2, "--json") == 0
    assert json.loads(capsys.readouterr().out)["turns"] < score["turns"]


def test_a_lie_ends_with_code_1(
    run: Path, crosstalk: Crosstalk, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = shards(run)
    told = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    told[0]["turns"][1]["text"] += " It has 17 towers."
    lines = (json.dumps(dialogue) + "\n" for dialogue in told)
    file.write_text("".join(lines), encoding="utf-8")
    assert crosstalk("evaluate", "speech", run, "--json") == 1
    assert "17 towers" in json.loads(capsys.readouterr().out)["examples"][0]
    assert crosstalk("evaluate", "speech", run) == 1
    assert "false_claims" in capsys.readouterr().out


def test_a_run_without_words_has_nothing_to_judge(
    crosstalk: Crosstalk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk("simulate", "-n", 1, "--out", tmp_path / "acts") == 0
    assert crosstalk("evaluate", "speech", tmp_path / "acts") == 2
    assert "no turn has words" in capsys.readouterr().err
