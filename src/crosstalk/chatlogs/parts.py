"""A log in parts that can be worked on apart: a channel and a month each.

A part is read from a day before its month, so that names and open conversations are known, to a
day after it, so that its last conversations end. What a part yields does not depend on who works
on it, nor on how many others do.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from crosstalk.chatlogs.sources import LogFile

MARGIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LogPart:
    """Files whose conversations belong here, and those that are only read along."""

    channel: str
    month: str
    before: tuple[LogFile, ...]
    own: tuple[LogFile, ...]
    after: tuple[LogFile, ...]
    stem: str
    """The channel, fit for a file's name and like that of no other channel."""

    @property
    def name(self) -> str:
        return f"{self.stem}.{self.month}"


def parts_of(logs: Iterable[LogFile], *, by_month: bool = True) -> list[LogPart]:
    """Parts in order; whole channels where conversations may last for ever."""
    logs = sorted(logs)
    stems = _stems(sorted({log.channel for log in logs}))
    return [
        part
        for channel, files in groupby(logs, key=lambda log: log.channel)
        for part in _of_channel(stems[channel], list(files), by_month)
    ]


def _stems(channels: list[str]) -> dict[str, str]:
    """`#a` and `_a` are two channels, and so are `A` and `a`, also on disks that do not tell."""
    stems, used = {}, Counter[str]()
    for channel in channels:
        safe = "".join(mark if mark.isalnum() or mark in "-_." else "_" for mark in channel)
        used[safe.casefold()] += 1
        number = used[safe.casefold()]
        stems[channel] = (safe or "log") + (f"~{number}" if number > 1 else "")
    return stems


def _of_channel(stem: str, files: list[LogFile], by_month: bool) -> list[LogPart]:
    if not by_month:
        return [LogPart(files[0].channel, "all", (), tuple(files), (), stem)]
    return [
        _of_month(stem, month, list(own), files)
        for month, own in groupby(files, key=lambda log: log.month)
    ]


def _of_month(stem: str, month: str, own: list[LogFile], files: list[LogFile]) -> LogPart:
    first, last = own[0].day, own[-1].day
    before: tuple[LogFile, ...] = ()
    after: tuple[LogFile, ...] = ()
    if first != date.min:
        before = tuple(log for log in files if first - MARGIN <= log.day < first)
        after = tuple(log for log in files if last < log.day <= last + MARGIN)
    return LogPart(own[0].channel, month, before, tuple(own), after, stem)
