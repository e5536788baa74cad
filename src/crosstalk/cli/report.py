"""`crosstalk report` and `crosstalk view`: what became of the dialogues of runs."""

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
        typer.Option(
            "--markdown", readable=False, metavar="FILE", help="Write the tables as Markdown."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            readable=False,
            metavar="PAGE",
            help="Write the viewer: one self-contained page, above 1,000 dialogues with a folder "
            "of data files beside it.",
        ),
    ] = None,
    dialogues: Annotated[
        int,
        typer.Option("--dialogues", min=0, help="Most dialogues on the page, failures first."),
    ] = 1000,
    reader: options.Reader = "",
    data: options.Data = None,
) -> None:
    """Report on runs: task completion, verified success, turns, reasons of failure."""
    from crosstalk.reports.html_page import write_page
    from crosstalk.reports.run_summary import summarise, summary_record
    from crosstalk.reports.run_tables import markdown as as_markdown
    from crosstalk.reports.several_runs import runs_record

    if html:
        page = write_page(runs, html, data=data, dialogues=dialogues, reader=reader)
        summaries = page.summaries
        warn(f"page written to {page.path}")
    else:
        summaries = [summarise(folder, data=data, reader=reader) for folder in runs]
    if markdown:
        _write(markdown, as_markdown(summaries))
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


def _write(path: Path, text: str) -> None:
    from crosstalk.files import writing

    with writing(path) as file:
        file.write(text)
    warn(f"tables written to {path}")


def view(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders written by `crosstalk simulate`."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            readable=False,
            metavar="PAGE",
            help="Where to write it; default: a new folder.",
        ),
    ] = None,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Do not open it in the browser.")
    ] = False,
    dialogues: Annotated[
        int | None,
        typer.Option("--dialogues", min=0, help="Most dialogues on the page; default: all."),
    ] = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Look at runs in the browser: success, reasons, every dialogue with its claims checked.

    Two runs are shown side by side, goal by goal.
    """
    import webbrowser
    from tempfile import mkdtemp

    from crosstalk.cli.output import print_result
    from crosstalk.reports.html_page import write_page

    place = out or Path(mkdtemp(prefix="crosstalk-view-"))
    page = write_page(runs, place, data=data, dialogues=dialogues)
    path = str(page.path.resolve())
    facts = {"page": path, "dialogues": page.held, "shown": page.shown}
    print_result(f"{page.shown:,} of {page.held:,} dialogues: {path}", facts, as_json)
    if not no_open and not webbrowser.open(page.path.resolve().as_uri()):
        warn(f"no browser was found; open {path} yourself")
