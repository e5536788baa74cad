"""What a log format is: how its files are recognised and read.

A format is one `LogFormat` value at the end of its file; `registry.BUILT_IN` lists those that come
with Crosstalk.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, BinaryIO, NamedTuple

from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.corpora import file_head

LINES_LOOKED_AT = 60
ALL = 1 << 20
"""Objects of a JSON file that are looked at: exports have whole objects before their messages."""


@dataclass(frozen=True)
class FileHead:
    """The beginning of a file, decoded."""

    name: str
    """Its path from the folder or archive that was given."""
    text: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The first lines with something in them; the last may be cut short."""
        lines = [line.rstrip("\r") for line in self.text.split("\n", 4 * LINES_LOOKED_AT)]
        return tuple(line for line in lines if line.strip())[:LINES_LOOKED_AT]

    @cached_property
    def json(self) -> file_head.Head:
        """Its first JSON objects; none for files that hold no JSON."""
        if self.text.lstrip()[:1] not in ("{", "["):
            return file_head.Head({})
        return file_head.look(self.text, enough=ALL)


class Likeness(NamedTuple):
    """How much a file looks like one of a format."""

    share: float
    """From 0 to 1: the share of its first lines that the format knows, or of needed fields."""
    weight: int = 0
    """Decides between formats of the same share."""
    note: str = ""
    """What is known or missing, for a message about a file in no known format."""

    @property
    def fits(self) -> bool:
        return self.share >= LEAST_SHARE


LEAST_SHARE = 0.1
"""Messages of many lines leave few lines that begin one."""
UNLIKE = Likeness(0)


@dataclass(frozen=True, slots=True)
class LogContent:
    """An open log file: what its format's reader is given."""

    day: date
    """The day in the file's name; `date.min` if there is none."""
    open: Callable[[], AbstractContextManager[BinaryIO]]
    """Opens the file's bytes, unpacked and in UTF-8 (lines of other encodings are left)."""
    json_beside: Callable[[str], Any] = lambda name: None
    """The JSON in another file, by its path from the folder of this one; None without one."""
    problems: list[str] = field(default_factory=list)
    """Messages about what could not be read as it was; readers append to them."""
    name: str = "the file"
    """What the file is called in messages."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of chat logs."""

    name: str
    title: str
    likeness: Callable[[FileHead], Likeness]
    read: Callable[[LogContent], Iterator[LogMessage]]
    """Yields the messages; every line of text becomes one, a line without speech included."""
    rooms: Callable[[LogContent], dict[str, list[LogMessage]]] | None = None
    """The messages by channel, for files that hold several; `read` is then not used."""
    general: bool = False
    """Whether it reads files of any program; taken where no other fits as well."""
