"""Reads OpenAI messages: chat JSON Lines, a JSON list, or one conversation; also our own export.

User and assistant messages become turns, several of one speaker in a row one turn. Tool calls and
their results stay with the answer that follows, as those of an agent; instructions, tool
definitions and unknown fields stay in the extras. `metadata` of our own export is put back.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.chat import UNPARSED, write_chat
from crosstalk.corpora.dialogue_parts import Utterance, merged, text_of, tool_call, turns_of
from crosstalk.corpora.formats import Format, Record, Shape, Signature
from crosstalk.corpora.json_stream import JsonStream, json_lines
from crosstalk.corpora.native import checked
from crosstalk.corpora.record_encoding import decode_goal
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.files import Source, open_binary

EXTRAS: Final = "chat"
SPEAKERS: Final = {"user": Speaker.USER, "assistant": Speaker.SYSTEM}
INSTRUCTIONS: Final = ("system", "developer")
IDS: Final = ("id", "dialogue_id", "conversation_id")


def read_chat(source: Source) -> Iterator[Dialogue]:
    for number, line, raw in _documents(source):
        with json_types.reading(source, f"number {number}", line=line):
            document = json_types.members(raw)
            metadata = json_types.members(document.get("metadata") or {}, "metadata")
        id = next((str(d[key]) for d in (metadata, document) for key in IDS if key in d), "")
        with json_types.reading(source, id or f"number {number}", line=line):
            yield _dialogue(document, metadata, id or str(number), source)


def _documents(source: Source) -> Iterator[tuple[int, int | None, Any]]:
    """Number, line and value of each conversation."""
    with open_binary(source) as raw:
        start = raw.read(4096).decode("utf-8-sig", errors="replace").lstrip()
    if start.startswith("["):
        yield from ((number, None, each) for number, each in enumerate(JsonStream(source).items()))
    elif start.split("\n", 1)[0].strip() == "{":  # one object over several lines
        yield from ((0, None, each) for each in JsonStream(source).documents())
    else:
        yield from ((n, line, each) for n, (line, each) in enumerate(json_lines(source)))


def _dialogue(document: Record, metadata: Record, id: str, source: Source) -> Dialogue:
    messages = json_types.items(json_types.needed(document, "messages"), "messages")
    instructions: list[str] = []
    turns = turns_of(merged(list(_utterances(messages, instructions))))
    known = {*IDS, "language", "world", "goal", "stated", "ungrounded"}
    others = {key: value for key, value in document.items() if key not in ("messages", "metadata")}
    rest = {key: value for key, value in metadata.items() if key not in known}
    extras = {**others, **({"metadata": rest} if rest else {})}
    if instructions:
        extras["instructions"] = instructions
    return Dialogue(
        id=id,
        turns=turns,
        goal=exported_goal(metadata, id, source),
        language=json_types.text(metadata.get("language") or "", "metadata.language"),
        world=json_types.text(metadata.get("world") or "", "metadata.world"),
        extras={EXTRAS: extras} if extras else {},
    )


def exported_goal(metadata: Record, id: str, source: Source) -> Goal | None:
    """A goal as our export writes it, as JSON in a text; a text of other origin describes one."""
    goal = metadata.get("goal")
    if isinstance(goal, str):
        try:
            read = json.loads(goal)
        except ValueError:
            read = None
        if not isinstance(read, dict):
            return Goal((), description=(goal,)) if goal else None
        goal = read
    if not isinstance(goal, dict):
        return None
    return decode_goal(checked({"id": id, "turns": [], "goal": goal}, source, None)["goal"])


def _utterances(messages: list[Any], instructions: list[str]) -> Iterator[Utterance]:
    """The utterances; instructions are added to the list."""
    calls: dict[str, tuple[str, Any, Any]] = {}
    for number, raw in enumerate(messages):
        with json_types.within(f"messages[{number}]"):
            message = json_types.members(raw)
            role = json_types.text(json_types.needed(message, "role"), "role")
            content = _content(message.get("content"))
            if role in INSTRUCTIONS:
                instructions.append(content)
            elif role in ("tool", "function"):
                _answer(calls, message, content)
            elif role in SPEAKERS:
                calls |= dict(_calls(message, number))
                if content or role == "user" or not message.get("tool_calls"):
                    made = _made(calls, answered_only=True) if role == "assistant" else ()
                    yield Utterance(SPEAKERS[role], content, calls=made)
            else:
                raise json_types.wrong(
                    "user, assistant, tool, system or developer", role, field="role"
                )
    if calls:
        yield Utterance(Speaker.SYSTEM, "", calls=_made(calls))


def _content(raw: Any) -> str:
    """Text, null, or a list of parts, of which those with text count."""
    if isinstance(raw, list):
        parts = json_types.each(raw, json_types.members, "content")
        return "\n".join(text_of(part["text"]) for part in parts if "text" in part)
    return "" if raw is None else json_types.text(raw, "content")


def _calls(message: Record, number: int) -> Iterator[tuple[str, tuple[str, Any, Any]]]:
    made = json_types.each(message.get("tool_calls") or [], json_types.members, "tool_calls")
    for place, call in enumerate(made):
        function = json_types.members(json_types.needed(call, "function"), "tool_calls.function")
        name = json_types.text(json_types.needed(function, "name"), "tool_calls.function.name")
        arguments = function.get("arguments", {})
        if isinstance(arguments, dict) and list(arguments) == [UNPARSED]:
            arguments = arguments[UNPARSED]
        yield str(call.get("id", f"{number}.{place}")), (name, arguments, None)
    if isinstance(message.get("function_call"), dict):  # the field before tool_calls
        function = message["function_call"]
        yield text_of(function.get("name")), (
            text_of(function.get("name")), function.get("arguments", {}), None,
        )  # fmt: skip


def _answer(calls: dict[str, tuple[str, Any, Any]], message: Record, content: str) -> None:
    id = str(message.get("tool_call_id", message.get("name", "")))
    if id not in calls:
        raise json_types.wrong("the id of a call before it", id, field="tool_call_id")
    name, arguments, _ = calls[id]
    calls[id] = (name, arguments, content)


def _made(
    calls: dict[str, tuple[str, Any, Any]], *, answered_only: bool = False
) -> tuple[dict[str, str], ...]:
    """The calls so far, which are taken out; one that is not answered yet waits."""
    ready = [id for id, (_, _, result) in calls.items() if not answered_only or result is not None]
    return tuple(tool_call(*calls.pop(id)) for id in ready)


FORMAT = Format(
    name="chat",
    title="OpenAI messages, also with tools",
    signature=Signature(
        (Shape.OBJECT, Shape.LIST),
        needs=("messages", "messages.role"),
        usual=("messages.content", "messages.role=user", "metadata", "tools"),
    ),
    read=read_chat,
    write=write_chat,
    suffix=".jsonl",
    same_columns=True,
)
