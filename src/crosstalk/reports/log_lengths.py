"""Figure 2 of the Ubuntu paper: how many dialogues have how many turns, on logarithmic axes."""

from collections.abc import Mapping
from pathlib import Path

from crosstalk.files import writing_binary


def draw_lengths(turns: Mapping[int, int], path: Path) -> None:
    """Written as the file's ending says: .svg, .pdf or .png."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.loglog(list(turns), list(turns.values()), "o", markersize=3)
    axes.set_xlabel("turns in a dialogue")
    axes.set_ylabel("dialogues")
    axes.grid(alpha=0.3)
    with writing_binary(path) as out:
        figure.savefig(out, format=path.suffix.removeprefix(".") or "svg")
