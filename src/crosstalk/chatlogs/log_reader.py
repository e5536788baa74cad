"""Read the messages of a log file in any format; unreadable lines are counted and reported."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from json import JSONDecodeError

from crosstalk.chatlogs.formats.registry import FORMATS
from crosstalk.chatlogs.log_files import UNREADABLE, LogFile, rooms_of
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
    first: int | None = None
    """The earliest time at which somebody speaks; `last` is the latest."""
    last: int | None = None

    def spoken_at(self, times: list[int]) -> None:
        self.first = min([self.first, *times] if self.first is not None else times)
        self.last = max([self.last, *times] if self.last is not None else times)


def read_log(log: LogFile, tally: ReadTally) -> Iterator[LogMessage]:
    """Yield the messages of one file, as far as it can be read."""
    return chain.from_iterable(read_batches(log, tally))


def read_batches(log: LogFile, tally: ReadTally) -> Iterator[list[LogMessage]]:
    """Yield the messages in batches, for speed on logs of twenty million lines."""
    kinds: Counter[str] = Counter()
    try:
        for batch in _batches(log, tally):
            _count(batch, kinds)
            if times := [message.time for message in batch if message.is_speech]:
                tally.spoken_at([min(times), max(times)])
            yield batch
    except UNREADABLE as error:
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


def _batches(log: LogFile, tally: ReadTally) -> Iterator[list[LogMessage]]:
    content = log.content
    if log.room is None:
        messages = FORMATS.find(log.source).read(content)
    else:
        messages = iter(rooms_of(log).get(log.room, []))
    while batch := list(islice(messages, BATCH)):
        yield batch
    tally.problems += [f"{log.name}: {problem}" for problem in content.problems]
