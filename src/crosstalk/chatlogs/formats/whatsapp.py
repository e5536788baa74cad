"""WhatsApp's exported chats, of Android and of iPhones, as many countries write them.

    31.12.20, 22:15 - Ann: hi                     Android
    [12/31/20, 10:15:07 PM] Ann: hi               iPhone
    2020/12/31 下午10:15 - 小明: 你好

A line without a time continues the message before. Whether the day or the month comes first is
seen from the whole file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.log_clock import LogClock
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import LineBlocks
from crosstalk.chatlogs.formats.text_lines import known_lines
from crosstalk.chatlogs.formats.whatsapp_words import NOT_EXPORTED
from crosstalk.chatlogs.formats.written_times import HALVES, of_twenty_four
from crosstalk.chatlogs.log_messages import LineKind, LogMessage

ITEM: Final = "\u200e"
"""The mark before what is no text: pictures, calls, notes of the program."""
DIRECTIONS: Final = dict.fromkeys(
    map(ord, "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
)
SPACES: Final = dict.fromkeys(map(ord, "\u00a0\u202f\u2009"), " ")
HALF: Final = "|".join(re.escape(each) for each in sorted(HALVES, key=len, reverse=True))
DAY: Final = (
    r"(?P<one>\d{1,4})(?P<mark>[./-]|[년年])\s?(?P<two>\d{1,2})(?:(?P=mark)|[월月])\s?"
    r"(?P<three>\d{1,4})[.일日]?"
)
TIME: Final = (
    rf"(?:(?P<before>{HALF})\s?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    rf"(?:\s?(?P<after>{HALF}))?"
)
WHEN: Final = rf"{DAY}[,،]?\s*(?:(?:à|klo|kl\.|um|alle|às|a las|at|в)\s+)?{TIME}"
IPHONE: Final = re.compile(rf"\[{WHEN}\]\s?", re.IGNORECASE)
ANDROID: Final = re.compile(rf"{WHEN}\s[-–]\s", re.IGNORECASE)
MENTION: Final = re.compile("@\u2068([^\u2069]+)\u2069")
SAID: Final = re.compile(r'(?:~\s?)?(?P<name>[^:"“„«»]{1,60}?)\s?:(?:\s(?P<text>.*))?$', re.DOTALL)
EDITED: Final = re.compile(f"{ITEM}<[^<>]*>$")
BUDDHIST: Final = 543
"""Years by which Thailand's calendar is ahead."""


def _start(line: str) -> re.Match[str] | None:
    line = line.lstrip(f"{ITEM}\u200f")
    return IPHONE.match(line) or ANDROID.match(line)


def _plain(line: str) -> str:
    return line.translate(DIRECTIONS).translate(SPACES)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line with a time, and the lines that continue it."""

    number: int
    date: tuple[int, int, int]
    """The three numbers of the date, in the order of the file."""
    mark: str
    time: tuple[int, int, int]
    half: str
    """What stands for am or pm; empty without."""
    text: str


def _entry(number: int, line: str) -> _Entry | None:
    found = _start(_plain(line))
    if not found:
        return None
    half = found["before"] or found["after"] or ""
    time = (
        of_twenty_four(int(found["hour"]), half),
        int(found["minute"]),
        int(found["second"] or 0),
    )
    day = (int(found["one"]), int(found["two"]), int(found["three"]))
    return _Entry(number, day, found["mark"], time, half, _after_time(line, found.end()))


def _after_time(line: str, length: int) -> str:
    """Return what follows the time, with the marks of direction that are in it."""
    plain = 0
    for at, sign in enumerate(line):
        if plain == length:
            return line[at:]
        plain += ord(sign) not in DIRECTIONS
    return ""


def _read(content: LogContent) -> Iterator[LogMessage]:
    entries: list[_Entry | LogMessage] = []
    with content.open() as stream:
        blocks = LineBlocks(stream)
        for number, line in enumerate(line for block in blocks for line in block):
            if entry := _entry(number, line):
                entries.append(entry)
            elif entries and isinstance(last := entries[-1], _Entry):
                entries[-1] = replace(last, text=f"{last.text}\n{line}")
            else:
                entries.append(LogMessage(number, 0, LineKind.UNREADABLE, "", line))
        content.problems.extend(blocks.problems())
    yield from _messages(entries, content)


def _messages(entries: list[_Entry | LogMessage], content: LogContent) -> Iterator[LogMessage]:
    order = _order([each for each in entries if isinstance(each, _Entry)])
    clock = LogClock(content.day)
    shown: dict[str, str] = {}
    found = []
    for each in entries:
        if isinstance(each, LogMessage):
            found.append(each)
            continue
        if day := _date(each.date, order):
            clock.turn_to(day)
        said = SAID.match(_plain(each.text))
        if said:
            shown |= documents.shown_names([said["name"].strip()])
        found.append(_message(each, clock.at(*each.time), said))
    content.problems.extend(clock.problems())
    yield from documents.with_mentions(found, shown)


def _message(entry: _Entry, time: int, said: re.Match[str] | None) -> LogMessage:
    if not said:
        return LogMessage(entry.number, time, LineKind.SYSTEM, "", _plain(entry.text))
    written = entry.text.partition(":")[2].strip(" \u200f")
    is_item = written.startswith(ITEM) or not written
    marked = MENTION.sub(lambda at: f"@{documents.one_word(at[1])}", EDITED.sub("", written))
    text = documents.whole(" ".join(_plain(marked).split()))
    is_item = is_item or NOT_EXPORTED.fullmatch(text) is not None
    kind = LineKind.SYSTEM if is_item else LineKind.MESSAGE
    return LogMessage(entry.number, time, kind, documents.one_word(said["name"]), text)


Order = tuple[int, int, int]
YEAR_FIRST: Final = (0, 1, 2)
DAY_FIRST: Final = (2, 1, 0)
MONTH_FIRST: Final = (2, 0, 1)


def _order(entries: list[_Entry]) -> Order:
    """Return where year, month and day stand in a date."""
    if not entries or entries[0].date[0] > 31:
        return YEAR_FIRST
    if any(entry.date[0] > 12 for entry in entries) or entries[0].mark != "/":
        return DAY_FIRST
    if any(entry.date[1] > 12 for entry in entries):
        return MONTH_FIRST
    back = {order: _steps_back(entries, order) for order in (DAY_FIRST, MONTH_FIRST)}
    if back[DAY_FIRST] != back[MONTH_FIRST]:
        return min(back, key=lambda order: back[order])
    is_american = entries[0].half in ("AM", "PM") and entries[0].date[2] < 100
    return MONTH_FIRST if is_american else DAY_FIRST


def _steps_back(entries: list[_Entry], order: Order) -> int:
    days = [tuple(entry.date[at] for at in order) for entry in entries]
    return sum(after < before for before, after in pairwise(days))


def _date(numbers: tuple[int, int, int], order: Order) -> date | None:
    year, month, day = (numbers[at] for at in order)
    year += 2000 * (year < 100)
    try:
        return date(year - BUDDHIST * (year > 2400), month, day)
    except ValueError:
        return None


FORMAT: Final = LogFormat(
    "whatsapp",
    "WhatsApp's exported chats",
    known_lines(lambda line: _start(_plain(line))),
    _read,
)
