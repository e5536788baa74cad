"""How connections end that do not behave: requests that never arrive, clients that never read.

uvicorn's own protocols, with a time for the head of a request and a way to cut a socket.
"""

import asyncio
from asyncio.transports import BaseTransport
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

HEAD_SECONDS: Final = 10.0
"""Time for a whole request line with headers."""
CUT: Final = "crosstalk.cut"
"""Extension of a socket's scope: drops the connection, with all that waits to be sent."""


class TimedRequests(H11Protocol):
    """Closes connections whose request head does not arrive in time."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self._watch()

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
