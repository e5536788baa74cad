"""Names of agents become participants: `openai:MODEL[@URL]`, `python:...`, `cmd:...`, `http:...`.

    agents = build_agents("openai:qwen@http://localhost:8080/v1", context, AgentOptions())
    participant = agents.of_session("session 1:0:0")

`system` is ours and is built by `system/build.py`.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.agents.chat_agent import (
    MOST_CALLS,
    MOST_WRITTEN_CALLS,
    NONE,
    SCHEMA,
    TEXT,
    TOOL_MODES,
    ChatAgent,
    Completes,
    NativeCalls,
    WrittenCalls,
    found_mode,
)
from crosstalk.agents.chat_client import Budget, ChatClient, Endpoint, Usage
from crosstalk.agents.prompts import agent_prompt
from crosstalk.agents.reply_cache import AUTO, REPLIES, ReplyCache, plain_url
from crosstalk.agents.tool_sessions import ANY_PORT
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.errors import InputError
from crosstalk.external_objects import absolute, source_digest
from crosstalk.files import read_text
from crosstalk.system.parts import PartContext
from crosstalk.worlds.tools import WorldTools

SYSTEM: Final = "system"
TIMES: Final = "times.txt"
"""Seconds of each turn of an agent whose replies are not kept, a line each."""
KINDS: Final = ("openai", "python", "cmd", "http", "a2a")
MCP: Final = "mcp"
SERVICE_TOOLS: Final = ("auto", MCP, NONE)
"""Values of `tools` for agents that are services."""
HOW: Final = (
    "Give system, openai:MODEL[@URL], python:module:name, python:file.py:name, "
    'cmd:"program arguments", http:URL or a2a:URL.'
)


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How agents of others are asked; plain data, so that workers can build the same."""

    prompt: Path | None = None
    """A file with the prompt, instead of the one made from the world."""
    tools: str = "auto"
    """How a model calls tools: auto (asked once), native, json, text, or none.

    For services (http, a2a): `mcp` offers them our tools over MCP; `auto` does so with `actions`.
    """
    mcp_listen: str = ANY_PORT
    """HOST:PORT at which services find our tools."""
    mcp_url: str = ""
    """The same as they see it, through a tunnel or from a container."""
    timeout: float = 60.0
    """Seconds for one answer."""
    temperature: float | None = 0.0
    max_tokens: int = 700
    stream: bool = False
    answer: str = ""
    """JSON pointer of the reply of an HTTP service."""
    http_body: Path | None = None
    """A JSON file: the request to an HTTP service, with `{message}` and other places to fill."""
    cache: Path | None = None
    """File of replies that several runs share."""
    cache_mode: str = AUTO
    max_cost: float | None = None
    """Dollars."""
    budget_tokens: int | None = None
    price_in: float | None = None
    """Dollars for a million tokens of requests; None: looked up where `genai-prices` is there."""
    price_out: float | None = None
    actions: bool = False
    """Whether the world's actions are offered as tools, and its policy is told."""

    @property
    def shared_cache(self) -> Path | None:
        """The file of `cache`, which may name a run."""
        if self.cache is not None and self.cache.is_dir():
            return self.cache / REPLIES
        return self.cache

    def price(self, model: str) -> Callable[[Usage], float | None]:
        """Dollars for some usage of a model; None where nobody knows the price."""
        from crosstalk.agents.prices import price_of

        return price_of(model, self.price_in, self.price_out)


@dataclass(frozen=True, slots=True)
class AgentName:
    """An agent as it was asked for."""

    kind: str
    rest: str

    @property
    def model(self) -> str:
        return self.rest.partition("@")[0] if self.kind == "openai" else ""

    @property
    def text(self) -> str:
        """The name as it is given on command lines."""
        return f"{self.kind}:{self.rest}"

    @property
    def url(self) -> str:
        return self.rest.partition("@")[2] if self.kind == "openai" else ""


def parse_agent(text: str) -> AgentName:
    """The kind of an agent and what stands behind it; raises in words."""
    kind, colon, rest = text.partition(":")
    if text == SYSTEM:
        return AgentName(SYSTEM, "")
    if kind in ("http", "https") and rest.startswith("//"):
        return AgentName("http", text)
    if not colon or kind not in KINDS or not rest.strip():
        raise InputError(f"{text!r} names no agent", remedy=HOW)
    return AgentName(kind, rest.strip())


def elsewhere(agent: str) -> str:
    """The same name for a process that runs in another folder."""
    kind, colon, rest = agent.partition(":")
    return f"{kind}:{absolute(rest)}" if colon and kind == "python" else agent


@dataclass(frozen=True, slots=True)
class Agents:
    """An agent, built once for any number of sessions."""

    card: Mapping[str, str]
    """What stands on the run's card: name without secrets, way of calling tools."""
    agent: Participant[Any]
    digests: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the prompt, the tools and the file that decide about its replies."""
    times: Path | None = None
    """File that keeps how long each turn took; None: nobody asks."""
    prompt: str = ""
    """The prompt of somebody's own, kept in the run; empty: the one made from the world."""

    def of_session(self, session: str, scenario: Scenario | None = None) -> Participant[Any]:
        """The participant of one session; agents that tell sessions apart get its id.

        `scenario`: rows that the tables have in this session.
        """
        agent = self.agent
        if scenario and getattr(agent, "tools", None):
            tools = agent.tools.within(scenario)  # type: ignore[attr-defined]  # as above
            agent = replace(agent, tools=tools)  # type: ignore[type-var]  # as below
        if hasattr(agent, "session"):
            agent = replace(agent, session=session)  # type: ignore[type-var]  # a dataclass of ours
        return TimedAgent(agent, self.times) if self.times else agent


@dataclass(frozen=True, slots=True)
class TimedAgent:
    """An agent whose turns are timed; the times stand beside the dialogues, never in them."""

    within: Participant[Any]
    times: Path

    def begin(self) -> Any:
        return self.within.begin()

    def reply(self, heard: Turn | None, state: Any) -> tuple[Reply, Any]:
        began = time.monotonic()
        answer = self.within.reply(heard, state)
        with self.times.open("a") as file:  # short lines are appended whole
            file.write(f"{time.monotonic() - began:.4f}\n")
        return answer

    def end(self, state: Any) -> None:
        if end := getattr(self.within, "end", None):
            end(state)


def resumed(agent: Participant[Any], exchanges: Sequence[tuple[Turn, Turn]]) -> Any:
    """The state of an agent after some exchanges, each what it heard and what it said.

    An endpoint knows nothing but messages, so they are its state; other agents may keep something
    to themselves and hear everything again.
    """
    if isinstance(agent, ChatAgent) and isinstance(agent.complete, NativeCalls | WrittenCalls):
        return agent.after(exchanges)
    state = agent.begin()
    for heard, _ in exchanges:
        _, state = agent.reply(heard, state)
    return state


def build_agents(
    agent: str,
    context: PartContext,
    options: AgentOptions,
    replies: Path | None = None,
    *,
    offered: bool = True,
) -> Agents:
    """The agent that a name stands for; `replies` is the file of the run's own replies.

    `offered`: whether it may look things up; False for agents that play users.
    """
    name = parse_agent(agent)
    tools = WorldTools(context.database, offered=offered, actions=options.actions)
    if not offered:
        options = replace(options, tools=NONE)
    if name.kind == "openai":
        return _chat_agents(name, tools, context, options, replies)
    if name.kind in ("http", "a2a"):
        return _services(name, tools, context, options, replies)
    built = _other_agent(name, tools, context, options)
    times = replies.with_name(TIMES) if replies else None
    source = source_digest(name.rest) if name.kind == "python" else ""
    digests = {"agent": source} if source else {}
    return Agents({"agent": f"{name.kind}:{name.rest}"}, built, digests, times, own_prompt(options))


def _other_agent(
    name: AgentName, tools: WorldTools, context: PartContext, options: AgentOptions
) -> Participant[Any]:
    if name.kind == "python":
        from crosstalk.agents.python_agent import python_agent

        prompt = own_prompt(options)
        if options.actions and not options.prompt:
            prompt = _world_prompt(context, options)
        return python_agent(name.rest, context.offered(), tools, prompt)
    from crosstalk.agents.remote_agents import ProgramAgent

    return ProgramAgent(name.rest, tools, options.timeout)


def _services(
    name: AgentName,
    tools: WorldTools,
    context: PartContext,
    options: AgentOptions,
    replies: Path | None,
) -> Agents:
    """Agents of `http:` and `a2a:`; what they may look up or do, they call over MCP."""
    from crosstalk.agents.http_body import BODY, BODY_WITH_TOOLS, body_template, takes_tools
    from crosstalk.agents.remote_agents import A2AAgent, HttpAgent, OfferedTools, a2a_address
    from crosstalk.agents.tool_sessions import ToolServer

    is_http = name.kind == "http"
    own = body_template(options.http_body) if options.http_body and is_http else None
    plays_user = not tools.tools
    if not plays_user:
        _refuse_tools(options)
    if not plays_user and sees_our_tools(name.text, options):
        if own is not None and not takes_tools(own):
            raise InputError(
                f"{options.http_body}: the request would not hold the address of the tools",
                remedy='Write "{mcp}" where the agent looks for it.',
            )
        offered = OfferedTools(tools, ToolServer(options.mcp_listen, options.mcp_url))
    else:
        offered = None
    agent: Participant[Any]
    if is_http:
        template = own if own is not None else BODY_WITH_TOOLS if offered else BODY
        language = context.world.language.code
        agent = HttpAgent(
            name.rest, language, options.timeout, options.answer, template, tools=offered
        )
    else:
        agent = A2AAgent(a2a_address(name.rest, options.timeout), options.timeout, tools=offered)
    card = {"agent": f"{name.kind}:{plain_url(name.rest)}"}
    digests = (
        {"body": _digest(read_text(options.http_body))}
        if own is not None and options.http_body
        else {}
    )
    if offered:
        card["tools"] = MCP
        digests["tools"] = _digest(json.dumps(tools.definitions(), ensure_ascii=False))
    return Agents(card, agent, digests, replies.with_name(TIMES) if replies else None)


def _refuse_tools(options: AgentOptions) -> None:
    """Raise where `tools` is not for services, or keeps them from what they are to do."""
    if options.tools not in SERVICE_TOOLS:
        raise InputError(
            f"--tools {options.tools} is for language models; this agent is a service",
            remedy=f"For services: {', '.join(SERVICE_TOOLS)}.",
        )
    if options.tools == NONE and options.actions:
        raise InputError(
            "an agent without tools cannot do anything, and --actions asks for that",
            remedy="Leave --tools out, or --actions.",
        )


def sees_our_tools(agent: str, options: AgentOptions) -> bool:
    """Whether an agent is offered tools of ours, so that what they show can reach it."""
    from crosstalk.agents.http_body import body_template, takes_tools

    kind = parse_agent(agent).kind
    if kind not in ("http", "a2a"):
        return kind != SYSTEM and options.tools != NONE
    body = options.http_body if kind == "http" else None
    is_asked = body is not None and takes_tools(body_template(body))
    return options.tools != NONE and (options.actions or options.tools == MCP or is_asked)


def chat_client(name: AgentName, options: AgentOptions, replies: Path | None) -> ChatClient:
    """The client of an `openai:` name; the user's voice and readers use it too."""
    sampling: dict[str, Any] = {"max_tokens": options.max_tokens}
    if options.temperature is not None:
        sampling["temperature"] = options.temperature
    endpoint = Endpoint(
        name.model, name.url, options.timeout or 600.0, sampling=sampling, stream=options.stream
    )
    cache = ReplyCache(replies, mode=options.cache_mode, shared=options.shared_cache)
    price = options.price(name.model)
    if options.max_cost is not None and price(Usage(1, 1)) is None:
        raise InputError(
            f"nobody knows the price of {name.model}, so that --max-cost cannot be kept",
            remedy="Give --price-in and --price-out, or --budget-tokens instead.",
        )
    budget = Budget(tokens=options.budget_tokens, cost=options.max_cost, price=price)
    return ChatClient(endpoint, cache, budget)


def own_prompt(options: AgentOptions) -> str:
    """The text of `prompt`; empty where none is given."""
    return read_text(options.prompt) if options.prompt else ""


def _world_prompt(context: PartContext, options: AgentOptions) -> str:
    return agent_prompt(context.world, actions=options.actions)


def _chat_agents(
    name: AgentName,
    tools: WorldTools,
    context: PartContext,
    options: AgentOptions,
    replies: Path | None,
) -> Agents:
    if options.tools not in TOOL_MODES:
        raise InputError(
            f"there is no way of calling tools called {options.tools!r}",
            remedy=f"For language models: {', '.join(TOOL_MODES)}.",
        )
    client = chat_client(name, options, replies)
    mode = found_mode(client) if options.tools == "auto" else options.tools
    complete: Completes = NativeCalls(client)
    if mode in (SCHEMA, TEXT):
        complete = WrittenCalls(client, mode == SCHEMA, tools.definitions())
    prompt = own_prompt(options) if options.prompt else _world_prompt(context, options)
    offered = None if mode == NONE else tools
    digests = {"prompt": _digest(prompt)}
    if offered:
        digests["tools"] = _digest(json.dumps(offered.definitions(), ensure_ascii=False))
    card = {"agent": client.endpoint.name, "tools": mode}
    most = MOST_WRITTEN_CALLS if mode in (SCHEMA, TEXT) else MOST_CALLS
    agent = ChatAgent(complete, offered, prompt, most_calls=most)
    return Agents(card, agent, digests, prompt=own_prompt(options))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
