"""`crosstalk logs stats`: the numbers of an extraction."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson
from crosstalk.cli.output import print_json, print_table, warn

if TYPE_CHECKING:
    from crosstalk.chatlogs.statistics import LogStatistics

PUBLISHED = {
    "dialogues": 930_000,
    "utterances": 7_100_000,
    "words": 100_000_000,
    "min_turns": 3,
    "mean_turns": 7.71,
    "words_a_line": 10.34,
    "median_minutes": 6,
}
"""Table 1 of the paper, for the whole corpus."""
PROBLEMS_SHOWN = 10


def stats(
    folder: Annotated[Path, typer.Argument(help="A folder that `logs extract` wrote.")],
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="Write Figure 2, dialogues by length, as SVG, PDF or PNG."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The paper's Table 1, what was dropped and why, and what could not be read."""
    from crosstalk.chatlogs.statistics import read_statistics

    statistics = read_statistics(folder)
    if figure:
        from crosstalk.reports.figures import draw_lengths

        draw_lengths(statistics.turns, figure)
    print_statistics(statistics, as_json)


def print_statistics(statistics: "LogStatistics", as_json: bool = False) -> None:
    record = statistics.record()
    if as_json:
        print_json(record)
        return
    rows = [
        [name.replace("_", " "), _shown(record[name]), _shown(published)]
        for name, published in PUBLISHED.items()
    ]
    print_table("Dialogues", ["", "here", "paper"], rows)
    lines = [[f"{kind} lines read", f"{count:,}"] for kind, count in statistics.lines.items()]
    dropped = [[f"dropped: {why}", f"{count:,}"] for why, count in statistics.dropped.items()]
    conversations = ["conversations of any size", f"{statistics.conversations:,}"]
    print_table("Where they come from", ["", ""], [*lines, conversations, *dropped])
    tell_problems(statistics.problems)


def tell_problems(problems: Sequence[str]) -> None:
    for problem in problems[:PROBLEMS_SHOWN]:
        warn(problem)
    if len(problems) > PROBLEMS_SHOWN:
        warn(f"... and {len(problems) - PROBLEMS_SHOWN} more; see --json")


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
