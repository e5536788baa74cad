"""A site made ready and started: where it listens, what it prints, its store and its goals."""

from contextlib import ExitStack
from pathlib import Path
from socket import socket
from typing import Final
from urllib.parse import urlsplit

from crosstalk.collection.world_context import WorldContext
from crosstalk.database.tables import World
from crosstalk.errors import InputError
from crosstalk.web.app import Address
from crosstalk.web.middleware import local_hosts
from crosstalk.web.rules import Rules
from crosstalk.web.site import Site
from crosstalk.web.startup import goals_from_file, goals_to_draw, missing_goals, remember_world
from crosstalk.web.store.connection import store_url
from crosstalk.web.store.store import Store

DEFAULT_GOALS: Final = 100


def open_site(store: str, world: World, *, training: bool = True) -> Site:
    """The site of a world, over its store; a store of another world is closed again."""
    with ExitStack() as undo:
        opened = Store(store_url(store))
        undo.callback(opened.close)  # a store that stays open is locked for the next try
        site = Site(opened, WorldContext(world), Rules(training=training))
        site.submit(remember_world).result()
        undo.pop_all()
    return site


def add_goals(site: Site, goals: str | None, seed: int, world: str, data: Path | None) -> None:
    """Add what is missing of a goal file's goals, or of so many drawn from the seed."""
    if goals is not None and goals.removeprefix("-").isdecimal() and int(goals) < 0:
        raise InputError(f"--goals: {goals} is no number of goals", remedy="Give 0 or more.")
    if goals is not None and not goals.isdecimal():
        records = goals_from_file(Path(goals), site.context.world, world, data)
    else:
        records = goals_to_draw(site, int(goals) if goals else None, DEFAULT_GOALS, seed)
    missing_goals(site, records)


def address_of(host: str, port: int, public: str | None) -> Address:
    """Where the site listens, and under which names people reach it."""
    if public is None:
        return Address(port, local_hosts(host))
    parts = urlsplit(public)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"--address: {public!r} is no address of a site",
            remedy="Give one such as https://collect.example.org.",
        )
    return Address(port, local_hosts(host, parts.hostname), secure=parts.scheme == "https")


def base_of(bound: socket, public: str | None) -> str:
    """The address to print: one that works on this machine, unless another was given."""
    host, port = bound.getsockname()[:2]
    local = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return (public or f"http://{local}:{port}").rstrip("/")
