"""The native format: JSON Lines, one dialogue a line, checked against a published JSON Schema.

write_native(dialogues, Path("corpus.jsonl"))
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from crosstalk.corpora import expect
from crosstalk.corpora.encoding import decode_dialogue, encode_dialogue
from crosstalk.corpora.lines import json_lines
from crosstalk.corpora.packing import writing_packed
from crosstalk.corpora.records import DialogueRecord
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, Place

SCHEMA = Path(__file__).with_name("native.schema.json")
SCHEMA_TOLD = "`crosstalk data schema` prints what a line may hold."
GOALS = "This looks like a file of goals; `crosstalk goals stats` counts it."
EXPECTED = {
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "an object",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "invalid_key": "text as a key",
}


def read_native(path: Path) -> Iterator[Dialogue]:
    for line, value in json_lines(path):
        yield decode_dialogue(checked(value, path, line))


def write_native(dialogues: Iterable[Dialogue], path: Path) -> None:
    with writing_packed(path) as file:
        for dialogue in dialogues:
            json.dump(encode_dialogue(dialogue), file, ensure_ascii=False, allow_nan=False)
            file.write("\n")


def checked(value: Any, path: Path, line: int | None) -> dict[str, Any]:
    """The record of one line, once it is known to be one."""
    try:
        record = _adapter().validate_python(value)
    except ValidationError as error:
        raise _in_words(error, value, path, line) from error
    return dict(record)


def native_schema() -> dict[str, Any]:
    """The JSON Schema of one line; `native.schema.json` holds the same."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_adapter().json_schema(),
        "title": "A Crosstalk dialogue",
    }


@cache
def _adapter() -> TypeAdapter[DialogueRecord]:
    return TypeAdapter(DialogueRecord)


def _in_words(error: ValidationError, value: Any, path: Path, line: int | None) -> FormatError:
    problem = error.errors(include_url=False, include_context=False)[0]
    steps, found = _follow(value, problem["loc"])
    kind = problem["type"]
    if kind == "missing":
        message = f"the field {problem['loc'][-1]!r} is missing"
    elif kind == "extra_forbidden":
        message = "there is no such field"
    elif kind.startswith("recursion"):
        message = "nested too deeply"
    elif len(steps) < len(problem["loc"]):
        message = f"expected {_choices(steps)}, found {expect.shown(found)}"
    elif kind == "literal_error":
        message = (
            f"{problem['msg'].replace('Input should be', 'expected')}, found {expect.shown(found)}"
        )
    else:
        message = f"expected {EXPECTED.get(kind, problem['msg'])}, found {expect.shown(found)}"
    return FormatError(
        message,
        place=_place(value, steps, path, line),
        remedy=GOALS if _is_goal(value) else SCHEMA_TOLD,
    )


def _is_goal(value: Any) -> bool:
    return isinstance(value, dict) and "tuples" in value and "turns" not in value


def _follow(value: Any, loc: tuple[int | str, ...]) -> tuple[list[int | str], Any]:
    """As much of a location as is in the data (the rest names types), and what stands there."""
    steps: list[int | str] = []
    for step in loc:
        inside = isinstance(value, dict) and step in value
        if not inside and not (isinstance(value, list) and isinstance(step, int)):
            break
        value = value[step]
        steps.append(step)
    return steps, value


def _choices(steps: list[int | str]) -> str:
    """What a field of several types may hold."""
    if steps[-1:] == ["value"]:
        return 'text, a list of texts, {"near": number} or {"at": number}'
    if "workers" in steps:
        return "a number or text"
    if "slots" in steps:
        return "text or a list of texts"
    return "another value"


def _place(value: Any, steps: list[int | str], path: Path, line: int | None) -> Place:
    id = value.get("id") if isinstance(value, dict) else None
    turn = None
    if steps[:1] == ["turns"] and len(steps) > 1 and isinstance(steps[1], int):
        turn, steps = steps[1], steps[2:]
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return Place(str(path), line, id if isinstance(id, str) else None, turn, field.lstrip("."))
