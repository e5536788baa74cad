"""`crosstalk translate edit` and `judge`: the pages for editors and for annotators."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.options import (
    GlossaryFile,
    Host,
    Port,
    PublicAddress,
    Rate,
    SourceCode,
    TargetCode,
    WorkFile,
)
from crosstalk.cli.output import announcer, warn

if TYPE_CHECKING:
    from crosstalk.translation.work import WorkQueue

NewLinks = Annotated[bool, typer.Option("--new-links", help="Invalidate all links given so far.")]


def edit(
    file: WorkFile,
    editors: Annotated[
        list[str] | None,
        typer.Option(
            "--editor",
            metavar="NAME",
            help="An editor (repeatable); dialogues are divided among them.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without", metavar="NAME", help="An editor who leaves; the others take over."
        ),
    ] = None,
    glossary: GlossaryFile = None,
    rate: Rate = 16.0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    new_links: NewLinks = False,
    source: SourceCode = None,
    target: TargetCode = None,
) -> None:
    """Open a translation for editors: a website with one link for each of them.

    Every save is on the disk when it is acknowledged; the file follows within seconds, at the
    latest when the site stops. Started again, it goes on where it was.
    """
    from crosstalk.translation.appendix_files import read_segments
    from crosstalk.translation.glossary import read_glossary
    from crosstalk.translation.post_editing import open_queue
    from crosstalk.translation.work import work_languages

    spoken = work_languages(read_segments(file), source, target)
    terms = None if glossary is None else read_glossary(glossary)
    queue = open_queue(file, spoken, editors or [], terms, without or [])
    for dialogue, turn in queue.conflicts[:3]:
        warn(f"dialogue {dialogue}, turn {turn}: changed in the file meanwhile; its text stands")

    _serve(queue, f"Editing {file}", (host, port, address), rate=rate, new_links=new_links)


def judge(
    folder: Annotated[Path, typer.Argument(help="The folder that `translate control` made.")],
    rate: Rate = 16.0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    new_links: NewLinks = False,
) -> None:
    """Open a sample for its annotators: a website with one link for each of them."""
    from crosstalk.translation.control import ControlQueue

    queue = ControlQueue(folder)

    _serve(queue, f"Judging {folder}", (host, port, address), rate=rate, new_links=new_links)


def _serve(
    queue: "WorkQueue",
    doing: str,
    where: tuple[str, int, str | None],
    *,
    rate: float,
    new_links: bool,
) -> None:
    from crosstalk.web.accounts import COORDINATOR
    from crosstalk.web.app import listening, serve, translation_accounts, translation_app

    try:
        with (
            listening(*where) as place,
            translation_accounts(queue, new_links=new_links) as (accounts, links),
        ):
            announce = announcer(
                f"{doing} at {place.base}/",
                f"Coordinator: {place.base}/enter/{links[COORDINATOR]}",
                *(f"{name}: {place.base}/enter/{links[name]}" for name in queue.people),
            )
            app = translation_app(queue, accounts, links, place.address, rate=rate)
            serve(app, place, announce)
    finally:
        queue.close()
