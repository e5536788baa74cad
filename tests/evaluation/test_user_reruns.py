"""Conversations that the user spoiled are held again; the first sound try counts."""

from dataclasses import replace
from pathlib import Path

import pytest

from crosstalk.evaluation import judging
from crosstalk.evaluation.agent_scores import AgentScores, JudgedTrial
from crosstalk.evaluation.judging import JudgeOptions, judge_agent
from crosstalk.evaluation.outcomes import Reason
from crosstalk.simulation.build import Setup
from crosstalk.simulation.run_folders import open_run, shards
from crosstalk.simulation.runner import Engine
from crosstalk.simulation.sessions import Plan, SessionRules

SPOILED = {"run": {1, 3}, "run-rerun-1": {1}, "run-rerun-2": set[int]()}
"""Conversations that count as the user's fault, by run: rule users hardly ever err."""


@pytest.fixture
def spoiling(monkeypatch: pytest.MonkeyPatch) -> None:
    once = judging._judge_once

    def spoiled(options: JudgeOptions, out: Path, progress: object) -> AgentScores:
        scores = once(options, out, lambda held, planned: None)
        return replace(scores, judged=tuple(_spoiled(each, out.name) for each in scores.judged))

    monkeypatch.setattr(judging, "_judge_once", spoiled)


def _spoiled(each: JudgedTrial, run: str) -> JudgedTrial:
    if each.number not in SPOILED[run]:
        return each
    return replace(each, outcome=replace(each.outcome, success=False, reason=Reason.USER))


def options(reruns: int, *, resume: bool = False) -> JudgeOptions:
    setup = Setup(language="en", level="words", seed=3)
    plan = Plan(3, count=2, repeat=2)
    return JudgeOptions(plan, setup, SessionRules(3), Engine(), resume, reruns=reruns)


def all_bytes(folder: Path) -> list[bytes]:
    runs = sorted(folder.glob("run*"))
    return [path.read_bytes() for run in runs for path in shards(run)]


@pytest.mark.usefixtures("spoiling")
def test_the_first_try_that_is_not_the_users_counts(tmp_path: Path) -> None:
    scores = judge_agent(options(2), tmp_path / "run")
    assert scores.reruns == {"conversations": 2, "tries": 3, "left": 0}
    assert scores.blame["user"] == 0 and scores.success == 100.0
    assert [each.number for each in scores.judged] == [0, 1, 2, 3]
    assert len({(each.trial.goal, each.trial.trial) for each in scores.judged}) == 4

    first = list(open_run(tmp_path / "run").dialogues())
    second = list(open_run(tmp_path / "run-rerun-1").dialogues())
    third = list(open_run(tmp_path / "run-rerun-2").dialogues())
    assert [each.goal for each in second] == [first[1].goal, first[3].goal]
    assert [each.goal for each in third] == [first[3].goal]
    assert first[3].turns != second[1].turns != third[0].turns


@pytest.mark.usefixtures("spoiling")
def test_tries_are_resumed_to_the_same_bytes(tmp_path: Path) -> None:
    judge_agent(options(1), tmp_path / "run")
    before = all_bytes(tmp_path)
    shards(tmp_path / "run-rerun-1")[0].write_bytes(before[1].splitlines(keepends=True)[0])
    scores = judge_agent(options(1, resume=True), tmp_path / "run")
    assert all_bytes(tmp_path) == before
    assert scores.reruns == {"conversations": 2, "tries": 2, "left": 1}
    assert scores.blame["user"] == 1


def test_without_errors_nothing_is_held_again(tmp_path: Path) -> None:
    scores = judge_agent(options(2), tmp_path / "run")
    assert scores.reruns == {"conversations": 0, "tries": 0, "left": 0}
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
