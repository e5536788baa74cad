"""Figure 2 of what was collected: lines and labels that the page draws in its own colours."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from crosstalk.statistics.corpora import CorpusCounts
from crosstalk.statistics.lengths import LengthCurve, bin_width, binned, curves

WIDTH: Final = 720
HEIGHT: Final = 320
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 12, 44
MOST_TICKS: Final = 12
Place = Callable[[float, float], tuple[float, float]]
"""Turns and a share -> where that is in the drawing."""
STEPS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
"""Shares between two lines across."""


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
        """The name of its colour in the style sheet."""
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
    found = list(curves(counts))
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
