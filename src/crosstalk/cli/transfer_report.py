"""`crosstalk transfer report`: results across languages side by side, and their figure."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn

Results = Annotated[
    list[Path],
    typer.Argument(help="What `transfer dst --json` and `transfer retrieve --json` printed."),
]
Figure = Annotated[
    Path | None, typer.Option("--figure", help="Draw scores by shots: .svg, .pdf or .png.")
]


def report(results: Results, figure: Figure = None, as_json: options.AsJson = False) -> None:
    """Models and languages by shots, beside what was published: tables 3 to 5 and figure 1."""
    from crosstalk.reports.transfer import published_for, read_results, tables
    from crosstalk.reports.transfer_figure import draw

    ours = read_results(results)
    curves = [*ours, *published_for(ours)]
    if figure:
        draw(curves, figure)
        warn(f"figure written to {figure}")
    if as_json:
        print_json([each.record() for each in tables(curves)])
        return
    for each in tables(curves):
        print_table(each.title, list(each.header), [list(row) for row in each.rows])
