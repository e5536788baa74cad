"""`crosstalk translate edit` and `judge`: the pages for editors and for annotators."""

from collections.abc import Callable
from dataclasses import dataclass
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
from crosstalk.cli.output import warn

if TYPE_CHECKING:
    from crosstalk.translation.work_queues import WorkQueue
    from crosstalk.web.app import Address
    from crosstalk.web.middleware import AccessMiddleware
    from crosstalk.web.translation.people import People

NewLinks = Annotated[bool, typer.Option("--new-links", help="Make all links given so far void.")]


def edit(
    file: WorkFile,
    editors: Annotated[
        list[str] | None,
        typer.Option("--editor", metavar="NAME", help="Once for each; dialogues are shared out."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="NAME", help="Edits no longer; the others take over."),
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
    from crosstalk.translation.appendix_a import read_segments
    from crosstalk.translation.glossary import read_glossary
    from crosstalk.translation.post_editing import open_desk
    from crosstalk.translation.work import work_languages

    spoken = work_languages(read_segments(file), source, target)
    terms = None if glossary is None else read_glossary(glossary)
    queue = open_desk(file, spoken, editors or [], terms, without or [])
    for dialogue, turn in queue.conflicts[:3]:
        warn(f"dialogue {dialogue}, turn {turn}: changed in the file meanwhile; its text stands")

    def app(people: "People", where: "Address") -> "AccessMiddleware":
        from crosstalk.web.translation.app import editing_app

        return editing_app(queue, people, where, rate=rate)

    _serve(queue, app, _Place(host, port, address, new_links), f"Editing {file}")


def judge(
    folder: Annotated[Path, typer.Argument(help="The folder that `translate control` made.")],
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

    _serve(queue, app, _Place(host, port, address, new_links), f"Judging {folder}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a site listens."""

    host: str
    port: int
    public: str | None
    new_links: bool


def _serve(
    queue: "WorkQueue",
    make: "Callable[[People, Address], AccessMiddleware]",
    place: _Place,
    doing: str,
) -> None:
    from crosstalk.web.launch import address_of, base_of
    from crosstalk.web.server import bind, serve
    from crosstalk.web.translation.people import COORDINATOR, People

    try:
        people = People(queue.people, queue.secret(renew=place.new_links))
        with bind(place.host, place.port) as bound:
            base = base_of(bound, place.public)
            where = address_of(place.host, bound.getsockname()[1], place.public)

            def announce() -> None:
                print(f"{doing} at {base}/", flush=True)
                print(f"Coordinator: {base}/enter/{people.link(COORDINATOR)}", flush=True)
                for name in queue.people:
                    print(f"{name}: {base}/enter/{people.link(name)}", flush=True)
                print("Stop with Ctrl+C; everything acknowledged is on the disk.", flush=True)

            serve(make(people, where), bound, announce)
    finally:
        queue.close()
