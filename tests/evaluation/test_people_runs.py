"""People and machines on the same goals: a corpus as a run, and how far users are apart."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.commands import Call, caller

from crosstalk.errors import InputError
from crosstalk.evaluation.user_distance import jensen_shannon
from crosstalk.simulation.build import Setup
from crosstalk.simulation.corpus_runs import corpus_run
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.worlds.world import load_world


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def test_people_are_compared_with_simulated_users(tmp_path: Path, crosstalk: Call) -> None:
    setup = Setup(language="en", level="words")
    run = simulate(Plan(3, count=3), setup, SessionRules(3), tmp_path / "simulated")
    world = load_world("harbour", language="en")
    corpus_run(run.dialogues(), "harbour", world, tmp_path / "people")  # stands for people's

    code, out, _ = crosstalk(
        "compare", str(tmp_path / "people"), str(tmp_path / "simulated"), "--json"
    )
    found = json.loads(out)
    assert code == 0 and found["goals"] == 3 and found["difference"] == 0
    assert found["users"]["a"] == found["users"]["b"]
    assert set(found["users"]["distances"].values()) == {0.0}

    code, out, _ = crosstalk("report", str(tmp_path / "people"), "--json")
    assert code == 0 and json.loads(out)["setup"]["user"] == "people"


def test_wishes_that_people_forgot_to_tick_are_found_in_their_words(
    tmp_path: Path, crosstalk: Call
) -> None:
    setup = Setup(language="en", level="words")
    run = simulate(Plan(3, count=1), setup, SessionRules(3), tmp_path / "simulated")
    world = load_world("harbour", language="en")
    (dialogue,) = run.dialogues()
    first, *others = dialogue.final_goal or ()
    unticked = replace(dialogue, final_goal=(replace(first, expressed=False), *others))
    corpus_run([unticked], "harbour", world, tmp_path / "people")

    _, out, _ = crosstalk("report", str(tmp_path / "people"))
    assert "By their words alone, 1 of 1 succeed and 0 are undecided" in out
    assert f"1 come out otherwise than by the ticks ({dialogue.id})" in out
    _, simulated, _ = crosstalk("report", str(tmp_path / "simulated"))
    assert "By their words alone" not in simulated
    _, out, _ = crosstalk("report", str(tmp_path / "people"), "--json")
    found = json.loads(out)
    assert found["failures"]["overall"]["user fault"] == 100
    assert found["by_words"]["success"] == 100 and found["by_words"]["differ"] == [dialogue.id]
    _, out, _ = crosstalk("judge", "--offline", str(tmp_path / "people"), "--json")
    assert json.loads(out)["counts"]["succeeded"] == 1


def test_dialogues_without_goals_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no dialogue has a goal"):
        corpus_run([], "harbour", load_world("harbour"), tmp_path / "people")


def test_distances_of_distributions() -> None:
    assert jensen_shannon({"a": 1}, {"b": 5}) == 1.0
    assert jensen_shannon({"a": 2, "b": 2}, {"a": 1, "b": 1}) == 0.0
    half = jensen_shannon({"a": 1, "b": 1}, {"a": 1})
    assert half == pytest.approx(math.sqrt(1.5 - 0.75 * math.log2(3)), abs=1e-4)
    assert jensen_shannon({}, {"a": 1}) is None
