"""`crosstalk collect export`: finished dialogues as a corpus."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from crosstalk.cli import options
from crosstalk.cli.output import print_result, warn
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosstalk.web.collect.exports import Annotate
    from crosstalk.web.store.store import Store

To = Annotated[
    Literal["crosswoz", "native", "chat", "csv"],
    typer.Option("--to", help="Format; csv is for spreadsheets."),
]
StoreOption = Annotated[
    str, typer.Option("--store", metavar="PATH|URL", help="Where the site keeps everything.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="File to write.")]
ReviewOption = Annotated[
    Literal["approved", "pending", "returned"] | None,
    typer.Option("--review", help="Only dialogues with this verdict; default: all but returned."),
]
Acts = Annotated[bool, typer.Option("--acts/--no-acts", help="Derive dialogue acts from states.")]
WorldFolder = Annotated[
    str | None, typer.Option("--world", help="The world's folder, where it is one of your own.")
]


def export(
    to: To,
    out: Out,
    store: StoreOption = "crosstalk.db",
    review: ReviewOption = None,
    acts: Acts = True,
    world: WorldFolder = None,
    data: options.Data = None,
    as_json: options.AsJson = False,
) -> None:
    """Write finished dialogues to a file, with both states and derived acts.

    Works while the site is running.
    """
    from crosstalk.web.collect.exports import count_finished, exported
    from crosstalk.web.store.connection import store_url
    from crosstalk.web.store.store import Store

    opened = Store(store_url(store), create=False, alone=False)
    try:
        annotate = _annotation(opened, world, data) if acts else None
        _write(out, exported(opened, to, annotate, review=review))
        count = opened.read(partial(count_finished, review=review))
    finally:
        opened.close()
    facts = {"file": str(out), "dialogues": count, "format": to}
    print_result(f"{out}: {count:,} dialogues", facts, as_json)


def _write(out: Path, pieces: "Iterable[str]") -> None:
    from crosstalk.formats.packing import writing_packed

    with writing_packed(out) as file:
        file.writelines(pieces)


def _annotation(store: "Store", world: str | None, data: Path | None) -> "Annotate | None":
    """Acts where the world and its language have what it takes; otherwise why not."""
    from crosstalk.web.collect.exports import annotation, stored_world

    known, language = store.read(stored_world)
    try:
        return annotation(world or known, language, data)
    except InputError as problem:
        warn(f"no acts are derived: {problem.message}")
        return None
