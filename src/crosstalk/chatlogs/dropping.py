"""Which threads are dialogues, and why the others are not."""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import StrEnum

from crosstalk.chatlogs.threads import Thread, turns

FEWEST_TURNS = 3
ONE_SIDED_FROM = 6
"""Lines from which on nobody may speak more than four fifths of them."""


class Dropped(StrEnum):
    """Why a thread is no dialogue."""

    TOO_SHORT = "fewer than three turns"
    ONE_SIDED = "one speaker has more than 80 % of the lines"


def why_dropped(thread: Thread) -> Dropped | None:
    """None for a dialogue worth keeping."""
    if len(turns(thread)) < FEWEST_TURNS:
        return Dropped.TOO_SHORT
    most = max(Counter(line.speaker for line in thread).values())
    if len(thread) >= ONE_SIDED_FROM and 5 * most > 4 * len(thread):
        return Dropped.ONE_SIDED
    return None


def kept(threads: Iterable[Thread], dropped: Counter[Dropped]) -> Iterator[Thread]:
    """The dialogues; what falls out is counted in `dropped`."""
    for thread in threads:
        if reason := why_dropped(thread):
            dropped[reason] += 1
        else:
            yield thread
