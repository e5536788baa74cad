"""Access limits: hosts, origins, body sizes, security headers, rate limits.

`AccessMiddleware` is pure ASGI around the whole application, for requests and sockets alike.
"""

import ipaddress
import threading
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse

MOST_KEYS: Final = 10_000
"""Maximum number of keys; when it is exceeded all are forgotten, which only shortens waits."""


@dataclass(slots=True)
class Throttle:
    """At most `times` in any `seconds`, by key."""

    times: int
    seconds: float
    clock: Callable[[], float]
    _tried: dict[str, deque[float]] = field(default_factory=lambda: defaultdict(deque))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wait(self, key: str) -> float:
        """Seconds until the next attempt is allowed; 0: now."""
        with self._lock:
            tried = self._tried[key]
            now = self.clock()
            while tried and tried[0] <= now - self.seconds:
                tried.popleft()
            return tried[0] + self.seconds - now if len(tried) >= self.times else 0

    def count(self, key: str) -> None:
        with self._lock:
            if len(self._tried) > MOST_KEYS:
                self._tried.clear()
            self._tried[key].append(self.clock())

    def forget(self, key: str) -> None:
        with self._lock:
            self._tried.pop(key, None)


@dataclass(slots=True)
class Bucket:
    """Token bucket: `rate` per second on average, at most `size` at once."""

    rate: float
    size: float
    clock: Callable[[], float]
    _level: float = field(init=False)
    _at: float = field(init=False)

    def __post_init__(self) -> None:
        self._level, self._at = self.size, self.clock()

    def take(self) -> bool:
        now = self.clock()
        self._level = min(self.size, self._level + (now - self._at) * self.rate)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 64 * 1024
LARGEST_FRAME: Final = 64 * 1024
"""Of a message on a socket."""
LARGEST_UPLOAD: Final = 4 * 1024 * 1024
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

    def __init__(self, app: App, hosts: Hosts, *, secure: bool = False) -> None:
        self.app = app
        self._hosts = hosts
        self._headers = dict(HEADERS)
        if secure:
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        if scope["type"] == "websocket":
            await self._socket(problem, scope, receive, send)
            return
        if problem:
            status, code, message = problem
            refused = JSONResponse({"code": code, "message": message, "remedy": ""}, status)
            await refused(scope, receive, self._with_headers(scope, send))
            return
        limit = LARGEST_UPLOAD if scope["path"] in UPLOADS else LARGEST_BODY
        await self.app(scope, limited(receive, limit), self._with_headers(scope, send))

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
        limit = LARGEST_UPLOAD if scope["path"] in UPLOADS else LARGEST_BODY
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > limit:
            return 413, "too_large", f"a request carries at most {limit // 1024} KiB"
        return None

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


def limited(receive: Receive, limit: int) -> Receive:
    """A `receive` that counts the body, for requests without a Content-Length."""
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise BodyTooLarge
        return message

    return counted
