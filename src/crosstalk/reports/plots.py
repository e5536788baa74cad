"""Figures as files (.svg, .pdf, .png), drawn with matplotlib.

`draw_transfer`: Figure 1 of Multi2WOZ with our curves in it; one row of panels per task, one panel
per language and benchmark; published curves are grey and dashed, ours in colour with the range of
their seeds. `draw_learning_curve`: recall of rankers by size of the training data.
`draw_length_distribution`: lengths of dialogues on logarithmic axes.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.reports.transfer_tables import MEASURES, SHARES, TransferCurve

KINDS: Final = (".svg", ".pdf", ".png")
MARKS: Final = "s^vD*"
TITLE: Final = 48
"""Characters per line of a panel's title."""
SHOWN: Final = ("TOD-XLMR", "MLM Mono-CC", "TLM", "TLM + RS-Mono", "XQA-DST")
"""Published models with figures for all shots, and one of WOZ 2.0."""


def draw_transfer(curves: Sequence[TransferCurve], file: Path) -> None:
    """Draw curves of transfer results; the ending of the name decides the format."""
    if file.suffix not in KINDS:
        raise InputError(
            f"--figure {file}: not a kind of figure we draw",
            remedy=f"Give a name that ends in {', '.join(KINDS)}.",
        )
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    rows = _panels(curves)
    width = max(len(panels) for _, panels in rows)
    figure = Figure(figsize=(1.5 + 3.6 * width, 4.6 * len(rows)), layout="constrained")
    for part, (asked, panels) in zip(_parts(figure, len(rows)), rows, strict=True):
        axes = part.subplots(1, len(panels), squeeze=False)[0]
        models = list(dict.fromkeys(each.model for panel in panels for each in _ours(panel)))
        for axis, panel in zip(axes, panels, strict=True):
            _draw_published([each for each in panel if each.is_published], axis)
            _draw_ours(_ours(panel), axis, models)
            _style_axis(axis, panel)
        axes[0].set_ylabel(f"{MEASURES[asked][1]}, %")
        _add_legend(part, axes)
    with rc_context({"svg.hashsalt": "crosstalk"}), writing_binary(file) as raw:
        about = {"Date": None} if file.suffix == ".svg" else None
        figure.savefig(raw, format=file.suffix.removeprefix("."), metadata=about, dpi=120)


def _parts(figure: Any, count: int) -> list[Any]:
    parts = figure.subfigures(count, 1, squeeze=False)
    return [row[0] for row in parts]


def _panels(curves: Sequence[TransferCurve]) -> list[tuple[str, list[list[TransferCurve]]]]:
    """Each task with the curves of its panels."""
    found = []
    for asked in MEASURES:
        panels: dict[tuple[str, str], list[TransferCurve]] = {}
        for curve in curves:
            if curve.asked == asked and _is_shown(curve):
                panels.setdefault((curve.benchmark, curve.language), []).append(curve)
        if panels:
            found.append((asked, [panels[key] for key in sorted(panels)]))
    return found


def _is_shown(curve: TransferCurve) -> bool:
    return not curve.is_published or curve.model in SHOWN


def _ours(curves: Sequence[TransferCurve]) -> list[TransferCurve]:
    return [each for each in curves if not each.is_published]


def _draw_published(curves: Sequence[TransferCurve], axis: Any) -> None:
    for curve in curves:
        places, heights = _points(curve)
        number = SHOWN.index(curve.model)
        style = {"color": f"{0.3 + number / 10}", "marker": MARKS[number], "markersize": 5}
        axis.plot(places, heights, "--", linewidth=1, label=curve.name, **style)


def _draw_ours(curves: Sequence[TransferCurve], axis: Any, models: Sequence[str]) -> None:
    """Draw our curves; a model has the same colour in all panels."""
    for curve in curves:
        places, heights = _points(curve)
        spans = [
            curve.spreads.get(SHARES[at], (y, y)) for at, y in zip(places, heights, strict=True)
        ]
        below = [max(y - low, 0) for y, (low, _) in zip(heights, spans, strict=True)]
        above = [max(high - y, 0) for y, (_, high) in zip(heights, spans, strict=True)]
        style = {"color": f"C{models.index(curve.model)}", "linewidth": 2, "capsize": 3}
        label = f"here: {curve.model}"
        axis.errorbar(places, heights, yerr=(below, above), fmt="o-", label=label, **style)


def _style_axis(axis: Any, curves: Sequence[TransferCurve]) -> None:
    ours = _ours(curves)
    data = " and ".join(dict.fromkeys(each.data for each in ours)) or curves[0].benchmark
    axis.set_title(fill(f"{curves[0].language}: {data}", TITLE), fontsize=9)
    axis.set_xticks(range(len(SHARES)), [str(share) for share in SHARES])
    axis.set_xlim(-0.3, len(SHARES) - 0.7)
    axis.set_xlabel("share of the target's dialogues, %", fontsize=9)
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)


def _points(curve: TransferCurve) -> tuple[list[int], list[float]]:
    places = [place for place, share in enumerate(SHARES) if share in curve.values]
    return places, [curve.values[SHARES[place]] for place in places]


def _add_legend(part: Any, axes: Sequence[Any]) -> None:
    """One legend for all panels, below them, where it hides no curve."""
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    columns = min(len(found), 2 * len(axes))
    part.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns, fontsize=8)


CHANCE = 10.0


def draw_learning_curve(points: Mapping[str, Sequence[Mapping[str, Any]]], path: Path) -> None:
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
"""Metadata left out, so that the same data give the same bytes."""
TICKS = (3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def draw_length_distribution(turns: Mapping[int, int], path: Path) -> None:
    """Draw the number of dialogues by length; the ending of the name decides the format."""
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
