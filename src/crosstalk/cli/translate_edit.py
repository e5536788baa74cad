"""`crosstalk translate edit` and `judge`: the pages for editors and for annotators."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.output import warn
from crosstalk.cli.translate_options import (
    GlossaryFile,
    Rate,
    SourceCode,
    TargetCode,
    WorkFile,
    languages,
)
from crosstalk.cli.website import Host, Port, PublicAddress, serve_and_announce

if TYPE_CHECKING:
    from crosstalk.translation.glossary import Glossary
    from crosstalk.translation.work_queues import WorkQueue

Editors = Annotated[
    list[str] | None,
    typer.Option("--editor", metavar="NAME", help="Once for each; dialogues are shared out."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Edits no longer; the others take over."),
]
Folder = Annotated[Path, typer.Argument(help="The folder that `translate control` made.")]
NewLinks = Annotated[bool, typer.Option("--new-links", help="Make all links given so far void.")]


def edit(
    file: WorkFile,
    editors: Editors = None,
    without: Without = None,
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
    from crosstalk.translation.appendix_a import read_segments
    from crosstalk.translation.post_editing import open_queue

    spoken = languages(read_segments(file), source, target)
    queue = open_queue(file, spoken, editors or [], _glossary(glossary), without or [])
    for dialogue, turn in queue.conflicts[:3]:
        warn(f"dialogue {dialogue}, turn {turn}: changed in the file meanwhile; its text stands")

    _serve(queue, f"Editing {file}", (host, port, address), rate=rate, new_links=new_links)


def judge(
    folder: Folder,
    rate: Rate = 16.0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    new_links: NewLinks = False,
) -> None:
    """Open a sample for its annotators: a website with one link for each of them."""
    from crosstalk.translation.control_answers import ControlQueue

    queue = ControlQueue(folder)

    _serve(queue, f"Judging {folder}", (host, port, address), rate=rate, new_links=new_links)


def _glossary(file: Path | None) -> "Glossary | None":
    from crosstalk.translation.glossary import read_glossary

    return None if file is None else read_glossary(file)


def _serve(
    queue: "WorkQueue",
    doing: str,
    where: tuple[str, int, str | None],
    *,
    rate: float,
    new_links: bool,
) -> None:
    from crosstalk.web.accounts import COORDINATOR
    from crosstalk.web.server import listening
    from crosstalk.web.sites import translation_accounts, translation_app

    try:
        with (
            listening(*where) as place,
            translation_accounts(queue, new_links=new_links) as (accounts, links),
        ):
            announcement = [f"{doing} at {place.base}/"]
            for name in (COORDINATOR, *queue.people):
                shown = "Coordinator" if name == COORDINATOR else name
                announcement.append(f"{shown}: {place.base}/enter/{links[name]}")
            app = translation_app(queue, accounts, links, place.address, rate=rate)
            serve_and_announce(app, place, announcement)
    finally:
        queue.close()
