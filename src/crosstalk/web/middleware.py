"""Access limits: hosts, origins, clients, body sizes, security headers.

`AccessMiddleware` is pure ASGI around the whole application, for requests and sockets alike.
"""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

from crosstalk.web.clients import Clients
from crosstalk.web.rate_limits import AccessLimits, Limits

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 64 * 1024
LARGEST_FRAME: Final = 64 * 1024
"""Of a message on a socket."""
BODY_SECONDS: Final = 30.0
"""Time for the body of a request to arrive."""
UPLOADS: Final = frozenset({"/api/admin/goals"})
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Hosts:
    """Host names that this server accepts; protects against DNS rebinding."""

    names: frozenset[str]
    """Host names without ports, lower case."""
    any_address: bool = False
    """Whether bare IP addresses are accepted, for a server on a whole network; an attacker cannot
    rebind those."""

    def welcome(self, header: str) -> bool:
        try:
            host = urlsplit(f"//{header}").hostname or ""
        except ValueError:
            return False
        return host in self.names or (self.any_address and _is_address(host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def local_hosts(*also: str) -> Hosts:
    everywhere = any(name in ("0.0.0.0", "::") for name in also)
    names = {"localhost", "127.0.0.1", "::1", *(name.lower() for name in also)}
    return Hosts(frozenset(names - {"0.0.0.0", "::"}), everywhere)


class AccessMiddleware:
    """Rejects foreign hosts and origins, and sets the security headers of every answer."""

    def __init__(
        self,
        app: App,
        hosts: Hosts,
        clients: Clients | None = None,
        *,
        secure: bool = False,
        limits: Limits = AccessLimits,
    ) -> None:
        """`limits`: those of uploads that hold now."""
        self.app = app
        self._hosts = hosts
        self._clients = clients or Clients()
        self._limits = limits
        self._headers = dict(HEADERS)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        peer = (scope.get("client") or ("",))[0]
        scope.setdefault("state", {})["client_address"] = self._clients.address(peer, headers)
        problem = self._problem(scope, headers)
        if scope["type"] == "websocket":
            await self._socket(problem, scope, receive, send)
            return
        if problem:
            status, code, message = problem
            refused = JSONResponse({"code": code, "message": message, "remedy": ""}, status)
            await refused(scope, receive, self._with_headers(scope, send))
            return
        body = limited(receive, self._largest_body(scope))
        await self.app(scope, body, self._with_headers(scope, send))

    async def _socket(
        self, problem: tuple[int, str, str] | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if problem is None:
            await self.app(scope, receive, send)
            return
        await receive()  # the request to connect
        await send({"type": "websocket.close", "code": 4403, "reason": problem[1]})

    def _problem(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        """(status, code, message) of a request to reject; None: it may pass."""
        host = headers.get("host", "")
        if not self._hosts.welcome(host):
            return 400, "host", "this server does not answer to that name"
        socket = scope["type"] == "websocket"
        if not socket and scope["method"] in SAFE:
            return None
        origin = headers.get("origin")
        if origin is None:
            site = headers.get("sec-fetch-site", "same-origin")
            stranger = socket or site not in ("same-origin", "none")
        else:
            stranger = _netloc(origin) != host.lower()
        if stranger:
            return 403, "origin", "requests from other sites are refused"
        return self._too_large(scope, headers) if not socket else None

    def _too_large(self, scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
        limit = self._largest_body(scope)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            return 413, "too_large", f"a request carries at most {limit // 1024} KiB"
        return None

    def _largest_body(self, scope: Scope) -> int:
        return self._limits().upload * 1024 if scope["path"] in UPLOADS else LARGEST_BODY

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                if cookie := scope.get("state", {}).get("set_cookie"):
                    headers.append("set-cookie", cookie)
            await send(message)

        return send_with_headers


def _netloc(origin: str) -> str:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc.lower() if parts.scheme in ("http", "https") else ""


class BodyTooLarge(Exception):
    """A request body exceeds its limit."""


class BodyTooSlow(Exception):
    """A request body does not arrive in time."""


def limited(receive: Receive, limit: int) -> Receive:
    """A `receive` that bounds the body in size, without a Content-Length too, and in time."""
    seen, whole = 0, False
    ends = asyncio.get_running_loop().time() + BODY_SECONDS

    async def counted() -> Message:
        nonlocal seen, whole
        if whole:
            return await receive()  # the end of the connection, whenever it is
        try:
            left = max(ends - asyncio.get_running_loop().time(), 0.0)
            message = await asyncio.wait_for(receive(), left)
        except TimeoutError:
            raise BodyTooSlow from None
        whole = not message.get("more_body", False)
        seen += len(message.get("body", b""))
        if seen > limit:
            raise BodyTooLarge
        return message

    return counted
