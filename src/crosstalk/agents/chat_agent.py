"""An agent that writes chat messages and may call tools, as a participant of a conversation.

    agent = ChatAgent(complete, tools=WorldTools(database), prompt="You are ...")

`complete` is anything that writes the next message of a conversation: an endpoint, or a Python
function. Tool calls are answered from the world until the agent says something.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Final, Protocol

from crosstalk.agents.chat_client import (
    ChatClient,
    ChatReply,
    ContextTooLong,
    Json,
    Message,
    RefusedRequest,
    ToolCall,
    Usage,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.participants import Reply
from crosstalk.worlds.action_events import ActionEvent, TableState, applied
from crosstalk.worlds.policy_rules import actions_of, with_actions
from crosstalk.worlds.tools import WorldTools

MOST_CALLS: Final = 8
"""Tool calls in one turn; then the agent has to answer with what it has."""
MOST_WRITTEN_CALLS: Final = 3
"""The same for models that write their calls: small ones would search for ever."""
NOT_UNDERSTOOD: Final = 400
"""Status of a request that an endpoint does not understand."""
MOST_CHARACTERS: Final = 20_000
"""Of one reply; the rest is cut off and counted."""


class Completes(Protocol):
    """Writes the next message of a conversation."""

    def __call__(
        self, messages: Sequence[Message], *, session: str, tools: Sequence[Json]
    ) -> ChatReply: ...


@dataclass(frozen=True, slots=True)
class ChatSession:
    """What was said so far, in chat format."""

    messages: tuple[Message, ...] = ()
    tables: TableState | None = None
    """The tables that its actions change; None without tools."""


@dataclass(frozen=True, slots=True)
class ChatAgent:
    """One side of a conversation, in words; `extras` of its turns hold calls and usage."""

    complete: Completes
    tools: WorldTools | None = None
    """None: it is offered none, and its calls go nowhere."""
    prompt: str = ""
    """First message of every conversation; empty: none."""
    session: str = ""
    most_calls: int = MOST_CALLS

    def begin(self) -> ChatSession:
        first = ({"role": "system", "content": self.prompt},) if self.prompt else ()
        return ChatSession(first, self.tools.executor.begin(self.session) if self.tools else None)

    def after(self, exchanges: Sequence[tuple[Turn, Turn]]) -> ChatSession:
        """The session after turns that were heard and said before, with their tool calls."""
        messages, tables = list(self.begin().messages), self.begin().tables
        for heard, said in exchanges:
            messages.append({"role": "user", "content": heard.text})
            messages += _messages_of(said)
            tables = reduce(applied, actions_of(said), tables) if tables else None
        return ChatSession(tuple(messages), tables)

    def reply(self, heard: Turn | None, state: ChatSession) -> tuple[Reply, ChatSession]:
        if heard is None:
            raise ValueError("an agent speaks after the user, never first")
        messages = [*state.messages, {"role": "user", "content": heard.text}]
        work = _TurnWork(self, messages, state.tables)
        text = work.text()
        turn = Turn(Speaker.SYSTEM, text, extras={"agent": work.record()})
        said = with_actions(turn, work.events)
        return Reply(said), ChatSession(tuple(messages), work.tables)


def _messages_of(said: Turn) -> Iterator[Message]:
    for number, call in enumerate(said.extras.get("agent", {}).get("tool_calls", ())):
        made = ToolCall(f"call_{number}", call["name"], call["arguments"])
        yield ChatReply("", (made,)).message()
        yield {"role": "tool", "tool_call_id": made.id, "content": call["result"]}
    yield {"role": "assistant", "content": said.text}


@dataclass(slots=True)
class _TurnWork:
    """One turn of an agent: calls are answered until it says something."""

    agent: ChatAgent
    messages: list[Message]
    """Grows with every message of the turn."""
    tables: TableState | None = None
    events: list[ActionEvent] = field(default_factory=list)
    calls: list[Json] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    last: ChatReply = field(default_factory=lambda: ChatReply(""))
    requests: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        offered = self.agent.tools.definitions() if self.agent.tools else []
        while True:
            left = self.agent.most_calls - len(self.calls)
            try:
                reply = self._next(offered if left > 0 else [])
            except ContextTooLong as error:
                self.problems.append(str(error))
                return ""
            if not reply.tool_calls:
                return self._said(reply.text)
            if left <= 0:
                most = self.agent.most_calls
                self.problems.append(f"more than {most} tool calls in one turn")
                return self._said(reply.text)
            self._answer(reply.tool_calls[:left], reply)

    def _next(self, tools: Sequence[Json]) -> ChatReply:
        reply = self.agent.complete(self.messages, session=self.agent.session, tools=tools)
        self.last = reply
        self.usage += reply.usage
        if reply.request:
            self.requests.append(reply.request)
        return reply

    def _answer(self, calls: Sequence[ToolCall], reply: ChatReply) -> None:
        """Every id is answered by one message, as chat completions demand."""
        shown = ChatReply(reply.text, tuple(calls))
        self.messages.append(shown.message())
        for call in calls:
            content = self._called(call)
            self.messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
            self.calls.append({"name": call.name, "arguments": call.arguments, "result": content})

    def _called(self, call: ToolCall) -> str:
        tools = self.agent.tools
        if tools is None or self.tables is None:
            return json.dumps({"error": f"there is no tool {call.name!r}"})
        outcome = tools.call_text(call.name, call.arguments, self.tables)
        self.tables = outcome.state
        self.events += [outcome.event] if outcome.event else []
        return outcome.text

    def _said(self, text: str) -> str:
        self.messages.append({"role": "assistant", "content": text})
        if not text.strip():
            self.problems.append("said nothing")
        if len(text) > MOST_CHARACTERS:
            self.problems.append(f"said {len(text):,} characters")
        return text[:MOST_CHARACTERS]

    def record(self) -> dict[str, Any]:
        """What is kept with the turn; nothing that differs from run to run."""
        kept: dict[str, Any] = {"finish_reason": self.last.finish_reason}
        if self.calls:
            kept["tool_calls"] = self.calls
        if self.usage != Usage():
            kept["usage"] = self.usage.record()
        if self.last.model:
            kept["model"] = self.last.model
        if self.requests:
            kept["requests"] = self.requests
        if self.problems:
            kept["problems"] = self.problems
        return kept


# Ways of calling tools

NATIVE, SCHEMA, TEXT, NONE = "native", "json", "text", "none"
TOOL_MODES: Final = ("auto", NATIVE, SCHEMA, TEXT, NONE)


@dataclass(frozen=True, slots=True)
class NativeCalls:
    """The endpoint parses the model's calls."""

    client: ChatClient
    seed: int | None = None

    def __call__(
        self, messages: Sequence[Message], *, session: str, tools: Sequence[Json]
    ) -> ChatReply:
        return self.client.complete(messages, tools=tools, session=session)


ACTION_PROMPT: Final = (
    "To look something up, answer with one JSON object and nothing else: "
    '{{"call": NAME, "arguments": {{...}}}}. To speak to the user: {{"say": TEXT}}. Tools:\n{tools}'
)


@dataclass(frozen=True, slots=True)
class WrittenCalls:
    """For models without native calls: every message is a JSON action, a call or words."""

    client: ChatClient
    constrained: bool = True
    """Whether the endpoint is asked to allow nothing but such an object (JSON Schema)."""
    listed: Sequence[Json] = ()
    """The tools that the prompt names, in every request of a conversation."""

    def __call__(
        self, messages: Sequence[Message], *, session: str, tools: Sequence[Json]
    ) -> ChatReply:
        written = [_as_text(message) for message in messages]
        listed = self.listed or tools
        if listed:
            named = "\n".join(json.dumps(each["function"], ensure_ascii=False) for each in listed)
            written = [_with_tools(written[0], ACTION_PROMPT.format(tools=named)), *written[1:]]
        # Without tools, an action can only be words.
        fields: Json = {"response_format": _action_schema(tools)} if self.constrained else {}
        reply = self.client.complete(written, session=session, **fields)
        return _read_action(reply, tools)


def _with_tools(first: Message, text: str) -> Message:
    return {**first, "content": f"{first['content']}\n\n{text}"}


def _as_text(message: Message) -> Message:
    """Calls and results as plain messages, for endpoints that know no tools."""
    if message["role"] == "tool":
        return {"role": "user", "content": f"RESULT {message['content']}"}
    if message.get("tool_calls"):
        call = message["tool_calls"][0]["function"]
        action = {"call": call["name"], "arguments": json.loads(call["arguments"] or "{}")}
        return {"role": "assistant", "content": json.dumps(action, ensure_ascii=False)}
    return message


def _action_schema(tools: Sequence[Json]) -> Json:
    say = {
        "type": "object",
        "properties": {"say": {"type": "string", "maxLength": 1200}},
        "required": ["say"],
        "additionalProperties": False,
    }
    calls = [
        {
            "type": "object",
            "properties": {
                "call": {"const": tool["function"]["name"]},
                "arguments": tool["function"]["parameters"],
            },
            "required": ["call", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    schema = {"anyOf": [say, *calls]}
    return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}


_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


def _read_action(reply: ChatReply, tools: Sequence[Json]) -> ChatReply:
    """The first JSON object of a message as a call or as words; anything else is words."""
    found = _OBJECT.search(reply.text)
    try:
        action = json.JSONDecoder().raw_decode(found.group())[0] if found else None
    except ValueError:
        action = None
    if isinstance(action, dict) and isinstance(action.get("say"), str):
        return _with(reply, action["say"], ())
    name = action.get("call") or action.get("name") if isinstance(action, dict) else None
    if isinstance(action, dict) and tools and isinstance(name, str):
        arguments = json.dumps(action.get("arguments") or {}, ensure_ascii=False)
        call = ToolCall(f"call_{reply.request[:12]}", name, arguments)
        return _with(reply, "", (call,))
    return reply


def _with(reply: ChatReply, text: str, calls: tuple[ToolCall, ...]) -> ChatReply:
    return ChatReply(text, calls, reply.finish_reason, reply.usage, reply.model, reply.request)


def found_mode(client: ChatClient) -> str:
    """How an endpoint calls tools: asked once a run, with one tool that it has to call."""
    properties = {"name": {"type": "string"}}
    parameters = {"type": "object", "properties": properties, "required": ["name"]}
    function = {"name": "get_place", "description": "Look a place up.", "parameters": parameters}
    tool = {"type": "function", "function": function}
    asked = [{"role": "user", "content": "Look up the place called Pier."}]
    attempts: list[tuple[str, Callable[[], ChatReply]]] = [
        (
            NATIVE,
            lambda: client.complete(
                asked, tools=[tool], session="probe", tool_choice="required", max_tokens=60
            ),
        ),
        (SCHEMA, lambda: WrittenCalls(client)(_probe(asked), session="probe", tools=[tool])),
    ]
    for mode, ask in attempts:
        try:
            if ask().tool_calls:
                return mode
        except ContextTooLong:  # a small window: no room for tools
            continue
        except RefusedRequest as error:
            if error.status != NOT_UNDERSTOOD:  # as endpoints without tools answer
                raise
    return TEXT


def _probe(asked: list[Message]) -> list[Message]:
    return [{"role": "system", "content": "You answer with JSON."}, *asked]
