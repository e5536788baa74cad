"""Our system behind `/v1/models` and `/v1/chat/completions`.

    app = openai_app("harbour", languages=["en", "de"])

Stateless: every request brings the whole conversation. Its user messages are answered one after
the other, the last answer is returned; conversations of which the beginning is known go on there.
"""

import hashlib
import json
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from crosstalk.agents.chat_client import text_of
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.language.normalize import tidy
from crosstalk.serve.access import MOST_BYTES, error_answer
from crosstalk.system.build import build_system
from crosstalk.system.parts import BEST
from crosstalk.system.pipeline import System, SystemSession
from crosstalk.worlds.world import load_outline

REMEMBERED: Final = 2000
"""Beginnings of conversations whose state is kept."""
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_TOKEN: Final = re.compile(r"[一-鿿]|\w+|[^\w\s]")

Json = dict[str, Any]


class BadRequest(Exception):
    """A request that cannot be answered; the message says why."""

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.answer: JSONResponse = error_answer(status, message, code, param)


class ServedSystem:
    """One system in one language; conversations are replayed from their messages."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._states: OrderedDict[str, tuple[str, SystemSession]] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, said: Sequence[str]) -> str:
        """The reply to the last of the user's messages."""
        with self._lock:
            # codes of bookings depend on how a conversation began, so that a replay gives the same
            system = self._system.of_session(_digest(said[:1]))
            text, state = "", system.begin()
            start = len(said)
            while start and (known := self._states.get(_digest(said[:start]))) is None:
                start -= 1
            if start and known:
                text, state = known
            for number in range(start, len(said)):
                heard = Turn(Speaker.USER, tidy(said[number]))
                turn, state = system.answer(heard, state)
                text = turn.text
                self._remember(_digest(said[: number + 1]), text, state)
            return text

    def _remember(self, key: str, text: str, state: SystemSession) -> None:
        self._states[key] = text, state
        while len(self._states) > REMEMBERED:
            self._states.popitem(last=False)


def _digest(said: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(list(said)).encode()).hexdigest()


class Models:
    """The systems of a world by model name: `crosstalk-<world>-<language>`, built when asked."""

    def __init__(
        self, world: str, language: str | None, build: Callable[[str], System], languages: list[str]
    ) -> None:
        self.world = Path(world).name
        self._default = language or languages[0]
        self._languages = languages
        self._build = build
        self._served: dict[str, ServedSystem] = {}
        self._lock = threading.Lock()

    @property
    def names(self) -> list[str]:
        first = [self._default]
        return [
            f"crosstalk-{self.world}-{code}"
            for code in first + [each for each in self._languages if each not in first]
        ]

    def find(self, name: str) -> ServedSystem:
        code = self._code(name)
        if code is None:
            known = ", ".join(self.names)
            raise BadRequest(
                404, f"there is no model {name!r}; there are {known}", "model_not_found", "model"
            )
        with self._lock:
            if code not in self._served:
                self._served[code] = ServedSystem(self._build(code))
            return self._served[code]

    def _code(self, name: str) -> str | None:
        if name in ("crosstalk", self.world, f"crosstalk-{self.world}"):
            return self._default
        code = name.removeprefix(f"crosstalk-{self.world}-")
        return code if code != name and code in self._languages else None


def openai_app(
    world: str,
    *,
    language: str | None = None,
    data: Path | None = None,
    models: Path | None = None,
    parts: dict[str, str] | None = None,
    actions: bool = False,
) -> FastAPI:
    """The application; the first language is loaded at once, others when they are asked for.

    `actions`: the system also does the actions of the world, in tables that begin anew with every
    conversation.
    """
    outline = load_outline(world)
    build = partial(_built, world, data, models, parts or {}, actions)
    codes = list(outline.languages)
    first = language or outline.base
    if first not in codes:
        raise InputError(
            f"the world {outline.name} has no language {first!r}",
            remedy=f"It has {', '.join(codes)}.",
        )
    served = Models(world, first, build, codes)
    served.find(served.names[0])
    app = FastAPI(title="Crosstalk", docs_url=None, redoc_url=None, openapi_url=None)
    began = int(time.time())

    @app.get("/v1/models")
    def list_models() -> Json:
        rows = [
            {"id": name, "object": "model", "created": began, "owned_by": "crosstalk"}
            for name in served.names
        ]
        return {"object": "list", "data": rows}

    @app.get("/v1/models/{name}")
    def one_model(name: str) -> Response:
        try:
            served.find(name)
        except BadRequest as problem:
            return problem.answer
        row = {"id": name, "object": "model", "created": began, "owned_by": "crosstalk"}
        return JSONResponse(row)

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> Response:
        try:
            body = _body(await request.body())
            return await run_in_threadpool(_completion, served, body)
        except BadRequest as problem:
            return problem.answer

    @app.exception_handler(404)
    async def nowhere(request: Request, error: Exception) -> Response:
        return error_answer(404, f"there is nothing at {request.url.path}", "not_found")

    @app.exception_handler(405)
    async def other_method(request: Request, error: Exception) -> Response:
        words = f"{request.url.path} does not answer to {request.method}"
        return error_answer(405, words, "method_not_allowed")

    @app.exception_handler(500)
    async def broken(request: Request, error: Exception) -> Response:
        return error_answer(500, f"our system raised {type(error).__name__}", "server_error")

    return app


def _built(
    world: str,
    data: Path | None,
    models: Path | None,
    parts: dict[str, str],
    actions: bool,
    code: str,
) -> System:
    named: Json = {kind: parts.get(kind, BEST) for kind in ("nlu", "dst", "policy", "nlg")}
    return build_system(world, language=code, data=data, models=models, actions=actions, **named)


def _body(raw: bytes) -> Json:
    if len(raw) > MOST_BYTES:
        raise BadRequest(413, f"the body has more than {MOST_BYTES:,} bytes", "too_large")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRequest(400, "the body is no JSON", "invalid_json") from None
    if not isinstance(body, dict):
        raise BadRequest(400, "the body is no JSON object", "invalid_json")
    return body


def _completion(served: Models, body: Json) -> Response:
    name = body.get("model")
    if not isinstance(name, str) or not name:
        raise BadRequest(400, "you must provide a model", "missing_model", "model")
    system = served.find(name)
    is_streamed, with_usage = _streaming(body)
    _single_choice(body)
    said = _user_messages(body.get("messages"))
    text = system.answer(said)
    usage = _usage(body["messages"], text)
    about = {"id": f"chatcmpl-{_digest(said)[:24]}", "created": int(time.time()), "model": name}
    if is_streamed:
        events = _events(about, text, usage if with_usage else None)
        return StreamingResponse(events, media_type="text/event-stream")
    message: Json = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return JSONResponse({**about, "object": "chat.completion", "choices": [choice], "usage": usage})


def _streaming(body: Json) -> tuple[bool, bool]:
    """Whether the reply is to be streamed, and whether its usage comes at the end."""
    stream, options = body.get("stream"), body.get("stream_options")
    if stream is not None and not isinstance(stream, bool):
        raise BadRequest(400, "stream must be true or false", "invalid_type", "stream")
    if options is None:
        return bool(stream), False
    if not isinstance(options, dict) or not stream:
        words = "stream_options must be an object, and stream true"
        raise BadRequest(400, words, "invalid_value", "stream_options")
    usage = options.get("include_usage", False)
    if not isinstance(usage, bool):
        where = "stream_options.include_usage"
        raise BadRequest(400, f"{where} must be true or false", "invalid_type", where)
    return True, usage


def _single_choice(body: Json) -> None:
    count = body.get("n")
    if count is not None and (isinstance(count, bool) or count != 1):
        raise BadRequest(400, "n must be 1: there is one reply", "unsupported_value", "n")


def _user_messages(messages: Any) -> list[str]:
    if not isinstance(messages, list) or not messages:
        raise BadRequest(
            400, "messages must be a list with at least one message", "empty", "messages"
        )
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in ROLES:
            raise BadRequest(400, f"{where} has no role that is known", "invalid_role", where)
        content = message.get("content")
        if content is not None and not isinstance(content, str | list):
            raise BadRequest(400, f"{where}.content is no text", "invalid_content", where)
    if messages[-1]["role"] != "user":
        raise BadRequest(400, "the last message must be the user's", "invalid_last", "messages")
    return [text_of(message) for message in messages if message["role"] == "user"]


def _usage(messages: Sequence[Json], text: str) -> Json:
    """Words and marks, as a stand-in for tokens."""
    prompt = sum(len(_TOKEN.findall(text_of(message))) for message in messages)
    completion = len(_TOKEN.findall(text))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _events(about: Json, text: str, usage: Json | None) -> Iterator[str]:
    """The reply as server-sent events, word by word."""
    head = {**about, "object": "chat.completion.chunk"}

    def event(delta: Json, reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return f"data: {json.dumps({**head, 'choices': [choice]}, ensure_ascii=False)}\n\n"

    yield event({"role": "assistant", "content": ""})
    for piece in re.findall(r"\S+\s*|\s+", text):
        yield event({"content": piece})
    yield event({}, "stop")
    if usage is not None:
        yield f"data: {json.dumps({**head, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"
