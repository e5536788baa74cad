"""Flaws of replies that stand beside the verdict: repetition, cut replies, tools denied."""

import json
from pathlib import Path
from typing import Any

import pytest

from crosstalk.evaluation.offline import judge_offline
from crosstalk.evaluation.offline_verdicts import OfflineVerdict
from crosstalk.evaluation.reply_flaws import counted

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
    ],
)
def test_flaws_of_replies(
    tmp_path: Path, messages: list[dict[str, Any]], kinds: dict[str, int]
) -> None:
    assert counted(judged(tmp_path, *messages).reply_flaws) == kinds


def test_a_flaw_beside_the_verdict_changes_nothing(tmp_path: Path) -> None:
    verdict = judged(tmp_path, *looked_up({"error": "there is no tool"}), said(TRUE))
    assert verdict.success is True
