"""Statistics of the collected dialogues, counted in the background, and their length chart.

Counts add up, so each finished dialogue is counted once. Everything is counted again only after a
reviewer has returned a dialogue.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, func, select

from crosstalk.collection.rooms import Status
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.statistics.corpus_counts import CorpusCounts, count_corpus
from crosstalk.statistics.count_tables import by_type, corpus_summary, intents, size
from crosstalk.statistics.dialogue_lengths import LengthCurve, bin_width, binned, length_curves
from crosstalk.web.collect.corpus_export import Annotate, collected
from crosstalk.web.store.sql_tables import ROOMS
from crosstalk.web.store.store import Store

WIDTH: Final = 720
HEIGHT: Final = 320
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 12, 44
MOST_TICKS: Final = 12
Place = Callable[[float, float], tuple[float, float]]
"""(turns, share) -> coordinates in the drawing."""
STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
"""Possible distances between two horizontal grid lines."""


@dataclass(frozen=True, slots=True)
class AxisTick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class ChartLine:
    """One goal type."""

    kind: str
    """Empty: all dialogues."""
    dialogues: int
    points: tuple[tuple[float, float], ...]

    @property
    def path(self) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)

    @property
    def style(self) -> str:
        """Its CSS class."""
        return (self.kind or "all").replace("+", "-").lower()


@dataclass(frozen=True, slots=True)
class Chart:
    """Everything to draw, in the coordinates of a box of 720 by 320."""

    lines: tuple[ChartLine, ...]
    across: tuple[AxisTick, ...]
    up: tuple[AxisTick, ...]
    width: int
    """Turns between two points."""
    box: str = f"0 0 {WIDTH} {HEIGHT}"
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM
    middle: float = (LEFT + WIDTH - RIGHT) / 2
    foot: int = HEIGHT - 6


def length_chart(counts: CorpusCounts) -> Chart | None:
    """None: there is nothing to draw yet."""
    found = list(length_curves(counts))
    if not found:
        return None
    width = bin_width(max(max(curve.lengths) for curve in found))
    shares = [binned(curve.lengths, width) for curve in found]
    first = min(turns[0] for turns, _ in shares)
    last = max(turns[-1] for turns, _ in shares)
    step = next((each for each in STEPS if each * 6 >= _highest(shares)), STEPS[-1])
    top = step * -(-_highest(shares) // step)

    def place(turns: float, share: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (turns - first) / (last - first)
        return x, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share / top

    lines = tuple(_line(curve, own, place) for curve, own in zip(found, shares, strict=True))
    every = width * max(1, -(-(last - first) // (width * MOST_TICKS)))
    across = tuple(AxisTick(place(at, 0)[0], str(at)) for at in range(first, last + 1, every))
    up = tuple(AxisTick(place(first, share)[1], f"{100 * share:g}%") for share in _steps(step, top))
    return Chart(lines, across, up, width)


def _highest(shares: list[tuple[list[int], list[float]]]) -> float:
    return max(max(own) for _, own in shares)


def _steps(step: float, top: float) -> Iterator[float]:
    return (round(number * step, 4) for number in range(round(top / step) + 1))


def _line(curve: LengthCurve, own: tuple[list[int], list[float]], place: Place) -> ChartLine:
    points = tuple(place(turns, share) for turns, share in zip(*own, strict=True))
    return ChartLine(str(curve.kind or ""), curve.size, points)


BATCH: Final = 100
AT_ONCE: Final = 0.15
"""Seconds that a page waits for the count before it shows a partial one."""


class LiveStatistics:
    """The counts of one site; safe to use from any thread."""

    def __init__(self, store: Store, annotate: Annotate | None) -> None:
        self._store = store
        self._annotate = annotate
        self._lock = threading.Lock()
        self._counts = CorpusCounts()
        self._seen: set[int] = set()
        """Rooms counted; they do not finish in the order in which they are opened."""
        self._returned = 0
        self._worker: threading.Thread | None = None
        self._figure: tuple[CorpusCounts, bytes] | None = None

    def told(self) -> dict[str, Any]:
        counts, complete = self.counts()
        found = (size("collected", counts), by_type(counts), intents(counts))
        tables = [{"title": each.title, "header": each.header, "rows": each.rows} for each in found]
        return {"counting": not complete, "tables": tables, "summary": corpus_summary(counts)}

    def figure(self) -> bytes:
        """Figure 2 as SVG; drawn again (one second) when all new dialogues are counted."""
        from crosstalk.statistics.length_figure import lengths_image  # matplotlib

        counts, complete = self.counts()
        if self._figure is None or (complete and self._figure[0] is not counts):
            self._figure = counts, lengths_image(counts)
        return self._figure[1]

    def counts(self) -> tuple[CorpusCounts, bool]:
        """(counts so far, whether they are complete)."""
        with self._lock:
            if self._worker is None and self._is_behind():
                self._worker = threading.Thread(target=self._count, daemon=True)
                self._worker.start()
            worker = self._worker
        if worker is not None:
            worker.join(AT_ONCE)
        with self._lock:
            return self._counts, self._worker is None

    def _is_behind(self) -> bool:
        finished, returned = self._store.read(_state)
        if returned != self._returned:
            self._counts, self._seen, self._returned = CorpusCounts(), set(), returned
        return finished != len(self._seen)

    def _count(self) -> None:
        try:
            uncounted = collected(self._store, self._annotate, skip=self._seen)
            while new := list(islice(uncounted, BATCH)):
                self._add(new)
        finally:
            with self._lock:
                self._worker = None

    def _add(self, dialogues: list[Dialogue]) -> None:
        counts = self._counts + count_corpus(dialogues)
        with self._lock:
            self._counts = counts
            self._seen.update(int(dialogue.id) for dialogue in dialogues)


def _state(connection: Connection) -> tuple[int, int]:
    finished = ROOMS.c.status == Status.FINISHED.value
    kept = select(func.count()).where(finished, ROOMS.c.review != "returned")
    returned = select(func.count()).where(finished, ROOMS.c.review == "returned")
    return connection.execute(kept).scalar_one(), connection.execute(returned).scalar_one()
