"""`crosstalk fetch`: published corpora into the data folder; the one command that goes online."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import AsJson, Data
from crosstalk.cli.output import print_json, progress_bars, warning_when_stopped

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from crosstalk.corpora.catalogue import Dataset
    from crosstalk.corpora.dataset_files import FileOutcome, FileSource
    from crosstalk.corpora.download import Report

DEFAULT_FOLDER = Path("data")
"""Where corpora go when neither --data nor CROSSTALK_DATA name a folder: under the current one."""


def fetch(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Names of datasets; without one, all are listed."),
    ] = None,
    data: Data = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Take the files from this folder instead of the network."),
    ] = None,
    addresses: Annotated[
        bool, typer.Option("--list", help="Print the addresses of the files, and fetch nothing.")
    ] = False,
    as_json: AsJson = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before fetching.")] = False,
    mirror: Annotated[
        str,
        typer.Option(
            envvar="CROSSTALK_MIRROR",
            help="Address of a server with the same files, under OWNER/NAME/REVISION/PATH.",
        ),
    ] = "",
) -> None:
    """Download published corpora; shows size and licence first and verifies checksums."""
    from crosstalk.corpora.catalogue import catalogue, find
    from crosstalk.corpora.dataset_files import refuse_none_found

    datasets = [find(name) for name in dict.fromkeys(names or [])]
    folder = data or DEFAULT_FOLDER
    if addresses:
        _print_addresses(datasets or list(catalogue().values()), mirror, as_json)
    elif not datasets:
        _print_catalogue(list(catalogue().values()), as_json)
    else:
        _announce(datasets, folder, source, mirror)
        if source is None and not yes and sys.stdin.isatty():
            typer.confirm("Fetch?", default=True, abort=True, err=True)
        outcomes = _obtain(datasets, folder, source, mirror)
        refuse_none_found(outcomes)
        _print_outcomes(outcomes, folder, as_json)
        if not all(outcome.is_fine for outcome in outcomes):
            raise typer.Exit(1)


def _print_catalogue(datasets: "list[Dataset]", as_json: bool) -> None:
    if as_json:
        print_json({"datasets": [dataset.record() for dataset in datasets]})
        return
    for dataset in datasets:
        print(f"{dataset.name:<12} {dataset.size:>16}  {dataset.licence:<16} {dataset.title}")
    print("\nFetch one with `crosstalk fetch NAME`.")


def _print_addresses(datasets: "list[Dataset]", mirror: str, as_json: bool) -> None:
    from crosstalk.corpora.catalogue import templates

    template = templates(mirror)[0]
    files = [file for dataset in datasets for file in dataset.files]
    if as_json:
        print_json({"files": [file.record(template) for file in files]})
        return
    for file in files:
        print(file.url(template))


def _announce(datasets: "list[Dataset]", folder: Path, source: Path | None, mirror: str) -> None:
    """What is about to happen, on stderr: what, how large, which licence, from where."""
    for dataset in datasets:
        origin = source or mirror or f"https://github.com/{dataset.repository}"
        lines = [
            f"{dataset.name}: {dataset.title}",
            f"  {len(dataset.files)} files, {dataset.size}, to {folder / dataset.name}",
            f"  from {origin}, revision {dataset.revision}",
            f"  licence {dataset.licence}; please cite:",
            *(f"    {paper}" for paper in dataset.attribution),
        ]
        print("\n".join(lines), file=sys.stderr)


def _obtain(
    datasets: "list[Dataset]", folder: Path, source: Path | None, mirror: str
) -> "list[FileOutcome]":
    from crosstalk.corpora.dataset_files import obtain

    files = [file for dataset in datasets for file in dataset.files]
    outcomes = []
    with _source(source, mirror) as get:
        for outcome in obtain(files, folder, get):
            outcomes.append(outcome)
            _tell(outcome)
    return outcomes


def _source(source: Path | None, mirror: str) -> "AbstractContextManager[FileSource]":
    if source is None:
        return _network(mirror)
    from crosstalk.corpora.dataset_files import copier

    return nullcontext(copier(source))


@contextmanager
def _network(mirror: str) -> "Iterator[FileSource]":
    from crosstalk.corpora.download import Downloader

    with (
        warning_when_stopped("the same command goes on where it stopped"),
        _bar() as report,
        Downloader(mirror=mirror, report=report) as downloader,
    ):
        yield downloader.fetch


@contextmanager
def _bar() -> "Iterator[Report]":
    from rich.progress import DownloadColumn

    with progress_bars(DownloadColumn()) as bars:
        task = bars.add_task("", total=None)
        yield lambda file, so_far, total: bars.update(
            task, description=file.place, completed=so_far, total=total
        )


def _tell(outcome: "FileOutcome") -> None:
    known = "verified" if outcome.verified else "no digest was published"
    detail = known if outcome.is_fine else outcome.note
    print(f"{outcome.state.value} {outcome.file.place} ({detail})", file=sys.stderr)


def _print_outcomes(outcomes: "list[FileOutcome]", folder: Path, as_json: bool) -> None:
    if as_json:
        print_json({"folder": str(folder), "files": [one.record() for one in outcomes]})
        return
    counts = Counter(outcome.state.value for outcome in outcomes)
    print(f"{folder}: " + ", ".join(f"{count} {state}" for state, count in counts.items()))
