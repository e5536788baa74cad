"""TOML files with line numbers, so that errors name the line to correct."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from crosstalk.errors import FileProblem
from crosstalk.files import read_text
from crosstalk.problems import Problem, did_you_mean, refuse

M = TypeVar("M", bound=BaseModel)
Location = tuple[str | int, ...]
"""Keys and list positions from the top of a file, as pydantic gives them."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_NAME = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_KEY = re.compile(rf"^\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
"""For models of files: every field they may hold, and no other, of exactly its type."""


class TomlFile:
    """A TOML file as data and as text."""

    def __init__(self, name: str, text: str, data: dict[str, Any]) -> None:
        self.name = name
        self.data = data
        self._text = text
        self._lines: dict[Location, int] | None = None

    def line(self, location: Location) -> int | None:
        """The line of a location, or of the nearest thing around it that has a line."""
        if self._lines is None:
            self._lines = {}
            for each, number in _locations(self._text):
                for depth in range(1, len(each)):  # `[kinds.museum]` is also the line of `kinds`
                    self._lines.setdefault(each[:depth], number)
                self._lines[each] = number
        while location:
            if location in self._lines:
                return self._lines[location]
            location = location[:-1]
        return None

    def problem(
        self, location: Location, message: str, remedy: str = "", *, text: str = ""
    ) -> Problem:
        """A problem at a location; `text` is the item of its list that is meant."""
        line = self.line(location)
        if text and line is not None:
            line = self._line_of(text, line)
        return Problem(file=self.name, line=line, message=message, remedy=remedy)

    def _line_of(self, text: str, first: int) -> int:
        """The line of a text below the line of its key, where the list has several lines."""
        for number, line in enumerate(self._text.splitlines()[first - 1 :], start=first):
            if text in line:
                return number
            if number > first and (_HEADER.match(line) or _KEY.match(line)):
                break
        return first


def read_toml(folder: Path, name: str) -> TomlFile | Problem:
    """The file, or the problem that prevents reading it."""
    try:
        text = read_text(folder / name)
        return TomlFile(name, text, tomllib.loads(text))
    except FileProblem as error:
        message = error.message.removeprefix(f"{folder / name}: ")
        return Problem(file=name, message=message, remedy=error.remedy)
    except tomllib.TOMLDecodeError as error:
        at = _AT_LINE.search(str(error))
        return Problem(
            file=name,
            line=int(at[1]) if at else None,
            message=f"not valid TOML: {_AT_LINE.sub('', str(error))}",
            remedy="Look for a missing quote, bracket or equals sign on this line or just above.",
        )


def read_model(folder: Path, name: str, model: type[M]) -> tuple[M, TomlFile]:
    """A file of a folder as a model; raises `WorldError` with every line to correct."""
    file = read_toml(folder, name)
    if isinstance(file, Problem):
        refuse(str(folder), [file])
        raise AssertionError("an unreadable file is always refused")
    problems: list[Problem] = []
    found = parse_model(model, file, problems)
    refuse(str(folder), problems)
    assert found is not None  # everything else was refused
    return found, file


def parse_model(model: type[M], file: TomlFile, problems: list[Problem]) -> M | None:
    """The file as a model; None and problems if it has other fields or types."""
    try:
        return model.model_validate(file.data)
    except ValidationError as error:
        for details in error.errors(include_url=False):
            message, remedy = _in_words(model, details)
            problems.append(file.problem(details["loc"], message, remedy))
        return None


def _in_words(model: type[BaseModel], details: ErrorDetails) -> tuple[str, str]:
    where = ".".join(str(part) for part in details["loc"])
    last = str(details["loc"][-1])
    context: dict[str, Any] = details.get("ctx", {})
    match details["type"]:
        case "extra_forbidden":
            fields = _fields_at(model, details["loc"][:-1])
            return f"unknown field `{last}` ({where})", did_you_mean(last, fields, "Remove it.")
        case "missing":
            return f"the field `{last}` is missing ({where})", "Add it."
        case "enum" | "literal_error":
            given, expected = details["input"], context["expected"]
            return f"`{last}` is {given!r} ({where})", f"Write one of {expected}."
        case "string_pattern_mismatch":
            return f"`{last}` is {details['input']!r} ({where})", "Use a key without full stops."
        case _:
            return f"`{last}` is {details['input']!r} ({where})", f"{details['msg']}."


def _fields_at(model: type[BaseModel], location: Location) -> list[str]:
    """Names of the fields that the model at a location has, as the file writes them."""
    there: Any = model
    for part in location:
        if is_model(there):
            there = model_fields(there).get(str(part))
        else:  # an item of a list or of a table with free keys
            there = next((each for each in reversed(get_args(there)) if each is not ...), None)
        if get_origin(there) not in (list, dict, tuple):
            there = next((each for each in get_args(there) if is_model(each)), there)
    return list(model_fields(there)) if is_model(there) else []


def is_model(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def model_fields(model: type[BaseModel]) -> dict[str, Any]:
    """Field, as the file writes it -> its annotation."""
    fields = model.model_fields.items()
    return {field.alias or name: field.annotation for name, field in fields}


def _locations(text: str) -> Iterator[tuple[Location, int]]:
    """Every table header and every key that begins a line, with its line number."""
    seen: dict[Location, int] = {}
    table: Location = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _opened(_parts(header[2]), header[1] == "[[", seen)
            yield table, number
        elif key := _KEY.match(line):
            yield (*table, *_parts(key[1])), number


def _opened(parts: Location, is_item: bool, seen: dict[Location, int]) -> Location:
    """The location a header opens: `[[domains.slots]]` is a slot of the last domain."""
    location: Location = ()
    for depth, part in enumerate(parts, start=1):
        location = (*location, part)
        if is_item and depth == len(parts):
            seen[location] = seen.get(location, -1) + 1
        if location in seen:
            location = (*location, seen[location])
    return location


def _parts(dotted: str) -> Location:
    return tuple(double or single or bare for double, single, bare in _PART.findall(dotted))
