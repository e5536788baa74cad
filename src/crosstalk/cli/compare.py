"""`crosstalk compare`: two runs over the same goals, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="The run to compare with.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="The newer run.")],
    by: Annotated[
        str,
        typer.Option("--by", help="Break down by language, type, perturbation or blame."),
    ] = "type",
    fail_on_regression: Annotated[
        bool,
        typer.Option("--fail-on-regression", help="Exit code 1 if RUN_B is worse (p < 0.05)."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Compare runs of other tables or users all the same.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", readable=False, metavar="PAGE", help="Write both runs side by side as a page."
        ),
    ] = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare two runs, paired by goal: which was better, by how much, and how surely."""
    from crosstalk.evaluation.run_comparison import compare_runs
    from crosstalk.reports.agent_report import comparison_lines, user_lines

    compared = compare_runs(first, second, by=by, force=force, data=data)
    if html:
        _page(html, [first, second], data)
    if as_json:
        print_json(compared.record())
    else:
        print("\n".join(comparison_lines(compared, str(first), str(second))))
        rows = [
            [key, *(f"{value:.1f}" for value in (row["a"], row["b"], row["difference"])),
             f"{row['p']:.4f}"]
            for key, row in compared.groups().items()
        ]  # fmt: skip
        print_table(f"By {by} (p adjusted after Holm)", [by, "A", "B", "difference", "p"], rows)
        print("\n".join(user_lines(compared)))
    if fail_on_regression and compared.whole.is_regression:
        warn("RUN_B is worse than RUN_A by more than chance explains")
        raise typer.Exit(1)


def _page(path: Path, runs: list[Path], data: Path | None) -> None:
    from crosstalk.reports.html_page import write_page

    page = write_page(runs, path, data=data)
    warn(f"page written to {page.path}")
