"""One part of a log becomes conversations, one after the other, as they end."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Protocol

from crosstalk.chatlogs.messages import Message
from crosstalk.chatlogs.parts import Part
from crosstalk.chatlogs.reading import Tally, read_log
from crosstalk.chatlogs.sources import LogFile
from crosstalk.chatlogs.threads import Thread

LARGEST_DAY = 100_000
"""Messages taken in at once: a busy channel has 30,000 a day; a file may hold years."""
SECONDS_A_DAY = 86_400


class Extractor(Protocol):
    """Days of one channel in, conversations out as they end."""

    def day(self, messages: list[Message]) -> Iterator[Thread]: ...

    def end(self) -> Iterator[Thread]: ...


class Walk:
    """A walk through the files of a part; remembers which line was where."""

    def __init__(self, part: Part, extractor: Extractor) -> None:
        self._part = part
        self._extractor = extractor
        self._starts: list[int] = []
        self._files: list[LogFile] = []
        self.tally = Tally()
        self.lines = 0

    def conversations(self) -> Iterator[Thread]:
        """Those that begin in the part's own files."""
        own = frozenset(self._part.own)
        for thread in self._all():
            if self.file_of(thread[0].order) in own:
                yield thread

    def file_of(self, order: int) -> LogFile:
        return self._files[bisect_right(self._starts, order) - 1]

    def _all(self) -> Iterator[Thread]:
        for log in self._part.before:
            yield from self._through(log, Tally())
        for log in self._part.own:
            yield from self._through(log, self.tally)
        for log in self._part.after:
            yield from self._through(log, Tally())
        yield from self._extractor.end()

    def _through(self, log: LogFile, tally: Tally) -> Iterator[Thread]:
        self._starts.append(self.lines)
        self._files.append(log)
        for day in _days(read_log(log, tally)):
            self.lines += len(day)
            yield from self._extractor.day(day)


def _days(messages: Iterable[Message]) -> Iterator[list[Message]]:
    day: list[Message] = []
    midnight = 0
    for message in messages:
        if day and (message.time >= midnight or len(day) >= LARGEST_DAY):
            yield day
            day = []
        if not day:
            midnight = message.time - message.time % SECONDS_A_DAY + SECONDS_A_DAY
        day.append(message)
    if day:
        yield day
