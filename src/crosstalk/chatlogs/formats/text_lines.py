"""Logs of one line a message: a layout says how a program writes them.

12:21 <@ann> hi        a stamp, then a kind of line
--- Day changed Sat Jan 02 2010
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date

from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import LineBlocks
from crosstalk.chatlogs.formats.written_times import month_number, of_twenty_four
from crosstalk.chatlogs.log_messages import LineKind, LogMessage

MODE = r"[@+%&~! ]*"
"""Marks before a name: what its owner may do in the channel."""
NICK = rf"{MODE}(?P<name>[^<>\s@+%&~!][^<>\s]*?)(?::[#&][^<>\s]+)?"
"""A name, also with its channel as windows of several channels show it: `<ann:#help>`."""
SPEECH = rf"<{NICK}>(?:\s(?P<text>.*))?$"
ACTION = rf"\*\s{NICK}\s(?P<text>\S.*)$"
RENAMED = r"(?P<name>\S+) (?:is now known as|changed nick to|changed their nick to) (?P<text>\S+?)"
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
NAMED_DAY = rf"\w+\.?,? (?P<month>\w+)\.? +(?P<day>\d{{1,2}})(?: {CLOCK})?,? (?P<year>\d{{4}})"
"""`Sat Jan 02 00:00:00 2010`, as C's library writes dates."""
ISO_DAY = r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
ZONE = r"(?:Z|(?P<zone>[+-]\d\d:?\d\d))?"
HALF = r"(?:\s?(?P<half>[AaPp]\.?[Mm]\.?))?"


@dataclass(frozen=True, slots=True)
class LineLayout:
    """How a program writes a line: its time, and what may follow."""

    stamp: re.Pattern[str]
    """The time at the start, with groups `hour` and `minute`; also `second`, `half` (am or pm),
    and `year`, `month`, `day`, `zone` where they are written."""
    kinds: tuple[tuple[LineKind, re.Pattern[str]], ...]
    """What follows the time; the first that matches decides. Groups `name` and `text`."""
    days: re.Pattern[str] | None = None
    """Lines that only name the day of the following lines."""
    others: re.Pattern[str] | None = None
    """Further lines of the program without a time."""

    def knows(self, line: str) -> bool:
        if stamp := self.stamp.match(line):
            return any(kind.match(line, stamp.end()) for _, kind in self.kinds)
        return any(each is not None and each.match(line) for each in (self.days, self.others))


def layout(
    stamp: str, *kinds: tuple[LineKind, str], days: str | None = None, others: str | None = None
) -> LineLayout:
    return LineLayout(
        re.compile(stamp),
        tuple((kind, re.compile(pattern)) for kind, pattern in kinds),
        re.compile(days) if days else None,
        re.compile(others) if others else None,
    )


def line_format(name: str, title: str, lines: LineLayout) -> LogFormat:
    """A format whose files have a message on each line."""
    return LogFormat(name, title, known_lines(lines.knows), lambda content: _read(lines, content))


def known_lines(knows: Callable[[str], object]) -> Callable[[FileHead], Likeness]:
    """Likeness by the share of the first lines that a layout knows."""

    def likeness(head: FileHead) -> Likeness:
        known = sum(bool(knows(line)) for line in head.lines)
        note = f"{known:,} of its first {len(head.lines):,} lines"
        return Likeness(known / len(head.lines) if head.lines else 0, known, note)

    return likeness


def _read(lines: LineLayout, content: LogContent) -> Iterator[LogMessage]:
    reader = _Reader(lines, content.day)
    with content.open() as stream:
        blocks = LineBlocks(stream, tabs=True)
        for block in blocks:
            yield from map(reader.message, block)
        content.problems.extend([*reader.clock.problems(), *blocks.problems()])


class _Reader:
    """Parses the lines of one file in order."""

    def __init__(self, lines: LineLayout, day: date) -> None:
        self._lines = lines
        self.clock = LogClock(day)
        self._number = -1

    def message(self, line: str) -> LogMessage:
        self._number += 1
        if stamp := self._lines.stamp.match(line):
            for kind, pattern in self._lines.kinds:
                if found := pattern.match(line, stamp.end()):
                    return self._message(kind, line, stamp, found)
        return LogMessage(self._number, self.clock.now, self._without_time(line), "", line)

    def _message(
        self, kind: LineKind, line: str, stamp: re.Match[str], found: re.Match[str]
    ) -> LogMessage:
        if day := named_day(stamp, self.clock.day):
            self.clock.turn_to(day)
        time = self._set_clock(stamp) - _offset(stamp.groupdict().get("zone") or "+0000")
        if kind is LineKind.SYSTEM:
            return LogMessage(self._number, time, kind, "", line.replace("\t", " "))
        text = (found["text"] or "").replace("\t", " ").strip()
        return LogMessage(self._number, time, kind, found["name"], text)

    def _set_clock(self, stamp: re.Match[str]) -> int:
        fields = stamp.groupdict()
        if not fields.get("hour"):
            return self.clock.now
        hour = of_twenty_four(int(fields["hour"]), fields.get("half") or "")
        return self.clock.at(hour, int(fields["minute"]), int(fields.get("second") or 0))

    def _without_time(self, line: str) -> LineKind:
        days, others = self._lines.days, self._lines.others
        if days is not None and (found := days.match(line)):
            if day := named_day(found, self.clock.day):
                self.clock.turn_to(day)
                self._set_clock(found)
            return LineKind.SYSTEM
        if not line.strip():
            return LineKind.SYSTEM
        return LineKind.SYSTEM if others and others.match(line) else LineKind.UNREADABLE


def named_day(found: re.Match[str], before: date) -> date | None:
    """Return the day that a line names; without a year the next such day on or after `before`."""
    fields = found.groupdict()
    if not fields.get("day"):
        return None
    month = month_number(fields["month"])
    if not month:
        return None
    year, day = fields.get("year"), int(fields["day"])
    try:
        return date(int(year) if year else _year(month, before), month, day)
    except ValueError:
        return None


def _offset(zone: str) -> int:
    """The seconds by which a zone such as `+0130` is ahead of UTC."""
    hours, minutes = int(zone[1:3]), int(zone[-2:])
    return (60 * hours + minutes) * (-60 if zone[0] == "-" else 60)


def _year(month: int, before: date) -> int:
    """The year of a month that follows a day: January comes after December."""
    return before.year + (before.month - month > 6)
