"""A log in parts that can be worked on apart: a channel and a month each.

A part is read from a day before its month, so that names and open conversations are known, to a
day after it, so that its last conversations end. What a part yields does not depend on who works
on it, nor on how many others do.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from crosstalk.chatlogs.sources import LogFile

MARGIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Part:
    """Files whose conversations belong here, and those that are only read along."""

    channel: str
    month: str
    before: tuple[LogFile, ...]
    own: tuple[LogFile, ...]
    after: tuple[LogFile, ...]

    @property
    def name(self) -> str:
        """Fit for a file's name."""
        safe = "".join(mark if mark.isalnum() or mark in "-_." else "_" for mark in self.channel)
        return f"{safe or 'log'}.{self.month}"


def parts_of(logs: Iterable[LogFile], *, by_month: bool = True) -> list[Part]:
    """Parts in order; whole channels where conversations may last for ever."""
    return [
        part
        for channel, files in groupby(sorted(logs), key=lambda log: log.channel)
        for part in _of_channel(channel, list(files), by_month)
    ]


def _of_channel(channel: str, files: list[LogFile], by_month: bool) -> list[Part]:
    if not by_month:
        return [Part(channel, "all", (), tuple(files), ())]
    return [
        _of_month(channel, month, list(own), files)
        for month, own in groupby(files, key=lambda log: log.month)
    ]


def _of_month(channel: str, month: str, own: list[LogFile], files: list[LogFile]) -> Part:
    first, last = own[0].day, own[-1].day
    before: tuple[LogFile, ...] = ()
    after: tuple[LogFile, ...] = ()
    if first != date.min:
        before = tuple(log for log in files if first - MARGIN <= log.day < first)
        after = tuple(log for log in files if last < log.day <= last + MARGIN)
    return Part(channel, month, before, tuple(own), after)
