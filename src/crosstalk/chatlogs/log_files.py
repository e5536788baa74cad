"""Find log files in files, folders and archives, and split them into parts by channel and month.

Formats are recognised by what files begin with (`formats.registry`), not by their names.
"""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from crosstalk.archives import is_archive, members, open_member, without_archive_suffix
from crosstalk.chatlogs.formats.log_format import FileHead, LogContent
from crosstalk.chatlogs.formats.registry import FORMATS, closest, description, recognise
from crosstalk.chatlogs.formats.text_blocks import decode_line, plain_stream
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.errors import CrosstalkError, FileProblem, InputError
from crosstalk.files import open_plain, shown

UNKNOWN_MONTH = "undated"
RUN = "run.json"
"""File in which an extraction records its settings and inputs."""
DAY = re.compile(r"\d{4}[-_]?\d{2}[-_]?\d{2}")
DAY_FOLDERS = re.compile(r"/\d{4}/\d{2}/\d{2}/[^/]*$")
NUMBERS = re.compile(r"[\d._-]+|/")
BY_SUFFIX: Final = {
    ".txt": "ubuntu",
    ".log": "ubuntu",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".csv": "table",
    ".tsv": "table",
}
"""Formats of files that look like none, among others that are logs: their lines are counted."""
ANNOTATION: Final = ".annotation.txt"
DAMAGED: Final = "(damaged)"
"""The member that stands for an archive whose members cannot be listed."""
HEADS: Final = (1 << 15, 1 << 20)
"""Bytes that are looked at; the longer beginning of JSON files that look like nothing."""


@dataclass(frozen=True, slots=True, order=True)
class LogFile:
    """One file of a channel, or one channel of a file; they sort by channel and day."""

    channel: str
    day: date
    name: str
    """The path, and the member of an archive, for messages."""
    source: str
    """The name of its format."""
    path: Path
    member: str = ""
    room: str | None = None
    """The channel within a file of several."""

    @property
    def month(self) -> str:
        return f"{self.day:%Y-%m}" if self.day != date.min else UNKNOWN_MONTH

    @property
    def file_name(self) -> str:
        """The name of the file, or of the member of an archive, as text."""
        return shown(self.member or self.path.name)

    @property
    def place(self) -> PurePosixPath:
        """The path within the archive, else the file's."""
        return PurePosixPath(self.member or self.path.as_posix())

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The bytes, unpacked and in UTF-8."""
        if self.member == DAMAGED:
            members(self.path)  # says what is wrong
        if self.member:
            opened = open_member(self.path, self.member)
        else:
            opened = open_plain(self.path, may_be_empty=True)
        with opened as content, plain_stream(self.path, content) as plain:
            yield plain

    @property
    def content(self) -> LogContent:
        """What the reader of its format is given."""
        return LogContent(self.day, self.open, self._json_beside, name=shown(self.path))

    def _json_beside(self, name: str) -> Any:
        folder = self.place.parent
        place = folder.parent / name[3:] if name.startswith("../") else folder / name
        same = replace(self, channel="", day=date.min, name="", source="", room=None)
        if self.member:
            return _json_of(replace(same, member=str(place)))
        return _json_of(replace(same, path=Path(place)))


@lru_cache(maxsize=8)
def _json_of(log: LogFile) -> Any:
    """Cached, since every day of every channel asks for the same users."""
    try:
        with log.open() as content:
            return json.load(content)
    except (CrosstalkError, OSError, ValueError, RecursionError, KeyError):
        return None


def find_logs(given: Iterable[Path], format: str = "", *, by_suffix: bool = False) -> list[LogFile]:
    """Return all log files, by channel and day; raises `InputError` if there are none.

    `format`: the format of all files; empty: each is recognised. `by_suffix`: take what is named
    like a log for one even if no file looks like a log.
    """
    given = list(given)
    if format:
        FORMATS.find(format)
    search = _Search(format, by_suffix, [])
    found = sorted({log for path in given for log in _logs_in(path, search)})
    if not found:
        raise nothing_read(given, search.unknown)
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    """What is looked for."""

    format: str
    by_suffix: bool
    unknown: list[FileHead]
    """The beginnings of files in no known format; added to."""


def nothing_read(given: Iterable[Path], heads: list[FileHead]) -> InputError:
    """The error for files in no known format: what they look like, and which formats are close."""
    looks = [f"{head.name}: {description(head)}" for head in heads[:3]]
    more = f" (and {len(heads) - 3:,} more files)" if len(heads) > 3 else ""
    near = closest(heads[:20])
    return InputError(
        f"no chat logs in {', '.join(map(str, given))}: {'; '.join(looks) or 'no files'}{more}"
        + (f". Closest: {near}" if near else ""),
        remedy=_known(),
    )


def nobody_speaks(given: Iterable[Path], problems: Iterable[str]) -> InputError:
    """The error for logs in which nothing is said that could be read."""
    told = "; ".join(list(problems)[:3])
    return InputError(
        f"nobody speaks in {', '.join(map(str, given))}" + (f": {told}" if told else ""),
        remedy=_known(),
    )


def _known() -> str:
    return (
        f"Known formats: {', '.join(FORMATS.names())}; plain, in .gz, .zip or .tar.gz, in folders. "
        "Name one with --format, also one of your own; docs/chatlogs.md shows each."
    )


def unread_files(given: Iterable[Path], found: Iterable[LogFile]) -> list[str]:
    """Return the files in folders and archives that are no logs.

    Files that belong to logs, such as annotations and Slack's lists, are not among them.
    """
    taken = {(log.path, log.member) for log in found}
    others = [entry for path in given for entry in _entries(path) if entry not in taken]
    return [
        f"{path}: {member}" if member else str(path)
        for path, member in others
        if not (member or path.name).endswith((ANNOTATION, ".json", ".zip"))
    ]


def _entries(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file of a folder, and of its archives."""
    if path.is_dir():
        for each in _files_in(path):
            yield from _entries(each)
    elif is_archive(path.name):
        with suppress(FileProblem):  # its reading says what is wrong
            yield from ((path, name) for name in members(path))
    else:
        yield path, ""


def _logs_in(path: Path, search: _Search) -> Iterator[LogFile]:
    if not path.exists():
        raise InputError(f"{path} does not exist", remedy="Give files, folders or archives.")
    if path.is_dir():
        named = [(each.relative_to(path).as_posix(), each, "") for each in _files_in(path)]
        yield from _Place(path, search).logs(named)
    elif is_archive(path.name):
        yield from _logs_in_archive(path, search)
    else:
        yield from _Place(path.parent, search).logs([(path.name, path, "")])


def _logs_in_archive(path: Path, search: _Search) -> Iterator[LogFile]:
    try:
        names = members(path)
    except FileProblem:
        yield _damaged(path)
        return
    place = _Place(without_archive_suffix(path), search)
    yield from place.logs([(name, path, name) for name in names])


def _damaged(path: Path) -> LogFile:
    """An archive that cannot be opened, as a log: reading it says what is wrong."""
    return LogFile(path.stem, date.min, str(path), "ubuntu", path, DAMAGED)


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder or an archive with logs."""

    path: Path
    search: _Search

    def logs(self, entries: list[tuple[str, Path, str]]) -> Iterator[LogFile]:
        """Yield the logs; each entry has its name from this place, its file and member."""
        names = {name for name, _, _ in entries}
        unknown: list[LogFile] = []
        found = ""
        for name, path, member in entries:
            if _raw_of(name) in names or name.endswith(ANNOTATION):
                continue
            if not member and is_archive(path.name):
                yield from _logs_in_archive(path, self.search)
                found = found or "archive"
                continue
            given = shown(f"{path}: {member}" if member else path)
            log = LogFile("", date.min, given, "", path, member)
            source = self.search.format or self._recognise(log, name, found)
            if source:
                found = source
                yield from self._rooms(self._placed(log, name, source))
            elif suffix := BY_SUFFIX.get(PurePosixPath(_without_gz(name)).suffix.lower()):
                unknown.append(self._placed(log, name, suffix))
        if found or self.search.by_suffix:
            yield from unknown

    def _recognise(self, log: LogFile, name: str, before: str) -> str:
        """Return the format of a file by its beginning; empty if it looks like none."""
        for size in HEADS:
            try:
                with log.open() as content:
                    raw = content.read(size)
            except UNREADABLE:
                return "ubuntu"  # reading it says what is wrong
            head = FileHead(shown(name), decode_head(raw))
            if source := recognise(head, before if before in FORMATS.names() else ""):
                return source
            if len(raw) < size or not head.json.views:
                break
        self.search.unknown.append(head)
        return ""

    def _placed(self, log: LogFile, name: str, source: str) -> LogFile:
        """Add the channel and the day, which follow from the name."""
        name = _without_gz(name)
        day = day_in_name(name) or (None if log.member else _day_of_folders(log.path)) or date.min
        return replace(log, channel=shown(_channel(name, self.path)), day=day, source=source)

    def _rooms(self, log: LogFile) -> Iterator[LogFile]:
        """Yield a log for each channel in a file of several."""
        if FORMATS.find(log.source).rooms is None:
            yield log
            return
        try:
            rooms = rooms_of(log)
        except UNREADABLE:
            yield log  # reading it says what is wrong
            return
        for room in rooms or [""]:
            yield replace(
                log, channel=shown(f"{log.channel}/{room}") if room else log.channel, room=room
            )


UNREADABLE: Final = (CrosstalkError, OSError, ValueError, RecursionError)
"""What files may raise that are not what they seem."""


def rooms_of(log: LogFile) -> dict[str, list[LogMessage]]:
    """Return the messages of a file of several channels; the last file's are kept in memory."""
    return _rooms_of(replace(log, channel="", room=None))


@lru_cache(maxsize=1)
def _rooms_of(log: LogFile) -> dict[str, list[LogMessage]]:
    rooms = FORMATS.find(log.source).rooms
    assert rooms is not None, "only such formats are asked"
    return rooms(log.content)


def decode_head(raw: bytes) -> str:
    """Decode the beginning of a file, whose last character may be cut."""
    return "\n".join(map(decode_line, raw.removeprefix(BOM_UTF8).split(b"\n")))


def _without_gz(name: str) -> str:
    return name[:-3] if name.lower().endswith(".gz") else name


def _files_in(folder: Path) -> list[Path]:
    """Return all files except outputs of `logs extract`, which people put beside their logs."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    written = {path.parent for path in files if path.name == RUN and _is_run(path)}
    return [path for path in files if written.isdisjoint(path.parents)] if written else files


def _is_run(path: Path) -> bool:
    with open_plain(path, may_be_empty=True) as content:
        return b'"crosstalk":' in content.read(40)


def _raw_of(name: str) -> str:
    """Return the raw log of which a file is an ASCII or tokenised copy; else empty."""
    start, mark, _ = name.rpartition(".ascii.txt" if name.endswith(".ascii.txt") else ".tok.txt")
    return f"{start}.raw.txt" if mark else ""


def _channel(name: str, place: Path) -> str:
    """Return the channel: the file's name without a day.

    If files are named after days, the nearest parent folder that is not a year or month.
    """
    path = PurePosixPath(name)
    stem = "#" + path.stem.partition("#")[2] if "#" in path.name else path.stem
    if not DAY.match(stem):
        return DAY.sub("", stem).strip("._-") or path.stem
    folders = [*place.parts, *path.parent.parts]
    return next((part for part in reversed(folders) if not NUMBERS.fullmatch(part)), "log")


def _day_of_folders(path: Path) -> date | None:
    """Return the day of `2012/03/31/#ubuntu.txt`, also for a path relative to such a folder."""
    found = DAY_FOLDERS.search(path.resolve().as_posix())
    return day_in_name(found[0]) if found else None


def day_in_name(name: str) -> date | None:
    """Return the day in a file's name or path: `2007-01-19.raw.txt` or `2007/01/19/#x.txt`."""
    for found in re.finditer(r"(?<!\d)(\d{4})[-/_.]?(\d{2})[-/_.]?(\d{2})(?!\d)", name):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None


MARGIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class LogPart:
    """The files of a channel and month, and files around them that are read as context.

    Context is a day before, so that names and open conversations are known, and a day after, so
    that the last conversations end. A part's result does not depend on the other parts.
    """

    channel: str
    month: str
    before: tuple[LogFile, ...]
    own: tuple[LogFile, ...]
    after: tuple[LogFile, ...]
    stem: str
    """The channel as a file name, unique among channels."""

    @property
    def name(self) -> str:
        return f"{self.stem}.{self.month}"


def split_by_month(logs: Iterable[LogFile], *, by_month: bool = True) -> list[LogPart]:
    """Return the parts in order; whole channels if `by_month` is False."""
    logs = sorted(logs)
    stems = _stems(sorted({log.channel for log in logs}))
    return [
        part
        for channel, files in groupby(logs, key=lambda log: log.channel)
        for part in _of_channel(stems[channel], list(files), by_month)
    ]


def _stems(channels: list[str]) -> dict[str, str]:
    """Return unique file names, also on disks that ignore case (`#a`, `_a`, `A`, `a`)."""
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
