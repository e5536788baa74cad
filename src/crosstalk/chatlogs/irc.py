"""Lines of IRC logs as the Ubuntu archive writes them.

For example
    [12:21] <dell> well, can I move the drives?     a message
    [12:21]  * dell shrugs                           an action
    === dell is now known as dell_                   a rename; all `===` lines are without a time
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date

from crosstalk.chatlogs.clock import Clock
from crosstalk.chatlogs.messages import Kind, Message

CONTROL = re.compile("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|[\x00-\x08\x0b-\x1f\x7f]")
"""Bold, colours and other bytes that terminals swallow."""
RENAME = re.compile(r"=== (\S+) is now known as (\S+)$")
NOTICE = re.compile(r"=== (?:\S*\[|mode/|\S+ (?:\[.*\]  )?has (?:joined|left|quit)\b)")
OLD_ACTION = re.compile(r"=== ([^\s\[]+) (\S.*)$")
"""Until about 2007 actions stand behind `===`, without a time."""


def read_irc(lines: Iterable[str], clock: Clock) -> Iterator[Message]:
    """Every line as a message value; what cannot be read says so and keeps its place."""
    for number, line in enumerate(lines):
        if not line.isprintable():  # rare, and ten times quicker to ask than to search
            line = CONTROL.sub("", line).replace("\t", " ")
        yield _message(number, line, clock)


def _message(number: int, line: str, clock: Clock) -> Message:
    if line[:1] == "[" and line[6:8] == "] " and line[3:4] == ":":
        hours, minutes = line[1:3], line[4:6]
        if hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit():
            return _stamped(number, line, clock.at(int(hours), int(minutes)))
    if line.startswith("==="):
        return _notice(number, line, clock.now)
    return Message(number, clock.now, Kind.UNREADABLE, "", line)


def _stamped(number: int, line: str, time: int) -> Message:
    if line[8:9] == "<":
        end = line.find(">", 9)
        if end > 9:
            return Message(number, time, Kind.MESSAGE, line[9:end], line[end + 2 :].strip())
    if line[8:11] == " * ":
        sender, _, text = line[11:].partition(" ")
        if sender:
            return Message(number, time, Kind.ACTION, sender, text.strip())
    return Message(number, time, Kind.SYSTEM, "", line)


def _notice(number: int, line: str, time: int) -> Message:
    if renamed := RENAME.match(line):
        return Message(number, time, Kind.RENAME, renamed[1], renamed[2])
    if not NOTICE.match(line) and (action := OLD_ACTION.match(line)):
        return Message(number, time, Kind.ACTION, action[1], action[2].strip())
    return Message(number, time, Kind.SYSTEM, "", line)


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
