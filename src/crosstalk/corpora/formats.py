"""Corpus formats: what identifies the files of each, and how they are read and written.

    find_format("sgd").read(Path("dialogues_001.json"))

A format is one `Format` value at the end of its module. `BUILT_IN` lists the modules; formats from
outside are named `package.module:OBJECT`, or come from installed packages as entry points of the
group `crosstalk.formats`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.chat_grounding import SaidValues
from crosstalk.corpora.file_head import Shape as Shape
from crosstalk.corpora.file_head import head_of
from crosstalk.corpora.json_stream import JsonStream
from crosstalk.corpora.split_names import SPLIT, split_named
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.schema import Schema
from crosstalk.external_objects import Registry
from crosstalk.files import Source
from crosstalk.language.writing import guess_language

Reader = Callable[[Source], Iterator[Dialogue]]
Writer = Callable[[Iterable[Dialogue], Path], None]
Record = dict[str, Any]

GROUP: Final = "crosstalk.formats"
"""Entry points of this group are named like the format; each loads a `Format`."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What identifies a file of a format.

    Fields are paths such as `turns.frames`; a list stands for its first items. `turns.speaker=USER`
    asks for a value too, by a regular expression; columns are numbered from `1`.
    """

    shapes: tuple[Shape, ...]
    needs: tuple[str, ...] = ()
    """Fields that every first dialogue has."""
    usual: tuple[str, ...] = ()
    """Fields that decide between formats whose needs are both met."""
    excerpts: bool = False
    """Whether such files hold parts of dialogues; beside files of whole ones they are left out."""


@dataclass(frozen=True, slots=True)
class Format:
    """A corpus format."""

    name: str
    title: str
    signature: Signature
    read: Reader
    """Also reads the files of the `others`."""
    write: Writer | None = None
    suffix: str = ".json"
    """Ending of the files that are written."""
    same_columns: bool = False
    """Whether every file has the same columns, so that dataset libraries load it as a table."""
    in_world: Callable[[Dialogue, Schema], Dialogue] | None = None
    """A dialogue in the words of its world, where files name domains and slots otherwise."""
    said: SaidValues | None = None
    """How acts write values, where they keep the words that were said."""
    infer_queries: Callable[[Dialogue], Dialogue] | None = None
    """For a corpus that has states but no queries: a dialogue with what was searched for."""
    others: tuple[Signature, ...] = ()
    """Files of the corpus with another layout."""


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


FORMATS: Final = Registry(Format, "format", GROUP, BUILT_IN, "docs/formats.md")


def known_formats() -> tuple[str, ...]:
    """The names of all formats, those of installed packages included."""
    return FORMATS.names()


def find_format(name: str) -> Format:
    """The format of a name, of `package.module:OBJECT`, or of an entry point."""
    return FORMATS.find(name)


def format_of_world(world: str) -> Format | None:
    """The format in which the corpus of a world is published, where one is called like it."""
    return find_format(world) if world in BUILT_IN else None


def recognisable() -> Iterator[Format]:
    """The formats with a signature in JSON, in the order of the table."""
    return (find_format(name) for name in known_formats() if name != "parquet")


# Shared by the readers

LISTENED_TO: Final = 20
"""Dialogues of a file by which its language is guessed."""
DOCUMENTS: Final = (Shape.LIST, Shape.OBJECT, Shape.BY_ID, Shape.LISTS)
"""The shapes that a `documents_reader` reads."""


def documents_reader(build: Callable[[Record], Dialogue], *ids: str) -> Reader:
    """A reader of files of dialogues in any of the `DOCUMENTS` shapes.

    `ids`: the fields that may hold the id. Where the file is an object of lists, and the names of
    the lists are those of splits, dialogues get the split in their extras.
    """

    def read(source: Source) -> Iterator[Dialogue]:
        for number, (key, raw) in enumerate(_documents(source, ids)):
            with json_types.reading(source, key or f"number {number}"):
                document = json_types.members(raw)
            name = next((str(document[id]) for id in ids if id in document), key or str(number))
            with json_types.reading(source, name):
                dialogue = build(document)
            split = split_named(key)
            yield replace(dialogue, extras={**dialogue.extras, SPLIT: split}) if split else dialogue

    return read


def _documents(source: Source, ids: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Every document, with the key that it stands under or the list that it stands in."""
    views = head_of(source).views
    stream = JsonStream(source)
    if Shape.OBJECT not in views or any(id in views[Shape.OBJECT] for id in ids):
        return (("", each) for each in stream.documents())
    if Shape.BY_ID in views:
        return stream.members()
    if Shape.LISTS in views:
        return stream.listed()
    return (("", each) for each in stream.documents())


def in_one_language(read: Reader) -> Reader:
    """A reader of files that do not name their language: it is guessed from the first dialogues.

    One dialogue may be short, or full of names; a file is guessed as a whole.
    """

    def guessed(source: Source) -> Iterator[Dialogue]:
        dialogues = read(source)
        first = list(islice(dialogues, LISTENED_TO))
        language = guess_language("\n".join(t.text for each in first for t in each.user_turns))
        for each in chain(first, dialogues):
            yield replace(each, language=language)

    return guessed


def members_reader(build: Callable[[str, Record], Dialogue]) -> Reader:
    """A reader of one object, dialogue id -> dialogue."""

    def read(source: Source) -> Iterator[Dialogue]:
        for id, raw in JsonStream(source).members():
            with json_types.reading(source, id):
                yield build(id, json_types.members(raw))

    return read
