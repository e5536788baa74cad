"""Figure 4 of the Ubuntu paper: how often the true response comes first, by training size."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosstalk.files import writing_binary

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
