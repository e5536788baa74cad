"""The beginning of a file of dialogues: its shape, and the fields of the first dialogue.

    head_of(Path("dialogues_001.json")).views[Shape.LIST]["dialogue_id"]  # "1_00000"

Only the head of a file is read, and parsed as far as it goes (`partial_json`).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from crosstalk.corpora.json_stream import without_comments
from crosstalk.files import Source, open_binary

HEAD: Final = 1 << 18
"""Bytes that are looked at: more than the goal and first turns of any known dialogue."""
LOOKED_AT: Final = 12
"""Items of a list in which a field is looked for."""
SHOWN: Final = 8
"""Fields of an unknown file that a message names."""
PARQUET: Final = b"PAR1"


class Shape(StrEnum):
    """How a file holds its dialogues."""

    LIST = "a list of objects"
    BY_ID = "an object of objects"
    LISTS = "an object of lists"
    """One list a split, for instance."""
    OBJECT = "an object"
    """One dialogue, or one dialogue a line."""
    COLUMNS = "lines of columns, separated by tabs"
    PARQUET = "a Parquet table"


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a file holds."""

    views: dict[Shape, dict[str, Any]]
    """Shape -> the first dialogue, if the file has this shape; an object may have two."""
    empty: Shape | None = None
    """The shape of a file without dialogues."""

    @property
    def description(self) -> str:
        if not self.views:
            return "neither JSON objects nor a table"
        shape, document = next(iter(self.views.items()))
        fields = [repr(field) for field in document]
        more = ", ..." if len(fields) > SHOWN else ""
        return f"{shape} with the fields {', '.join(fields[:SHOWN]) or 'none'}{more}"


def head_of(source: Source) -> Head:
    """The head of a file."""
    with open_binary(source) as raw:
        head = raw.read(HEAD)
    if head.startswith(PARQUET):
        return Head({Shape.PARQUET: {}})
    return look(without_comments(head.decode("utf-8-sig", errors="replace")))


def look(text: str, *, enough: int | None = None) -> Head:
    """The first dialogue in the head of a file, in every shape that it may have."""
    value = partial_json(text, enough=ENOUGH if enough is None else enough)
    if isinstance(value, list):
        first = next((each for each in value if isinstance(each, dict)), None)
        if first is None:
            return Head({}, None if value or not re.match(r"\s*\[\s*\]", text) else Shape.LIST)
        return Head({Shape.LIST: first})
    if not isinstance(value, dict):
        columns = text.partition("\n")[0].split("\t")
        named = {str(number): each for number, each in enumerate(columns, start=1)}
        return Head({Shape.COLUMNS: named} if len(columns) > 1 else {})
    if not value:
        return Head({}, Shape.BY_ID if re.match(r"\s*\{\s*\}", text) else None)
    views = {Shape.OBJECT: value}
    inner = next(iter(value.values()))
    if isinstance(inner, dict):
        views[Shape.BY_ID] = inner
    lists = [each for each in value.values() if isinstance(each, list)]
    first = next((item for each in lists for item in each if isinstance(item, dict)), None)
    if first is not None:
        views[Shape.LISTS] = first
    return Head(views)


def has_field(value: Any, path: str) -> bool:
    """Whether a value has the field of a path, as signatures write it."""
    path, _, wanted = path.partition("=")
    found = list(_at(value, path.split(".")))
    if not wanted:
        return bool(found)
    return any(isinstance(each, str) and re.fullmatch(wanted, each, re.DOTALL) for each in found)


def _at(value: Any, steps: list[str]) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value[:LOOKED_AT]:
            yield from _at(each, steps)
    elif not steps:
        yield value
    elif isinstance(value, dict) and steps[0] in value:
        inner = value[steps[0]]
        if not steps[1:] and isinstance(inner, list):
            yield inner
        else:
            yield from _at(inner, steps[1:])


TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([{}\[\]])|([:,])|([^\s{}\[\]:,"]+))', re.DOTALL)
ENOUGH: Final = 3
"""Objects directly inside the outermost value, after which nothing new is to be learned."""


def partial_json(text: str, *, enough: int = ENOUGH) -> Any:
    """The JSON value at the beginning of a text, as far as it can be parsed; None: not JSON.

    `enough`: objects directly inside the outermost value after which the rest is left.
    """
    root: list[Any] = []
    stack: list[Any] = [root]
    keys: list[str | None] = [None]
    position = closed = 0
    while closed < enough and (token := TOKEN.match(text, position)):
        position = token.end()
        string, bracket, mark, bare = token.groups()
        holder = stack[-1]
        if mark or (bracket and bracket in "}]"):
            if bracket:
                stack.pop()
                keys.pop()
                closed += len(stack) == 2 and bracket == "}"
                if len(stack) == 1:
                    break
            continue
        try:
            value: Any = ({} if bracket == "{" else []) if bracket else json.loads(string or bare)
        except ValueError:
            break
        if isinstance(holder, dict):
            if keys[-1] is None:
                if not string:
                    break
                keys[-1] = value
                continue
            holder[keys[-1]] = value
            keys[-1] = None
        else:
            holder.append(value)
        if bracket:
            stack.append(value)
            keys.append(None)
        elif holder is root:
            break
    return root[0] if root else None
