"""Messages of a log file; whatever cannot be read is counted and named, never lost silently."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from crosstalk.chatlogs.clock import Clock
from crosstalk.chatlogs.exports import read_discord, read_lines, read_slack
from crosstalk.chatlogs.irc import decode_line, read_irc
from crosstalk.chatlogs.messages import Kind, Message
from crosstalk.chatlogs.sources import LogFile, Source
from crosstalk.errors import CrosstalkError

LONGEST_LINE = 64_000
"""Characters kept of a line: chat programs allow a few thousand."""


@dataclass(slots=True)
class Tally:
    """What was read, and what went wrong on the way."""

    kinds: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """In words, with the file's name; the first of each kind in a file."""

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.kinds + other.kinds, self.problems + other.problems)


def read_log(log: LogFile, tally: Tally) -> Iterator[Message]:
    """The messages of one file, as far as it can be read."""
    kinds: Counter[Kind] = Counter()
    try:
        with log.open() as content:
            for message in _messages(log, content, tally):
                kinds[message.kind] += 1
                yield message
    except (CrosstalkError, OSError, ValueError, RecursionError) as error:
        tally.problems.append(f"{log.name}: {error}")
    tally.kinds.update({kind.value: count for kind, count in kinds.items()})
    if kinds[Kind.UNREADABLE]:
        tally.problems.append(f"{log.name}: {kinds[Kind.UNREADABLE]} lines are no messages")
    if not kinds:
        tally.problems.append(f"{log.name}: nothing in it")


def _messages(log: LogFile, content: BinaryIO, tally: Tally) -> Iterator[Message]:
    match log.source:
        case Source.SLACK:
            return read_slack(content)
        case Source.DISCORD:
            return read_discord(content)
        case Source.LINES:
            return read_lines(content)
        case Source.IRC:
            return _irc(log, content, tally)


def _irc(log: LogFile, content: BinaryIO, tally: Tally) -> Iterator[Message]:
    clock = Clock(log.day)
    yield from read_irc(_decoded(content, log, tally), clock)
    if clock.backward_steps:
        tally.problems.append(f"{log.name}: the clock steps back {clock.backward_steps} times")


def _decoded(content: Iterable[bytes], log: LogFile, tally: Tally) -> Iterator[str]:
    cut = 0
    for raw in content:
        if len(raw) > LONGEST_LINE:
            raw = raw[:LONGEST_LINE]
            cut += 1
        yield decode_line(raw).rstrip("\r\n")
    if cut:
        tally.problems.append(f"{log.name}: {cut} lines cut after {LONGEST_LINE:,} bytes")
