"""One part of a log becomes conversations, one after the other, as they end."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Protocol

import numpy as np
import polars as pl

from crosstalk.chatlogs.messages import LogMessage
from crosstalk.chatlogs.parts import LogPart
from crosstalk.chatlogs.reading import ReadTally, read_batches
from crosstalk.chatlogs.sources import LogFile
from crosstalk.chatlogs.threads import Thread

LARGEST_DAY = 100_000
"""Messages taken in at once: a busy channel has 30,000 a day; a file may hold years."""
SECONDS_A_DAY = 86_400
TIME = attrgetter("time")


class Extractor(Protocol):
    """Days of one channel in, conversations out as they end."""

    def day(self, messages: list[LogMessage]) -> Iterator[Thread]: ...

    def end(self) -> Iterator[Thread]: ...


class FileWalk:
    """A walk through the files of a part; remembers which line was where."""

    def __init__(self, part: LogPart, extractor: Extractor) -> None:
        self._part = part
        self._extractor = extractor
        self._starts: list[int] = []
        self._names: list[str] = []
        self._own = range(0)
        self.tally = ReadTally()
        self.lines = 0

    def conversations(self) -> Iterator[Thread]:
        """Those that begin in the part's own files."""
        return (thread for thread in self._all() if thread[0].order in self._own)

    def files_of(self, orders: Sequence[int]) -> pl.Series:
        """The name of the file that each line stands in."""
        files = np.searchsorted(np.array(self._starts), np.array(orders), side="right") - 1
        return pl.Series(self._names, dtype=pl.String).gather(files)

    def _all(self) -> Iterator[Thread]:
        for log in self._part.before:
            yield from self._through(log, ReadTally())
        self._own = range(self.lines, sys.maxsize)
        for log in self._part.own:
            yield from self._through(log, self.tally)
        self._own = range(self._own.start, self.lines)
        for log in self._part.after:
            yield from self._through(log, ReadTally())
        yield from self._extractor.end()

    def _through(self, log: LogFile, tally: ReadTally) -> Iterator[Thread]:
        self._starts.append(self.lines)
        self._names.append(log.member or log.path.name)
        for day in _days(read_batches(log, tally)):
            self.lines += len(day)
            yield from self._extractor.day(day)


def _days(batches: Iterable[list[LogMessage]]) -> Iterator[list[LogMessage]]:
    """The messages of each day; of a longer stretch at once, where a day has very many."""
    day: list[LogMessage] = []
    midnight = 0
    for batch in batches:
        for piece in _at_midnights(batch):
            if day and (piece[0].time >= midnight or len(day) >= LARGEST_DAY):
                yield day
                day = []
            if not day:
                midnight = _next_midnight(piece[0])
            day += piece
    if day:
        yield day


def _at_midnights(batch: list[LogMessage]) -> Iterator[list[LogMessage]]:
    """Pieces of a batch that do not reach over midnight."""
    start = 0
    midnight = _next_midnight(batch[0])
    if max(map(TIME, batch)) >= midnight:  # few batches do
        for at, message in enumerate(batch):
            if message.time >= midnight:
                yield batch[start:at]
                start, midnight = at, _next_midnight(message)
    yield batch[start:]


def _next_midnight(message: LogMessage) -> int:
    return message.time - message.time % SECONDS_A_DAY + SECONDS_A_DAY
