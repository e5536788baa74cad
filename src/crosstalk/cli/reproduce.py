"""`crosstalk reproduce`: a paper's tables from fetched files, stage by stage."""

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_json, print_table, warn, warning_when_stopped

if TYPE_CHECKING:
    from crosstalk.reproduction.reproduction_run import ReproductionReport


def reproduce(
    paper: Annotated[str, typer.Argument(help="crosswoz, ubuntu or multi2woz.")],
    data: Annotated[
        Path,
        typer.Option(
            "--data", envvar="CROSSTALK_DATA", help="Folder that holds the fetched files."
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", readable=False, help="Folder for models, results and the report."),
    ],
    encoder: Annotated[
        str,
        typer.Option(
            "--encoder",
            help="Pretrained encoder, by folder or by name; default: a small one from nothing.",
        ),
    ] = "",
    scale: Annotated[
        str,
        typer.Option(
            "--scale",
            help="smoke: does it run; small: hours of one core; paper: as published, for a GPU.",
        ),
    ] = "small",
    device: options.Device = "auto",
    precision: options.Precision = "auto",
    seeds: Annotated[int, typer.Option("--seeds", min=1, help="Number of seeds.")] = 1,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the plan and what is missing.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Run the experiments of a paper and put its tables beside ours.

    Every stage is a command that is printed before it runs. The same command resumes a run that
    was stopped. Exit code 1: a stage failed; the tables have what the others measured.
    """
    from crosstalk.reports.reproduction_pages import write_pages
    from crosstalk.reproduction.reproduction_run import (
        ReproductionRequest,
        plan_reproduction,
        reproduce,
    )
    from crosstalk.training.compute import Compute

    request = ReproductionRequest(
        paper, data, out, encoder, scale, Compute(device, precision), seeds
    )
    planned = plan_reproduction(request)
    _print_plan(planned)
    if dry_run:
        if as_json:
            print_json(planned.record())
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends the stage's command, too
    with warning_when_stopped("the same command goes on where it stopped"):
        report = reproduce(request, warn)
    record = {**report.record(), **write_pages(report.record(), out)}
    if as_json:
        print_json(record)
    else:
        _print_report(record)
    if report.failed:
        warn(f"not finished: {', '.join(report.failed)}; give the command again to go on")
        raise typer.Exit(1)


def _print_plan(planned: "ReproductionReport") -> None:
    """What is about to happen, on stderr."""
    record = planned.record()
    told = [f"{record['title']}", f"scale {record['scale']}, seeds {record['seeds']}:"]
    for run, state in zip(planned.reproduction.runs, planned.states, strict=True):
        told.append(f"  {run.stage.name}: {run.planned.about}" + _said(state))
        if state == "planned":
            told += [f"    {command}" for command in run.stage.commands]
    told += [
        f"missing: {each['file']} ({each['about']}): {each['fetch']}" for each in record["missing"]
    ]
    told.append(f"about {_duration(record['minutes'])} to go")
    print("\n".join(told), file=sys.stderr, flush=True)


def _said(state: str) -> str:
    return {"done": ", done", "skipped": ", skipped: files are missing"}.get(state, "")


def _duration(minutes: float) -> str:
    if minutes < 90:
        return f"{minutes:.0f} minutes"
    hours = minutes / 60
    return f"{hours:.0f} hours" if hours < 48 else f"{hours / 24:.0f} days"


def _print_report(record: dict[str, Any]) -> None:
    for table in record["tables"]:
        print_table(table["title"], table["header"], table["rows"])
    print(f"{record['markdown']}\n{record['html']}")
