"""Find log files in files, folders and zips, and split them into parts by channel and month.

The format follows from the file's name: `.txt` and `.log` are IRC, `.jsonl` has one message a
line, `.csv` and `.tsv` one a row, `.json` is an export of Slack (a day of a channel) or Discord (a
whole channel).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from crosstalk.archives import members, open_member
from crosstalk.chatlogs.irc import day_in_name
from crosstalk.errors import FileProblem, InputError

UNKNOWN_MONTH = "undated"
RUN = "run.json"
"""File in which an extraction records its settings and inputs."""
DAY = re.compile(r"\d{4}[-_]?\d{2}[-_]?\d{2}")
DAY_FOLDERS = re.compile(r"/\d{4}/\d{2}/\d{2}/[^/]*$")
NUMBERS = re.compile(r"[\d._-]+|/")


class LogFormat(StrEnum):
    """Formats that can be read."""

    IRC = "irc"
    SLACK = "slack"
    DISCORD = "discord"
    LINES = "lines"
    TABLE = "table"


@dataclass(frozen=True, slots=True, order=True)
class LogFile:
    """One file of a channel; files sort by channel and day."""

    channel: str
    day: date
    name: str
    """The path, and the member of a zip, for messages."""
    source: LogFormat
    path: Path
    member: str = ""

    @property
    def month(self) -> str:
        return f"{self.day:%Y-%m}" if self.day != date.min else UNKNOWN_MONTH

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        if self.member:
            with open_member(self.path, self.member) as content:
                yield content
        else:
            with self.path.open("rb") as content:
                yield content


def find_logs(given: Iterable[Path]) -> list[LogFile]:
    """Return all log files, by channel and day; raises `InputError` if there are none."""
    given = list(given)
    found = sorted({log for path in given for log in _logs_in(path)})
    if not found:
        raise InputError(
            f"no chat logs in {', '.join(map(str, given))}",
            remedy="Logs are .txt or .log (IRC), .jsonl (one message a line), .csv (one a row), "
            ".json (exports of Slack and Discord), or folders or zips of them.",
        )
    return found


def unread_files(given: Iterable[Path], found: Iterable[LogFile]) -> list[str]:
    """Return the files in folders and zips that are no logs.

    Files that belong to logs, such as annotations and Slack's lists, are not among them.
    """
    taken = {(log.path, log.member) for log in found}
    others = [entry for path in given for entry in _entries(path) if entry not in taken]
    return [
        f"{path}: {member}" if member else str(path)
        for path, member in others
        if not (member or path.name).endswith((".annotation.txt", ".json", ".zip"))
    ]


def _entries(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield every file of a folder, and of its zips."""
    if path.is_dir():
        for each in _files_in(path):
            yield from _entries(each)
    elif path.suffix == ".zip":
        with suppress(FileProblem):  # its reading says what is wrong
            yield from ((path, name) for name in members(path))
    else:
        yield path, ""


def _logs_in(path: Path) -> Iterator[LogFile]:
    if not path.exists():
        raise InputError(f"{path} does not exist", remedy="Give files, folders or zips of logs.")
    if path.is_dir():
        yield from _of_one_place(
            [(each.relative_to(path).as_posix(), each, "") for each in _files_in(path)], path
        )
    elif path.suffix == ".zip":
        yield from _logs_in_zip(path)
    else:
        source = _source(path.name, is_slack=False) or LogFormat.IRC
        yield _log(path.name, path, "", source, path.parent)


def _files_in(folder: Path) -> list[Path]:
    """Return all files except outputs of `logs extract`, which people put beside their logs."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    written = {path.parent for path in files if path.name == RUN and _is_run(path)}
    return [path for path in files if written.isdisjoint(path.parents)] if written else files


def _is_run(path: Path) -> bool:
    with path.open("rb") as content:
        return b'"crosstalk":' in content.read(40)


def _logs_in_zip(path: Path) -> Iterator[LogFile]:
    try:
        names = members(path)
    except FileProblem:
        damaged = _log(path.name, path, "(damaged)", LogFormat.IRC, path.parent)
        yield replace(damaged, name=str(path))  # reading it says what is wrong
        return
    yield from _of_one_place([(name, path, name) for name in names], path.with_suffix(""))


def _of_one_place(entries: list[tuple[str, Path, str]], place: Path) -> Iterator[LogFile]:
    """Yield the logs of one folder or zip; Slack exports are recognised by `users.json`."""
    is_slack = any(PurePosixPath(name).name == "users.json" for name, _, _ in entries)
    names = {name for name, _, _ in entries}
    for name, path, member in entries:
        if _raw_of(name) in names:
            continue
        if path.suffix == ".zip" and not member:
            yield from _logs_in_zip(path)
        elif source := _source(name, is_slack=is_slack):
            yield _log(name, path, member, source, place)


def _raw_of(name: str) -> str:
    """Return the raw log of which a file is an ASCII or tokenised copy; else empty."""
    start, mark, _ = name.rpartition(".ascii.txt" if name.endswith(".ascii.txt") else ".tok.txt")
    return f"{start}.raw.txt" if mark else ""


def _source(name: str, *, is_slack: bool) -> LogFormat | None:
    path = PurePosixPath(name)
    match path.suffix.lower():
        case ".txt" | ".log" if not name.endswith(".annotation.txt"):
            return LogFormat.IRC
        case ".jsonl" | ".ndjson":
            return LogFormat.LINES
        case ".csv" | ".tsv":
            return LogFormat.TABLE
        case ".json" if is_slack:
            return LogFormat.SLACK if len(path.parts) > 1 and day_in_name(path.name) else None
        case ".json":
            return LogFormat.DISCORD
    return None


def _log(name: str, path: Path, member: str, source: LogFormat, place: Path) -> LogFile:
    shown = f"{path}: {member}" if member else str(path)
    day = day_in_name(name) or (None if member else _day_of_folders(path)) or date.min
    return LogFile(_channel(name, source, place), day, shown, source, path, member)


def _channel(name: str, source: LogFormat, place: Path) -> str:
    """Return the channel: Slack's folder; the file's name in IRC archives, unless it is a day.

    If files are named after days, the nearest parent folder that is not a year or month.
    """
    path = PurePosixPath(name)
    if source is LogFormat.SLACK:
        return path.parent.name
    is_day = DAY.search(path.name) if source is LogFormat.IRC else DAY.fullmatch(path.stem)
    if "#" in path.name or not is_day:
        return path.stem
    folders = [*place.parts, *path.parent.parts]
    return next((part for part in reversed(folders) if not NUMBERS.fullmatch(part)), "log")


def _day_of_folders(path: Path) -> date | None:
    """Return the day of `2012/03/31/#ubuntu.txt`, also for a path relative to such a folder."""
    found = DAY_FOLDERS.search(path.resolve().as_posix())
    return day_in_name(found[0]) if found else None


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
