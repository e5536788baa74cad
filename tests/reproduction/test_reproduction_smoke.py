"""`crosstalk reproduce` from files to tables, for the three papers, on made-up files."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.reproduction import published_files

pytest.importorskip("torch", reason="the papers' networks need the extra `neural`")


def reproduce(paper: str, data: Path, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    words = ["reproduce", paper, "--scale", "smoke", "--device", "cpu", "--json", *more]
    return subprocess.run(
        [sys.executable, "-m", "crosstalk", *words, "--data", str(data), "--out", str(out)],
        capture_output=True,
        text=True,
        timeout=1200,
    )


def cells(record: dict[str, Any], title: str) -> list[str]:
    """Our cells of a table."""
    table = next(each for each in record["tables"] if each["title"].startswith(title))
    return [cell for row in table["rows"] if "ours" in row[0] for cell in row[1:]]


@pytest.mark.parametrize(
    ("paper", "made", "title", "optional"),
    [
        ("crosswoz", published_files.crosswoz, "Modules", {"templates-", "nl-sim-"}),
        ("ubuntu", published_files.ubuntu, "Response selection", {"rnn-vec", "lstm-vec"}),
        ("multi2woz", published_files.multi2woz, "R_100@1 without", set()),
    ],
)
def test_a_paper_from_files_to_tables(
    tmp_path: Path,
    paper: str,
    made: Callable[[Path], Path],
    title: str,
    optional: set[str],
) -> None:
    out = tmp_path / "out"
    done = reproduce(paper, made(tmp_path / "data"), out)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    skipped = {each["stage"] for each in record["stages"] if each["state"] == "skipped"}
    assert all(any(name.startswith(kind) for kind in optional) for name in skipped)
    assert {each["state"] for each in record["stages"]} <= {"done", "skipped"}
    assert sum(bool(cell) for cell in cells(record, title)) >= 4
    assert all(len(each["sha256"]) == 64 for each in record["data"].values())
    page = (out / "report.html").read_text(encoding="utf-8")
    assert (record["title"].split(" (")[0] in page and "<svg" in page) or paper == "crosswoz"
    assert f"## {record['tables'][-1]['title']}" in (out / "report.md").read_text(encoding="utf-8")
    again = reproduce(paper, tmp_path / "data", out)
    assert again.returncode == 0
    assert again.stderr.count(": as before") == len(record["stages"]) - len(skipped)
