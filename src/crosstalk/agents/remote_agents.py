"""Agents outside this process: a program on stdin and stdout, an HTTP service, an A2A service.

A program reads one JSON object a line, `{"type": "start", "session": ...}` once and
`{"type": "user", "text": ...}` for every turn, and answers with any number of
`{"type": "tool", "name": ..., "arguments": {...}}`, each answered by a line
`{"type": "result", "content": {...}}`, and then with `{"type": "say", "text": ...}`.

Services call tools over MCP, where they are offered some (`tool_sessions.py`): the address of the
conversation's session comes with each of its messages.
"""

import contextlib
import json
import os
import queue
import shlex
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, Final

from crosstalk.agents.chat_agent import MOST_CALLS
from crosstalk.agents.http_body import BODY, TOOLS, filled
from crosstalk.agents.python_agent import as_reply
from crosstalk.agents.reply_cache import plain_url
from crosstalk.agents.retries import PassingFault, asked_wait, broken, may_pass, tried
from crosstalk.agents.tool_sessions import CallsMade, ToolServer, ToolSession
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import AgentFault, InfrastructureError, UnusableAgent
from crosstalk.worlds.action_events import ActionEvent, TableState, applied
from crosstalk.worlds.policy_rules import actions_of, with_actions
from crosstalk.worlds.tools import WorldTools

MOST_LINE: Final = 1 << 20
"""Bytes of one line of a program."""
MOST_SHOWN: Final = 200
"""Characters of what a program wrote that are shown where it is at fault."""
PASSED_ON: Final = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONPATH")
"""Variables of our environment that a program gets; its own secrets it reads from files."""


@dataclass(frozen=True, slots=True)
class RemoteSession:
    """A conversation with an agent elsewhere."""

    messages: tuple[dict[str, Any], ...] = ()
    memory: Mapping[str, Any] = field(default_factory=dict)
    """What the service wants to see again: context and task ids."""
    program: "Program | None" = None
    tables: TableState | None = None
    """Programs: the tables that their actions change."""
    tools: ToolSession | None = None
    """Services: the tools that they may call over MCP; None: they were offered none."""


# Programs


class Program:
    """A running program and the lines it writes."""

    def __init__(self, command: str, environment: Mapping[str, str]) -> None:
        try:
            self._process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
            )
        except (OSError, ValueError) as error:
            raise UnusableAgent(
                f"the program of the agent does not start: {error}",
                remedy='Give cmd:"program arguments"; it must be on the PATH or named by its path.',
            ) from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._complaint = b""
        listeners = (self._listen, self._listen_to_complaints)
        self._listeners = [threading.Thread(target=each, daemon=True) for each in listeners]
        for listener in self._listeners:
            listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MOST_LINE):
            self._lines.put(line)
        self._lines.put(None)

    def _listen_to_complaints(self) -> None:
        """Keep the last line of stderr, which says why a program ended."""
        assert self._process.stderr is not None
        while line := self._process.stderr.readline(MOST_LINE):
            self._complaint = line.strip() or self._complaint

    def send(self, value: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(value, ensure_ascii=False).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise AgentFault(f"the program ended ({self._ended()})") from error

    def receive(self, timeout: float) -> dict[str, Any]:
        """The next object; lines of other types than call or words are passed over."""
        while True:
            try:
                line = self._lines.get(timeout=timeout or None)
            except queue.Empty:
                raise AgentFault(f"the program said nothing for {timeout:g} s") from None
            if line is None:
                raise AgentFault(f"the program ended ({self._ended()})")
            if not line.strip():
                continue
            value = _object(line)
            if "type" not in value and isinstance(value.get("text"), str):
                return {**value, "type": "say"}
            if value.get("type") in ("tool", "say"):
                return value

    def _ended(self) -> str:
        """How it ended, with the last words it wrote to stderr."""
        how = "its input is closed"
        with contextlib.suppress(subprocess.TimeoutExpired):
            how = f"exit code {self._process.wait(timeout=1)}"
            self._listeners[-1].join(timeout=1)
        complaint = self._complaint.decode(errors="replace")[:MOST_SHOWN]
        return f"{how}: {complaint}" if complaint else how

    def stop(self) -> None:
        """End the process: it sees the end of its input, and is killed if it goes on."""
        assert self._process.stdin and self._process.stdout and self._process.stderr
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)
        self._process.kill()
        self._process.wait()
        for listener, stream in zip(
            self._listeners, (self._process.stdout, self._process.stderr), strict=True
        ):
            listener.join(timeout=1)
            stream.close()


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        if len(line) == MOST_LINE and not line.endswith(b"\n"):
            raise AgentFault(f"the program wrote a line of more than {MOST_LINE:,} bytes")
        words = line.decode(errors="replace").strip()[:MOST_SHOWN]
        raise AgentFault(f"the program wrote {words!r}, which is no JSON object")
    return value


@dataclass(frozen=True, slots=True)
class ProgramAgent:
    """An agent that is a program; one process a conversation."""

    command: str
    tools: WorldTools
    timeout: float = 30.0
    session: str = ""

    def begin(self) -> RemoteSession:
        kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        program = Program(self.command, kept)
        world = self.tools.world
        start = {
            "type": "start",
            "session": self.session,
            "world": world.name,
            "language": world.language.code,
            "tools": self.tools.definitions(),
            **({"policy": world.policy} if self.tools.acts and world.policy else {}),
        }
        try:
            program.send(start)
        except AgentFault:
            program.stop()
            raise
        return RemoteSession(program=program, tables=self.tools.executor.begin(self.session))

    def reply(self, heard: Turn | None, state: RemoteSession) -> tuple[Reply, RemoteSession]:
        assert heard is not None and state.program is not None and state.tables is not None
        try:
            turn = self._turn(heard, state.program, state.tables)
            tables = reduce(applied, actions_of(turn), state.tables)
            return Reply(turn), replace(state, tables=tables)
        except AgentFault:
            state.program.stop()
            raise

    def _turn(self, heard: Turn, program: Program, tables: TableState) -> Turn:
        program.send({"type": "user", "text": heard.text, "session": self.session})
        calls: list[dict[str, Any]] = []
        events: list[ActionEvent] = []
        while (said := program.receive(self.timeout))["type"] == "tool":
            if len(calls) >= MOST_CALLS:
                raise AgentFault(f"the program made more than {MOST_CALLS} tool calls in one turn")
            name, given = str(said.get("name") or ""), said.get("arguments")
            text = given if isinstance(given, str) else json.dumps(given or {}, ensure_ascii=False)
            outcome = self.tools.call_text(name, text, tables)
            tables = outcome.state
            events += [outcome.event] if outcome.event else []
            calls.append({"name": name, "arguments": text, "result": outcome.text})
            answer = {"type": "result", "name": name, "content": outcome.result}
            program.send({**answer, **({"id": said["id"]} if "id" in said else {})})
        return with_actions(_turn(said, calls), events)

    def end(self, state: RemoteSession) -> None:
        """Stop the process of a conversation that is over."""
        if state.program:
            state.program.stop()


def _turn(answer: Any, calls: list[dict[str, Any]]) -> Turn:
    reply = as_reply(answer)
    agent: dict[str, Any] = {"tool_calls": calls} if calls else {}
    if reply.usage.prompt is not None or reply.usage.completion is not None:
        agent["usage"] = reply.usage.record()
    return Turn(Speaker.SYSTEM, reply.text, extras={"agent": agent} if agent else {})


# Tools of services


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """Tools that a service is offered over MCP, a session a conversation."""

    tools: WorldTools
    server: ToolServer

    def within(self, scenario: Scenario) -> "OfferedTools":
        """The same in the conversation of a goal."""
        return replace(self, tools=self.tools.within(scenario))

    def open(self, session: str) -> ToolSession:
        return self.server.open(self.tools, session)

    def close(self, opened: ToolSession | None) -> None:
        if opened:
            self.server.close(opened)


def _said(text: str, session: ToolSession | None) -> Turn:
    """The turn of a service, with the calls that it made for it."""
    turn = Turn(Speaker.SYSTEM, text)
    made = session.take() if session else CallsMade()
    agent: dict[str, Any] = {"tool_calls": list(made.calls)} if made.calls else {}
    if made.refused:
        agent["problems"] = [f"more than {MOST_CALLS} tool calls in one turn"]
    return with_actions(replace(turn, extras={"agent": agent} if agent else {}), made.events)


# HTTP services


@dataclass(frozen=True, slots=True)
class HttpAgent:
    """A service that takes JSON, by default `{"message", "messages", "session", "language"}`.

    The reply is found at a JSON pointer, or under one of the usual names.
    """

    url: str
    language: str
    timeout: float = 30.0
    answer: str = ""
    """JSON pointer of the reply, such as `/output/text`; empty: the usual names are tried."""
    template: Any = field(default_factory=lambda: BODY)
    """The request, with places to fill (`http_body.py`)."""
    session: str = ""
    tools: OfferedTools | None = None

    def begin(self) -> RemoteSession:
        return RemoteSession(tools=self.tools.open(self.session) if self.tools else None)

    def reply(self, heard: Turn | None, state: RemoteSession) -> tuple[Reply, RemoteSession]:
        assert heard is not None
        messages = (*state.messages, {"role": "user", "content": heard.text})
        values = {
            "session": self.session,
            "message": heard.text,
            "messages": list(messages),
            "language": self.language,
            TOOLS: state.tools.url if state.tools else "",
        }
        value = _post(self.url, filled(self.template, values), self.timeout)
        text = _found(value, self.answer)
        messages = (*messages, {"role": "assistant", "content": text})
        return Reply(_said(text, state.tools)), replace(state, messages=messages)

    def end(self, state: RemoteSession) -> None:
        """End the session of the tools."""
        if self.tools:
            self.tools.close(state.tools)


USUAL: Final = ("text", "reply", "message", "content", "answer", "response", "output")


def _found(value: Any, pointer: str) -> str:
    if isinstance(value, str) and not pointer:
        return value
    keys = pointer.strip("/").split("/") if pointer else []
    for key in keys:
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    if not keys and isinstance(value, dict):
        value = next((value[key] for key in USUAL if key in value), None)
        value = value.get("content") if isinstance(value, dict) else value
    if not isinstance(value, str):
        where = f"at {pointer}" if pointer else f"under any of {', '.join(USUAL)}"
        raise AgentFault(f"the service's answer has no text {where}")
    return value


def _post(url: str, body: Any, timeout: float, **headers: str) -> Any:
    """The answer of a service, tried again while its faults may pass."""
    try:
        return tried(lambda: _posted(url, body, timeout, headers))[0]
    except PassingFault as fault:
        raise InfrastructureError(f"{plain_url(url)}: no answer: {fault}") from fault


def _posted(url: str, body: Any, timeout: float, headers: Mapping[str, str]) -> Any:
    import httpx2

    try:
        answer = httpx2.post(url, json=body, timeout=timeout or None, headers=dict(headers))
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
        raise UnusableAgent(f"{url!r} is no address of a service: {error}") from error
    except httpx2.ReadTimeout as error:
        raise AgentFault(f"the service said nothing for {timeout:g} s") from error
    except httpx2.HTTPError as error:
        raise broken(error) from error
    if may_pass(answer.status_code):
        raise PassingFault(f"status {answer.status_code}", asked_wait(answer.headers))
    if answer.status_code != 200:
        raise UnusableAgent(
            f"{plain_url(url)} refuses the request (status {answer.status_code})",
            remedy="Check the address and the form of the request: --http-body FILE gives another.",
        )
    try:
        return answer.json()
    except ValueError:
        raise AgentFault("the service's answer is no JSON") from None


# A2A services


@dataclass(frozen=True, slots=True)
class A2AAgent:
    """A service that speaks the Agent2Agent protocol 1.0 over JSON-RPC."""

    url: str
    timeout: float = 30.0
    session: str = ""
    tools: OfferedTools | None = None

    def begin(self) -> RemoteSession:
        context = uuid.uuid5(uuid.NAMESPACE_URL, self.session)
        opened = self.tools.open(self.session) if self.tools else None
        return RemoteSession(memory={"contextId": str(context)}, tools=opened)

    def reply(self, heard: Turn | None, state: RemoteSession) -> tuple[Reply, RemoteSession]:
        assert heard is not None
        number = len(state.messages)
        message = {
            "messageId": f"{state.memory['contextId']}-{number}",
            "role": "ROLE_USER",
            "parts": [{"text": heard.text}],
            **state.memory,
            **({"metadata": {TOOLS: state.tools.url}} if state.tools else {}),
        }
        result = self._called("SendMessage", {"message": message}, number)
        # A reply is a message, or the task that it became; some services send either bare.
        task = result.get("task") or (result if "status" in result else None)
        if isinstance(task, dict):
            task = self._waited_for(task, number)
        said = task or result.get("message") or result
        text = "\n".join(_texts(said))
        if not text and _state(task) in BROKEN_OFF:
            raise AgentFault(f"the task of the service ended as {_state(task)}, without a word")
        messages = (*state.messages, {"role": "user", "content": heard.text})
        memory = {"contextId": state.memory["contextId"], **_open_task(task)}
        after = RemoteSession(messages, memory, tools=state.tools)
        return Reply(_said(text, state.tools)), after

    def end(self, state: RemoteSession) -> None:
        """End the session of the tools."""
        if self.tools:
            self.tools.close(state.tools)

    def _waited_for(self, task: Mapping[str, Any], number: int) -> Mapping[str, Any]:
        """A task that is being worked on is asked for again, until the turn is over."""
        began, wait = time.monotonic(), POLL
        while _state(task) in WORKING:
            if self.timeout and time.monotonic() - began > self.timeout:
                raise AgentFault(f"the task of the service was not done in {self.timeout:g} s")
            time.sleep(wait)
            wait = min(2 * wait, LONGEST_POLL)
            asked = self._called("GetTask", {"id": task.get("id")}, number)
            within = asked.get("task")
            task = within if isinstance(within, dict) else asked
        return task

    def _called(self, method: str, params: Mapping[str, Any], number: int) -> dict[str, Any]:
        """The result of a method; an error that the service gives is its own fault."""
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        value = _post(self.url, body, self.timeout, **{"A2A-Version": "1.0"})
        if isinstance(value, dict) and isinstance(value.get("result"), dict):
            result: dict[str, Any] = value["result"]
            return result
        error = value.get("error") if isinstance(value, dict) else None
        if isinstance(error, dict):
            words = f"{error.get('code', '')} {error.get('message', '')}".strip()
            raise AgentFault(f"the service answers {method} with the error {words[:200]}")
        raise AgentFault("the service's answer has no result")


CARD: Final = "/.well-known/agent-card.json"


def a2a_address(url: str, timeout: float) -> str:
    """Where a service takes JSON-RPC: the address its card names, else the one given."""
    import httpx2

    try:
        answer = httpx2.get(url.rstrip("/") + CARD, timeout=timeout or None)
        card = answer.json() if answer.status_code == 200 else None
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
        return url
    interfaces = card.get("supportedInterfaces") if isinstance(card, dict) else None
    for each in interfaces if isinstance(interfaces, list) else ():
        if isinstance(each, dict) and each.get("protocolBinding") == "JSONRPC" and each.get("url"):
            return str(each["url"])
    return url


POLL: Final = 0.2
"""Seconds until a task is asked for again; doubled each time."""
LONGEST_POLL: Final = 5.0
WORKING: Final = ("TASK_STATE_WORKING", "TASK_STATE_SUBMITTED")
OPEN_TASKS: Final = ("TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED")
BROKEN_OFF: Final = ("TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED")


def _state(task: Any) -> str:
    status = task.get("status") if isinstance(task, dict) else None
    return str(status.get("state") or "") if isinstance(status, dict) else ""


def _open_task(task: Any) -> dict[str, str]:
    """A task that waits for the user is named again with the next message."""
    return {"taskId": str(task.get("id") or "")} if _state(task) in OPEN_TASKS else {}


def _texts(value: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a message, or of a task's status and artifacts."""
    for part in value.get("parts") or ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
    status = value.get("status")
    if isinstance(status, dict) and isinstance(status.get("message"), dict):
        yield from _texts(status["message"])
    for artifact in value.get("artifacts") or ():
        yield from _texts(artifact)
