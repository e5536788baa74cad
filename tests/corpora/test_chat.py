"""Chat JSON Lines: what a language model would have seen and done."""

import json
from pathlib import Path

import pytest

from crosstalk.corpora.chat import UNKNOWN, chat_record
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError


def test_queries_are_tool_calls(talk: Dialogue) -> None:
    record = chat_record(talk)
    messages = record["messages"]
    assert [message["role"] for message in messages[:5]] == [
        "user", "assistant", "tool", "tool", "assistant",
    ]  # fmt: skip
    asked, relaxed = messages[1]["tool_calls"]
    assert json.loads(asked["function"]["arguments"]) == {"评分": "4.5分以上"}
    assert json.loads(relaxed["function"]["arguments"]) == {"评分": "4分以上"}
    assert json.loads(messages[2]["content"]) == {"note": UNKNOWN, "selected": []}
    assert json.loads(messages[3]["content"]) == {"note": UNKNOWN, "selected": ["甲"]}
    assert messages[3]["tool_call_id"] == relaxed["id"]
    assert messages[-1] == {"role": "assistant", "content": "不客气"}
    ids = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    assert len(ids) == len(set(ids))
    assert record["metadata"]["goal"]["type"] == "CM"
    assert "search_酒店" in [tool["function"]["name"] for tool in record["tools"]]


def test_without_queries_there_are_no_tools() -> None:
    assert chat_record(Dialogue("1", ())) == {"messages": [], "metadata": {"id": "1"}}


def test_it_is_written_and_not_read(talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "chat.jsonl", to="chat")
    assert len((tmp_path / "chat.jsonl").read_text(encoding="utf-8").splitlines()) == 1
    with pytest.raises(InputError, match="written, not read"):
        list(read_corpus(tmp_path / "chat.jsonl"))
