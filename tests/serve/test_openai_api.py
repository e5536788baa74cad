"""Our system behind an OpenAI-compatible endpoint, asked by the real client."""

import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

import crosstalk
from crosstalk.errors import InputError
from crosstalk.serve.access import TOKEN, TokenMiddleware, token_for
from crosstalk.serve.openai_api import openai_app
from crosstalk.simulation.build import Setup
from crosstalk.simulation.runner import simulate
from crosstalk.simulation.sessions import Plan, SessionRules
from crosstalk.web.app import bind, make_server

openai = pytest.importorskip("openai", reason="pip install openai")
MODEL = "crosstalk-harbour-en"
BOOKING = (
    "I want a hotel with a swimming pool",
    "I would like to book a room there for 2 people, from 3 June, for 2 nights",
    "yes",
)
HELLO: list[Any] = [{"role": "user", "content": "a hotel with a pool, please"}]


def running(app: Any) -> Iterator[str]:
    ready = threading.Event()
    server: uvicorn.Server = make_server(app, ready.set)
    with bind("127.0.0.1", 0) as bound:
        thread = threading.Thread(target=server.run, args=([bound],), daemon=True)
        thread.start()
        assert ready.wait(30)
        yield f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        server.should_exit = True
        thread.join(10)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    yield from running(TokenMiddleware(openai_app("harbour", language="en"), "127.0.0.1", ""))


@pytest.fixture
def client(url: str) -> Iterator[Any]:
    with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
        yield client


def test_models_are_listed_by_language(client: Any) -> None:
    names = [model.id for model in client.models.list().data]
    assert names[0] == MODEL and "crosstalk-harbour-zh" in names


def test_a_conversation_is_the_same_as_in_process(client: Any) -> None:
    system = crosstalk.build_system("harbour", language="en")
    state, messages = system.begin(), []
    from crosstalk.dialogue.dialogues import Speaker, Turn

    for said in ("a cheap hotel with a pool", "what is its phone number?", "thanks, bye"):
        messages.append({"role": "user", "content": said})
        reply: Any = client.chat.completions.create(model=MODEL, messages=messages)
        turn, state = system.answer(Turn(Speaker.USER, said), state)
        assert reply.choices[0].message.content == turn.text
        assert reply.choices[0].finish_reason == "stop" and reply.usage.total_tokens > 0
        messages.append({"role": "assistant", "content": turn.text})


def test_a_stream_says_the_same(client: Any) -> None:
    whole = client.chat.completions.create(model=MODEL, messages=HELLO)
    pieces = client.chat.completions.create(
        model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    text, usage = "", None
    for piece in pieces:
        text += (piece.choices[0].delta.content or "") if piece.choices else ""
        usage = piece.usage or usage
    assert text == whole.choices[0].message.content
    assert usage == whole.usage


@pytest.mark.parametrize(
    ("model", "messages", "status"),
    [
        ("nobody", HELLO, 404),
        (MODEL, [], 400),
        (MODEL, [{"role": "assistant", "content": "hi"}], 400),
        (MODEL, [{"role": "stranger", "content": "hi"}], 400),
        (MODEL, [{"role": "user", "content": 7}], 400),
        (MODEL, [{"role": "user", "content": "x" * (1 << 20)}], 413),
    ],
)
def test_errors_have_the_usual_form(client: Any, model: str, messages: Any, status: int) -> None:
    with pytest.raises(openai.APIStatusError) as error:
        client.chat.completions.create(model=model, messages=messages)
    assert error.value.status_code == status
    assert error.value.body and "message" in str(error.value.body)


@pytest.mark.parametrize(
    "other",
    [
        {"n": 2},
        {"n": "x"},
        {"n": True},
        {"stream": "x"},
        {"stream_options": {"include_usage": True}},
        {"stream": True, "stream_options": "x"},
        {"stream": True, "stream_options": {"include_usage": "x"}},
    ],
)
def test_what_is_not_honoured_is_refused(client: Any, other: Any) -> None:
    with pytest.raises(openai.BadRequestError):
        client.post(
            "/chat/completions",
            body={"model": MODEL, "messages": HELLO, **other},
            cast_to=object,
        )


def test_content_may_come_in_parts(client: Any) -> None:
    parts: Any = [{"role": "user", "content": [{"type": "text", "text": HELLO[0]["content"]}]}]
    one = client.chat.completions.create(model=MODEL, messages=parts)
    other = client.chat.completions.create(model=MODEL, messages=HELLO)
    assert one.choices[0].message.content == other.choices[0].message.content


def test_a_token_is_asked_for_where_one_is_set() -> None:
    app = TokenMiddleware(openai_app("harbour", language="en"), "127.0.0.1", "secret")
    for url in running(app):
        with (
            openai.OpenAI(base_url=url, api_key="wrong", max_retries=0) as stranger,
            pytest.raises(openai.AuthenticationError),
        ):
            stranger.models.list()
        with openai.OpenAI(base_url=url, api_key="secret", max_retries=0) as friend:
            assert friend.models.list().data


def test_other_machines_need_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert token_for("127.0.0.1") == ""
    with pytest.raises(InputError, match=TOKEN):
        token_for("0.0.0.0")


def test_our_system_over_http_says_what_it_says_in_process(url: str, tmp_path: Path) -> None:
    runs = {}
    for name, agent in {"http": f"openai:{MODEL}@{url}", "here": "system"}.items():
        setup = Setup(language="en", level="words", agent=agent)
        runs[name] = simulate(Plan(4, count=3), setup, SessionRules(4), tmp_path / name)
    texts = {
        name: [turn.text for dialogue in run.dialogues() for turn in dialogue.turns]
        for name, run in runs.items()
    }
    assert texts["http"] == texts["here"]


def test_bookings_are_made_and_a_replay_gives_the_same_code() -> None:
    messages: list[Any] = []
    replies: list[list[str]] = []
    for _ in range(2):  # the second server knows nothing of the first one's conversation
        app = TokenMiddleware(openai_app("harbour", language="en", actions=True), "127.0.0.1", "")
        for url in running(app):
            with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
                messages, said = [], []
                for words in BOOKING:
                    messages.append({"role": "user", "content": words})
                    reply: Any = client.chat.completions.create(model=MODEL, messages=messages)
                    said.append(reply.choices[0].message.content)
                    messages.append({"role": "assistant", "content": said[-1]})
                replies.append(said)
    assert replies[0] == replies[1]
    assert re.search(r"code: [A-Z0-9]{8}", replies[0][-1]), replies[0]


def test_a_wrong_method_is_answered_in_the_usual_form(url: str) -> None:
    answer = httpx2.get(f"{url}/chat/completions")
    assert answer.status_code == 405 and answer.json()["error"]["code"] == "method_not_allowed"


def _pieces(count: int) -> Iterator[bytes]:
    """A body whose length nobody is told."""
    for _ in range(count):
        yield b" " * 65536


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"model": "x", "messages": ' + b"[" * 20_000, 400),
        (b'{"model": "%s", "messages": [{"role": [], "content": "Hi"}]}' % MODEL.encode(), 400),
        (b'{"model": "%s", "messages": [{"role": {}, "content": ""}]}' % MODEL.encode(), 400),
        (b'{"model": "\\ud800", "messages": [{"role": "user", "content": "Hi"}]}', 404),
        (_pieces(40), 413),
    ],
)
def test_broken_bodies_are_told(url: str, body: bytes | Iterator[bytes], status: int) -> None:
    answer = httpx2.post(f"{url}/chat/completions", content=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_a_client_that_leaves_in_the_middle(url: str, caplog: pytest.LogCaptureFixture) -> None:
    port = httpx2.URL(url).port
    assert port
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", port)) as line:
            head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n"
            line.sendall(f"{head}\r\n{{".encode())
    assert httpx2.get(f"{url}/models").status_code == 200
    assert not [each for each in caplog.records if each.exc_info]
