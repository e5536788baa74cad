"""One line of a chat log, whatever it was written by."""

from enum import StrEnum
from typing import NamedTuple


class LineKind(StrEnum):
    """What a line of a log is; only messages and actions are somebody's words."""

    MESSAGE = "message"
    ACTION = "action"
    RENAME = "rename"
    SYSTEM = "system"
    UNREADABLE = "unreadable"


class LogMessage(NamedTuple):
    """A line of a log. A tuple, because logs have twenty million of them."""

    number: int
    """Zero-based place in its file; lines that say nothing count too, as annotations need."""
    time: int
    """Seconds since 1970; lines without a time carry that of the line before."""
    kind: LineKind
    sender: str
    text: str
    """What was said; the new name, for a rename."""
    key: str = ""
    """The message's own id, where the source has one."""
    reply_to: str = ""
    """The key of the message it answers, where its writer marked one."""

    @property
    def is_speech(self) -> bool:
        return self.kind is LineKind.MESSAGE or self.kind is LineKind.ACTION
