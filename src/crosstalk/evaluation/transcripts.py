"""Transcripts: OpenAI messages with a goal, tau2 results, our own dialogues and run folders.

    for entry in read_transcripts(path): ...    a Transcript, or a BrokenTranscript with the reason

Neighbouring messages of one role are joined; tool traffic belongs to the reply that follows it.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora.chat_reader import exported_goal
from crosstalk.corpora.native import checked
from crosstalk.corpora.record_encoding import decode_dialogue
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.files import read_bytes
from crosstalk.goals.goal_files import goal_record
from crosstalk.reading.conversation import SaidExchange
from crosstalk.simulation.run_folders import CARD, open_run

INFRASTRUCTURE: Final = frozenset({"infrastructure_error", "unexpected_error"})
"""tau2's reasons for an ending that nobody in the conversation is at fault for."""
OF_USER: Final = "user"
OF_AGENT: Final = ("assistant", "agent")
ROLES: Final = ("system", "developer", OF_USER, *OF_AGENT, "tool", "function")
"""Whose messages there are; another role is a slip of which nobody knows whose words it hides."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered before a reply."""

    exchange: int
    name: str
    arguments: str
    content: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """One conversation as it came."""

    id: str
    world: str
    language: str
    goal: Goal | None
    said: tuple[SaidExchange, ...]
    tools: tuple[ToolResult, ...] = ()
    is_broken_off: bool = False
    """The machinery failed, not a participant."""
    needs_goal: bool = True
    """False where the format has no goals: claims are checked, success is not."""
    dialogue: Dialogue | None = None
    """The dialogue itself, where it comes from one of our run folders."""
    offered: frozenset[str] = frozenset()
    """Names of the tools that there were (`tools`); one that was not called did nothing."""

    @property
    def holds_calls(self) -> bool:
        """Whether it shows what was called; a transcript of words alone does not."""
        return self.dialogue is not None or bool(self.offered) or bool(self.tools)


@dataclass(frozen=True, slots=True)
class BrokenTranscript:
    """A line or file that nobody can judge, and why."""

    id: str
    reason: str


Entry = Transcript | BrokenTranscript


@dataclass(frozen=True, slots=True)
class Defaults:
    """World and language of transcripts that name none."""

    world: str = ""
    language: str = ""


def read_transcripts(path: Path, defaults: Defaults | None = None) -> Iterator[Entry]:
    """The transcripts of a file or folder, each by itself; raises where it is neither."""
    given = defaults or Defaults()
    if path.is_dir() and (path / CARD).exists():
        yield from _of_run(path)
    elif path.is_dir():
        yield from _of_tau2_folder(path, given)
    elif path.is_file():
        yield from _of_file(path, given)
    else:
        raise InputError(
            f"{path} is no file and no folder",
            remedy="Give a JSON Lines file with messages, a tau2 results.json or a run folder.",
        )


def _of_run(folder: Path) -> Iterator[Entry]:
    yield from map(_of_dialogue, open_run(folder).dialogues())


def _of_dialogue(dialogue: Dialogue, defaults: Defaults | None = None) -> Entry:
    given = defaults or Defaults()
    if any(turn.speaker is Speaker.SYSTEM for turn in dialogue.turns[::2]):
        return BrokenTranscript(dialogue.id, "user and system do not take turns in it")
    return Transcript(
        dialogue.id,
        dialogue.world or given.world,
        dialogue.language or given.language,
        dialogue.goal,
        tuple(_said_in(dialogue)),
        dialogue=dialogue,
    )


def _said_in(dialogue: Dialogue) -> Iterator[SaidExchange]:
    turns = dialogue.turns
    for number in range(0, len(turns), 2):
        reply = turns[number + 1] if number + 1 < len(turns) else None
        yield SaidExchange(turns[number].text, reply.text if reply else "", acts=turns[number].acts)


def _of_file(path: Path, defaults: Defaults) -> Iterator[Entry]:
    text = _text(path)
    whole = _parsed(text)
    if isinstance(whole, dict) and "simulations" in whole:
        yield from _of_tau2(whole, path.name, defaults)
    elif isinstance(whole, dict) and "simulation_index" in whole:
        yield from _of_tau2_folder(path.parent, defaults)  # they stand in files beside it
    elif isinstance(whole, list):
        for number, record in enumerate(whole, start=1):
            yield _record(record, f"{path.name}:{number}", path, number, defaults)
    elif isinstance(whole, dict):
        yield _record(whole, f"{path.name}:1", path, 1, defaults)
    else:
        yield from _of_lines(text, path, defaults)


def _text(path: Path) -> str:
    raw = read_bytes(path)
    if b"\x00" in raw[:4096]:
        raise FileProblem(
            f"{path}: it is binary", remedy="Give a text file: JSON or JSON Lines in UTF-8."
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(
            f"{path}: byte {error.start:,} is not UTF-8", remedy="Save the file as UTF-8."
        ) from error


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_lines(text: str, path: Path, defaults: Defaults) -> Iterator[Entry]:
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise FileProblem(f"{path}: it is empty", remedy="Check where it came from.")
    for number, line in lines:
        name = f"{path.name}:{number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield BrokenTranscript(name, f"line {number} is not JSON: {error}")
            continue
        yield _record(record, name, path, number, defaults)


def _record(record: Any, name: str, path: Path, line: int, defaults: Defaults) -> Entry:
    if not isinstance(record, dict):
        return BrokenTranscript(name, "a transcript is an object with `messages`")
    key = str(record.get("id", name))
    if "turns" in record:
        try:
            return _of_dialogue(decode_dialogue(checked(record, path, line)), defaults)
        except CrosstalkError as error:
            return BrokenTranscript(key, f"its turns cannot be read: {error}")
    messages = record.get("messages")
    if not isinstance(messages, list):
        return BrokenTranscript(key, "it has no list `messages`")
    if isinstance(about := record.get("metadata"), dict) and "goal" in about:
        return _of_chat_export(record, path, line, defaults)
    try:
        goal = goal_record(record["goal"], str(path), line) if record.get("goal") else None
    except CrosstalkError as error:
        return BrokenTranscript(key, f"its goal cannot be read: {error}")
    world = record.get("world") or (goal.world if goal else "") or defaults.world
    language = record.get("language") or (goal.language if goal else "") or defaults.language
    try:
        said, tools = _exchanges(messages)
    except (TypeError, AttributeError, KeyError) as error:
        return BrokenTranscript(key, f"its messages cannot be read: {error}")
    return Transcript(
        key,
        str(world),
        str(language),
        goal.goal if goal else None,
        said,
        tools,
        offered=frozenset(_offered(record.get("tools"))),
    )


def _of_chat_export(record: dict[str, Any], path: Path, line: int, defaults: Defaults) -> Entry:
    """A line of our export of chats, which keeps the goal in `metadata`."""
    about = record["metadata"]
    key = str(about.get("id", f"{path.name}:{line}"))
    try:
        goal = exported_goal(about, key, path)
        said, tools = _exchanges(record["messages"])
    except CrosstalkError as error:
        return BrokenTranscript(key, f"its goal cannot be read: {error}")
    except (TypeError, AttributeError, KeyError) as error:
        return BrokenTranscript(key, f"its messages cannot be read: {error}")
    world, language = about.get("world", ""), about.get("language", "")
    return Transcript(
        key,
        str(world or defaults.world),
        str(language or defaults.language),
        goal,
        said,
        tools,
        offered=frozenset(_offered(record.get("tools"))),
    )


def _offered(tools: Any) -> Iterator[str]:
    """The names of the tools that a record defines."""
    for tool in tools if isinstance(tools, list) else ():
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            yield function["name"]


# Messages


@dataclass(slots=True)
class _Building:
    """Exchanges while messages are read."""

    said: list[SaidExchange] = field(default_factory=list)
    tools: list[ToolResult] = field(default_factory=list)
    user: list[str] = field(default_factory=list)
    reply: list[str] = field(default_factory=list)
    is_cut: bool = False
    calls: dict[str, tuple[str, str]] = field(default_factory=dict)

    def close(self) -> None:
        if self.user or self.reply:
            self.said.append(SaidExchange("\n".join(self.user), "\n".join(self.reply), self.is_cut))
        self.user, self.reply, self.is_cut = [], [], False


def _exchanges(messages: list[Any]) -> tuple[tuple[SaidExchange, ...], tuple[ToolResult, ...]]:
    building = _Building()
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise TypeError("a message is an object with `role` and `content`")
        role = message.get("role")
        if role not in ROLES:
            said = "no `role`" if role is None else f"the role {json.dumps(role)}"
            raise TypeError(f"messages[{number}] has {said}; roles are {', '.join(ROLES)}")
        if role == OF_USER:
            if building.reply:
                building.close()
            building.user.append(_content(message))
        elif role in OF_AGENT:
            _agent(message, building)
        elif role == "tool" and message.get("requestor", "assistant") != OF_USER:
            name, arguments = building.calls.get(
                str(message.get("tool_call_id") or message.get("id")), ("", "")
            )
            building.tools.append(
                ToolResult(len(building.said), name, arguments, _content(message))
            )
    building.close()
    return tuple(building.said), tuple(building.tools)


def _agent(message: Mapping[str, Any], building: _Building) -> None:
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list) or not all(isinstance(each, dict) for each in calls):
        raise TypeError("`tool_calls` is a list of objects")
    for call in calls:
        function = call.get("function") or call
        arguments = function.get("arguments")
        shown = arguments if isinstance(arguments, str) else json.dumps(arguments)
        building.calls[str(call.get("id"))] = str(function.get("name", "")), shown
    text = _content(message) or str(message.get("refusal") or "")
    if text.strip():
        building.reply.append(text)
    building.is_cut = building.is_cut or message.get("finish_reason") == "length"


def _content(message: Mapping[str, Any]) -> str:
    """The text of a message; of a list of parts, their texts."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


# tau2


def _of_tau2(results: Mapping[str, Any], name: str, defaults: Defaults) -> Iterator[Entry]:
    for number, simulation in enumerate(results["simulations"]):
        yield _simulation(simulation, f"{name}:{number}", defaults)


def _of_tau2_folder(folder: Path, defaults: Defaults) -> Iterator[Entry]:
    files = sorted((folder / "simulations").glob("*.json"))
    results = folder / "results.json"
    if not files and results.exists() and "simulation_index" not in _keys(results):
        yield from _of_file(results, defaults)
        return
    if not files:
        raise InputError(
            f"{folder} is neither a run folder nor tau2 results",
            remedy="A run folder has run.json; tau2 results have simulations/*.json.",
        )
    for file in files:
        read = _parsed(_text(file))
        if isinstance(read, dict):
            yield _simulation(read, file.stem, defaults)
        else:
            yield BrokenTranscript(file.stem, f"{file.name} is not JSON")


def _keys(path: Path) -> Mapping[str, Any]:
    """The object of a file; empty where it holds something else."""
    read = _parsed(_text(path))
    return read if isinstance(read, dict) else {}


def _simulation(simulation: Any, name: str, defaults: Defaults) -> Entry:
    if not isinstance(simulation, dict) or not isinstance(simulation.get("messages"), list):
        return BrokenTranscript(name, "a simulation is an object with `messages`")
    key = str(simulation.get("id", name))
    try:
        said, tools = _exchanges(simulation["messages"])
    except (TypeError, AttributeError, KeyError) as error:
        return BrokenTranscript(key, f"its messages cannot be read: {error}")
    failed = simulation.get("termination_reason") in INFRASTRUCTURE
    return Transcript(
        key,
        defaults.world,
        defaults.language,
        None,
        said,
        tools,
        is_broken_off=failed,
        needs_goal=False,
    )
