"""`crosstalk collect`: the website where people talk, and what it has collected."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli import collect_export, collect_keep, options
from crosstalk.cli.output import warn
from crosstalk.cli.website import Host, Port, PublicAddress, serve_and_announce
from crosstalk.errors import InputError

if TYPE_CHECKING:
    from crosstalk.database.tables import World
    from crosstalk.web.collect.site import Site

app = typer.Typer(invoke_without_command=True, no_args_is_help=False)
app.command("export")(collect_export.export)
app.command("backup")(collect_keep.backup)
app.command("restore")(collect_keep.restore)

Goals = Annotated[
    str | None,
    typer.Option("--goals", metavar="FILE|N", help="A goal file, or how many to draw [100]."),
]
StoreOption = Annotated[
    str,
    typer.Option("--store", metavar="PATH|URL", help="A file, sqlite:///FILE or postgresql://..."),
]
Training = Annotated[
    bool, typer.Option("--training/--no-training", help="Exercises before real tasks.")
]
MachinesOption = Annotated[
    bool, typer.Option("--machines/--no-machines", help="Offer machine partners.")
]
DEFAULT_GOALS = 100


@app.callback()
def collect(
    context: typer.Context,
    world: options.World = "harbour",
    language: options.Language = None,
    goals: Goals = None,
    store: StoreOption = "crosstalk.db",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    address: PublicAddress = None,
    training: Training = True,
    machines: MachinesOption = True,
    seed: options.Seed = 0,
    data: options.Data = None,
    models: options.Models = None,
) -> None:
    """A website where two people talk about a goal, one as user and one as wizard.

    Prints its address and a link for the administrator, and serves until it is stopped.
    """
    if context.invoked_subcommand:
        return
    from crosstalk.database.worlds import load_world
    from crosstalk.web.accounts import Accounts
    from crosstalk.web.collect.parts import build_parts
    from crosstalk.web.server import listening
    from crosstalk.web.sites import collect_app

    loaded = load_world(world, language=language, data=data)
    with listening(host, port, address) as place:
        site = _open_site(store, loaded, training=training)
        try:
            _add_goals(site, goals, seed, world, data)
            parts, missing = build_parts(world, loaded, machines=machines, data=data, models=models)
            for problem in missing:
                warn(problem)
            link = Accounts(site.store).admin_link()
            announcement = (
                f"Collecting dialogues at {place.base}/",
                f"Administrator, once: {place.base}/enter/{link}",
            )
            serve_and_announce(collect_app(site, place.address, parts), place, announcement)
        finally:
            site.store.close()


def _open_site(store: str, world: "World", *, training: bool) -> "Site":
    from crosstalk.collection.world_context import WorldContext
    from crosstalk.web.collect.site import Rules, Site
    from crosstalk.web.collect.startup import remember_world
    from crosstalk.web.store.connection import store_url
    from crosstalk.web.store.store import Store

    opened = Store(store_url(store))
    site = Site(opened, WorldContext(world), Rules(training=training))
    try:
        site.submit(remember_world).result()
    except BaseException:
        opened.close()
        raise
    return site


def _add_goals(site: "Site", goals: str | None, seed: int, world: str, data: Path | None) -> None:
    from crosstalk.web.collect.startup import goals_from_file, goals_to_draw, missing_goals

    if goals is not None and goals.removeprefix("-").isdecimal() and int(goals) < 0:
        raise InputError(f"--goals: {goals} is no number of goals", remedy="Give 0 or more.")
    if goals is not None and not goals.isdecimal():
        records = goals_from_file(Path(goals), site.context.world, world, data)
    else:
        count = int(goals) if goals else None
        records = goals_to_draw(site, count, DEFAULT_GOALS, seed)
    missing_goals(site, records)
