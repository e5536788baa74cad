"""`crosstalk translate edit` and `judge`: the pages for editors and for annotators."""

from collections.abc import Callable
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

if TYPE_CHECKING:
    from crosstalk.translation.glossary import Glossary
    from crosstalk.translation.work_queues import WorkQueue
    from crosstalk.web.app import Address
    from crosstalk.web.middleware import AccessMiddleware
    from crosstalk.web.translation.people import People

Editors = Annotated[
    list[str] | None,
    typer.Option("--editor", metavar="NAME", help="Once for each; dialogues are shared out."),
]
Without = Annotated[
    list[str] | None,
    typer.Option("--without", metavar="NAME", help="Edits no longer; the others take over."),
]
Folder = Annotated[Path, typer.Argument(help="The folder that `translate control` made.")]
Host = Annotated[str, typer.Option("--host", help="0.0.0.0 lets other machines in.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")]
PublicAddress = Annotated[
    str | None,
    typer.Option("--address", metavar="URL", help="Where people find it, behind a proxy."),
]
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
    from crosstalk.translation.post_editing import open_desk

    spoken = languages(read_segments(file), source, target)
    queue = open_desk(file, spoken, editors or [], _glossary(glossary), without or [])
    for dialogue, turn in queue.conflicts[:3]:
        warn(f"dialogue {dialogue}, turn {turn}: changed in the file meanwhile; its text stands")

    def app(people: "People", where: "Address") -> "AccessMiddleware":
        from crosstalk.web.translation.app import editing_app

        return editing_app(queue, people, where, rate=rate)

    _serve(queue, app, (host, port, address), f"Editing {file}", new_links)


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

    def app(people: "People", where: "Address") -> "AccessMiddleware":
        from crosstalk.web.translation.app import judging_app

        return judging_app(queue, people, where, rate=rate)

    _serve(queue, app, (host, port, address), f"Judging {folder}", new_links)


def _glossary(file: Path | None) -> "Glossary | None":
    from crosstalk.translation.glossary import read_glossary

    return None if file is None else read_glossary(file)


def _serve(
    queue: "WorkQueue",
    make: "Callable[[People, Address], AccessMiddleware]",
    place: tuple[str, int, str | None],
    doing: str,
    new_links: bool,
) -> None:
    from crosstalk.cli.collect import address_of, base_of
    from crosstalk.web.server import bind, serve
    from crosstalk.web.translation.people import COORDINATOR, People

    host, port, public = place
    try:
        people = People(queue.people, queue.secret(renew=new_links))
        with bind(host, port) as bound:
            base = base_of(bound, public)

            def announce() -> None:
                print(f"{doing} at {base}/", flush=True)
                print(f"Coordinator: {base}/enter/{people.link(COORDINATOR)}", flush=True)
                for name in queue.people:
                    print(f"{name}: {base}/enter/{people.link(name)}", flush=True)
                print("Stop with Ctrl+C; everything acknowledged is on the disk.", flush=True)

            serve(make(people, address_of(host, bound.getsockname()[1], public)), bound, announce)
    finally:
        queue.close()
