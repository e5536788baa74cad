"""`crosstalk data stats` and `crosstalk world stats`, as a user types them."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.cli.main import run
from crosstalk.corpora.corpus import write_corpus
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType, SemanticTuple

TALK = Dialogue(
    id="1",
    language="en",
    goal=Goal((SemanticTuple(1, "hotel", "name", ""),), GoalType.S),
    turns=(
        Turn(Speaker.USER, "which hotel?", (Act("Request", "hotel", "name", ""),)),
        Turn(Speaker.SYSTEM, "the Anchor", (Act("Inform", "hotel", "name", "Anchor"),)),
    ),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "talks[1].jsonl"
    write_corpus([TALK], path, to="native")
    return path


def crosstalk(monkeypatch: pytest.MonkeyPatch, *words: str | Path) -> int:
    monkeypatch.setattr("sys.argv", ["crosstalk", *map(str, words)])
    with pytest.raises(SystemExit) as ended:
        run()
    return int(ended.value.code or 0)


def test_tables_for_people(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk(monkeypatch, "data", "stats", corpus) == 0
    shown = capsys.readouterr().out
    assert "talks[1].jsonl" in shown
    assert "Size (Table 6; words: words and punctuation)" in shown


def test_json_for_programs(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk(monkeypatch, "data", "stats", corpus, "--json") == 0
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (shown["dialogues"], shown["turns"], shown["tokens"]) == (1, 2, 5)
    assert shown["vocabulary"] == 5
    assert shown["by_type"]["S"]["acts_per_turn"] == 1
    assert shown["multi_query_rate"] is None
    assert len(shown["sha256"]) == 64


def test_markdown_for_papers(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk(monkeypatch, "data", "stats", corpus, "--markdown") == 0
    assert "| sub-goals per dialogue | 1.00 |" in capsys.readouterr().out


def test_a_figure_beside_the_tables(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = corpus.with_name("lengths.svg")
    assert crosstalk(monkeypatch, "data", "stats", corpus, "--figure", figure) == 0
    assert "S (1)" in figure.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--language", "Chinese"], "--language Chinese: not a language code"),
        (["--figure", "lengths.docx"], "a figure's name ends in .svg, .pdf, .png"),
        (["--json", "--markdown"], "give --json or --markdown, not both"),
    ],
)
def test_wrong_options_are_refused_in_words(
    options: list[str],
    complaint: str,
    corpus: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert crosstalk(monkeypatch, "data", "stats", corpus, *options) == 2
    shown = capsys.readouterr()
    assert complaint in shown.err and not shown.out


def test_a_file_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert crosstalk(monkeypatch, "data", "stats", tmp_path / "nothing.json") == 2
    assert "no such file" in capsys.readouterr().err


def test_the_paper_s_corpus(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    val = data_folder / "crosswoz" / "val.json.zip"
    assert crosstalk(monkeypatch, "data", "stats", val, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["tokens"], shown["vocabulary"]) == (137_736, 5202)
    assert shown["segmentation"] == "jieba 0.39"
    assert list(shown["by_type"]) == ["S", "M", "M+T", "CM", "CM+T"]


def test_a_world_s_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert crosstalk(monkeypatch, "world", "stats", "harbour", "--json") == 0
    shown = json.loads(capsys.readouterr().out)["domains"]
    assert shown["hotel"]["entities"] >= 150
    assert shown["hotel"]["services"] == 37
