"""Runs become data to learn from: verified, each dialogue once, balanced if asked."""

import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from crosstalk.cli.main import app
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Goal, GoalType
from crosstalk.evaluation.training_dialogues import Balance, balanced, without_repetitions


def talk(id: str, text: str, kind: GoalType = GoalType.S, language: str = "en") -> Dialogue:
    return Dialogue(id, (Turn(Speaker.USER, text),), goal=Goal((), kind), language=language)


def test_the_same_words_count_once() -> None:
    talks = [talk("1", "A hotel, please."), talk("2", "a hotel,  please."), talk("3", "A museum.")]
    assert [each.id for each in without_repetitions(talks)] == ["1", "3"]


def test_groups_get_the_size_of_the_smallest_in_their_order() -> None:
    kinds = [GoalType.S] * 5 + [GoalType.M] * 2
    talks = [talk(str(number), str(number), kind) for number, kind in enumerate(kinds)]
    chosen = balanced(talks, Balance.TYPE)
    assert Counter(each.goal.type for each in chosen if each.goal) == {GoalType.S: 2, GoalType.M: 2}
    assert chosen == sorted(chosen, key=talks.index)
    assert balanced(talks, Balance.LANGUAGE) == talks
    assert balanced(talks, Balance.NONE) == talks


def crosstalk(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    made = crosstalk("simulate", "--out", folder, "-n", 4, "--max-turns", 8, "--export", "chat")
    assert made.exit_code == 0, made.output
    return folder


def test_a_run_exports_what_succeeded(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "chat.jsonl"
    told = crosstalk("data", "convert", run, out, "--to", "chat", "--json")
    counts = json.loads(told.stdout)
    assert counts["held"] == 4 and 1 <= counts["succeeded"] < 4  # the longest are cut off
    assert counts["dialogues"] == counts["succeeded"]
    assert out.read_text("utf-8") == (run / "chat.jsonl").read_text("utf-8")
    everything = crosstalk("data", "convert", run, out, "--to", "chat", "--unverified", "--json")
    assert json.loads(everything.stdout)["dialogues"] == 4


def test_options_that_make_no_sense_are_refused(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    for words in (
        ("data", "convert", run, out, "--to", "native", "--balance", "type"),
        ("data", "convert", run, out, "--to", "chat", "--balance", "colour"),
        ("simulate", "--out", tmp_path / "other", "-n", 1, "--export", "parquet"),
    ):
        assert crosstalk(*words).exit_code == 2
    assert not out.exists()
