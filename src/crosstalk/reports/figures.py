"""Figures as SVG inside the page: no scripts, colours from the page's own style."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.evaluation.scores import Rate
from crosstalk.files import writing_binary
from crosstalk.reports.markup import Markup, element, join

CHANCE = 10.0


def draw_curve(points: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> None:
    """`points`: for each ranker its sizes, with scores and intervals as `retrieve curve` prints.

    Written as the file's ending says: .svg, .pdf or .png.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for name, each in points.items():
        sizes = [point["rows"] for point in each]
        [line] = axes.plot(sizes, [point["r10@1"] for point in each], marker="o", label=name)
        low, high = zip(*(point["interval"] for point in each), strict=True)
        axes.fill_between(sizes, low, high, color=line.get_color(), alpha=0.15)
    axes.axhline(CHANCE, color="grey", linestyle=":", label="chance")
    axes.set_xscale("log")
    sizes = sorted({point["rows"] for each in points.values() for point in each})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("rows of the training data")
    axes.set_ylabel("recall at 1 of 10, %")
    highest = max(point["interval"][1] for each in points.values() for point in each)
    axes.set_ylim(0, min(100, 10 * (highest // 10 + 1)))
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=len(points) + 1, frameon=False)
    with writing_binary(path) as out:
        figure.savefig(out, format=path.suffix.removeprefix(".") or "svg")


NO_DATES = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
"""The same dialogues give the same bytes."""
TICKS = (3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def draw_lengths(turns: Mapping[int, int], path: Path) -> None:
    """Written as the file's ending says."""
    kind = path.suffix.lower()
    if kind not in NO_DATES:
        raise InputError(
            f"{path}: no figure can be written as {kind or 'a file without an ending'}",
            remedy=f"Choose a name that ends in {', '.join(NO_DATES)}.",
        )
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.loglog(list(turns), list(turns.values()), "o", markersize=3)
    ticks = [tick for tick in TICKS if tick <= max(turns, default=10)]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("turns in a dialogue")
    axes.set_ylabel("dialogues")
    axes.grid(alpha=0.3)
    with writing_binary(path) as out, rc_context({"svg.hashsalt": "crosstalk"}):
        figure.savefig(out, format=kind[1:], metadata=NO_DATES[kind], dpi=150)


WIDTH = 640
LEFT = 64
RIGHT = 56
ROW = 22
BARS = 140
"""Height of the bars of a histogram."""


def interval_chart(rows: dict[str, Rate | None], label: str) -> Markup:
    """A dot at each share with a line over its 95 % interval, 0 to 100 %."""
    marks = [_interval(number, name, rate) for number, (name, rate) in enumerate(rows.items())]
    height = ROW * len(marks) + 24
    grid = [_grid_line(percent, height) for percent in (0, 25, 50, 75, 100)]
    return _figure(height, label, *grid, *marks)


def histogram(counts: Counter[int], label: str) -> Markup:
    """How many dialogues have how many turns."""
    if not counts:
        return join()
    longest, most = max(counts), max(counts.values())
    step = (WIDTH - LEFT - RIGHT) / max(longest // 2, 1)
    bars = [
        _bar(LEFT + step * (turns // 2 - 1), step, counts[turns], most, f"{turns} turns")
        for turns in range(2, longest + 2, 2)
        if counts[turns]
    ]
    labels = [
        _label(LEFT + step * (turns / 2 - 0.5), BARS + 34, str(turns), "middle")
        for turns in range(2, longest + 1, 4 if longest > 12 else 2)
    ]
    axis = [_label(LEFT - 8, 24, f"{most:,}", "end"), _label(LEFT - 8, BARS + 20, "0", "end")]
    return _figure(BARS + 42, label, *bars, *labels, *axis)


def _figure(height: int, label: str, *children: Markup) -> Markup:
    attributes = {
        "viewBox": f"0 0 {WIDTH} {height}",
        "role": "img",
        "aria-label": label,
        "class": "figure",
    }
    return element("svg", attributes, *children)


def _across(percent: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * percent / 100


def _grid_line(percent: int, height: int) -> Markup:
    x = f"{_across(percent):.1f}"
    line = element("line", {"class": "grid", "x1": x, "x2": x, "y1": "0", "y2": str(height - 20)})
    return join(line, _label(_across(percent), height - 6, f"{percent}", "middle"))


def _interval(number: int, name: str, rate: Rate | None) -> Markup:
    y = ROW * number + ROW / 2
    middle = f"{y:.1f}"
    if rate is None:
        return _label(LEFT - 10, y + 4, name, "end")
    low, high = (f"{_across(end):.1f}" for end in (rate.low, rate.high))
    dot = {"class": "dot", "cx": f"{_across(rate.percent):.1f}", "cy": middle, "r": "4.5"}
    return join(
        _label(LEFT - 10, y + 4, name, "end"),
        element("line", {"class": "span", "x1": low, "x2": high, "y1": middle, "y2": middle}),
        element("circle", dot),
        _label(WIDTH - RIGHT + 12, y + 4, f"{rate.percent:.1f}", "start"),
    )


def _bar(x: float, step: float, count: int, most: int, name: str) -> Markup:
    tall = max(1.0, BARS * count / most)
    place = {
        "class": "bar",
        "x": f"{x + 1:.1f}",
        "y": f"{BARS + 16 - tall:.1f}",
        "width": f"{max(step - 2, 1):.1f}",
        "height": f"{tall:.1f}",
    }
    return element("rect", place, element("title", None, f"{name}: {count:,} dialogues"))


def _label(x: float, y: float, words: str, anchor: str) -> Markup:
    return element("text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}, words)
