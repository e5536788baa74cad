"""Runs that differ by language alone are told side by side."""

import json
from pathlib import Path

import pytest

from crosstalk.cli.main import run


def crosstalk(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr("sys.argv", ["crosstalk", *words])
    with pytest.raises(SystemExit) as ended:
        run()
    assert not ended.value.code


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    folders = [str(tmp_path / language) for language in ("en", "ar")]
    for language, folder in zip(("en", "ar"), folders, strict=True):
        crosstalk(monkeypatch, "simulate", "--language", language, "--count", "4", "--out", folder)
    return folders


def test_languages_side_by_side(
    runs: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    crosstalk(monkeypatch, "report", *runs, "--json")
    told = json.loads(capsys.readouterr().out)["by_language"]
    assert list(told) == ["en", "ar"]
    assert min(each["gap"] for each in told.values()) == 0
    crosstalk(monkeypatch, "report", *runs)
    assert "Languages side by side" in capsys.readouterr().out


def test_other_runs_are_not(
    runs: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Other goals, other parts: what differs then need not be the language."""
    other = str(tmp_path / "other")
    crosstalk(
        monkeypatch,
        *("simulate", "--language", "ar", "--count", "4", "--seed", "9", "--out", other),
    )
    capsys.readouterr()
    crosstalk(monkeypatch, "report", runs[0], other, "--json")
    assert "by_language" not in json.loads(capsys.readouterr().out)
