"""Lines that belong together."""

from operator import ne
from typing import NamedTuple

from crosstalk.chatlogs.messages import LogMessage


class ThreadLine(NamedTuple):
    """A message in its place: whom it speaks to and what it answers."""

    order: int
    """Place in the channel, over all files."""
    message: LogMessage
    speaker: str
    """The sender, whatever the case: IRC names are the same in any."""
    recipient: str = ""
    text: str = ""
    """What was said, without the name in front."""
    parent: int = -1
    """The order of the line it answers; its own for one that opens a conversation; -1: unknown."""
    confidence: float | None = None
    """How sure the linker is of the parent, from 0 to 1."""


Thread = tuple[ThreadLine, ...]
"""Lines in order; the first opened the conversation."""


def speakers(thread: Thread) -> frozenset[str]:
    return frozenset([line.speaker for line in thread])


def turns(thread: Thread) -> list[list[ThreadLine]]:
    """Consecutive lines of one speaker are one turn."""
    merged: list[list[ThreadLine]] = []
    for line in thread:
        if merged and merged[-1][0].speaker == line.speaker:
            merged[-1].append(line)
        else:
            merged.append([line])
    return merged


def count_turns(thread: Thread) -> int:
    """As many as `turns` gives, without making them."""
    spoken = [line.speaker for line in thread]
    return 1 + sum(map(ne, spoken, spoken[1:])) if spoken else 0
