"""Who may use a server: anybody on this machine, elsewhere those with the token."""

import hmac
import ipaddress
import os
from collections import deque
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from crosstalk.errors import InputError
from crosstalk.web.middleware import (
    App,
    BodyTooLarge,
    BodyTooSlow,
    Hosts,
    Message,
    Receive,
    Scope,
    Send,
    limited,
    local_hosts,
)

TOKEN: Final = "CROSSTALK_SERVE_TOKEN"
"""The variable that holds the token; no option takes its value, for others see command lines."""
MOST_BYTES: Final = 1 << 20


def token_for(host: str) -> str:
    """The token that requests must bring; empty: none is needed. Raises where one is missing."""
    token = os.environ.get(TOKEN, "")
    if not token and not _is_loopback(host):
        raise InputError(
            f"--host {host} can be reached from other machines, and no token is set",
            remedy=f"Set {TOKEN}, or listen on 127.0.0.1.",
        )
    return token


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class TokenMiddleware:
    """Refuses requests of strangers: other host names, a wrong token, too large a body."""

    def __init__(self, app: App, host: str, token: str) -> None:
        self._app, self._token = app, token
        self._hosts: Hosts = local_hosts(host)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := self._refusal(Headers(scope=scope))):
            await refused(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            received = await _whole_body(receive)
        except BodyTooLarge:
            await _too_large()(scope, receive, send)
        except BodyTooSlow:
            late = error_answer(408, "the body did not arrive in time", "timeout")
            await late(scope, receive, send)
        else:
            if received is not None:
                await self._app(scope, received, send)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        if not self._hosts.welcome(headers.get("host", "")):
            return error_answer(421, "this server does not answer to that host name", "host")
        given = headers.get("authorization", "").removeprefix("Bearer ").strip()
        if self._token and not hmac.compare_digest(given.encode(), self._token.encode()):
            return error_answer(401, "the token is missing or wrong", "invalid_api_key")
        length = headers.get("content-length", "0")
        if length.isdigit() and int(length) > MOST_BYTES:
            return _too_large()
        return None


async def _whole_body(receive: Receive) -> Receive | None:
    """A `receive` that gives the whole body, bounded in size and time; None: the client is gone."""
    bounded, arrived = limited(receive, MOST_BYTES), deque[Message]()
    while not arrived or arrived[-1].get("more_body", False):
        arrived.append(await bounded())
        if arrived[-1]["type"] == "http.disconnect":
            return None

    async def received() -> Message:
        return arrived.popleft() if arrived else await receive()

    return received


def _too_large() -> JSONResponse:
    return error_answer(413, f"the body has more than {MOST_BYTES:,} bytes", "too_large")


def error_answer(status: int, message: str, code: str, param: str | None = None) -> JSONResponse:
    """An error as OpenAI's clients expect it."""
    kinds = {401: "authentication_error", 404: "not_found_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    error = {"message": message, "type": kind, "param": param, "code": code}
    return JSONResponse({"error": error}, status)
