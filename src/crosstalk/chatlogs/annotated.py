"""Days of a log with the links that people wrote down beside them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.chatlogs.annotations import Links, parse_links
from crosstalk.chatlogs.messages import LogMessage
from crosstalk.chatlogs.reading import ReadTally, read_log
from crosstalk.chatlogs.sources import LogFile, find_logs
from crosstalk.errors import CrosstalkError, FileProblem, InputError

RAW, ANNOTATION = ".raw.txt", ".annotation.txt"


@dataclass(frozen=True, slots=True)
class Annotated:
    """A day of a log and its links."""

    name: str
    messages: tuple[LogMessage, ...]
    links: Links
    problems: tuple[str, ...] = ()
    """What of the log could not be read, in words."""


def read_annotated(path: Path) -> Iterator[Annotated]:
    """Days in order of their names; raises in words for a day without its links."""
    raw = [log for log in find_logs([path]) if log.name.endswith(RAW)]
    if not raw:
        raise InputError(
            f"{path}: no annotated days in it",
            remedy="A day is two files, such as 2010-01-01.raw.txt and 2010-01-01.annotation.txt.",
        )
    return (_day(log) for log in sorted(raw, key=lambda log: log.name))


def _day(log: LogFile) -> Annotated:
    links = parse_links(Path(_annotation(log.name)), _annotation_lines(log))
    tally = ReadTally()
    messages = tuple(read_log(log, tally))
    latest = max((line for line, _ in links), default=-1)
    if latest >= len(messages):
        raise FileProblem(
            f"{_annotation(log.name)}: line {latest} is linked, the log has {len(messages)}",
            remedy="Check that both files are of the same day; lines are counted from 0.",
        )
    return Annotated(log.name, messages, links, tuple(tally.problems))


def _annotation_lines(log: LogFile) -> list[str]:
    links = replace(log, path=Path(_annotation(str(log.path))), member=_annotation(log.member))
    try:
        with links.open() as content:
            return content.read().decode("utf-8-sig", errors="replace").splitlines()
    except (CrosstalkError, OSError, KeyError) as error:
        raise FileProblem(
            f"{log.name}: its links are missing or cannot be read",
            remedy=f"Put {Path(_annotation(log.name)).name} beside it.",
        ) from error


def _annotation(name: str) -> str:
    return name.removesuffix(RAW) + ANNOTATION if name.endswith(RAW) else name
