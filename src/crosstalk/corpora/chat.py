"""Writes chat JSON Lines, for language models: one dialogue per line; chat_reader.py reads them.

User and system turns become `user` and `assistant` messages. What the wizard did before answering
becomes calls of the tools that agents get (`worlds/tools.py`), with the answers of the tables, so
that whatever an `assistant` message tells stands in a `tool` message before it. Calls that an agent
made itself are written as it made them. Where the tables are not at hand, the calls have the form
as it was sent, and the answers the places that were ticked and a sentence that says so.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from crosstalk.corpora.record_encoding import encode_goal
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.files import writing_packed

Json = dict[str, Any]
Message = dict[str, Any]
UNKNOWN: Final = (
    "The tables of this dialogue's world are not at hand; only the places that were ticked are "
    "known."
)


class LooksUp(Protocol):
    """The tools of a dialogue's world and what its turns looked up (`worlds/turn_lookups.py`)."""

    def definitions(self) -> list[Json]: ...

    def of_turn(
        self, turn: Turn, queries: Sequence[DomainState]
    ) -> Sequence[tuple[str, Json, Json]]:
        """Name, arguments and answer of each call before a turn of the system."""
        ...


LookUps = Callable[[Dialogue], LooksUp | None]
"""What a dialogue looked up; None where its tables are not at hand."""


def write_chat(dialogues: Iterable[Dialogue], path: Path, lookups: LookUps | None = None) -> None:
    with writing_packed(path) as file:
        for dialogue in dialogues:
            record = chat_record(dialogue, lookups(dialogue) if lookups else None)
            json.dump(record, file, ensure_ascii=False)
            file.write("\n")


def chat_record(dialogue: Dialogue, lookups: LooksUp | None = None) -> dict[str, Any]:
    """One line of the file."""
    metadata: dict[str, Any] = {"id": dialogue.id}
    if dialogue.language:
        metadata["language"] = dialogue.language
    if dialogue.world:
        metadata["world"] = dialogue.world
    if dialogue.goal is not None:
        metadata["goal"] = encode_goal(dialogue.goal)
    known = lookups or FormLookUps(dialogue)
    messages = list(_messages(dialogue, known))
    record: dict[str, Any] = {"messages": messages}
    if any(message["role"] == "tool" for message in messages):
        record["tools"] = known.definitions()
    return {**record, "metadata": metadata}


def _messages(dialogue: Dialogue, lookups: LooksUp) -> Iterator[Message]:
    before = SystemState()
    calls = 0
    for turn in dialogue.turns:
        if turn.speaker is Speaker.USER:
            yield {"role": "user", "content": turn.text}
            continue
        made = _own_calls(turn) or _written(lookups.of_turn(turn, list(_queries(turn, before))))
        if made:
            yield _call(made, calls)
            yield from _results(made, calls)
        calls += len(made)
        before = turn.last_query or before
        yield {"role": "assistant", "content": turn.text}


Call = tuple[str, str, str]
"""A tool, its arguments and its answer, both as JSON text."""


def _own_calls(turn: Turn) -> list[Call]:
    """The calls of an agent, as it made them."""
    kept = turn.extras.get("agent")
    made = kept.get("tool_calls", ()) if isinstance(kept, dict) else ()
    return [(call["name"], call["arguments"], call["result"]) for call in made]


def _written(found: Iterable[tuple[str, Json, Json]]) -> list[Call]:
    return [
        (name, json.dumps(given, ensure_ascii=False), json.dumps(result, ensure_ascii=False))
        for name, given, result in found
    ]


def _queries(turn: Turn, before: SystemState) -> Iterator[DomainState]:
    """The forms submitted in this turn: the first, and the last if it differs.

    The corpus has the form, not the click; a tab counts as submitted if its fields changed since
    the turn before, or if new results were ticked.
    """
    sent = before
    for form in (turn.first_query, turn.last_query):
        for tab in form or ():
            old = sent.get(tab.domain)
            newly_ticked = form is turn.last_query and tab.selected and tab.selected != old.selected
            if tab.constraints and (tab.constraints != old.constraints or newly_ticked):
                yield tab
        sent = form or sent


def _call(made: Sequence[Call], calls: int) -> Message:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": f"call_{calls + number}",
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for number, (name, arguments, _) in enumerate(made)
        ],
    }


def _results(made: Sequence[Call], calls: int) -> Iterator[Message]:
    for number, (name, _, result) in enumerate(made):
        yield {
            "role": "tool",
            "tool_call_id": f"call_{calls + number}",
            "name": name,
            "content": result,
        }


class FormLookUps:
    """What is known without tables: the fields of the forms, and the places that were ticked."""

    def __init__(self, dialogue: Dialogue) -> None:
        turns = list(dialogue.system_turns)
        forms = [form for turn in turns for form in (turn.first_query, turn.last_query)]
        self._fields: dict[str, dict[str, None]] = {}
        for tab in (tab for form in forms if form for tab in form):
            self._fields.setdefault(tab.domain, {}).update(dict.fromkeys(tab.fields))

    def definitions(self) -> list[Json]:
        return [self._tool(domain) for domain in self._fields]

    def of_turn(
        self, turn: Turn, queries: Sequence[DomainState]
    ) -> Sequence[tuple[str, Json, Json]]:
        return [
            (
                f"search_{tab.domain}",
                dict(tab.constraints),
                {"note": UNKNOWN, "selected": list(tab.selected)},
            )
            for tab in queries
        ]

    def _tool(self, domain: str) -> Json:
        properties = {field: {"type": "string"} for field in self._fields[domain]}
        function = {
            "name": f"search_{domain}",
            "description": f"Search the table of {domain}. {UNKNOWN}",
            "parameters": {"type": "object", "properties": properties},
        }
        return {"type": "function", "function": function}
