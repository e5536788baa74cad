"""Chat JSON Lines: what a language model would have seen and done."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crosstalk.corpora.chat import UNKNOWN, chat_record
from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import FormatError


def test_queries_are_tool_calls(talk: Dialogue) -> None:
    record = chat_record(talk)
    messages = record["messages"]
    assert [message["role"] for message in messages[:5]] == [
        "user", "assistant", "tool", "assistant", "tool",
    ]  # fmt: skip
    (asked,), (relaxed,) = messages[1]["tool_calls"], messages[3]["tool_calls"]
    assert asked["function"]["arguments"] == {"评分": "4.5分以上"}
    assert relaxed["function"]["arguments"] == {"评分": "4分以上"}
    assert json.loads(messages[2]["content"]) == {"note": UNKNOWN, "selected": []}
    assert json.loads(messages[4]["content"]) == {"note": UNKNOWN, "selected": ["甲"]}
    assert messages[4]["tool_call_id"] == relaxed["id"]
    assert messages[-1] == {"role": "assistant", "content": "不客气"}
    ids = [call["id"] for message in messages for call in message.get("tool_calls", [])]
    assert len(ids) == len(set(ids))
    assert json.loads(record["metadata"]["goal"])["type"] == "CM"
    assert "search_酒店" in [tool["function"]["name"] for tool in record["tools"]]


def test_arguments_as_text(talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "chat.jsonl", to="chat", arguments="text")
    record = json.loads((tmp_path / "chat.jsonl").read_text(encoding="utf-8"))
    (asked,) = record["messages"][1]["tool_calls"]
    assert asked["function"]["arguments"] == '{"评分": "4.5分以上"}'


def searched(*forms: DomainState) -> list[tuple[Any, Any]]:
    """Arguments and answers of the calls for forms, one of them a turn."""
    turns = [Turn(Speaker.SYSTEM, "", last_query=SystemState((form,))) for form in forms]
    messages = chat_record(Dialogue("1", tuple(turns)))["messages"]
    calls = [each["tool_calls"][0] for each in messages if each.get("tool_calls")]
    answers = [json.loads(each["content"]) for each in messages if each["role"] == "tool"]
    return [(c["function"]["arguments"], a) for c, a in zip(calls, answers, strict=True)]


def test_only_what_is_asked_for_is_called() -> None:
    unsent = (("area", "not mentioned"), ("stars", "none"), ("type", "dontcare"))
    nothing = DomainState("hotel", (*unsent, ("price", "")))
    cheap = DomainState("hotel", (*unsent, ("price", "cheap")))
    ((given, _),) = searched(nothing, cheap, cheap)
    assert given == {"price": "cheap"}


def test_the_same_call_has_one_answer() -> None:
    cheap, dear = (DomainState("hotel", (("price", price),)) for price in ("cheap", "dear"))
    first, other, again = searched(cheap, dear, replace(cheap, selected=("Anchor",)))
    assert first == again != other
    assert first[1]["selected"] == ["Anchor"]


def test_services_that_were_called_are_defined() -> None:
    call = {"name": "FindBus", "arguments": '{"to": "Ely", "seats": 2}', "result": "[]"}
    state = SystemState((DomainState("bus", (("to", "Ely"),)),))
    kept = {"agent": {"tool_calls": [call]}}
    turn = Turn(Speaker.SYSTEM, "No bus.", last_query=state, extras=kept)
    record = chat_record(Dialogue("1", (turn,)))
    (tool,) = record["tools"]
    assert tool["function"]["name"] == "FindBus"
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
    }
    assert record["messages"][0]["tool_calls"][0]["function"]["arguments"] == {
        "to": "Ely", "seats": 2,
    }  # fmt: skip


def test_records_without_queries_have_the_same_columns() -> None:
    assert "tools" not in chat_record(Dialogue("1", ()), arguments="text")  # as OpenAI wants it
    assert chat_record(Dialogue("1", ())) == {
        "messages": [],
        "tools": [],
        "metadata": {
            "id": "1",
            "language": "",
            "world": "",
            "goal": "",
            "cut": 0,
            "source": "none",
            "stated": 0,
            "ungrounded": [],
        },
    }


def test_our_export_is_read_again(talk: Dialogue, tmp_path: Path) -> None:
    write_corpus([talk], tmp_path / "chat.jsonl", to="chat")
    (back,) = read_corpus(tmp_path / "chat.jsonl")
    assert (back.id, back.language, back.world) == (talk.id, talk.language, talk.world)
    assert back.goal == talk.goal
    assert [(turn.speaker, turn.text) for turn in back.turns] == [
        (turn.speaker, turn.text) for turn in talk.turns
    ]
    _, relaxed = back.turns[1].extras["agent"]["tool_calls"]
    assert json.loads(relaxed["arguments"]) == {"评分": "4分以上"}
    assert chat_record(back)["messages"] == chat_record(talk)["messages"]


MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You sell tickets."},
    {"role": "user", "content": [{"type": "text", "text": "Two for Friday"}]},
    {"role": "user", "content": "please"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "find", "arguments": '{"n": 2}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "[]"},
    {"role": "assistant", "content": "Sold out."},
]


@pytest.mark.parametrize("layout", ["lines", "list", "one"])
def test_messages_of_others(layout: str, tmp_path: Path) -> None:
    record = {"messages": MESSAGES, "tools": [{"type": "function"}]}
    text = {
        "lines": f"{json.dumps(record)}\n{json.dumps({**record, 'id': 'x'})}\n",
        "list": json.dumps([record], indent=2),
        "one": json.dumps(record, indent=2),
    }[layout]
    (tmp_path / "messages").write_text(text)
    first, *others = read_corpus(tmp_path / "messages")
    assert [each.id for each in others] == (["x"] if layout == "lines" else [])
    assert first.id == "0"
    assert [turn.text for turn in first.turns] == ["Two for Friday\nplease", "Sold out."]
    call = {"name": "find", "arguments": '{"n": 2}', "result": "[]"}
    assert first.turns[1].extras == {"agent": {"tool_calls": [call]}}
    assert first.extras["chat"]["instructions"] == ["You sell tickets."]
    assert first.extras["chat"]["tools"] == [{"type": "function"}]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "robot", "content": ""}, r"messages\[1\].role: expected user, assistant, tool"),
        ({"role": "user", "content": 3}, r"messages\[1\].content: expected text, found a whole"),
        ({"role": "tool", "content": "x", "tool_call_id": "b"}, "expected the id of a call before"),
    ],
)
def test_messages_that_are_wrong(message: dict[str, Any], problem: str, tmp_path: Path) -> None:
    record = {"messages": [{"role": "user", "content": "hi"}, message]}
    (tmp_path / "messages.jsonl").write_text(json.dumps(record))
    with pytest.raises(FormatError, match=f"line 1, dialogue number 0, .*{problem}"):
        list(read_corpus(tmp_path / "messages.jsonl"))
