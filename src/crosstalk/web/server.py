"""Starting and stopping a website.

with listening("127.0.0.1", 8000) as place:
serve(create_app(accounts, areas, place.address), place)
"""

import asyncio
import contextlib
import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import uvicorn

from crosstalk.errors import InputError
from crosstalk.web.app import Address
from crosstalk.web.middleware import LARGEST_FRAME, AccessMiddleware, local_hosts

PING: Final = 20.0
"""Seconds between two looks whether a socket still answers."""
STOPS: Final = (signal.SIGINT, signal.SIGTERM)
SWITCH: Final = 0.001
"""Seconds after which a busy thread lets others run: who counts or exports is not in the way."""
GOODBYE: Final = 5
"""Seconds for requests under way when the server is stopped."""


def bind(host: str, port: int) -> socket.socket:
    """The socket to listen on; port 0 is any free one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Named as TCP, so that asyncio sends small answers at once: 40 ms less for each.
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
    """A socket that is bound, and where people find what is behind it."""

    bound: socket.socket
    address: Address
    base: str
    """What links begin with: an address that works on this machine, unless another was given."""


@contextlib.contextmanager
def listening(host: str, port: int, public: str | None = None) -> Iterator[Listening]:
    """`public`: the address that people use, such as https://collect.example.org behind a proxy."""
    with bind(host, port) as bound:
        name, number = bound.getsockname()[:2]
        shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(
            name, f"[{name}]" if ":" in name else name
        )
        base = (public or f"http://{shown}:{number}").rstrip("/")
        yield Listening(bound, _address(host, number, public), base)


def _address(host: str, port: int, public: str | None) -> Address:
    if public is None:
        return Address(port, local_hosts(host))
    parts = urlsplit(public)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(
            f"--address: {public!r} is no address of a site",
            remedy="Give one such as https://collect.example.org.",
        )
    return Address(port, local_hosts(host, parts.hostname), secure=parts.scheme == "https")


def serve(
    app: AccessMiddleware, place: Listening, ready: Callable[[], None] = lambda: None
) -> None:
    """Serves until a signal to stop; requests under way are finished, sockets told to come back.

    `ready` is called once people can come.
    """
    sys.setswitchinterval(SWITCH)
    gc.collect()
    gc.freeze()  # what was imported stays; looking through it again and again takes its time
    asyncio.run(make_server(app, ready).serve([place.bound]))


def make_server(app: AccessMiddleware, ready: Callable[[], None] = lambda: None) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        timeout_graceful_shutdown=GOODBYE,
    )
    return _Announcing(config, ready)


class _Announcing(uvicorn.Server):
    """Says when it is there."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Being stopped is how a server ends, not an error to be raised again afterwards."""
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
