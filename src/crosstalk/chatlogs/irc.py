"""Lines of IRC logs as the Ubuntu archive writes them.

For example
    [12:21] <dell> well, can I move the drives?     a message
    [12:21]  * dell shrugs                           an action
    === dell is now known as dell_                   a rename; all `===` lines are without a time
"""

import re
from collections.abc import Iterable
from datetime import date
from functools import lru_cache

from crosstalk.chatlogs.clock import LogClock
from crosstalk.chatlogs.messages import LineKind, LogMessage

CONTROL = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|[\x00-\x08\x0b-\x1f\x7f]")
"""Bold, colours and other bytes that terminals swallow."""
STAMP = re.compile(r"\[[0-9]{2}:[0-9]{2}\] ")
OTHER_STAMP = re.compile(
    r"\[?(?:([0-9]{4}-[0-9]{2}-[0-9]{2})[ T])?([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?\]?\s+(?=\S)"
)
"""What other programs write: `12:21 < dell> ...`, `[2010-01-01 12:21:07] <@dell> ...`."""
OTHER_SPEECH = re.compile(r"<[ @+%&~]?([^<>\s]+)>\s?(.*)$")
OTHER_RENAME = re.compile(r"(?:-!-|\*{1,3}) (\S+) is now known as (\S+)$")
OTHER_ACTION = re.compile(r"\* ([^\s*]+) (\S.*)$")
OTHER_NOTICE = re.compile(r"-!- |\*\*\* ")
LOGGERS_OWN = re.compile(r"--- (?:Log (?:open|clos)ed|Day changed)\b|\*{4} \w+ LOGGING\b")
"""What programs write of their own logging."""
KNOWN_AS = " is now known as "
RENAME = re.compile(rf"=== (\S+){KNOWN_AS}(\S+)$")
NOTICE = re.compile(r"=== (?:\S*\[|mode/|\S+ (?:\[.*\]  )?has (?:joined|left|quit)\b)")
OLD_ACTION = re.compile(r"=== ([^\s\[]+) (\S.*)$")
"""Until about 2007 actions stand behind `===`, without a time."""


class IrcReader:
    """Lines of one file in, blocks at a time; every line becomes a message and keeps its place."""

    def __init__(self, clock: LogClock) -> None:
        self._clock = clock
        self._number = 0
        self._stamp = ""
        self._time = clock.now
        self._names: dict[str, str] = {}

    def messages(self, lines: list[str]) -> list[LogMessage]:
        """One loop without calls for the common case: a log has twenty million such lines."""
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
                sender = names.setdefault(name, name)  # one string for all lines of a person
                fields = (number, time, spoken, sender, line[end + 2 :].strip(), "", "")
                add(new(LogMessage, fields))
            else:
                add(_other(number, line, clock))
                if clock.now != time:
                    stamp = ""  # what was read of it holds no longer
        self._number += len(lines)
        self._stamp, self._time = stamp, time
        return found

    def _read_stamp(self, head: str, stamp: str, time: int) -> tuple[str, int]:
        """`[12:21] <` and the time it means; what was known, for lines that begin otherwise."""
        stamped = hours_and_minutes(head) if head[8:] == "<" else None
        return (head, self._clock.at(*stamped)) if stamped else (stamp, time)


def read_irc(lines: Iterable[str], clock: LogClock) -> list[LogMessage]:
    """Every line as a message value; what cannot be read says so and keeps its place."""
    return IrcReader(clock).messages([printable(line) for line in lines])


@lru_cache(maxsize=2_000)
def hours_and_minutes(head: str) -> tuple[int, int] | None:
    """Of a line's head such as `[12:21] `; there are 1,440 of them and every minute begins anew."""
    return (int(head[1:3]), int(head[4:6])) if STAMP.match(head) else None


def printable(line: str) -> str:
    return CONTROL.sub("", line).replace("\t", " ")


def _other(number: int, line: str, clock: LogClock) -> LogMessage:
    """What is no plain message."""
    if line.startswith("==="):
        return _notice(number, line, clock.now)
    if stamped := hours_and_minutes(line[:8]):
        return _stamped(number, line, clock.at(*stamped))
    if (other := OTHER_STAMP.match(line)) and (said := _of_others(number, line[other.end() :])):
        if day := day_named(other[1] or ""):
            clock.turn_to(day)
        return said._replace(time=clock.at(int(other[2]), int(other[3])))
    kind = LineKind.SYSTEM if LOGGERS_OWN.match(line) else LineKind.UNREADABLE
    return LogMessage(number, clock.now, kind, "", line)


def _of_others(number: int, rest: str) -> LogMessage | None:
    """What stands behind the time as other programs write it; None where nobody does so."""
    if said := OTHER_SPEECH.match(rest):
        return LogMessage(number, 0, LineKind.MESSAGE, said[1], said[2].strip())
    if renamed := OTHER_RENAME.match(rest):
        return LogMessage(number, 0, LineKind.RENAME, renamed[1], renamed[2])
    if done := OTHER_ACTION.match(rest):
        return LogMessage(number, 0, LineKind.ACTION, done[1], done[2].strip())
    return LogMessage(number, 0, LineKind.SYSTEM, "", rest) if OTHER_NOTICE.match(rest) else None


def _stamped(number: int, line: str, time: int) -> LogMessage:
    if line[8:11] == " * ":
        sender, _, text = line[11:].partition(" ")
        if sender:
            return LogMessage(number, time, LineKind.ACTION, sender, text.strip())
    return LogMessage(number, time, LineKind.SYSTEM, "", line)


def _notice(number: int, line: str, time: int) -> LogMessage:
    if KNOWN_AS in line and (renamed := RENAME.match(line)):
        return LogMessage(number, time, LineKind.RENAME, renamed[1], renamed[2])
    if not NOTICE.match(line) and (action := OLD_ACTION.match(line)):
        return LogMessage(number, time, LineKind.ACTION, action[1], action[2].strip())
    return LogMessage(number, time, LineKind.SYSTEM, "", line)


def day_named(name: str) -> date | None:
    """The day in a file's name or path, such as `2007-01-19.raw.txt` or `2007/01/19/#x.txt`."""
    for found in re.finditer(r"(?<!\d)(\d{4})[-/_.]?(\d{2})[-/_.]?(\d{2})(?!\d)", name):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None


def decode_line(raw: bytes) -> str:
    """UTF-8, else Windows-1252: archives mix both within a file, so each line is on its own."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")
