"""Annotated days of a log: messages with the reply links that people wrote beside them.

A line `A B -` of an annotation file says that the later of the two log lines answers the earlier;
`A A -` says that the line opens a conversation.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from crosstalk.chatlogs.log_files import LogFile, find_logs
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.chatlogs.log_reader import ReadTally, read_log
from crosstalk.errors import CrosstalkError, FileProblem, InputError

ReplyLinks = frozenset[tuple[int, int]]
"""Pairs (line, the line it answers); a line that opens a conversation answers itself."""


def parse_reply_links(path: Path, lines: Iterable[str]) -> ReplyLinks:
    links = set()
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        if len(words) < 2 or not (words[0].isdecimal() and words[1].isdecimal()):
            raise FileProblem(
                f"{path}, line {number}: {line[:40]!r} is no link between two lines",
                remedy="Links are written `4 7 -`: line 7 answers line 4, counted from 0.",
            )
        one, other = int(words[0]), int(words[1])
        links.add((max(one, other), min(one, other)))
    return frozenset(links)


def annotated_from(links: ReplyLinks) -> int:
    """Return the first annotated line; the lines before it are context for the annotators."""
    return min((line for line, _ in links), default=0)


def components(size: int, links: Iterable[tuple[int, int]]) -> list[int]:
    """Return the conversation number of each of `size` lines: connected components of links."""
    import numpy as np
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    pairs = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    return [int(label) for label in connected_components(graph, directed=False)[1]]


RAW, ANNOTATION = ".raw.txt", ".annotation.txt"


@dataclass(frozen=True, slots=True)
class AnnotatedDay:
    """A day of a log and its reply links."""

    name: str
    messages: tuple[LogMessage, ...]
    links: ReplyLinks
    problems: tuple[str, ...] = ()
    """Messages about lines that could not be read."""


def read_annotated(path: Path) -> Iterator[AnnotatedDay]:
    """Read days in order of their names; raises `FileProblem` for a day without links."""
    raw = [log for log in find_logs([path], by_suffix=True) if log.name.endswith(RAW)]
    if not raw:
        raise InputError(
            f"{path}: no annotated days in it",
            remedy="A day is two files, such as 2010-01-01.raw.txt and 2010-01-01.annotation.txt.",
        )
    return (_day(log) for log in sorted(raw, key=lambda log: log.name))


def _day(log: LogFile) -> AnnotatedDay:
    links = parse_reply_links(Path(_annotation(log.name)), _annotation_lines(log))
    tally = ReadTally()
    messages = tuple(read_log(log, tally))
    latest = max((line for line, _ in links), default=-1)
    if latest >= len(messages):
        raise FileProblem(
            f"{_annotation(log.name)}: line {latest} is linked, the log has {len(messages)}",
            remedy="Check that both files are of the same day; lines are counted from 0.",
        )
    return AnnotatedDay(log.name, messages, links, tuple(tally.problems))


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
