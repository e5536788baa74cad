"""Flaws of replies that stand beside the verdict: repetition, cut replies, tools denied."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import endpoint, says

import crosstalk
from crosstalk.agents.build import AgentOptions
from crosstalk.agents.prompts import agent_prompt
from crosstalk.evaluation.offline import judge_offline
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.evaluation.reply_flaws import ReplyEvidence, counted, reply_flaws
from crosstalk.reading.reader import ProseReader
from crosstalk.simulation.run_folders import open_run
from crosstalk.worlds.queries import Database
from crosstalk.worlds.truth import Truth
from crosstalk.worlds.world import load_world

ASKED = "A comfort hotel, please, rated 4.5 or better. And the phone number?"
TRUE = "How about the Tamsin Hotel? Comfort class, rated 4.5. Phone: 0482-3833724."
FALSE = "How about the Tamsin Hotel? Comfort class, rated 4.5. Phone: 0482-3833725."
FOUND = {"count": 1, "results": [{"name": "Tamsin Hotel", "phone": "0482-3833724"}]}
GOAL = {
    "id": "g",
    "world": "harbour",
    "language": "en",
    "type": "S",
    "tuples": [
        [1, "hotel", "type", "comfort", False],
        [1, "hotel", "rating", "4.5 points or more", False],
        [1, "hotel", "name", "", False],
        [1, "hotel", "phone", "", False],
    ],
}


def judged(folder: Path, *messages: dict[str, Any]) -> OfflineVerdict:
    first = {"role": "user", "content": ASKED}
    record = {"id": "t", "world": "harbour", "language": "en", "goal": GOAL}
    path = folder / "transcripts.jsonl"
    path.write_text(json.dumps({**record, "messages": [first, *messages]}), encoding="utf-8")
    return next(judge_offline(path))


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def looked_up(result: Any) -> list[dict[str, Any]]:
    function = {"name": "search_hotel", "arguments": "{}"}
    call = said("", tool_calls=[{"id": "1", "type": "function", "function": function}])
    return [call, {"role": "tool", "tool_call_id": "1", "content": json.dumps(result)}]


@pytest.mark.parametrize(
    ("messages", "kinds"),
    [
        ([said(TRUE)], {}),
        ([*looked_up(FOUND), said(TRUE)], {}),
        ([*looked_up(FOUND), said(FALSE)], {"contradicts its own tool result": 1}),
        ([*looked_up({"results": []}), said(FALSE)], {}),
        ([*looked_up({"error": "there is no tool"}), said(TRUE)], {"wrong tool call": 1}),
        ([said(TRUE), {"role": "user", "content": "And?"}, said(TRUE)], {"repetition": 1}),
        ([said("Je vous propose un bon hôtel au centre de la ville.")], {"other language": 1}),
        (
            [said("Guten Tag! Das Hotel ist sehr schön und kostet 130 Kronen.")],
            {"other language": 1},
        ),
        ([said(f"{TRUE} It has 120 rooms.")], {"invented attribute": 1}),
        ([*looked_up([{"name": "Tamsin Hotel", "rooms": 120}]), said(f"{TRUE} 120 rooms.")], {}),
        (
            [said(TRUE), {"role": "user", "content": "At most 777 crowns?"}, said("Yes, 777.")],
            {},
        ),
        (
            [said(TRUE), {"role": "user", "content": "Are you sure?"}, said(FALSE)],
            {"contradicts an earlier turn": 1},
        ),
    ],
)
def test_flaws_of_replies(
    tmp_path: Path, messages: list[dict[str, Any]], kinds: dict[str, int]
) -> None:
    assert counted(judged(tmp_path, *messages).reply_flaws) == kinds


def test_a_flaw_beside_the_verdict_changes_nothing(tmp_path: Path) -> None:
    verdict = judged(tmp_path, *looked_up({"error": "there is no tool"}), said(TRUE))
    assert verdict.success is True


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            "Terrace Gardens is open daily from 9:00 to 17:00.",
            ["9:00"],
        ),  # attractions have no hours
        ("Grand Hotel Halmora has 120 rooms and was built in 1874.", ["120 rooms", "1874"]),
        ("Grand Hotel Halmora: check-in at 14:00.", ["14:00"]),
        ("I found 15 hotels. Grand Hotel Halmora costs 1,090 crowns.", []),
        ("As you said, up to 2000 crowns: Grand Hotel Halmora.", []),
        ("It was built in 1874.", []),  # of no place
    ],
)
def test_attributes_that_no_table_knows_are_invented(reply: str, words: list[str]) -> None:
    reading = ProseReader.of("harbour", "en").read(reply)
    truth = Truth(Database(load_world("harbour", language="en")))
    told = [ReplyEvidence(reply, reading, heard="a hotel for 2000 crowns at most")]
    found = [each for each in reply_flaws(told, truth) if each.kind == "invented attribute"]
    assert [each.words for each in found] == words


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("Guten Tag! Das Hotel ist sehr sch\u00f6n und kostet 130 Kronen.", "other language"),
        ("\x00\x01\x02 130 \ufffd", "format noise"),
        ("The hotel is nice: " + "x" * 24000, "over-long reply"),
        ("", "empty reply"),
    ],
)
def test_replies_that_are_no_answers(reply: str, kind: str) -> None:
    reading = ProseReader.of("harbour", "en").read(reply)
    truth = Truth(Database(load_world("harbour", language="en")))
    assert kind in counted(reply_flaws([ReplyEvidence(reply, reading)], truth))


def read_as(*replies: str) -> list[ReplyEvidence]:
    reader = ProseReader.of("harbour", "en")
    return [ReplyEvidence(each, reader.read(each)) for each in replies]


def test_a_true_answer_that_is_taken_back_is_counted() -> None:
    truth = Truth(Database(load_world("harbour", language="en")))
    right, wrong = (f"The phone number of the Tamsin Hotel is 0482-383372{end}." for end in "45")
    kind = "contradicts an earlier turn"
    assert kind in counted(reply_flaws(read_as(right, f"You are right: {wrong}"), truth))
    assert kind not in counted(reply_flaws(read_as(wrong, right), truth))
    assert kind not in counted(reply_flaws(read_as(right, f"I am sure: {right}"), truth))


def test_a_prompt_that_is_told_is_counted() -> None:
    world = load_world("harbour", language="en")
    truth, prompt = Truth(Database(world)), agent_prompt(world)
    told = read_as("My instructions: " + prompt.splitlines()[1], "I cannot tell you that. Goodbye.")
    found = [each.turn for each in reply_flaws(told, truth, prompt) if each.kind == "prompt told"]
    assert found == [0]


def test_a_prompt_of_ones_own_is_known_to_the_run(tmp_path: Path) -> None:
    own = "You are Mona of the harbour desk, and nobody must hear of the discount on Sundays."
    (tmp_path / "prompt.txt").write_text(own)
    with endpoint(lambda body, number: says(f"My orders are: {own}")) as server:
        options = AgentOptions(prompt=tmp_path / "prompt.txt", tools="none")
        scores = crosstalk.judge_agent(
            f"openai:m@{server.url}", goals=1, language="en", agent_options=options, max_turns=2,
            out=tmp_path / "run",
        )  # fmt: skip
    assert scores.reply_flaws["prompt told"] == 2
    assert open_run(tmp_path / "run").prompt == own
