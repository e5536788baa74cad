"""Agents judged end to end, compared, and reported to continuous integration."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.agents.scripted_endpoint import Answer, endpoint, fails, says
from tests.commands import Call, caller

from crosstalk.dialogue.conversation import Ending


@pytest.fixture
def crosstalk(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    return caller(monkeypatch, capsys)


Judged = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def judged(crosstalk: Call) -> Judged:
    """Judges an agent: the exit code, and what was printed."""

    def judge(name: str, out: Path, *more: str, count: int = 5) -> tuple[int, dict[str, Any]]:
        code, printed, _ = crosstalk(
            "judge", "--agent", name, "--language", "en", "-n", count, "--seed", 3,
            "--out", out, "--json", *more,
        )  # fmt: skip
        return code, json.loads(printed) if printed.strip() else {}

    return judge


OURS = """
from dataclasses import replace
import crosstalk

class WordsOnly:
    def __init__(self, world):
        self.system = crosstalk.build_system(world)
    def begin(self):
        return self.system.begin()
    def reply(self, heard, state):
        reply, state = self.system.reply(replace(heard, acts=()), state)
        return {change}, state
"""


def agent(folder: Path, change: str = "reply.turn.text", name: str = "mine") -> str:
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(OURS).replace("{change}", change))
    return f"python:{path}:WordsOnly"


def test_our_system_is_judged_by_its_words_as_by_its_acts(tmp_path: Path, judged: Judged) -> None:
    _, words = judged(agent(tmp_path), tmp_path / "words")
    _, acts = judged("system", tmp_path / "acts")
    assert words["success"] == acts["success"] == 100.0
    assert words["latency"]["count"] > 0 and acts["latency"]["count"] == 0


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        ("''", "empty reply"),
        ("heard.text", ""),
        ("'I like trains.'", "repetition"),
        ("'Das Hotel ist sehr schön und kostet 130 Kronen.'", "other language"),
        (r"'\x00\x01 130 \x02'", "format noise"),
    ],
    ids=["silent", "parrot", "off topic", "another language", "binary"],
)
def test_agents_that_tell_nothing_never_succeed(
    tmp_path: Path, change: str, flaw: str, judged: Judged
) -> None:
    _, found = judged(agent(tmp_path, change), tmp_path / "run", "--max-turns", "6")
    assert found["success"] == 0.0
    assert found["blame"]["user"] == 0
    if flaw:
        assert found["blame"]["reader"] == 0 and found["reply_flaws"][flaw] > 0


@pytest.mark.parametrize("filling", ["'x' * 24000", "'word ' * 4000", "'Kata 12. ' * 3000"])
def test_replies_of_24_kilobytes_are_cut_and_counted(
    tmp_path: Path, filling: str, judged: Judged
) -> None:
    long = agent(tmp_path, f"'The hotel is nice: ' + {filling}")
    code, found = judged(long, tmp_path / "run", "--max-turns", "2", count=1)
    assert (code, found["success"], found["blame"]["agent"]) == (0, 0.0, 1)
    assert found["reply_flaws"]["over-long reply"] == 2


def test_an_agent_that_tells_another_rows_phone_number_fails(
    tmp_path: Path, judged: Judged
) -> None:
    change = "__import__('re').sub(r'0482-[0-9]+', '0482-0000000', reply.turn.text)"
    _, found = judged(agent(tmp_path, change), tmp_path / "run")
    _, right = judged(agent(tmp_path), tmp_path / "right")
    assert found["success"] < right["success"]
    assert found["blame"]["agent"] > 0 and found["blame"]["user"] == 0


def test_trials_of_a_goal_give_pass_rates(tmp_path: Path, judged: Judged) -> None:
    code, found = judged("system", tmp_path / "run", "--trials", "2", "--min-pass", "2:0.9")
    assert code == 0
    assert set(found["pass"]) == {"1", "2"}
    low, high = found["pass_intervals"]["1"]
    assert low < 100.0 == high  # ten successes of ten are no certainty


def test_below_a_threshold_the_exit_code_is_1(tmp_path: Path, judged: Judged) -> None:
    silent = agent(tmp_path, "''")
    code, _ = judged(silent, tmp_path / "run", "--max-turns", "3", "--min-success", "0.5")
    assert code == 1


def test_a_service_that_does_not_answer_is_exit_code_3_and_resumes(
    tmp_path: Path, judged: Judged
) -> None:
    broken = True

    def answer(body: dict[str, Any], number: int) -> Answer:
        return fails(503, retry_after="0") if broken and number > 3 else says("hello")

    more = ("--tools", "native", "--max-turns", "3")
    with endpoint(answer) as served:
        name = f"openai:m@{served.url}"
        code, found = judged(name, tmp_path / "run", *more, count=3)
        assert code == 3 and found["blame"]["infrastructure"] > 0
        assert found["blame"]["agent"] + found["blame"]["user"] <= 1
        broken = False
        code, found = judged(name, tmp_path / "run", *more, "--resume", count=3)
    assert code == 0 and found["blame"]["infrastructure"] == 0


def test_a_wrong_key_is_exit_code_2_and_names_the_variable(tmp_path: Path, crosstalk: Call) -> None:
    with endpoint(lambda body, number: fails(401)) as served:
        code, _, said = crosstalk(
            "judge", "--agent", f"openai:m@{served.url}", "--tools", "native", "-n", "1",
            "--out", str(tmp_path / "run"),
        )  # fmt: skip
    assert code == 2 and "OPENAI_API_KEY" in said


def test_runs_are_compared_by_goal(tmp_path: Path, judged: Judged, crosstalk: Call) -> None:
    judged("system", tmp_path / "a")
    judged(agent(tmp_path, "''"), tmp_path / "b", "--max-turns", "15", count=6)
    runs = [str(tmp_path / name) for name in "ab"]
    code, printed, _ = crosstalk("compare", *runs, "--json", "--fail-on-regression")
    found = json.loads(printed)
    assert (found["a"], found["b"], found["difference"]) == (100.0, 0.0, -100.0)
    assert len(found["lost"]) == 5 and found["won"] == [] and found["unpaired"] == 1
    assert code == 0  # five goals are too few for p < 0.05
    _, printed, _ = crosstalk("compare", *runs)
    assert "5 goals differ; below 6, no exact test reaches p < 0.05" in printed
    assert f"lost       {', '.join(found['lost'])}" in printed
    assert "blame      nobody | agent 6" in printed
    _, printed, _ = crosstalk("compare", runs[0], runs[0], "--json")
    assert json.loads(printed)["p"] == 1.0


def test_runs_of_other_users_are_not_compared(
    tmp_path: Path, judged: Judged, crosstalk: Call
) -> None:
    judged("system", tmp_path / "a")
    judged("system", tmp_path / "b", "--perturbation", "plain")
    runs = [str(tmp_path / name) for name in "ab"]
    code, _, said = crosstalk("compare", *runs)
    assert code == 2 and "perturbation" in said
    assert crosstalk("compare", *runs, "--force")[0] == 0


def test_junit_parses_whatever_agents_say(tmp_path: Path, judged: Judged) -> None:
    hostile = r"'\x00\x1b[31m<b>]]>&' + reply.turn.text[:0]"
    path = tmp_path / "junit.xml"
    summary = tmp_path / "summary.md"
    judged(
        agent(tmp_path, hostile), tmp_path / "run", "--max-turns", "2",
        "--junit", str(path), "--markdown", str(summary),
    )  # fmt: skip
    suite = ElementTree.parse(path).getroot()[0]
    not_passed = [int(suite.get(kind, "0")) for kind in ("failures", "errors", "skipped")]
    assert suite.get("tests") == "5" == str(sum(not_passed))
    assert "| success |" in summary.read_text()
    said = [case.findtext("system-out") or "" for case in suite.iter("testcase")]
    assert all("<b>]]>&" in each and "user: " in each for each in said)


def test_an_agent_that_hangs_is_at_fault(tmp_path: Path, judged: Judged) -> None:
    slow = agent(tmp_path, "__import__('time').sleep(9)")
    _, found = judged(slow, tmp_path / "run", "--timeout", "0.2", count=1)
    assert found["success"] == 0.0 and found["blame"]["agent"] == 1
    line = (tmp_path / "run" / "dialogues" / "00000.jsonl").read_text()
    assert json.loads(line)["extras"]["ending"] == Ending.SYSTEM_FAULT


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ((), "nothing to judge"),
        (("--agent", "system"), "needs a folder"),
        (("--agent", "gpt", "--out", "x"), "names no agent"),
        (("--agent", "system", "--out", "x", "--language", "xx"), "has no language"),
        (("--agent", "system", "--out", "x", "--min-pass", "high"), "is no threshold"),
        (("--agent", "system", "--out", "x", "--min-pass", "4:0.8"), "Add --trials 4"),
        (
            ("--agent", "openai:unheard-of@http://127.0.0.1:1", "--out", "x", "--max-cost", "1"),
            "nobody knows the price",
        ),
    ],
)
def test_wrong_input_is_answered_in_words(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    words: str,
    crosstalk: Call,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, said = crosstalk("judge", *more)
    assert code == 2 and words in said
    assert not (tmp_path / "x").exists()


# Finished transcripts

TRANSCRIPT = {
    "id": "t",
    "world": "harbour",
    "language": "en",
    "goal": {
        "id": "g",
        "world": "harbour",
        "language": "en",
        "type": "S",
        "tuples": [[1, "hotel", "name", "", False], [1, "hotel", "phone", "", False]],
    },
    "messages": [
        {"role": "user", "content": "I need a hotel. What is its phone number?"},
        {"role": "assistant", "content": "How about the Tamsin Hotel? The number is 0482-0000000."},
    ],
}


def test_a_share_of_transcripts_may_be_demanded(tmp_path: Path, crosstalk: Call) -> None:
    path = tmp_path / "transcripts.jsonl"
    path.write_text(json.dumps(TRANSCRIPT))
    code, _, said = crosstalk("judge", "--offline", path, "--min-success", "0.9")
    assert code == 1 and "below 90 %" in said
    assert crosstalk("judge", "--offline", path, "--min-success", "0")[0] == 0


@pytest.mark.parametrize("option", ["--reader", "--agent", "--junit", "--goals", "--min-pass"])
def test_options_of_live_conversations_are_refused_offline(
    tmp_path: Path, crosstalk: Call, option: str
) -> None:
    code, _, said = crosstalk("judge", "--offline", tmp_path / "t.jsonl", option, "x")
    assert code == 2 and f"{option} cannot go with --offline" in " ".join(said.split())


def test_a_refused_agent_leaves_no_folder_behind(
    tmp_path: Path, crosstalk: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "CROSSTALK_AGENT_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    code, _, said = crosstalk("judge", "--agent", "openai:m", "--out", tmp_path / "run")
    assert code == 2 and "needs a key" in said and not (tmp_path / "run").exists()
