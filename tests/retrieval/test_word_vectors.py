"""The recipe that makes word vectors out of chat."""

import runpy
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RECIPE = Path(__file__).parents[2] / "recipes" / "chatlogs" / "word_vectors.py"
LINES = ["my wifi is slow", "my wireless is slow", "run sudo apt", "run sudo dpkg"]


def test_words_in_the_same_company_are_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "conversations").mkdir()
    pl.DataFrame({"text": LINES * 5}).write_parquet(tmp_path / "conversations" / "a.parquet")
    out = tmp_path / "vectors.txt"
    monkeypatch.setattr("sys.argv", ["word_vectors.py", str(tmp_path), str(out)])
    runpy.run_path(str(RECIPE), run_name="__main__")
    assert "9 words of 20 lines" in capsys.readouterr().out
    rows = [line.split(" ") for line in out.read_text(encoding="utf-8").splitlines()]
    vectors = {row[0]: np.array(row[1:], float) for row in rows}
    assert vectors["wifi"] @ vectors["wireless"] > vectors["wifi"] @ vectors["dpkg"]
