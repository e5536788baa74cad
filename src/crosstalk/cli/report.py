"""`crosstalk report`: what became of the dialogues of a run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn

if TYPE_CHECKING:
    from crosstalk.reports.run_summary import RunSummary


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders written by `crosstalk simulate`."),
    ],
    as_json: options.AsJson = False,
    markdown: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write the tables as Markdown."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="PAGE", help="Write one self-contained page."),
    ] = None,
    dialogues: Annotated[
        int, typer.Option("--dialogues", min=0, help="Dialogues on the page, failures first.")
    ] = 100,
    data: options.Data = None,
) -> None:
    """Report on runs: task completion, verified success, turns, reasons of failure."""
    from crosstalk.reports.html_page import page
    from crosstalk.reports.run_summary import runs_record, summarise, summary_record
    from crosstalk.reports.run_tables import markdown as as_markdown

    shown = dialogues if html else 0
    summaries = [summarise(folder, data=data, examples=shown) for folder in runs]
    if markdown:
        _write(markdown, as_markdown(summaries), "tables")
    if html:
        _write(html, page(summaries), "page")
    if as_json:
        print_json(summary_record(summaries[0]) if len(summaries) == 1 else runs_record(summaries))
    elif not markdown and not html:
        print_report(summaries)


def print_report(summaries: "list[RunSummary]") -> None:
    """The tables of a report in the terminal."""
    from crosstalk.reports.run_tables import overall_note, tables

    for table in tables(summaries):
        print_table(table.title, table.header, table.rows)
        if table.note:
            print(table.note)
    for summary in summaries:
        print(f"{summary.run.folder}: {overall_note(summary)}")


def _write(path: Path, text: str, what: str) -> None:
    from crosstalk.files import writing

    with writing(path) as file:
        file.write(text)
    warn(f"{what} written to {path}")
