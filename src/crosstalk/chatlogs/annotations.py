"""Human reply links beside a raw log.

A line `A B -` says that the later of two lines of the log answers the earlier, `A A -` that it
opens a conversation.
"""

from collections.abc import Iterable
from pathlib import Path

from crosstalk.errors import FileProblem

Links = frozenset[tuple[int, int]]
"""(line, the line it answers); a line that opens a conversation answers itself."""


def parse_links(path: Path, lines: Iterable[str]) -> Links:
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


def annotated_from(links: Links) -> int:
    """The first line that was annotated; lines before it were only there to be read."""
    return min((line for line, _ in links), default=0)
