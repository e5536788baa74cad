"""One line of a chat log, in one shape for all chat programs."""

from enum import StrEnum
from typing import NamedTuple


class LineKind(StrEnum):
    """The kind of a log line; only messages and actions are speech."""

    MESSAGE = "message"
    ACTION = "action"
    RENAME = "rename"
    SYSTEM = "system"
    UNREADABLE = "unreadable"


class LogMessage(NamedTuple):
    """A line of a log; a tuple, since logs have twenty million of them."""

    number: int
    """Zero-based line number in its file; annotations count lines without speech too."""
    time: int
    """Seconds since 1970; lines without a time carry that of the line before."""
    kind: LineKind
    sender: str
    text: str
    """The message; for a rename, the new name."""
    key: str = ""
    """The message's own id, if the source has one."""
    reply_to: str = ""
    """The key of the message it answers, if its writer marked one."""

    @property
    def is_speech(self) -> bool:
        return self.kind is LineKind.MESSAGE or self.kind is LineKind.ACTION
