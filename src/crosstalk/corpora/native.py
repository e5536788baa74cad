"""The native format: JSON Lines, one dialogue per line, checked against a published JSON Schema.

    write_native(dialogues, Path("corpus.jsonl"))

The record types below define the format: pydantic checks input against them, and the published
schema (`native.schema.json`) is generated from them.
"""

import json
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from crosstalk.corpora import json_types
from crosstalk.corpora.formats import Format, Shape, Signature
from crosstalk.corpora.json_stream import json_lines
from crosstalk.corpora.record_encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FormatError, Place
from crosstalk.files import Source, writing_packed

CLOSED = ConfigDict(extra="forbid", strict=True)


@with_config(CLOSED)
class Near(TypedDict):
    """Some entity near the one another sub-goal settles on."""

    near: Annotated[int, Field(description="Number of the other sub-goal.")]


@with_config(CLOSED)
class At(TypedDict):
    """The very entity another sub-goal settles on: the end of a ride."""

    at: Annotated[int, Field(description="Number of the other sub-goal.")]


@with_config(CLOSED)
class TupleRecord(TypedDict):
    """One thing the user wants to say or to learn."""

    subgoal: int
    domain: str
    slot: str
    value: Annotated[
        str | list[str] | Near | At,
        Field(description="Empty text or an empty list is a question."),
    ]
    expressed: NotRequired[Annotated[bool, Field(description="Left out: false.")]]


@with_config(CLOSED)
class ActionRecord(TypedDict):
    """Something the user wants done."""

    action: str
    wishes: Annotated[
        list[dict[str, str | int | float | At]],
        Field(description="Arguments, in the order in which they are tried."),
    ]
    forbidden: NotRequired[
        Annotated[bool, Field(description="Whether it must be refused; left out: false.")]
    ]


@with_config(CLOSED)
class GoalRecord(TypedDict):
    """What the user wants from the dialogue."""

    tuples: list[TupleRecord]
    type: NotRequired[Literal["S", "M", "M+T", "CM", "CM+T"]]
    description: NotRequired[
        Annotated[list[str], Field(description="In words, one paragraph a sub-goal.")]
    ]
    actions: NotRequired[
        Annotated[list[ActionRecord], Field(description="What is to be done, in order.")]
    ]
    first_wishes: NotRequired[
        Annotated[list[TupleRecord], Field(description="What the user wishes at first.")]
    ]
    scenario: NotRequired[
        Annotated[
            dict[str, list[dict[str, str | int | float]]],
            Field(description="Rows that changing tables have from the start."),
        ]
    ]


@with_config(CLOSED)
class ActRecord(TypedDict):
    """What an utterance does."""

    intent: str
    domain: str
    slot: NotRequired[Annotated[str, Field(description="Left out: none.")]]
    value: NotRequired[Annotated[str, Field(description="Left out: none.")]]


@with_config(CLOSED)
class TabRecord(TypedDict):
    """One domain of the database form."""

    domain: str
    slots: NotRequired[
        Annotated[dict[str, str | list[str]], Field(description="Every field, in form order.")]
    ]
    selected: NotRequired[Annotated[list[str], Field(description="Results that were ticked.")]]
    order: NotRequired[
        Annotated[
            list[str],
            Field(
                description="Slot the results are ranked by; min or max.",
                min_length=2,
                max_length=2,
            ),
        ]
    ]


@with_config(CLOSED)
class TurnRecord(TypedDict):
    """One utterance with what is known about it."""

    speaker: Literal["user", "system"]
    text: str
    acts: NotRequired[list[ActRecord]]
    user_state: NotRequired[
        Annotated[list[TupleRecord], Field(description="The goal after this utterance.")]
    ]
    first_query: NotRequired[
        Annotated[list[TabRecord], Field(description="The first form submitted.")]
    ]
    last_query: NotRequired[
        Annotated[list[TabRecord], Field(description="The form the answer rests on.")]
    ]
    ticks: NotRequired[
        Annotated[
            list[int],
            Field(
                description="Positions in the user's table of what this utterance was ticked to "
                "say, what was ticked before included."
            ),
        ]
    ]
    acts_from: NotRequired[
        Annotated[
            str,
            Field(
                description="Where the acts come from: rules (derived from states), person, "
                "machine, corpus."
            ),
        ]
    ]
    extras: NotRequired[dict[str, JsonValue]]


@with_config(CLOSED)
class DialogueRecord(TypedDict):
    """One conversation about one goal."""

    id: str
    world: NotRequired[str]
    language: NotRequired[str]
    workers: NotRequired[
        Annotated[list[int | str], Field(description="Who took part, wizard first.")]
    ]
    goal: NotRequired[GoalRecord]
    final_goal: NotRequired[
        Annotated[list[TupleRecord], Field(description="The goal as the user left it.")]
    ]
    turns: list[TurnRecord]
    extras: NotRequired[dict[str, JsonValue]]


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
    "too_short": "two texts",
    "too_long": "two texts",
}


def read_native(path: Source, *, whole: bool = False) -> Iterator[Dialogue]:
    """The dialogues of a file; `whole`: skip an incomplete last line, which a crash left."""
    for line, value in json_lines(path, whole=whole):
        yield decode_dialogue(checked(value, path, line))


def write_native(dialogues: Iterable[Dialogue], path: Path) -> None:
    with writing_packed(path) as file:
        for dialogue in dialogues:
            json.dump(encode_dialogue(dialogue), file, ensure_ascii=False, allow_nan=False)
            file.write("\n")


def checked(value: Any, path: Source, line: int | None) -> dict[str, Any]:
    """The record of one line; raises FormatError if it is not valid."""
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


def _in_words(error: ValidationError, value: Any, path: Source, line: int | None) -> FormatError:
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
        message = f"expected {_choices(steps)}, found {json_types.shown(found)}"
    elif kind == "literal_error":
        expected = problem["msg"].replace("Input should be", "expected")
        message = f"{expected}, found {json_types.shown(found)}"
    else:
        message = f"expected {EXPECTED.get(kind, problem['msg'])}, found {json_types.shown(found)}"
    return FormatError(
        message,
        place=_place(value, steps, path, line),
        remedy=GOALS if _is_goal(value) else SCHEMA_TOLD,
    )


def _is_goal(value: Any) -> bool:
    return isinstance(value, dict) and "tuples" in value and "turns" not in value


def _follow(value: Any, loc: tuple[int | str, ...]) -> tuple[list[int | str], Any]:
    """The part of a location that is in the data (the rest names types), and its value."""
    steps: list[int | str] = []
    for step in loc:
        inside = isinstance(value, dict) and step in value
        if not inside and not (isinstance(value, list) and isinstance(step, int)):
            break
        value = value[step]
        steps.append(step)
    return steps, value


def _choices(steps: list[int | str]) -> str:
    """The allowed types of a field that has several."""
    if steps[-1:] == ["value"]:
        return 'text, a list of texts, {"near": number} or {"at": number}'
    if "workers" in steps:
        return "a number or text"
    if "slots" in steps:
        return "text or a list of texts"
    return "another value"


def _place(value: Any, steps: list[int | str], path: Source, line: int | None) -> Place:
    id = value.get("id") if isinstance(value, dict) else None
    turn = None
    if steps[:1] == ["turns"] and len(steps) > 1 and isinstance(steps[1], int):
        turn, steps = steps[1], steps[2:]
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return Place(str(path), line, id if isinstance(id, str) else None, turn, field.lstrip("."))


FORMAT = Format(
    name="native",
    title="Crosstalk's own: JSON Lines, one dialogue a line",
    signature=Signature(
        (Shape.OBJECT,), needs=("id", "turns"), usual=("turns.speaker", "turns.text")
    ),
    read=read_native,
    write=write_native,
    suffix=".jsonl",
)
