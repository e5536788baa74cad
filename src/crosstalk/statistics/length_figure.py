"""Figure 2 of the CrossWOZ paper: lengths of dialogues by goal type (matplotlib)."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from crosstalk.dialogue.goals import GoalType
from crosstalk.errors import InputError
from crosstalk.files import writing_binary
from crosstalk.statistics.corpus_counts import CorpusCounts
from crosstalk.statistics.dialogue_lengths import bin_width, binned, length_curves

_NO_DATES: Final = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {"Software": None},
}
"""File type -> metadata to leave out, so that the same corpus gives the same bytes."""

# Okabe and Ito's colours, told apart with any colour vision; markers tell them apart in print.
_STYLES: Final[Mapping[GoalType | None, tuple[str, str]]] = {
    GoalType.S: ("#009e73", "o"),
    GoalType.M: ("#56b4e9", "s"),
    GoalType.M_T: ("#0072b2", "D"),
    GoalType.CM: ("#e69f00", "^"),
    GoalType.CM_T: ("#d55e00", "v"),
    None: ("#333333", "o"),
}


def check_figure_path(path: Path) -> None:
    """Refuse an unknown file type before anything is counted."""
    if path.suffix.lower() not in _NO_DATES:
        raise InputError(
            f"{path}: a figure's name ends in {', '.join(_NO_DATES)}",
            remedy=f"Give a name such as {path.with_suffix('.svg').name}.",
        )


def save_lengths(counts: CorpusCounts, path: Path) -> None:
    """Draw the lengths of dialogues; the ending of `path` decides the format."""
    check_figure_path(path)
    image = lengths_image(counts, path.suffix.lower())
    with writing_binary(path) as file:
        file.write(image)


def lengths_image(counts: CorpusCounts, kind: str = ".svg") -> bytes:
    """The figure as bytes of a file; the same counts give the same bytes."""
    image = io.BytesIO()
    # Ids in the SVG come from a fixed salt; its text stays text, to be searched and restyled.
    with matplotlib.rc_context({"svg.hashsalt": "crosstalk", "svg.fonttype": "none"}):
        draw_lengths(counts).savefig(image, format=kind[1:], metadata=_NO_DATES[kind], dpi=200)
    return image.getvalue()


def draw_lengths(counts: CorpusCounts) -> Figure:
    """One curve per goal type, or one for all if the corpus has no types."""
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    axes = figure.subplots()
    curves = list(length_curves(counts))
    width = bin_width(max((max(curve.lengths) for curve in curves), default=0))
    for curve in curves:
        colour, marker = _STYLES[curve.kind]
        turns, shares = binned(curve.lengths, width)
        axes.plot(turns, shares, color=colour, marker=marker, markersize=4, label=curve.label)
    if curves:
        axes.legend(title="goal type" if counts.types else None, frameon=False)
    _style_axes(axes, width)
    return figure


def _style_axes(axes: Axes, width: int) -> None:
    axes.set_xlabel(f"turns per dialogue (in steps of {width})")
    axes.set_ylabel("share of dialogues")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
