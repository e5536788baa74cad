"""IRC logs: decode the bytes, reconstruct the times, parse every line into a `LogMessage`.

The Ubuntu archive writes lines such as
    [12:21] <dell> well, can I move the drives?     a message
    [12:21]  * dell shrugs                           an action
    === dell is now known as dell_                   a rename; `===` lines carry no time

Stamps hold hours and minutes only, and logs before October 2007 use a twelve-hour clock without am
and pm: read naively, every afternoon is a morning and time runs backwards once a day.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import BinaryIO

from crosstalk.chatlogs.log_messages import LineKind, LogMessage

LAST_TWELVE_HOUR_DAY = date(2007, 9, 30)
SLACK = 5
"""A step back of at most so many minutes is clock jitter, not the passing of half a day."""
HALF_DAY = 12 * 60
DAY = 24 * 60


class LogClock:
    """Turns stamps of hours and minutes into seconds since 1970.

    Time never runs backwards, except where lines name their day themselves.
    """

    def __init__(self, day: date) -> None:
        self._midnight = _midnight(day) if day != date.min else 0
        self._twelve = day <= LAST_TWELVE_HOUR_DAY
        self._passed = 0  # half days or days added so far, in minutes
        self._now = 0
        self._steps_back = 0
        self._leaps = 0

    @property
    def now(self) -> int:
        return self._midnight + 60 * self._now

    def turn_to(self, day: date) -> None:
        """Set the day that a line names itself; such logs have a 24-hour clock."""
        midnight = _midnight(day)
        if midnight != self._midnight or self._passed or self._twelve:
            self._steps_back += midnight < self._midnight
            self._midnight, self._passed, self._now = midnight, 0, 0
            self._twelve = False

    def problems(self) -> Iterator[str]:
        if self._steps_back:
            yield f"the clock steps back {self._steps_back:,} times"
        if self._leaps:
            yield f"the clock goes back by hours {self._leaps:,} times, taken for a later day"

    def at(self, hours: int, minutes: int) -> int:
        """Return the time of a line with this stamp."""
        if hours > 12 and self._twelve:  # a twelve-hour clock never shows this
            self._twelve = False
            self._passed -= self._passed % DAY
        time = self._passed + 60 * (hours % 12 if self._twelve else hours) + minutes
        if time < self._now:
            time = self._gone_back(time)
        self._now = time
        return self._midnight + 60 * time

    def _gone_back(self, time: int) -> int:
        """Keep the time after a small step back; after a larger one add half a day or a day."""
        if time >= self._now - SLACK:
            self._steps_back += 1
            return self._now
        step = HALF_DAY if self._twelve else DAY
        self._passed += step
        if time + step - self._now > step // 2:  # more than a night's wrap: cause unknown
            self._leaps += 1
        return max(self._now, time + step)


def _midnight(day: date) -> int:
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp())


CONTROL = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|[\x00-\x08\x0b-\x1f\x7f]")
"""Codes for bold, colours and the like, which terminals do not print."""
STAMP = re.compile(r"\[[0-9]{2}:[0-9]{2}\] ")
OTHER_STAMP = re.compile(
    r"\[?(?:([0-9]{4}-[0-9]{2}-[0-9]{2})[ T])?([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?\]?\s+(?=\S)"
)
"""Stamps of other programs: `12:21 < dell> ...`, `[2010-01-01 12:21:07] <@dell> ...`."""
OTHER_SPEECH = re.compile(r"<[ @+%&~]?([^<>\s]+)>\s?(.*)$")
OTHER_RENAME = re.compile(r"(?:-!-|\*{1,3}) (\S+) is now known as (\S+)$")
OTHER_ACTION = re.compile(r"\* ([^\s*]+) (\S.*)$")
OTHER_NOTICE = re.compile(r"-!- |\*\*\* ")
LOGGERS_OWN = re.compile(r"--- (?:Log (?:open|clos)ed|Day changed)\b|\*{4} \w+ LOGGING\b")
"""Lines in which a program reports on its own logging."""
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
                sender = names.setdefault(name, name)  # one string for all lines of a person
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


def printable(line: str) -> str:
    return CONTROL.sub("", line).replace("\t", " ")


def _other(number: int, line: str, clock: LogClock) -> LogMessage:
    """Parse a line that is not a plain message of the Ubuntu archive."""
    if line.startswith("==="):
        return _notice(number, line, clock.now)
    if stamped := hours_and_minutes(line[:8]):
        return _stamped(number, line, clock.at(*stamped))
    if (other := OTHER_STAMP.match(line)) and (said := _of_others(number, line[other.end() :])):
        if day := day_in_name(other[1] or ""):
            clock.turn_to(day)
        return said._replace(time=clock.at(int(other[2]), int(other[3])))
    kind = LineKind.SYSTEM if LOGGERS_OWN.match(line) else LineKind.UNREADABLE
    return LogMessage(number, clock.now, kind, "", line)


def _of_others(number: int, rest: str) -> LogMessage | None:
    """Parse the text after the time in the layouts of other programs; None if it fits none."""
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


def day_in_name(name: str) -> date | None:
    """Return the day in a file's name or path: `2007-01-19.raw.txt` or `2007/01/19/#x.txt`."""
    for found in re.finditer(r"(?<!\d)(\d{4})[-/_.]?(\d{2})[-/_.]?(\d{2})(?!\d)", name):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None


def decode_line(raw: bytes) -> str:
    """Decode as UTF-8, else as Windows-1252; per line, since archives mix both within a file."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


BLOCK = 1 << 19
LONGEST_LINE = 64_000
"""Characters kept of a line: chat programs allow a few thousand."""
CONTROL_BYTES = bytes(set(range(32)) - set(b"\r\n")) + b"\x7f"

JUNK = frozenset(CONTROL_BYTES.decode()) - frozenset("\t\x02\x03\x0f\x11\x16\x1d\x1e\x1f")
"""Control characters without a meaning in chat, unlike bold and colours."""


class LineBlocks:
    """Yields lists of decoded lines and counts what it had to change.

    A block is decoded at once where possible; only blocks with odd bytes are cleaned line by line.
    """

    def __init__(self, content: BinaryIO) -> None:
        self._content = content
        self._cut = 0
        self._not_utf8 = 0
        self._junk = 0

    def __iter__(self) -> Iterator[list[str]]:
        for block in _whole_lines(self._content):
            lines = self._decoded(block)
            if len(block.translate(None, CONTROL_BYTES)) < len(block):
                lines = self._cleaned(lines)
            if max(map(len, lines)) > LONGEST_LINE:
                self._cut += sum(len(line) > LONGEST_LINE for line in lines)
                lines = [line[:LONGEST_LINE] for line in lines]
            yield lines

    def problems(self) -> Iterator[str]:
        if self._cut:
            yield f"{self._cut:,} lines cut after {LONGEST_LINE:,} characters"
        if self._not_utf8:
            yield f"{self._not_utf8:,} lines are not UTF-8, read as Windows-1252"
        if self._junk:
            yield f"binary characters taken out of {self._junk:,} lines"

    def _decoded(self, block: bytes) -> list[str]:
        try:
            lines = block.decode().split("\n")
        except UnicodeDecodeError:
            raw = block.split(b"\n")
            self._not_utf8 += sum(not _is_utf8(line) for line in raw)
            lines = [decode_line(line) for line in raw]
        if not lines[-1]:
            lines.pop()
        return [line.rstrip("\r") for line in lines] if b"\r" in block else lines

    def _cleaned(self, lines: list[str]) -> list[str]:
        clean = [line if line.isprintable() else printable(line) for line in lines]
        self._junk += sum(not JUNK.isdisjoint(line) for line in lines if not line.isprintable())
        return clean


def _whole_lines(content: BinaryIO) -> Iterator[bytes]:
    rest = content.read(len(BOM_UTF8)).removeprefix(BOM_UTF8)  # some editors write one
    while piece := content.read(BLOCK):
        end = piece.rfind(b"\n") + 1
        if end:
            yield rest + piece[:end]
            rest = piece[end:]
        else:  # a line that never ends must not fill the memory
            rest = (rest + piece)[: 4 * LONGEST_LINE + 4]
    if rest:
        yield rest


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
