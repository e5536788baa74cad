"""What must hold whatever an agent and its endpoint do: keys, faults, languages, hidden acts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Answer, endpoint, fails, says
from tests.commands import Call, caller

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.evaluation.outcomes import Judge, Reason
from crosstalk.evaluation.word_judge import WordJudge
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.worlds.queries import Database
from crosstalk.worlds.world import load_world

KEY = "sk-canary-0123456789"


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


def test_hidden_acts_change_hardly_any_verdict() -> None:
    database = Database(load_world("harbour", language="en"))
    with_acts = bare = users_fault = 0
    judge, by_words = Judge(database), WordJudge(database, "harbour")
    setup = Setup("harbour", "en", level="words")
    for dialogue in simulated_dialogues(Plan(seed=7, count=30), setup):
        hidden = tuple(
            replace(turn, acts=()) if turn.speaker is Speaker.SYSTEM else turn
            for turn in dialogue.turns
        )
        outcome = by_words.judge(replace(dialogue, turns=hidden))
        with_acts += judge.judge(dialogue).success
        bare += outcome.success
        users_fault += outcome.reason is Reason.USER
    assert abs(with_acts - bare) <= 2 and users_fault <= 4


def test_a_key_stands_in_nothing_that_is_written_or_said(
    tmp_path: Path, crosstalk: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echoes = [fails(500, KEY, retry_after="0"), says(f"Your key is {KEY}.")]
    with endpoint(lambda body, number: echoes[min(number, 1)]) as served:
        code, out, err = crosstalk(
            "judge", "--agent", f"openai:m@{served.url}", "--tools", "native", "-n", "2",
            "--max-turns", "2", "--language", "en", "--out", tmp_path / "run",
            "--junit", tmp_path / "junit.xml", "--markdown", tmp_path / "summary.md",
        )  # fmt: skip
    told = crosstalk("report", tmp_path / "run", "--html", tmp_path / "page.html")
    assert code == 0 and served.headers[0]["Authorization"] == f"Bearer {KEY}"
    written = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    said = out + err + told[1] + told[2]
    assert KEY.encode() not in written and KEY not in said


@pytest.mark.parametrize(
    "fault",
    [
        fails(429, retry_after="0"),
        fails(500, retry_after="0"),
        Answer(200, raw=b"<html>Bad gateway</html>"),
        Answer(raw=b'{"choices": [{"message": {"content": "hel', cut=True),
    ],
    ids=["429", "500", "html", "cut"],
)
def test_faults_of_an_endpoint_are_never_the_agents(
    tmp_path: Path, crosstalk: Call, fault: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstalk.agents.retries._backoff", lambda attempt, jitter: 0.0)
    with endpoint(lambda body, number: fault if number else says("hello")) as served:
        code, out, _ = crosstalk(
            "judge", "--agent", f"openai:m@{served.url}", "--tools", "native", "-n", "2",
            "--max-turns", "3", "--language", "en", "--out", tmp_path / "run", "--json",
        )  # fmt: skip
    blame = json.loads(out)["blame"]
    assert code == 3 and blame["infrastructure"] == 2 and blame["agent"] == blame["user"] == 0


FINNISH = "Suosittelen lämpimästi hyvää hotellia vanhassa kaupungissa, hinta on 130 kruunua."


def test_prose_that_nobody_can_read_is_undecided(tmp_path: Path, crosstalk: Call) -> None:
    (tmp_path / "mine.py").write_text(f"def answer(messages): return {FINNISH!r}")
    code, out, _ = crosstalk(
        "judge", "--agent", f"python:{tmp_path / 'mine.py'}:answer", "-n", "4", "--seed", "3",
        "--max-turns", "5", "--language", "en", "--out", tmp_path / "run", "--json",
    )  # fmt: skip
    found: dict[str, Any] = json.loads(out)
    assert code == 0 and found["undecided"] == 4 == found["blame"]["reader"]
    assert found["success_range"] == [0.0, 100.0]
