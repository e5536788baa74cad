"""TOML with line numbers: where in a file the thing stands that somebody has to mend."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from crosstalk.errors import FileProblem
from crosstalk.files import read_text
from crosstalk.problems import Problem, refuse

M = TypeVar("M", bound=BaseModel)
Location = tuple[str | int, ...]
"""Keys and list positions from the top of a file, as pydantic gives them."""

_HEADER = re.compile(r"^\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(#.*)?$")
_NAME = r"""(?:"[^"]*"|'[^']*'|[\w-]+)"""
_KEY = re.compile(rf"^\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([\w-]+)""")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


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
            self._lines = dict(_locations(self._text))
        while location:
            if location in self._lines:
                return self._lines[location]
            location = location[:-1]
        return None

    def problem(self, location: Location, message: str, remedy: str = "") -> Problem:
        return Problem(file=self.name, line=self.line(location), message=message, remedy=remedy)


def read_toml(folder: Path, name: str) -> TomlFile | Problem:
    """The file, or what keeps us from reading it."""
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


def read_table(folder: Path, name: str, model: type[M], *, remedy: str = "") -> tuple[M, TomlFile]:
    """A file of a folder as a model; raises WorldError with every line there is to mend."""
    file = read_toml(folder, name)
    if isinstance(file, Problem):
        refuse(str(folder), [file])
        raise AssertionError("an unreadable file is always refused")
    try:
        return model.model_validate(file.data), file
    except ValidationError as error:
        problems = [
            file.problem(each["loc"], f"{'.'.join(map(str, each['loc']))}: {each['msg']}", remedy)
            for each in error.errors()
        ]
    refuse(str(folder), problems)
    raise AssertionError("a table that is no model is always refused")


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
