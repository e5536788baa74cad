"""The application, the websites that commands start, and their server.

    with listening("127.0.0.1", 8000) as place:
        serve(collect_app(site, place.address), place)

`create_app(accounts, areas)` joins the shell and its areas. Routes take what they need from
`app.state`; nothing is global.
"""

import asyncio
import contextlib
import gc
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI

from crosstalk import __version__
from crosstalk.errors import InputError
from crosstalk.translation.work import WorkQueue
from crosstalk.web import account_routes, operation_routes
from crosstalk.web.accounts import Accounts
from crosstalk.web.annotate.routes import annotate_area
from crosstalk.web.clients import Clients
from crosstalk.web.collect.collect_area import collect_area
from crosstalk.web.collect.settings import Settings
from crosstalk.web.collect.site import Site
from crosstalk.web.collect.startup import Parts
from crosstalk.web.error_handlers import add_handlers
from crosstalk.web.health import Health
from crosstalk.web.memory import give_back_memory
from crosstalk.web.metrics import Metrics
from crosstalk.web.middleware import LARGEST_FRAME, AccessMiddleware, App, Hosts, local_hosts
from crosstalk.web.page import Area, Statics
from crosstalk.web.protocols import BACKLOG, CuttableSockets, TimedRequests
from crosstalk.web.rate_limits import AccessLimits, Buckets, Limits
from crosstalk.web.request_log import RequestLog, log_to_stderr
from crosstalk.web.sessions import Cookies
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.translate.translate_area import translate_area


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """Host names and port of the site."""

    port: int = 8000
    """Of the public address: several servers behind one proxy know the same cookies."""
    hosts: Hosts = field(default_factory=local_hosts)
    secure: bool = False
    """Whether the site is reached by https."""
    clients: Clients = field(default_factory=Clients)
    """How the clients behind a proxy are told apart."""


def create_app(
    accounts: Accounts,
    areas: Sequence[Area],
    address: SiteAddress | None = None,
    limits: Limits = AccessLimits,
) -> AccessMiddleware:
    """The website behind its middleware; for two routes with one path, the first area wins."""
    where = address or SiteAddress()
    app = FastAPI(
        title="Crosstalk",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_lifespan,
    )
    app.state.accounts = accounts
    app.state.areas = tuple(areas)
    app.state.health = Health(accounts.store)
    app.state.metrics = Metrics()
    app.state.messages = Buckets(limits, time.monotonic)
    app.state.cookies = Cookies(where.port, where.secure)
    for area in areas:
        for name, value in area.state.items():
            setattr(app.state, name, value)
    add_handlers(app)
    app.add_middleware(RequestLog, metrics=app.state.metrics)
    _add_routes(app, areas)
    return AccessMiddleware(app, where.hosts, where.clients, secure=where.secure, limits=limits)


def _add_routes(app: FastAPI, areas: Sequence[Area]) -> None:
    app.include_router(operation_routes.router)
    app.include_router(account_routes.router)
    if not any(area.personal_links for area in areas):
        app.include_router(account_routes.passwords)
    for area in areas:
        for router in area.routers:
            app.include_router(router)
    app.mount("/static", Statics(), name="static")


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    await app.state.health.probe()
    watching = asyncio.create_task(app.state.health.watch())
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(watching.cancel)
        for area in app.state.areas:
            await stack.enter_async_context(area.running())
        yield


ACCOUNTS_FILE: Final = "accounts.db"
TRANSLATION_DAYS: Final = 180
"""How long editors and annotators stay logged in."""


def collect_app(
    site: Site,
    address: SiteAddress | None = None,
    parts: Parts | None = None,
    admin_token: str = "",
    settings: Settings | None = None,
) -> AccessMiddleware:
    """The site of `crosstalk collect`: data collection and expert annotation."""
    areas = collect_area(site, parts or Parts(), settings), annotate_area(site.store)
    accounts = Accounts(site.store, site.clock, admin_token=admin_token, limits=lambda: site.rules)
    return create_app(accounts, areas, address, lambda: site.rules)


def translation_app(
    queue: WorkQueue,
    accounts: Accounts,
    links: Mapping[str, str],
    address: SiteAddress | None = None,
    *,
    rate: float = 16.0,
) -> AccessMiddleware:
    """The site of `translate edit` or `translate judge`, depending on the queue."""
    return create_app(accounts, (translate_area(queue, links, rate),), address)


@contextmanager
def translation_accounts(
    queue: WorkQueue, *, new_links: bool = False
) -> Iterator[tuple[Accounts, dict[str, str]]]:
    """The accounts of a queue, stored beside its journal, and the link token of each person."""
    secret = queue.secret(renew=new_links)
    store = Store(store_url(str(queue.folder / ACCOUNTS_FILE)))
    try:
        accounts = Accounts(store, days=TRANSLATION_DAYS)
        yield accounts, accounts.personal_links(queue.people, secret)
    finally:
        store.close()


HOST_NAME: Final = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+")
PING: Final = 20.0
"""Seconds between two pings of a socket."""
STOPS: Final = (signal.SIGINT, signal.SIGTERM)
SWITCH: Final = 0.001
"""Seconds after which a busy thread yields, so that counting and exporting do not block others."""
GOODBYE: Final = 5
"""Seconds that running requests get when the server is stopped."""


def bind(host: str, port: int) -> socket.socket:
    """The socket to listen on; port 0 is any free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # With IPPROTO_TCP, asyncio sets TCP_NODELAY: saves 40 ms per small answer.
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError, UnicodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(
            f"cannot listen on {host}, port {port}: {said}",
            remedy="Give another --port (0 takes any free one) or another --host.",
        ) from error
    return bound


@dataclass(frozen=True, slots=True)
class Listening:
    """A bound socket and its public address."""

    bound: socket.socket
    address: SiteAddress
    base: str
    """Prefix of links: the public address if given, otherwise one that works on this machine."""


@contextlib.contextmanager
def listening(
    host: str, port: int, public: str | None = None, clients: Clients | None = None
) -> Iterator[Listening]:
    """Bind a socket; `public`: the address behind a proxy, such as https://collect.example.org."""
    known = _public_address(host, public)
    with bind(host, port) as bound:
        name, number = bound.getsockname()[:2]
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(
            name, f"[{name}]" if ":" in name else name
        )
        base = (public or f"http://{shown}:{number}").rstrip("/")
        hosts, secure, reached_at = known
        where = SiteAddress(reached_at or number, hosts, secure, clients or Clients())
        yield Listening(bound, where, base)


def _public_address(host: str, public: str | None) -> tuple[Hosts, bool, int | None]:
    """A site's host names, whether it is reached by https, and its port if it has an address."""
    if public is None:
        return local_hosts(host), False, None
    try:
        parts = urlsplit(public)
        name, port = parts.hostname, parts.port
    except ValueError:
        parts, name, port = urlsplit(""), None, None
    plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username)
    if (
        parts.scheme not in ("http", "https")
        or not name
        or not HOST_NAME.fullmatch(name)
        or not plain
    ):
        raise InputError(
            f"--address: {public!r} is no address of a site",
            remedy="Give one such as https://collect.example.org, without a path.",
        )
    secure = parts.scheme == "https"
    return local_hosts(host, name), secure, port or (443 if secure else 80)


def serve(app: App, place: Listening, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished, sockets told to reconnect.

    `ready` is called when the server accepts connections.
    """
    log_to_stderr()
    give_back_memory()
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # imported objects stay, so the collector need not scan them again
    asyncio.run(make_server(app, ready).serve([place.bound]))


def make_server(app: App, ready: Callable[[], None] = lambda: None) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        backlog=BACKLOG,
        http=TimedRequests,
        ws=CuttableSockets,
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        timeout_graceful_shutdown=GOODBYE,
    )
    return _Announcing(config, ready)


class _Announcing(uvicorn.Server):
    """Calls `ready` after startup, and treats signals as a normal end."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stopping is the normal end: unlike uvicorn, do not raise the signal again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in STOPS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
