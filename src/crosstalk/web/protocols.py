"""How connections end that do not behave: requests that never arrive, clients that never read.

uvicorn's own protocols, with a time for the head of a request, as many connections as the process
can have, and a way to cut a socket.
"""

import asyncio
import contextlib
import sys
from asyncio.transports import BaseTransport
from functools import cache
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEAD_SECONDS: Final = 10.0
"""Time for a whole request line with headers."""
OPEN_FILES: Final = 16384
"""As many the process asks for; systems give 1,024 unless asked."""
BACKLOG: Final = 100
"""Connections that asyncio accepts before it looks at any of them."""
OWN_FILES: Final = 64 + 2 * BACKLOG
"""Open files besides connections: the store, logs, tables, and what is being closed."""
CUT: Final = "crosstalk.cut"
"""Extension of a socket's scope: drops the connection, with all that waits to be sent."""


@cache
def most_connections() -> int:
    """As many as leave an open file to each answer; without a limit, accepting would fail, and
    asyncio log that some thousand times a second.
    """
    if sys.platform == "win32":
        return OPEN_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):  # some systems have lower limits than told
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    known = OPEN_FILES if soft == resource.RLIM_INFINITY else soft
    return max((known - OWN_FILES) // 2, 1)


class TimedRequests(H11Protocol):
    """Closes connections whose request head does not arrive in time, or too many are waited for."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._watch()
        if len(self.connections) > most_connections():
            self._make_room()

    def _make_room(self) -> None:
        """Close the connection whose request has been waited for longest, be it this one."""
        waited = (each for each in self.connections if isinstance(each, TimedRequests))
        late = {each: each._late.when() for each in waited if each._late is not None}
        oldest = min(late, key=late.__getitem__, default=self)
        oldest._stop()
        oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """The time runs while a head is awaited, and ends when it is complete."""
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.abort)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._stop()  # from here the time of idle connections runs

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class CuttableSockets(WebSocketsSansIOProtocol):
    """Lets the application cut a socket whose client does not even read its end.

    What comes before the handshake is answered and is no frame ends the connection, in silence.
    """

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:
            self.disconnected = self.handshake_complete = True  # there is nobody to answer
            self.transport.abort()
            return
        super().handle_parser_exception()

    async def run_asgi(self) -> None:
        extensions: dict[str, Any] = self.scope["extensions"]
        extensions[CUT] = self.transport.abort
        await super().run_asgi()
