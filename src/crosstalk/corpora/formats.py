"""Corpus formats: what identifies the files of each, and how they are read and written.

    find_format("sgd").read(Path("dialogues_001.json"))

A format is one `Format` value at the end of its module. `BUILT_IN` lists the modules; formats from
outside are named `package.module:OBJECT`, or come from installed packages as entry points of the
group `crosstalk.formats`.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.external_objects import load_installed, load_object
from crosstalk.files import Source

Reader = Callable[[Source], Iterator[Dialogue]]
Writer = Callable[[Iterable[Dialogue], Path], None]
Record = dict[str, Any]

GROUP: Final = "crosstalk.formats"
"""Entry points of this group are named like the format; each loads a `Format`."""


class Shape(StrEnum):
    """How a file holds its dialogues."""

    LIST = "a list of objects"
    BY_ID = "an object of objects"
    OBJECT = "an object"
    """One dialogue, or one dialogue a line."""
    PARQUET = "a Parquet table"


@dataclass(frozen=True, slots=True)
class Signature:
    """What identifies a file of a format.

    Fields are paths such as `turns.frames`; a list stands for its first items. `turns.speaker=USER`
    asks for a value too.
    """

    shapes: tuple[Shape, ...]
    needs: tuple[str, ...] = ()
    """Fields that every first dialogue has."""
    usual: tuple[str, ...] = ()
    """Fields that decide between formats whose needs are both met."""


@dataclass(frozen=True, slots=True)
class Format:
    """A corpus format."""

    name: str
    title: str
    signature: Signature
    read: Reader
    write: Writer | None = None
    suffix: str = ".json"
    """Ending of the files that are written."""
    in_world: Callable[[Dialogue, Schema], Dialogue] | None = None
    """A dialogue in the words of its world, where files name domains and slots otherwise."""


BUILT_IN: Final[Mapping[str, str]] = {
    "crosswoz": "crosstalk.corpora.crosswoz:FORMAT",
    "native": "crosstalk.corpora.native:FORMAT",
    "parquet": "crosstalk.corpora.parquet:FORMAT",
    "convlab": "crosstalk.corpora.convlab:FORMAT",
    "multiwoz": "crosstalk.corpora.multiwoz:FORMAT",
    "chat": "crosstalk.corpora.chat_reader:FORMAT",
    "sgd": "crosstalk.corpora.sgd:FORMAT",
    "woz": "crosstalk.corpora.woz:FORMAT",
    "camrest": "crosstalk.corpora.camrest:FORMAT",
    "taskmaster": "crosstalk.corpora.taskmaster:FORMAT",
    "risawoz": "crosstalk.corpora.risawoz:FORMAT",
    "kddres": "crosstalk.corpora.kddres:FORMAT",
    "frames": "crosstalk.corpora.frames:FORMAT",
}
"""Name -> the `Format`, imported when it is needed."""
WRITTEN: Final = ("crosswoz", "native", "parquet", "convlab", "multiwoz", "chat")
"""Formats that are written too."""


def known_formats() -> tuple[str, ...]:
    """The names of all formats, those of installed packages included."""
    return tuple(dict.fromkeys((*BUILT_IN, *_installed())))


def find_format(name: str) -> Format:
    """The format of a name, of `package.module:OBJECT`, or of an entry point."""
    if name in BUILT_IN:
        found = pkgutil.resolve_name(BUILT_IN[name])
    elif ":" in name:
        found = load_object(name)
    elif name in (installed := _installed()):
        found = load_installed(installed[name])
    else:
        raise InputError(
            f"unknown format {name!r}",
            remedy=f"Choose one of {', '.join(known_formats())}, or name package.module:FORMAT.",
        )
    if not isinstance(found, Format):
        raise InputError(
            f"{name}: expected a crosstalk.corpora.formats.Format, found {type(found).__name__}",
            remedy="docs/formats.md shows how to write a format.",
        )
    return found


def recognisable() -> Iterator[Format]:
    """The formats with a signature in JSON, in the order of the table."""
    return (find_format(name) for name in known_formats() if name != "parquet")


@cache
def _installed() -> dict[str, EntryPoint]:
    return {each.name: each for each in entry_points(group=GROUP)}


# Shared by the readers


def documents_reader(build: Callable[[Record], Dialogue], *ids: str) -> Reader:
    """A reader of lists of dialogues (or of one); `ids`: the fields that may hold the id."""

    def read(source: Source) -> Iterator[Dialogue]:
        for number, raw in enumerate(JsonStream(source).documents()):
            with json_types.reading(source, f"number {number}"):
                document = json_types.members(raw)
            name = next((str(document[id]) for id in ids if id in document), f"number {number}")
            with json_types.reading(source, name):
                yield build(document)

    return read


def members_reader(build: Callable[[str, Record], Dialogue]) -> Reader:
    """A reader of one object, dialogue id -> dialogue."""

    def read(source: Source) -> Iterator[Dialogue]:
        for id, raw in JsonStream(source).members():
            with json_types.reading(source, id):
                yield build(id, json_types.members(raw))

    return read
