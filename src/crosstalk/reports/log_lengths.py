"""Figure 2 of the Ubuntu paper: how many dialogues have how many turns, on logarithmic axes."""

from collections.abc import Mapping
from pathlib import Path

from crosstalk.errors import InputError
from crosstalk.files import writing_binary

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
