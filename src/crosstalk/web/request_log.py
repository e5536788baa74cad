"""Every request: an id, how long it took, how it ended; failures of ours are logged.

Logs are JSON Lines on standard error, or plain lines if a person watches. They name routes, never
paths, which hold the tokens of links.
"""

import contextvars
import errno
import json
import logging
import secrets
import sys
import time
from datetime import UTC, datetime
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse

from crosstalk.web.metrics import Metrics
from crosstalk.web.middleware import App, Message, Receive, Scope, Send
from crosstalk.web.store.sqlite_files import StoreUnavailable

RETRY: Final = 5
"""Seconds after which a client may ask an unavailable site again."""
NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
FAILURE: Final = "failure"
"""Key in a request's state: why it failed, for the log."""
_request: contextvars.ContextVar[str] = contextvars.ContextVar("request", default="")
log = logging.getLogger(__name__)


def is_unavailable(error: Exception) -> bool:
    """Whether it may work again later: the store is away, or the disk is full or read-only."""
    full = isinstance(error, OSError) and error.errno in NO_ROOM
    return full or isinstance(error, StoreUnavailable)


class RequestLog:
    """Pure ASGI, around all routes; what they raise becomes 503 or 500 and is logged."""

    def __init__(self, app: App, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        number = secrets.token_hex(8)
        outer = _request.set(number)
        try:
            if scope["type"] == "http":
                await self._answered(scope, receive, send, number)
            else:
                await self._connected(scope, receive, send)
        finally:
            _request.reset(outer)

    async def _connected(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self.app(scope, receive, send)
        except Exception:  # catches everything: one socket ends, with a line in the log
            log.exception("a socket failed")
            raise

    async def _answered(self, scope: Scope, receive: Receive, send: Send, number: str) -> None:
        began, status = time.monotonic(), 0

        async def numbered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(raw=message["headers"]).append("X-Request-Id", number)
            await send(message)

        try:
            await self.app(scope, receive, numbered)
        except Exception as error:  # catches everything: each becomes an answer and a line
            if status:
                self._note(scope, "broken off", time.monotonic() - began, error)
                raise
            scope.setdefault("state", {})[FAILURE] = str(error)
            if not is_unavailable(error):
                log.exception("a request failed unexpectedly")
            await failure(error)(scope, receive, numbered)
        seconds = time.monotonic() - began
        self._metrics.count("crosstalk_requests_total", method=scope["method"], status=str(status))
        self._metrics.observe("crosstalk_request_seconds", seconds)
        self._note(scope, status, seconds)

    def _note(
        self, scope: Scope, status: int | str, seconds: float, error: Exception | None = None
    ) -> None:
        if status == 503:
            self._metrics.count("crosstalk_store_errors_total", door="http")
        if status == 429:
            self._metrics.count("crosstalk_throttled_total", door="http")
        route = getattr(scope.get("route"), "path", "")
        facts = {
            "method": scope["method"],
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
        }
        if reason := str(error or scope.get("state", {}).get(FAILURE, "")):
            facts["reason"] = reason
        bad = not isinstance(status, int) or status >= 500
        log.log(
            logging.ERROR if bad else logging.INFO,
            "%s %s: %s",
            scope["method"],
            route,
            status,
            extra={"facts": facts},
        )


def failure(error: Exception) -> JSONResponse:
    """The answer to a request that failed without any fault of the client."""
    if is_unavailable(error):
        body = {"code": "unavailable", "message": "this could not be recorded; please try again"}
        headers = {"Retry-After": str(RETRY)}
        return JSONResponse({**body, "remedy": "", "hints": []}, 503, headers)
    body = {"code": "internal", "message": "something went wrong here; it has been logged"}
    return JSONResponse({**body, "remedy": "", "hints": []}, 500)


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if number := _request.get():
            line["request"] = number
        line.update(getattr(record, "facts", {}))
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class PlainLines(logging.Formatter):
    """For a person at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        number = f" (request {_request.get()})" if _request.get() else ""
        reason = getattr(record, "facts", {}).get("reason", "")
        said = super().format(record)
        return f"{record.levelname.lower()}: {said}{f': {reason}' if reason else ''}{number}"


def log_to_stderr(level: str = "warning") -> None:
    """Structured logs of this process, for the commands that serve."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PlainLines() if sys.stderr.isatty() else JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
