"""What commands that start a website share: its address, and serving until it is stopped."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from crosstalk.web.middleware import AccessMiddleware
    from crosstalk.web.server import Listening

Host = Annotated[str, typer.Option("--host", help="0.0.0.0 lets other machines in.")]
Port = Annotated[int, typer.Option("--port", min=0, max=65535, help="0: any free one.")]
PublicAddress = Annotated[
    str | None,
    typer.Option("--address", metavar="URL", help="Where people find it, behind a proxy."),
]


def serve_and_announce(
    app: "AccessMiddleware", place: "Listening", announcement: Iterable[str]
) -> None:
    """Prints the announcement once people can come, and returns when the server was stopped."""
    from crosstalk.web.server import serve

    def announce() -> None:
        for line in (*announcement, "Stop with Ctrl+C; everything acknowledged is on the disk."):
            print(line, flush=True)

    serve(app, place, announce)
