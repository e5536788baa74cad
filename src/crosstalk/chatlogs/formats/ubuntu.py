"""The Ubuntu archive's logs, one file a day: the format that has to be read fastest.

    [12:21] <dell> well, can I move the drives?     a message
    [12:21]  * dell shrugs                           an action
    === dell is now known as dell_                   a rename; `===` lines carry no time

Stamps hold hours and minutes only, and logs before October 2007 use a twelve-hour clock without am
and pm: read naively, every afternoon is a morning and time runs backwards once a day.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import BinaryIO, Final

from crosstalk.chatlogs.formats.log_clock import (
    LAST_TWELVE_HOUR_DAY,
    LogClock,
    shows_twelve_hours,
)
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import LineBlocks, printable
from crosstalk.chatlogs.formats.text_lines import known_lines
from crosstalk.chatlogs.log_messages import LineKind, LogMessage

MODES = "@+%&~! "
"""Marks before a name: what its owner may do in the channel."""
STAMP = re.compile(r"\[[0-9]{2}:[0-9]{2}\] ")
KNOWN_AS = " is now known as "
RENAME = re.compile(rf"=== (\S+){KNOWN_AS}(\S+)$")
NOTICE = re.compile(r"=== (?:\S*\[|mode/|\S+ (?:\[.*\]  )?has (?:joined|left|quit)\b)")
OLD_ACTION = re.compile(r"=== ([^\s\[]+) (\S.*)$")
"""Until about 2007 actions stand behind `===`, without a time."""


class IrcReader:
    """Parses the lines of one file, a block at a time; every line becomes one message."""

    def __init__(self, clock: LogClock) -> None:
        self._clock = clock
        self._number = 0
        self._stamp = ""
        self._time = clock.now
        self._names: dict[str, str] = {}

    def messages(self, lines: list[str]) -> list[LogMessage]:
        """Parse a block; one loop without calls in the common case: logs have 20 million lines."""
        found: list[LogMessage] = []
        add, new, names, spoken = found.append, tuple.__new__, self._names, LineKind.MESSAGE
        stamp, time, clock = self._stamp, self._time, self._clock
        for number, line in enumerate(lines, self._number):
            head = line[:9]
            if head != stamp:
                stamp, time = self._read_stamp(head, stamp, time)
            end = line.find(">", 9)
            if end > 9 and head == stamp:
                name = line[9:end]
                sender = names.get(name)  # one string for all lines of a person
                if sender is None:
                    sender = names[name] = name.lstrip(MODES) or name
                fields = (number, time, spoken, sender, line[end + 2 :].strip(), "", "")
                add(new(LogMessage, fields))
            else:
                add(_other(number, line, clock))
                if clock.now != time:
                    stamp = ""  # the cached time is out of date
        self._number += len(lines)
        self._stamp, self._time = stamp, time
        return found

    def _read_stamp(self, head: str, stamp: str, time: int) -> tuple[str, int]:
        """Return `[12:21] <` and its time; for other lines, the given stamp and time."""
        stamped = hours_and_minutes(head) if head[8:] == "<" else None
        return (head, self._clock.at(*stamped)) if stamped else (stamp, time)


def read_irc(lines: Iterable[str], clock: LogClock) -> list[LogMessage]:
    """Parse every line; a line that cannot be read becomes an UNREADABLE message in its place."""
    return IrcReader(clock).messages([printable(line) for line in lines])


@lru_cache(maxsize=2_000)
def hours_and_minutes(head: str) -> tuple[int, int] | None:
    """Parse a stamp such as `[12:21] `; cached, since there are only 1,440 different ones."""
    return (int(head[1:3]), int(head[4:6])) if STAMP.match(head) else None


def _other(number: int, line: str, clock: LogClock) -> LogMessage:
    """Parse a line that is not a plain message of the Ubuntu archive."""
    if line.startswith("==="):
        return _notice(number, line, clock.now)
    if stamped := hours_and_minutes(line[:8]):
        return _stamped(number, line, clock.at(*stamped))
    return LogMessage(number, clock.now, LineKind.UNREADABLE, "", line)


def _stamped(number: int, line: str, time: int) -> LogMessage:
    if line[8:11] == " * ":
        sender, _, text = line[11:].partition(" ")
        if sender:
            return LogMessage(number, time, LineKind.ACTION, sender.lstrip(MODES), text.strip())
    return LogMessage(number, time, LineKind.SYSTEM, "", line)


def _notice(number: int, line: str, time: int) -> LogMessage:
    if KNOWN_AS in line and (renamed := RENAME.match(line)):
        return LogMessage(number, time, LineKind.RENAME, renamed[1], renamed[2])
    if not NOTICE.match(line) and (action := OLD_ACTION.match(line)):
        return LogMessage(number, time, LineKind.ACTION, action[1], action[2].strip())
    return LogMessage(number, time, LineKind.SYSTEM, "", line)


def _read(content: LogContent) -> Iterator[LogMessage]:
    twelve = content.day <= LAST_TWELVE_HOUR_DAY and _shows_twelve_hours(content)
    clock = LogClock(content.day, twelve_hours=twelve)
    reader = IrcReader(clock)
    with content.open() as stream:
        blocks = LineBlocks(stream)
        for lines in blocks:
            yield from reader.messages(lines)
        content.problems.extend([*clock.problems(), *blocks.problems()])


def _shows_twelve_hours(content: LogContent) -> bool:
    with content.open() as stream:
        return shows_twelve_hours(_stamps(stream))


def _stamps(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    for lines in LineBlocks(stream):
        for line in lines:
            if stamp := hours_and_minutes(line[:8]):
                yield stamp


KNOWN = re.compile(r"\[\d\d:\d\d\] (?:<\S+>| \* \S|-\S+:#\S+- |\(\S+/#\S+\) )|=== \S")
FORMAT: Final = LogFormat(
    "ubuntu", "the archive of Ubuntu's channels, and like loggers", known_lines(KNOWN.match), _read
)
