"""Chat JSON Lines, for language models: one dialogue per line; written, not read.

User and system turns become `user` and `assistant` messages. What the wizard did before answering
becomes tool calls: one query per domain whose form changed or gave results, with the fields that
were filled in, and a `tool` message with the results that were ticked.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from crosstalk.corpora.record_encoding import encode_goal
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState
from crosstalk.errors import InputError
from crosstalk.files import writing_packed

Message = dict[str, Any]
TOOL = "query"


def read_chat(path: Path) -> Iterator[Dialogue]:
    raise InputError(
        f"{path}: chat JSON Lines are written, not read: they hold no states and no acts",
        remedy="Give the corpus it was made from.",
    )


def write_chat(dialogues: Iterable[Dialogue], path: Path) -> None:
    with writing_packed(path) as file:
        for dialogue in dialogues:
            json.dump(chat_record(dialogue), file, ensure_ascii=False)
            file.write("\n")


def chat_record(dialogue: Dialogue) -> dict[str, Any]:
    """One line of the file."""
    metadata: dict[str, Any] = {"id": dialogue.id}
    if dialogue.language:
        metadata["language"] = dialogue.language
    if dialogue.world:
        metadata["world"] = dialogue.world
    if dialogue.goal is not None:
        metadata["goal"] = encode_goal(dialogue.goal)
    messages = list(_messages(dialogue))
    record: dict[str, Any] = {"messages": messages}
    if any(message["role"] == "tool" for message in messages):
        record["tools"] = [_tool(dialogue)]
    return {**record, "metadata": metadata}


def _messages(dialogue: Dialogue) -> Iterator[Message]:
    before = SystemState()
    calls = 0
    for turn in dialogue.turns:
        if turn.speaker is Speaker.USER:
            yield {"role": "user", "content": turn.text}
            continue
        queries = list(_queries(turn, before))
        if queries:
            yield _call(queries, calls)
            yield from _results(queries, calls)
        calls += len(queries)
        before = turn.last_query or before
        yield {"role": "assistant", "content": turn.text}


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


def _call(queries: list[DomainState], calls: int) -> Message:
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {
                "id": f"call_{calls + number}",
                "type": "function",
                "function": {"name": TOOL, "arguments": _arguments(tab)},
            }
            for number, tab in enumerate(queries)
        ],
    }


def _arguments(tab: DomainState) -> str:
    """JSON text, as required by chat formats."""
    constraints = {"domain": tab.domain, "constraints": tab.constraints}
    return json.dumps(constraints, ensure_ascii=False)


def _results(queries: list[DomainState], calls: int) -> Iterator[Message]:
    for number, tab in enumerate(queries):
        yield {
            "role": "tool",
            "tool_call_id": f"call_{calls + number}",
            "name": TOOL,
            "content": json.dumps({"selected": tab.selected}, ensure_ascii=False),
        }


def _tool(dialogue: Dialogue) -> dict[str, Any]:
    """The one function: a query form with the domains this dialogue's form has."""
    forms = [turn.last_query or turn.first_query for turn in dialogue.system_turns]
    domains = list(dict.fromkeys(tab.domain for form in forms if form for tab in form))
    parameters = {
        "type": "object",
        "properties": {
            "domain": {"type": "string", "enum": domains},
            "constraints": {"type": "object", "description": "Slot to value."},
        },
        "required": ["domain", "constraints"],
    }
    description = "Search the database of one domain by constraints."
    return {
        "type": "function",
        "function": {"name": TOOL, "description": description, "parameters": parameters},
    }
