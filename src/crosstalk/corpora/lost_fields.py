"""Fields that another format cannot hold, kept in it under our own key, so that nothing is lost.

A writer converts a record, reads its own result back, and stores every field that differs under
the key; a reader puts those fields over what it read. What the format can hold is read from the
format, so that an edit made there counts.
"""

import json
from collections.abc import Callable, Collection
from typing import Any

from crosstalk.corpora.json_types import each, members
from crosstalk.corpora.native import checked
from crosstalk.corpora.record_encoding import Record, decode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.files import Source

OURS = "crosstalk"
"""The key, in a dialogue and in each of its turns."""


def with_lost_fields(
    record: Record, document: Record, turns_key: str, read: Callable[[Record], Record]
) -> Record:
    """The document, with our key where reading it back would lose fields of the record."""
    held = read(document)
    for turn, before, after in zip(
        document[turns_key], record["turns"], held["turns"], strict=True
    ):
        if lost := _differences(before, after):
            turn[OURS] = lost
    if lost := _differences(_without_turns(record), _without_turns(held)):
        document[OURS] = lost
    return document


def restore(
    held: Record, document: Record, turns_key: str, path: Source, line: int | None = None
) -> Dialogue:
    """The dialogue of a document, including the fields it could not hold."""
    ours = [_ours(turn) for turn in each(document[turns_key], members)]
    turns = [_over(turn, lost) for turn, lost in zip(held["turns"], ours, strict=True)]
    record = {**_over(_without_turns(held), _ours(document)), "turns": turns}
    return decode_dialogue(checked(record, path, line))


def unknown_fields(record: Record, format: str, known: Collection[str]) -> Record:
    """Fields from a file of this format that our records do not have."""
    found = record.get("extras", {}).get(format)
    if not isinstance(found, dict):
        return {}
    return {field: value for field, value in found.items() if field not in known}


def _ours(document: Record) -> Record:
    return members(document.get(OURS, {}), OURS)


def _without_turns(record: Record) -> Record:
    return {field: value for field, value in record.items() if field != "turns"}


def _differences(before: Record, after: Record) -> dict[str, Any]:
    """The fields that differ; null for a field that the record does not have."""
    fields = [*before, *(field for field in after if field not in before)]
    return {
        field: before.get(field)
        for field in fields
        if not _same(field, before.get(field), after.get(field))
    }


def _same(field: str, before: Any, after: Any) -> bool:
    """Equal, for forms in the same order: the fields of a tab are ordered."""
    if before != after or not field.endswith("_query"):
        return bool(before == after)
    return json.dumps(before) == json.dumps(after)


def _over(held: Record, lost: Record) -> Record:
    return {field: value for field, value in {**held, **lost}.items() if value is not None}
