"""Figure 1 of Multi2WOZ with our curves in it: shots to the right, the score upwards.

A row of panels for each thing asked, a panel for each language and benchmark; published curves are
grey and dashed, ours in colour with the span of their seeds.
"""

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.reports.transfer import MEASURES, SHARES, TransferCurve

KINDS: Final = (".svg", ".pdf", ".png")
MARKS: Final = "s^vD*"
TITLE: Final = 48
"""Characters of a title that fit above a panel."""
SHOWN: Final = ("TOD-XLMR", "MLM Mono-CC", "TLM", "TLM + RS-Mono", "XQA-DST")
"""Published models that were taken through all shots, and an anchor of WOZ 2.0."""


def draw(curves: Sequence[TransferCurve], file: Path) -> None:
    """SVG, PDF or PNG by the ending of the name."""
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
            _dress(axis, panel)
        axes[0].set_ylabel(f"{MEASURES[asked][1]}, %")
        _add_legend(part, axes)
    with rc_context({"svg.hashsalt": "crosstalk"}), writing_binary(file) as raw:
        about = {"Date": None} if file.suffix == ".svg" else None
        figure.savefig(raw, format=file.suffix.removeprefix("."), metadata=about, dpi=120)


def _parts(figure: Any, count: int) -> list[Any]:
    parts = figure.subfigures(count, 1, squeeze=False)
    return [row[0] for row in parts]


def _panels(curves: Sequence[TransferCurve]) -> list[tuple[str, list[list[TransferCurve]]]]:
    """What is asked, and the curves of each of its panels."""
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
    """A model has one colour in all panels."""
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


def _dress(axis: Any, curves: Sequence[TransferCurve]) -> None:
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
    """One for all panels, below them: within, it would hide curves."""
    found: dict[str, Any] = {}
    for axis in axes:
        handles, labels = axis.get_legend_handles_labels()
        found |= dict(zip(labels, handles, strict=True))
    columns = min(len(found), 2 * len(axes))
    part.legend(found.values(), found.keys(), loc="outside lower center", ncols=columns, fontsize=8)
