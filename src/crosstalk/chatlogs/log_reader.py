"""Read the messages of a log file in any format; unreadable lines are counted and reported."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from json import JSONDecodeError, load
from typing import BinaryIO

from crosstalk.chatlogs.chat_exports import (
    discord_messages,
    is_slack,
    read_lines,
    read_table,
    slack_messages,
    slack_user_names,
)
from crosstalk.chatlogs.irc import IrcReader, LineBlocks, LogClock
from crosstalk.chatlogs.log_files import LogFile, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.errors import CrosstalkError

BATCH = 10_000
"""Messages per batch."""


@dataclass(slots=True)
class ReadTally:
    """Counts of lines by kind, and problems."""

    kinds: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """Messages with the file's name, one per kind and file."""

    def __add__(self, other: "ReadTally") -> "ReadTally":
        return ReadTally(self.kinds + other.kinds, self.problems + other.problems)


def read_log(log: LogFile, tally: ReadTally) -> Iterator[LogMessage]:
    """Yield the messages of one file, as far as it can be read."""
    return chain.from_iterable(read_batches(log, tally))


def read_batches(log: LogFile, tally: ReadTally) -> Iterator[list[LogMessage]]:
    """Yield the messages in batches, for speed on logs of twenty million lines."""
    kinds: Counter[str] = Counter()
    try:
        with log.open() as content:
            for batch in _batches(log, content, tally):
                _count(batch, kinds)
                yield batch
    except (CrosstalkError, OSError, ValueError, RecursionError) as error:
        tally.problems.append(f"{log.name}: {_in_words(log, error)}")
        if not kinds.total():
            return
        tally.problems.append(f"{log.name}: {kinds.total():,} lines were read before that")
    tally.kinds.update(kinds)
    tally.problems += [f"{log.name}: {problem}" for problem in _odd(kinds)]


def _in_words(log: LogFile, error: Exception) -> str:
    """Describe an error on one line, without the file's name."""
    if isinstance(error, JSONDecodeError):
        return f"no whole JSON from line {error.lineno}, column {error.colno} on; was it cut short?"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start:,} is not UTF-8; save it as UTF-8"
    if isinstance(error, CrosstalkError):
        return f"{error.message}. {error.remedy}".removeprefix(f"{log.path}: ")
    return str(error)


def _count(batch: list[LogMessage], kinds: Counter[str]) -> None:
    others = [message.kind.value for message in batch if message.kind is not LineKind.MESSAGE]
    kinds.update(others)
    if len(others) < len(batch):
        kinds[LineKind.MESSAGE.value] += len(batch) - len(others)


def _odd(kinds: Counter[str]) -> Iterator[str]:
    if unreadable := kinds[LineKind.UNREADABLE.value]:
        yield f"{unreadable:,} lines are no messages"
    if not kinds.total():
        yield "nothing in it"
    elif not kinds[LineKind.MESSAGE.value] + kinds[LineKind.ACTION.value]:
        yield f"nobody speaks in it: {kinds.total():,} lines, none with a sender"


def _batches(log: LogFile, content: BinaryIO, tally: ReadTally) -> Iterator[list[LogMessage]]:
    match log.source:
        case LogFormat.SLACK:
            return _batched(slack_messages(load(content), slack_user_names(log)))
        case LogFormat.DISCORD:
            export = load(content)
            read = slack_messages(export, {}) if is_slack(export) else discord_messages(export)
            return _batched(read)
        case LogFormat.LINES:
            return _batched(read_lines(content))
        case LogFormat.TABLE:
            return _batched(read_table(content))
        case LogFormat.IRC:
            return _irc(log, content, tally)


def _batched(messages: Iterator[LogMessage]) -> Iterator[list[LogMessage]]:
    while batch := list(islice(messages, BATCH)):
        yield batch


def _irc(log: LogFile, content: BinaryIO, tally: ReadTally) -> Iterator[list[LogMessage]]:
    clock, blocks = LogClock(log.day), LineBlocks(content)
    reader = IrcReader(clock)
    yield from map(reader.messages, blocks)
    problems = [*clock.problems(), *blocks.problems()]
    tally.problems += [f"{log.name}: {problem}" for problem in problems]
