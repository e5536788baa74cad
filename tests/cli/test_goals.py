"""`crosstalk goals`, as a user types it."""

import json
from pathlib import Path

import pytest

from crosstalk.cli.main import run


def crosstalk(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", "goals", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


Patch = pytest.MonkeyPatch
Shown = pytest.CaptureFixture[str]


def test_sample_and_count(tmp_path: Path, monkeypatch: Patch, capsys: Shown) -> None:
    out = tmp_path / "goals.jsonl"
    assert crosstalk(monkeypatch, "sample", "-n", "200", "--seed", "3", "--out", out) == 0
    assert "200 goals written" in capsys.readouterr().err
    assert crosstalk(monkeypatch, "stats", out, "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["goals"] == 200
    assert sum(counts["mix"].values()) == pytest.approx(100, abs=0.1)
    assert list(counts["mix"]) == ["S", "M", "M+T", "CM", "CM+T"]
    assert counts["subgoals"]["S"] == 1
    assert counts["tuples"]["CM"] > counts["tuples"]["S"]
    assert crosstalk(monkeypatch, "stats", out) == 0
    assert "sub-goals" in capsys.readouterr().out


def test_sample_to_standard_output(monkeypatch: Patch, capsys: Shown) -> None:
    assert crosstalk(monkeypatch, "sample", "-n", "3", "--only", "S", "--language", "de") == 0
    goals = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [goal["type"] for goal in goals] == ["S", "S", "S"]
    assert {goal["language"] for goal in goals} == {"de"}


def test_counts_of_what_was_written(tmp_path: Path, monkeypatch: Patch, capsys: Shown) -> None:
    out = tmp_path / "goals.jsonl"
    words = ("sample", "-n", "20", "--forbid", "S", "--max-subgoals", "2", "--satisfiable")
    assert crosstalk(monkeypatch, *words, "--odds", "ride=0.9", "--out", out, "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["mix"]["S"] == counts["mix"]["M+T"] == 0
    assert counts["subgoals"]["M"] == 2


@pytest.mark.parametrize("code", ["en", "zh", "de", "ar", "ru"])
def test_describe_in_every_language(code: str, monkeypatch: Patch, capsys: Shown) -> None:
    words = ("describe", "--world", "harbour", "--language", code, "--seed", "1")
    assert crosstalk(monkeypatch, *words) == 0
    title, first, *_ = capsys.readouterr().out.splitlines()
    assert title.startswith("harbour-1-0 (")
    assert first.startswith("1. ")


def test_describe_a_file_in_another_language(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    out = tmp_path / "goals.jsonl"
    crosstalk(monkeypatch, "sample", "-n", "4", "--seed", "8", "--out", out)
    assert crosstalk(monkeypatch, "describe", out, "--language", "ru", "--json") == 0
    from_file = json.loads(capsys.readouterr().out)
    words = ("describe", "--language", "ru", "-n", "4", "--seed", "8", "--json")
    assert crosstalk(monkeypatch, *words) == 0
    assert json.loads(capsys.readouterr().out) == from_file


def test_export_for_the_published_website(tmp_path: Path, monkeypatch: Patch) -> None:
    goals, tasks = tmp_path / "goals.jsonl", tmp_path / "tasks.json"
    crosstalk(monkeypatch, "sample", "-n", "2", "--out", goals)
    assert crosstalk(monkeypatch, "export", goals, "--out", tasks) == 0
    written = json.loads(tasks.read_text(encoding="utf-8"))
    assert list(written) == ["harbour-0-0", "harbour-0-1"]
    assert written["harbour-0-0"][0]["id"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sample", "--world", "nowhere"), "neither a world of ours nor a folder"),
        (("sample", "--language", "xx"), "no language 'xx'"),
        (("sample", "--only", "CM", "--max-subgoals", "1"), "CM needs 2 sub-goals"),
        (("sample", "--only", "XL"), "XL"),
        (("sample", "--odds", "ride"), "Write --odds NAME=VALUE"),
        (("sample", "--odds", "ride=9"), "from 0 to 1"),
        (("sample", "-n", "0"), "-n"),
        (("sample", "--out", "."), "is a directory"),
        (("stats", "missing.jsonl"), "no such file"),
        (("describe", "missing.jsonl"), "no such file"),
    ],
)
def test_wrong_input_ends_in_words_and_code_2(
    words: tuple[str, ...], message: str, monkeypatch: Patch, capsys: Shown
) -> None:
    assert crosstalk(monkeypatch, *words) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
