"""The client of chat completions against a real server that misbehaves on purpose."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.agents.scripted_endpoint import Answer, calls, endpoint, fails, says

from crosstalk.agents.chat_client import (
    Budget,
    ChatClient,
    ContextTooLong,
    Endpoint,
    Usage,
    join_stream,
)
from crosstalk.agents.reply_cache import ReplyCache
from crosstalk.agents.retries import PassingFault
from crosstalk.errors import BudgetSpent, InfrastructureError, InputError, UnusableAgent

HELLO = [{"role": "user", "content": "hello"}]


def client(url: str, **options: Any) -> ChatClient:
    waits: list[float] = options.pop("waits", [])
    return ChatClient(Endpoint("scripted", url, timeout=2.0), sleep=waits.append, **options)


def test_a_reply_with_its_usage() -> None:
    with endpoint(lambda body, number: says("hi")) as served:
        reply = client(served.url).complete(HELLO)
    assert (reply.text, reply.usage, reply.model) == ("hi", Usage(10, 5), "scripted")
    assert served.requests[0]["messages"] == HELLO


def test_calls_count_by_their_presence_whatever_the_reason_says() -> None:
    with endpoint(lambda body, number: calls("search_hotel", "{}")) as served:
        reply = client(served.url).complete(HELLO)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("search_hotel", "{}")]


@pytest.mark.parametrize(
    "fault",
    [
        fails(429),
        fails(500),
        Answer(raw=b"<html>gateway</html>"),
        Answer(body={"error": {"message": "in disguise"}}),
        Answer(body={"choices": []}),
        Answer(body={"choices": ["hi"]}),
        Answer(body={"choices": [{"message": "hi"}]}),
        Answer(raw=b'{"choices": [{"message"', cut=True),
    ],
)
def test_passing_faults_are_tried_again(fault: Answer) -> None:
    with endpoint(lambda body, number: fault if number < 2 else says("at last")) as served:
        assert client(served.url).complete(HELLO).text == "at last"
    assert len(served.requests) == 3


def test_faults_that_stay_are_infrastructure() -> None:
    with (
        endpoint(lambda body, number: fails(503)) as served,
        pytest.raises(InfrastructureError, match="status 503"),
    ):
        client(served.url).complete(HELLO)


def test_the_server_is_waited_for_as_long_as_it_asks() -> None:
    waits: list[float] = []
    with endpoint(
        lambda body, number: fails(429, retry_after="7") if not number else says("hi")
    ) as served:
        client(served.url, waits=waits).complete(HELLO)
    assert waits == [7.0]


def test_a_wait_of_hours_is_not_waited_for() -> None:
    with (
        endpoint(lambda body, number: fails(429, retry_after="7200")) as served,
        pytest.raises(InfrastructureError),
    ):
        client(served.url).complete(HELLO)
    assert len(served.requests) == 1


@pytest.mark.parametrize(("status", "words"), [(401, "key"), (403, "key"), (404, "model")])
def test_what_no_retry_mends_stops_at_once(status: int, words: str) -> None:
    with (
        endpoint(lambda body, number: fails(status)) as served,
        pytest.raises(UnusableAgent, match=words),
    ):
        client(served.url).complete(HELLO)
    assert len(served.requests) == 1


TOO_LONG = "This model's maximum context length is 4096 tokens. However, you requested 5000."


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "no", "code": "context_length_exceeded"}},
        {"error": {"code": 400, "message": "no", "type": "exceed_context_size_error"}},
        {"error": {"code": 400, "message": TOO_LONG, "type": "BadRequestError"}},
        {"object": "error", "message": TOO_LONG, "type": "BadRequestError", "code": 400},
    ],
)
def test_a_conversation_too_long_is_the_agents_limit(error: dict[str, Any]) -> None:
    with (
        endpoint(lambda body, number: Answer(400, error)) as served,
        pytest.raises(ContextTooLong),
    ):
        client(served.url).complete(HELLO)


def test_fields_of_other_shapes_are_left_out() -> None:
    message = {"role": "assistant", "content": "hi", "tool_calls": "none"}
    body = {"choices": [{"message": message}], "usage": {"prompt_tokens": "many"}}
    with endpoint(lambda asked, number: Answer(body=body)) as served:
        reply = client(served.url).complete(HELLO)
    assert (reply.text, reply.tool_calls, reply.usage) == ("hi", (), Usage(None, None))


def test_an_address_without_a_server_is_infrastructure() -> None:
    with pytest.raises(InfrastructureError, match=r"no connection \(ConnectError\)"):
        client("http://127.0.0.1:9/v1").complete(HELLO)


def test_the_key_is_sent_and_stands_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123")
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with endpoint(
        lambda body, number: says("sk-canary-123") if not number else fails(401, "sk-canary-123")
    ) as served:
        asked = client(served.url, cache=cache)
        asked.complete(HELLO)
        with pytest.raises(UnusableAgent) as refused:
            asked.complete([*HELLO, *HELLO])
    assert served.headers[0]["Authorization"] == "Bearer sk-canary-123"
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    shown = str(refused.value) + repr(asked) + "".join(capfd.readouterr())
    assert b"canary" not in stored and "canary" not in shown


def test_replies_are_kept_by_content(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with endpoint(lambda body, number: says(f"reply {number}")) as served:
        asked = client(served.url, cache=cache)
        assert [asked.complete(HELLO, session="a").text for _ in range(3)] == ["reply 0"] * 3
        assert asked.complete(HELLO, session="b").text == "reply 1"
    assert len(served.requests) == 2


def test_replay_sends_nothing(tmp_path: Path) -> None:
    with endpoint(lambda body, number: says("hi")) as served:
        url = served.url
        client(url, cache=ReplyCache(tmp_path / "a.sqlite")).complete(HELLO)
    replay = ReplyCache(tmp_path / "b.sqlite", mode="replay", shared=tmp_path / "a.sqlite")
    assert client(url, cache=replay).complete(HELLO).text == "hi"
    with pytest.raises(InputError, match="missing in the cache"):
        client(url, cache=replay).complete([*HELLO, *HELLO])
    ((_, kept),) = ReplyCache(tmp_path / "b.sqlite").replies()
    assert not kept.fresh


def test_a_budget_is_checked_before_a_request() -> None:
    with endpoint(lambda body, number: says("hi")) as served:
        asked = client(served.url, budget=Budget(tokens=1020))
        asked.complete(HELLO)
        with pytest.raises(BudgetSpent):
            asked.complete(HELLO)
    assert len(served.requests) == 1


def chunk(delta: dict[str, Any], reason: str | None = None) -> str:
    return "data: " + json.dumps({"choices": [{"delta": delta, "finish_reason": reason}]})


def test_streams_are_joined() -> None:
    piece = {"index": 0, "id": "1", "function": {"name": "ride", "arguments": '{"a'}}
    rest = {"index": 0, "function": {"arguments": '": 1}'}}
    usage = 'data: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}'
    lines = [": ping", chunk({"role": "assistant"}), chunk({"content": "a "}), ""]
    lines += [
        chunk({"content": "b"}),
        chunk({"tool_calls": [piece]}),
        chunk({"tool_calls": [rest]}),
    ]
    whole = join_stream([*lines, chunk({}, "tool_calls"), usage, "data: [DONE]"])
    message = whole["choices"][0]["message"]
    assert message["content"] == "a b"
    assert message["tool_calls"][0]["function"] == {"name": "ride", "arguments": '{"a": 1}'}
    assert whole["usage"]["prompt_tokens"] == 3


def test_a_cut_stream_is_tried_again() -> None:
    whole = "\n\n".join([chunk({"content": "whole"}), chunk({}, "stop"), "data: [DONE]", ""])
    cut = chunk({"content": "who"}) + "\n\n"
    with endpoint(lambda body, number: Answer(raw=(whole if number else cut).encode())) as served:
        asked = ChatClient(Endpoint("m", served.url, stream=True), sleep=lambda seconds: None)
        assert asked.complete(HELLO).text == "whole"
    assert len(served.requests) == 2


def test_a_server_that_knows_no_streams_answers_in_one_piece() -> None:
    whole = says("whole")
    whole.headers["Content-Type"] = "application/json"
    with endpoint(lambda body, number: whole) as served:
        assert ChatClient(Endpoint("m", served.url, stream=True)).complete(HELLO).text == "whole"


def test_a_query_stays_behind_the_path() -> None:
    asked = Endpoint("m", "https://host/openai/v1?version=3")
    assert asked.completions == "https://host/openai/v1/chat/completions?version=3"


def test_a_stream_without_an_end_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstalk.agents.chat_client.MOST_BYTES", 1000)
    with pytest.raises(PassingFault, match="without an end"):
        join_stream(chunk({"content": "on and "}) for _ in iter(int, 1))


def test_openai_without_a_key_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "CROSSTALK_AGENT_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UnusableAgent, match="needs a key: set CROSSTALK_AGENT_KEY or"):
        client("").complete(HELLO)
