"""`crosstalk report` and `crosstalk demo`, as a user types them."""

import json
from pathlib import Path

import pytest

from crosstalk.cli import demo
from crosstalk.cli.main import run
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules

Patch = pytest.MonkeyPatch
Shown = pytest.CaptureFixture[str]
TYPES = ["S", "M", "M+T", "CM", "CM+T", "overall"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "run"
    simulate(Plan(1, per_type=3, repeat=2), Setup(policy="rule"), SessionRules(1), out)
    return out


def crosstalk(monkeypatch: Patch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def test_for_programs(folder: Path, monkeypatch: Patch, capsys: Shown) -> None:
    assert crosstalk(monkeypatch, "report", folder, "--json") == 0
    told = json.loads(capsys.readouterr().out)

    for measure in ("finish", "success", "turns", "failures"):
        assert list(told[measure]) == TYPES
    assert all(0 <= share <= 100 for share in told["finish"].values())
    assert told["success"]["S"] <= told["finish"]["S"]
    assert set(told["pass"]) == {"pass^1", "pass^2"}
    assert told["mix"] == "published"
    weighted = sum(told["weights"][kind] * told["finish"][kind] for kind in told["weights"])
    assert told["finish"]["overall"] == pytest.approx(weighted, abs=0.05)
    assert told["dialogues"] == 30
    failed = sum(told["failures"]["overall"].values())
    assert failed == pytest.approx(100 - told["success"]["overall"], abs=0.05)


def test_several_runs_stand_side_by_side(folder: Path, monkeypatch: Patch, capsys: Shown) -> None:
    assert crosstalk(monkeypatch, "report", folder, folder, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["runs"]) == 2


def test_hard_users_are_paired_with_easy_ones(
    tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    for name in ("easy", "hard"):
        setup = Setup(language="en", level="words", perturbation="plain" * (name == "hard"))
        simulate(Plan(3, count=2), setup, SessionRules(1), tmp_path / name)
    folders = tmp_path / "easy", tmp_path / "hard"
    assert crosstalk(monkeypatch, "report", *folders, "--json") == 0
    (paired,) = json.loads(capsys.readouterr().out)["paired"]
    assert paired["users"] == "plain"
    assert paired["difference"] == 100 * (paired["won"] - paired["lost"]) / paired["goals"]

    assert crosstalk(monkeypatch, "report", *folders) == 0
    shown = capsys.readouterr().out
    assert "Success against easy" in shown
    assert "(easy)" in shown and "(hard)" in shown  # tables of one run say of which


def test_for_people(folder: Path, monkeypatch: Patch, capsys: Shown) -> None:
    assert crosstalk(monkeypatch, "report", folder) == 0
    shown = capsys.readouterr().out

    parts = ("Task finish (%)", "Verified success (%)", "pass^2", "Reasons of failure")
    for words in (*parts, "overall weighs the types by the published mix"):
        assert words in shown


def test_pages(folder: Path, tmp_path: Path, monkeypatch: Patch) -> None:
    page, notes = tmp_path / "page.html", tmp_path / "notes.md"
    assert crosstalk(monkeypatch, "report", folder, "--html", page, "--markdown", notes) == 0

    assert page.read_text().startswith("<!doctype html>")
    assert "| Verified" not in notes.read_text()
    assert "## Verified success" in notes.read_text()


def test_the_viewer(folder: Path, tmp_path: Path, monkeypatch: Patch, capsys: Shown) -> None:
    visited: list[str] = []

    def visit(url: str) -> bool:
        visited.append(url)
        return True

    monkeypatch.setattr("webbrowser.open", visit)
    assert crosstalk(monkeypatch, "view", folder, "--json", "--out", tmp_path / "view") == 0
    told = json.loads(capsys.readouterr().out)

    assert told == {"page": str(tmp_path / "view" / "index.html"), "dialogues": 30, "shown": 30}
    assert visited == [(tmp_path / "view" / "index.html").as_uri()]
    assert crosstalk(monkeypatch, "view", folder, "--no-open", "--dialogues", "5", "--json") == 0
    few = json.loads(capsys.readouterr().out)
    assert (few["shown"], few["dialogues"], len(visited)) == (5, 30, 1)
    assert "5 of 30 dialogues, failures first" in Path(few["page"]).read_text()


def test_an_unfinished_run_is_told_as_such(
    folder: Path, tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    half = tmp_path / "half"
    (half / "dialogues").mkdir(parents=True)
    card = (folder / "run.json").read_text().replace('"complete"', '"running"')
    (half / "run.json").write_text(card)
    lines = (folder / "dialogues" / "00000.jsonl").read_bytes().splitlines(keepends=True)
    (half / "dialogues" / "00000.jsonl").write_bytes(b"".join(lines[:7]) + lines[7][:50])

    assert crosstalk(monkeypatch, "report", half) == 0
    assert "unfinished: 7 of 30 dialogues" in " ".join(capsys.readouterr().out.split())


def test_a_run_with_no_dialogue_yet(
    folder: Path, tmp_path: Path, monkeypatch: Patch, capsys: Shown
) -> None:
    (tmp_path / "run.json").write_text((folder / "run.json").read_text())
    assert crosstalk(monkeypatch, "report", tmp_path) == 0
    assert crosstalk(monkeypatch, "report", tmp_path, "--json") == 0
    assert crosstalk(monkeypatch, "report", tmp_path, "--html", tmp_path / "page.html") == 0


@pytest.mark.parametrize("name", ["missing", "no-run"])
def test_what_is_no_run(tmp_path: Path, monkeypatch: Patch, capsys: Shown, name: str) -> None:
    (tmp_path / "no-run").mkdir()
    assert crosstalk(monkeypatch, "report", tmp_path / name) == 2
    assert "Give the folder that `crosstalk simulate --out` has written" in capsys.readouterr().err


def test_the_demo(tmp_path: Path, monkeypatch: Patch, capsys: Shown) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "PER_TYPE", 2)
    monkeypatch.setattr(demo, "PER_TYPE_IN_WORDS", 1)
    assert crosstalk(monkeypatch, "demo") == 0

    assert str(tmp_path / "demo-output" / "report.html") in capsys.readouterr().out
    assert (tmp_path / "demo-output" / "report.html").exists()
    assert crosstalk(monkeypatch, "demo") == 0, "a second demo takes the place of the first"
    (tmp_path / "demo-output" / "thesis.txt").write_text("mine")
    assert crosstalk(monkeypatch, "demo") == 2
    assert "no demo made" in capsys.readouterr().err
    assert (tmp_path / "demo-output" / "thesis.txt").exists()
