"""Taskmaster 1 to 4: conversations with annotated segments, in 3 and 4 with calls of services.

Utterances of one speaker in a row become one turn. Annotation names end in `accept` or `reject` in
Taskmaster 1 where a suggestion is taken or refused; of overlapping segments with one name, which
two annotators marked, the longest counts. Training examples and rewards of Taskmaster 3 and 4 are
read too (`taskmaster_examples.py`).
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import (
    Utterance,
    act_of,
    identifier,
    merged,
    tool_call,
    turns_of,
)
from crosstalk.corpora.file_head import Shape, head_of
from crosstalk.corpora.formats import (
    DOCUMENTS,
    Format,
    Record,
    Signature,
    documents_reader,
)
from crosstalk.corpora.taskmaster_examples import (
    EXTRAS,
    REWARDED,
    SPLIT_LINES,
    read_rewards,
    read_split_lines,
)
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.files import Source

SPEAKERS: Final = {"user": Speaker.USER, "assistant": Speaker.SYSTEM}
ENDINGS: Final = {"accept": "Accept", "reject": "Reject"}
"""Last part of a name -> intent."""
CALL, RESPONSE = "api_call", "api_response"


def read_taskmaster(source: Source) -> Iterator[Dialogue]:
    views = head_of(source).views
    if Shape.COLUMNS in views:
        return read_split_lines(source)
    if any("generation" in view for view in views.values()):
        return read_rewards(source)
    return READ_CONVERSATIONS(source)


def _dialogue(document: Record) -> Dialogue:
    domain = _slug(json_types.text(document.get("vertical", ""), "vertical"))
    utterances = json_types.items(json_types.needed(document, "utterances"), "utterances")
    said = []
    for number, raw in enumerate(utterances):
        with json_types.within(f"utterances[{number}]"):
            said.append(_utterance(json_types.members(raw), domain))
    told = document.get("instructions", "")
    others = {key: value for key, value in document.items() if key not in ("utterances",)}
    return Dialogue(
        id=identifier(document, "conversation_id"),
        turns=turns_of(merged(said)),
        goal=Goal((), description=(told,)) if isinstance(told, str) and told else None,
        language="en",
        world="taskmaster",
        extras={EXTRAS: others},
    )


def _utterance(raw: Record, domain: str) -> Utterance:
    speaker = json_types.text(json_types.needed(raw, "speaker"), "speaker")
    if speaker.lower() not in SPEAKERS:
        raise json_types.wrong("user or assistant", speaker, field="speaker")
    segments = json_types.each(raw.get("segments") or [], json_types.members, "segments")
    others = {key: value for key, value in raw.items() if key not in ("text", "speaker", "index")}
    return Utterance(
        SPEAKERS[speaker.lower()],
        json_types.text(json_types.needed(raw, "text"), "text"),
        tuple(_acts(segments, domain)),
        calls=(*_calls(raw.get("apis") or []), *_annotated_calls(raw.get("annotations") or [])),
        extras={EXTRAS: [others]} if any(others.values()) else {},
    )


def _acts(segments: tuple[Record, ...], domain: str) -> Iterator[Act]:
    longest: dict[tuple[str, int], tuple[int, str]] = {}
    for segment in segments:
        start, end = (_index(segment, key) for key in ("start_index", "end_index"))
        text = json_types.text(json_types.needed(segment, "text"), "segments.text")
        for label in json_types.each(segment.get("annotations") or [], json_types.members):
            name = json_types.text(json_types.needed(label, "name"), "segments.annotations.name")
            place = next(
                (
                    key
                    for key, (stop, _) in longest.items()
                    if key[0] == name and start < stop and key[1] < end
                ),
                (name, start),
            )
            if place not in longest or len(text) > len(longest[place][1]):
                longest[place] = (end, text)
    for (name, _), (_, text) in longest.items():
        yield _act(name, text, domain)


def _index(segment: Record, key: str) -> int:
    """A position in the text; Taskmaster 4 writes it as text."""
    value = segment.get(key, 0)
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return json_types.whole(value, f"segments.{key}")


def _act(name: str, value: str, domain: str) -> Act:
    """`restaurant_reservation.time.reservation.accept`; without a domain in 3 and 4."""
    parts = name.split(".")
    intent = ENDINGS.get(parts[-1], INFORM)
    if intent != INFORM:
        parts.pop()
    if not domain and len(parts) > 1:
        domain = parts.pop(0)
    return act_of(intent, domain or name, ".".join(parts), value)


def _calls(apis: Any) -> Iterator[dict[str, str]]:
    """The calls of Taskmaster 3."""
    for api in json_types.each(apis, json_types.members, "apis"):
        name = json_types.text(json_types.needed(api, "name"), "apis.name")
        yield tool_call(name, _pairs(api.get("args", {})), _pairs(api.get("response", {})))


def _pairs(value: Any) -> Any:
    """[{arg_name, arg_value}] as one object; anything else as it is."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return value
    names = [next((key for key in each if key.endswith("_name")), "") for each in value]
    if not all(names):
        return value
    return {
        each[name]: each.get(name.removesuffix("_name") + "_value")
        for each, name in zip(value, names, strict=True)
        if isinstance(each[name], str)
    }


def _annotated_calls(annotations: Any) -> Iterator[dict[str, str]]:
    """The calls of Taskmaster 4: names and bodies of a call and of its response."""
    found: dict[str, dict[str, str]] = {}
    for each in json_types.each(annotations, json_types.members, "annotations"):
        name, value, context = (
            json_types.text(each.get(key, ""), f"annotations.{key}")
            for key in ("name", "value", "context")
        )
        side, _, number = context.rpartition("_")
        if side in (CALL, RESPONSE):
            call = found.setdefault(number, {"name": "", "arguments": "{}", "result": "{}"})
            if name in (CALL, RESPONSE):
                call["name"] = call["name"] or value
            else:
                call["arguments" if side == CALL else "result"] = value
    return iter(found.values())


def _slug(vertical: str) -> str:
    return re.sub(r"\W+", "_", vertical.strip().lower())


READ_CONVERSATIONS: Final = documents_reader(_dialogue, "conversation_id")
FORMAT = Format(
    name="taskmaster",
    title="Taskmaster 1 to 4",
    signature=Signature(
        DOCUMENTS,
        needs=("conversation_id", "utterances", "utterances.text"),
        usual=("utterances.speaker", "instruction_id", "vertical"),
    ),
    read=read_taskmaster,
    others=(SPLIT_LINES, REWARDED),
)
