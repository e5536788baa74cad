"""Agents written in Python: `python:package.module:name` or `python:file.py:name`.

The name stands for a participant (`begin`, `reply`), for a function of messages and session id, or
for a class or factory of one of these. Classes and factories are called with those of the offered
keyword arguments that they name: world, language, database, seed ...
"""

import asyncio
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from crosstalk.agents.chat_agent import ChatAgent
from crosstalk.agents.chat_client import ChatReply, Json, Message, ToolCall, Usage, text_of
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.errors import AgentFault, InputError
from crosstalk.external_objects import load_object
from crosstalk.system.external_parts import made
from crosstalk.worlds.tools import WorldTools

HOW: Final = (
    "Name a function (messages, session) that returns text, an object with begin() and "
    "reply(heard, state), or a class or factory of one; docs/agents.md shows them."
)

SAID: Final = ("content", "text", "tool_calls")
"""Fields of a chat message, one of which at least is there."""


def python_agent(
    name: str, offered: Mapping[str, Any], tools: WorldTools, prompt: str = ""
) -> Participant[Any]:
    """The agent that `module:name` or `file.py:name` stands for; raises in words."""
    found = load_object(name)
    for _ in range(2):  # a factory may give a class or a function
        if agent := _agent(found, offered, tools, prompt):
            return agent
        if not callable(found):
            break
        found = _built(found, offered, name)
    if agent := _agent(found, offered, tools, prompt):
        return agent
    raise InputError(f"{name}: {type(found).__name__} is no agent", remedy=HOW)


def _built(maker: Any, offered: Mapping[str, Any], name: str) -> Any:
    """What a class or factory gives; one that asks for the unknown may be meant as a function."""
    try:
        return made(maker, offered, name)
    except InputError as error:
        raise InputError(error.message, remedy=f"{error.remedy} {HOW}".strip()) from error


def _agent(
    found: Any, offered: Mapping[str, Any], tools: WorldTools, prompt: str
) -> Participant[Any] | None:
    if inspect.isclass(found):
        return None
    if callable(getattr(found, "begin", None)) and callable(getattr(found, "reply", None)):
        return LenientParticipant(found)
    if callable(found) and _takes_messages(found, offered):
        return ChatAgent(FunctionOfMessages(found), tools, prompt)
    return None


def _takes_messages(found: Any, offered: Mapping[str, Any]) -> bool:
    """Whether a callable wants a conversation; a factory names what it is offered instead."""
    parameters = list(inspect.signature(found).parameters.values())
    if any(each.name == "messages" for each in parameters):
        return True
    needed = [each for each in parameters if each.default is each.empty]
    positional = [
        each for each in needed if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    if len(needed) != 2 or len(positional) != 2:
        return False
    return positional[0].name not in offered and positional[1].name not in offered


@dataclass(frozen=True, slots=True)
class FunctionOfMessages:
    """A function that gets the conversation in chat format, and perhaps the session's id."""

    function: Any

    def __call__(
        self, messages: Sequence[Message], *, session: str, tools: Sequence[Json]
    ) -> ChatReply:
        known = inspect.signature(self.function).parameters
        takes_more = any(each.kind is each.VAR_POSITIONAL for each in known.values())
        positional = [each for each in known.values() if each.kind is each.POSITIONAL_OR_KEYWORD]
        given: list[Any] = [list(messages)]
        if len(positional) > 1 or takes_more:
            given.append(session)
        keywords = {"tools": list(tools)} if "tools" in known and len(positional) != 2 else {}
        answer = self.function(*given, **keywords)
        return as_reply(asyncio.run(answer) if inspect.iscoroutine(answer) else answer)


def as_reply(answer: Any) -> ChatReply:
    """What an agent of somebody's answered: text, a chat message, or an object with `text`."""
    if isinstance(answer, str):
        return ChatReply(answer)
    if isinstance(answer, Mapping):
        if not any(key in answer for key in SAID):
            named = ", ".join(map(str, answer)) or "no field"
            raise AgentFault(f"answered a message with {named}; expected one of {SAID}")
        text = text_of(answer) or str(answer.get("text") or "")
        calls = answer.get("tool_calls") or ()
        return ChatReply(text, tuple(map(_call, calls)), usage=_usage(answer.get("usage")))
    said = getattr(answer, "text", None) or getattr(answer, "content", None)
    calls = getattr(answer, "tool_calls", None) or ()
    if not isinstance(said, str) and not calls:
        raise AgentFault(f"answered {type(answer).__name__}; expected text or a message")
    used = _usage(getattr(answer, "usage", None))
    return ChatReply(said if isinstance(said, str) else "", tuple(map(_call, calls)), usage=used)


def _call(call: Any) -> ToolCall:
    if isinstance(call, ToolCall):
        return call
    fields = call if isinstance(call, Mapping) else vars(call)
    function = fields.get("function") or fields
    function = function if isinstance(function, Mapping) else vars(function)
    arguments = function.get("arguments") or "{}"
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(str(fields.get("id") or "call_0"), str(function.get("name") or ""), text)


def _usage(used: Any) -> Usage:
    if not isinstance(used, Mapping):
        used = {key: getattr(used, key, None) for key in ("prompt_tokens", "completion_tokens")}
    return Usage(used.get("prompt_tokens"), used.get("completion_tokens"))


@dataclass(frozen=True, slots=True)
class LenientParticipant:
    """A participant that may answer with text instead of a `Reply`."""

    within: Any

    def begin(self) -> Any:
        return self.within.begin()

    def reply(self, heard: Turn | None, state: Any) -> tuple[Reply, Any]:
        answer = self.within.reply(heard, state)
        reply, after = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, state)
        return self._reply(reply), after

    def _reply(self, reply: Any) -> Reply:
        if isinstance(reply, Turn):
            return Reply(reply)
        if isinstance(reply, Reply):
            return reply
        said = as_reply(reply)
        return Reply(Turn(Speaker.SYSTEM, said.text, extras=_extras(said)))


def _extras(said: ChatReply) -> dict[str, Any]:
    return {"agent": {"usage": said.usage.record()}} if said.usage != Usage() else {}
