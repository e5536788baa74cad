"""Chat completions of any OpenAI-compatible endpoint: one request in, one message out.

    client = ChatClient(Endpoint("gpt-4o-mini"))
    reply = client.complete([{"role": "user", "content": "hello"}])

Passing faults (time-outs, 408, 409, 429, 5xx, cut streams, answers without choices) are tried
again, after as long as the server asks for; those that stay raise InfrastructureError. A wrong key,
model or request raises RefusedRequest at once: no later request would fare better.
"""

import json
import os
import re
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from crosstalk.agents.reply_cache import ReplyCache, StoredReply, plain_url, request_key
from crosstalk.agents.retries import (
    JITTER,
    TRIES,
    PassingFault,
    asked_wait,
    broken,
    may_pass,
    tried,
)
from crosstalk.errors import BudgetSpent, InfrastructureError, UnusableAgent

if TYPE_CHECKING:
    import httpx2

KEYS: Final = ("CROSSTALK_AGENT_KEY", "OPENAI_API_KEY")
"""Variables that may hold the key of an agent."""
BASE: Final = "OPENAI_BASE_URL"
DEFAULT_BASE: Final = "https://api.openai.com/v1"
MOST_BYTES: Final = 16 * 1024 * 1024

_TOO_LONG: Final = re.compile(
    r"context[ _](?:\w+[ _])?(?:length|size|window)|(?:prompt|input|conversation) is too long",
    re.IGNORECASE,
)
"""How servers say that a conversation does not fit: in a code, or in words alone."""

Message = dict[str, Any]
Json = dict[str, Any]


class NoAnswer(InfrastructureError):
    """An endpoint did not answer, however often it was asked."""

    problem = ""
    """What happened the last time."""


class RefusedRequest(UnusableAgent):
    """An endpoint refuses the request itself: its key, its model, its shape."""

    status = 0
    words = ""
    """What the endpoint said, the key struck out; it stands in no message of ours."""


class ContextTooLong(Exception):
    """The conversation does not fit into the model's window: the agent's limit, not a fault."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Whom to ask, and how."""

    model: str
    url: str = ""
    """Base address, such as `http://localhost:8080/v1`; empty: `OPENAI_BASE_URL`, or OpenAI's."""
    timeout: float = 60.0
    """Seconds for one answer."""
    tries: int = TRIES
    sampling: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0})
    """Fields of the request such as temperature, seed, max_tokens."""
    stream: bool = False
    """Ask for a stream; only to measure the time to the first token."""
    keys: tuple[str, ...] = KEYS
    """Variables that may hold the key, first one wins."""

    @property
    def base(self) -> str:
        return (self.url or os.environ.get(BASE) or DEFAULT_BASE).rstrip("/")

    @property
    def completions(self) -> str:
        """The address that is asked; a query of the base, such as a version, stays behind it."""
        place, mark, query = self.base.partition("?")
        return f"{place.rstrip('/')}/chat/completions{mark}{query}"

    @property
    def name(self) -> str:
        """For cards and reports: no user, no password, no query."""
        return f"openai:{self.model}@{plain_url(self.base)}"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of requests; None where the endpoint did not say."""

    prompt: int | None = None
    completion: int | None = None

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(_sum(self.prompt, other.prompt), _sum(self.completion, other.completion))

    def record(self) -> dict[str, int | None]:
        return {"prompt_tokens": self.prompt, "completion_tokens": self.completion}


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model asks for; `arguments` is text that should be JSON."""

    id: str
    name: str
    arguments: str

    def record(self) -> Json:
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One message of an assistant."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()
    model: str = ""
    """As the endpoint calls it."""
    request: str = ""
    """Key of the request in the cache."""

    def message(self) -> Message:
        """As it stands in the conversation from now on."""
        calls = [call.record() for call in self.tool_calls]
        message: Message = {"role": "assistant", "content": self.text}
        return {**message, "tool_calls": calls} if calls else message


class Budget:
    """What a run may spend; counts what was spent, across threads."""

    def __init__(
        self,
        *,
        tokens: int | None = None,
        cost: float | None = None,
        price: Callable[[Usage], float | None] = lambda usage: None,
    ) -> None:
        self._tokens, self._cost, self._price = tokens, cost, price
        self._spent = Usage(0, 0)
        self._lock = threading.Lock()

    def check(self, worst: Usage) -> None:
        """Raise where the next request could exceed what is left."""
        with self._lock:
            after = self._spent + worst
            total = (after.prompt or 0) + (after.completion or 0)
            cost = self._price(after)
        if self._tokens is not None and total > self._tokens:
            raise BudgetSpent(
                f"the next request could exceed {self._tokens:,} tokens",
                remedy="--resume with a larger --budget-tokens goes on.",
            )
        if self._cost is not None and cost is not None and cost > self._cost:
            raise BudgetSpent(
                f"the next request could exceed {self._cost:g} dollars",
                remedy="--resume with a larger --max-cost goes on.",
            )

    def spend(self, usage: Usage) -> None:
        with self._lock:
            self._spent += usage


@dataclass(frozen=True)
class ChatClient:
    """Asks one endpoint; threads may share it."""

    endpoint: Endpoint
    cache: ReplyCache = field(default_factory=lambda: ReplyCache(None))
    budget: Budget = field(default_factory=Budget)
    sleep: Callable[[float], None] = time.sleep
    jitter: float = JITTER

    @cached_property
    def _http(self) -> "httpx2.Client":
        import httpx2

        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=256)
        timeout = httpx2.Timeout(self.endpoint.timeout, connect=min(10.0, self.endpoint.timeout))
        http = httpx2.Client(timeout=timeout, limits=limits)
        weakref.finalize(self, http.close)  # connections end with the client that opened them
        return http

    def complete(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Json] = (),
        session: str = "",
        **fields: Any,
    ) -> ChatReply:
        """The assistant's next message; `fields` go into the request as they are."""
        body: Json = {"model": self.endpoint.model, "messages": list(messages)}
        body |= dict(self.endpoint.sampling) | fields
        if tools:
            body["tools"] = list(tools)
        key = request_key(self.endpoint.base, body, session)
        stored = self.cache.find(key)
        if stored is None:
            self.budget.check(_worst(body))
            stored = self._asked(body)
            self.cache.store(key, stored)
            self.budget.spend(_reply(stored.body, key).usage)
        return _reply(stored.body, key)

    def _asked(self, body: Json) -> StoredReply:
        """The endpoint's answer, tried again while its faults may pass."""
        if self.endpoint.base == DEFAULT_BASE and not key_in_use(self.endpoint.keys):
            variables = " or ".join(self.endpoint.keys)
            raise self._refused(f"needs a key: set {variables}, or name another endpoint (@URL)")
        try:
            answer, seconds = tried(
                lambda: self._post(body),
                self.endpoint.tries,
                self.sleep,
                self.jitter,
                self.endpoint.timeout,
            )
        except PassingFault as fault:
            error = NoAnswer(
                f"{plain_url(self.endpoint.base)}: no answer: {fault}",
                remedy="Check that it runs at this address, then give the same command again; a "
                "run that has begun goes on with --resume.",
            )
            error.problem = str(fault)
            raise error from fault
        return StoredReply(answer, seconds)

    def _post(self, body: Json) -> Json:
        import httpx2

        url = self.endpoint.completions
        try:
            if self.endpoint.stream:
                return self._streamed(url, body)
            answer = self._http.post(url, json=body, headers=_authorization(self.endpoint.keys))
        except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
            raise self._refused(f"is no address of an endpoint ({error})") from error
        except httpx2.ReadTimeout as error:
            raise PassingFault(f"it said nothing for {self.endpoint.timeout:g} s") from error
        except httpx2.HTTPError as error:
            raise broken(error) from error
        return self._read(answer.status_code, answer.headers, answer.content)

    def _read(self, status: int, headers: Mapping[str, str], content: bytes) -> Json:
        """The body of an answer, the key struck out; raises for everything that is none."""
        value = _json(_without_key(content.decode(errors="replace"), self.endpoint.keys).encode())
        if status != 200:
            raise self._fault(status, headers, value, content)
        if not isinstance(value, dict) or not isinstance(value.get("choices"), list):
            raise PassingFault("an answer without choices")
        if not value["choices"] or len(content) > MOST_BYTES:
            raise PassingFault("an empty or endless answer")
        if not _dict(_dict(value["choices"][0]).get("message")):
            raise PassingFault("an answer without a message")
        return value

    def _fault(
        self, status: int, headers: Mapping[str, str], value: Any, content: bytes
    ) -> Exception:
        """What an error answer means; no message repeats its text, which may echo the key."""
        error = _dict(_dict(value).get("error")) or _dict(value)
        code = f"{error.get('code') or ''} {error.get('type') or ''}"
        if status == 400 and _TOO_LONG.search(f"{code} {error.get('message')}"):
            return ContextTooLong("the conversation is longer than the model's window")
        if "insufficient_quota" in code:
            return BudgetSpent(
                f"{plain_url(self.endpoint.base)}: the account has no quota left",
                remedy="What was said so far is kept; once there is some, --resume goes on.",
            )
        if may_pass(status):
            return PassingFault(f"status {status}", asked_wait(headers))
        variables = " or ".join(self.endpoint.keys)
        reasons = {
            401: f"refuses the key (status 401): set {variables}",
            403: f"refuses the key (status 403): set {variables}",
            404: f"has no model {self.endpoint.model!r}, or is no chat endpoint (status 404)",
        }
        what = reasons.get(status, f"refuses the request (status {status}) {code.strip()}")
        refused = self._refused(what)
        refused.status = status
        refused.words = _without_key(content[:300].decode(errors="replace"), self.endpoint.keys)
        return refused

    def _refused(self, what: str) -> RefusedRequest:
        return RefusedRequest(
            f"{plain_url(self.endpoint.base)} {what.strip()}",
            remedy="Check the address (it usually ends in /v1), the model and the key's variable.",
        )

    def _streamed(self, url: str, body: Json) -> Json:
        """The whole answer, put together from a stream."""
        asked = {**body, "stream": True, "stream_options": {"include_usage": True}}
        with self._http.stream(
            "POST", url, json=asked, headers=_authorization(self.endpoint.keys)
        ) as answer:
            is_whole = "json" in answer.headers.get("content-type", "")  # no stream after all
            if answer.status_code != 200 or is_whole:
                return self._read(answer.status_code, answer.headers, answer.read())
            joined = json.dumps(join_stream(answer.iter_lines()))
            return json.loads(_without_key(joined, self.endpoint.keys))  # type: ignore[no-any-return]


def join_stream(lines: Any) -> Json:
    """One answer from server-sent events; raises where the stream was cut."""
    text: list[str] = []
    calls: dict[int, Json] = {}
    whole: Json = {}
    reason, ended, characters = None, False, 0
    for line in lines:
        if not line.startswith("data:"):
            continue  # a comment, or an empty line
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            ended = True
            break
        chunk = _json(data.encode())
        if not isinstance(chunk, dict) or "error" in chunk:
            raise PassingFault("an error inside the stream")
        whole |= {key: chunk[key] for key in ("id", "model", "usage") if chunk.get(key)}
        for choice in _dicts(chunk.get("choices")):
            delta = _dict(choice.get("delta"))
            text.append(text_of(delta))
            _join_calls(calls, _dicts(delta.get("tool_calls")))
            reason = choice.get("finish_reason") or reason
        characters += len(data)
        if characters > MOST_BYTES:
            raise PassingFault("a stream without an end")
    if not ended and reason is None:
        raise PassingFault("a stream that was cut")
    message: Json = {"role": "assistant", "content": "".join(text)}
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {**whole, "choices": [{"message": message, "finish_reason": reason or "stop"}]}


def _join_calls(calls: dict[int, Json], pieces: Sequence[Json]) -> None:
    """Id and name come with the first piece of an index, arguments in pieces."""
    for piece in pieces:
        index = piece.get("index", 0)
        function = _dict(piece.get("function"))
        call = calls.setdefault(
            index, {"id": "", "type": "function", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = call["id"] or piece.get("id") or ""
        call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
        call["function"]["arguments"] += str(function.get("arguments") or "")


def _reply(body: Json, key: str) -> ChatReply:
    choice = _dict(body["choices"][0])
    message = _dict(choice.get("message"))
    used = _dict(body.get("usage"))
    return ChatReply(
        text=text_of(message) or str(message.get("refusal") or ""),
        tool_calls=tuple(_calls(message)),
        finish_reason=str(choice.get("finish_reason") or "stop"),
        usage=Usage(*(_count(used.get(f"{side}_tokens")) for side in ("prompt", "completion"))),
        model=str(body.get("model") or "").rsplit("/", 1)[-1],
        request=key,
    )


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message whose content is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text", "") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _calls(message: Mapping[str, Any]) -> list[ToolCall]:
    """Decided by their presence: servers differ on the reason they give for stopping."""
    calls = []
    for number, call in enumerate(_dicts(message.get("tool_calls"))):
        function = _dict(call.get("function"))
        if not function:
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        name = str(function.get("name") or "")
        calls.append(ToolCall(str(call.get("id") or f"call_{number}"), name, text))
    return calls


def key_in_use(names: Sequence[str] = KEYS) -> str:
    """The key, for the header alone: never shown, stored or logged."""
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _authorization(names: Sequence[str]) -> dict[str, str]:
    key = key_in_use(names)
    return {"Authorization": f"Bearer {key}"} if key else {}


def _without_key(text: str, names: Sequence[str]) -> str:
    key = key_in_use(names)
    return text.replace(key, "***").strip() if key else text.strip()


def _dict(value: Any) -> Json:
    """The value, or nothing where it is no object."""
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[Json]:
    """The objects of a list, or nothing where it is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _worst(body: Json) -> Usage:
    """What a request may cost at the most: about three characters a token, and its limit."""
    size = len(json.dumps(body["messages"], ensure_ascii=False))
    limit = body.get("max_completion_tokens") or body.get("max_tokens") or 1000
    return Usage(size // 3, int(limit))
