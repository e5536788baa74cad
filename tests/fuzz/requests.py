"""Broken requests: HTTP as bytes, messages on sockets, lines of JSON-RPC."""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.fuzz.damage import ODD, cut, flip, splice, typed

ODD_PATHS = (
    "/", "//", "/%00", "/%ff%fe", "/../../etc/passwd", "/static/../../x", "/static/%2e%2e/x", "*",
    "/api/rooms/99999999999999999999", "/api/rooms/-1", "/api/rooms/1e9", "/nowhere",
    "/?" + "a" * 9000, "http://elsewhere.example/", "/api/\u540d", "/join/" + "x" * 3000,
    "/reset/%0d%0aX: y",
)  # fmt: skip
ODD_HEADERS = (
    "Content-Length: -1", "Content-Length: 1e3", "Content-Length: 99999999999999999999",
    "Content-Length: 5\r\nContent-Length: 6", "Transfer-Encoding: chunked", "Expect: 100-continue",
    "Transfer-Encoding: chunked\r\nContent-Length: 4", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding : chunked", " folded: x", "no colon at all", "X-\x00: y", "X: \xff\xfe",
    "Host: other.example", "Host: 127.0.0.1\r\nHost: other.example", "Upgrade: h2c",
    "Upgrade: websocket",
    "Cookie: " + "a=b; " * 3000, "X-Forwarded-For: nonsense",
    "Content-Type: multipart/form-data; boundary=x",
    "Content-Type: text/plain; charset=utf-7", "Accept-Language: " + "x," * 4000, "Origin: null",
    "Origin: http://[", "Range: bytes=0-0,1-1", "Authorization: Bearer \xe4", "X-CSRF-Token: \x7f",
)  # fmt: skip
FRAMES = (
    b"\xff\xff", b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"\x81\x05hello", b"\x09\x80abcd",
    b"\xc1\x80\0\0\0\0", b"\x88\x81\0\0\0\0x", b"\x01\x81\0\0\0\0x\x01\x81\0\0\0\0x",
    b"\x80\x81\0\0\0\0x",
    b"\x82\x85\0\0\0\0\xff\xfe\0\0\0", b"\x81\x82\0\0\0\0\xff\xfe", b"GET / HTTP/1.1\r\n\r\n",
)  # fmt: skip
"""Frames of WebSocket that are none, or not allowed here."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request that would be answered."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None

    def bytes(self, *, more: Sequence[str] = (), body: bytes | None = None) -> bytes:
        if body is None:
            body = b"" if self.body is None else json.dumps(self.body).encode()
        headers = {"Host": "127.0.0.1", "Connection": "close", **self.headers}
        if body and not any("Length" in each or "chunked" in each for each in more):
            headers["Content-Length"] = str(len(body))
            headers.setdefault("Content-Type", "application/json")
        lines = [f"{name}: {value}" for name, value in headers.items()] + list(more)
        head = "\r\n".join((f"{self.method} {self.path} HTTP/1.1", *lines, "", ""))
        return head.encode("latin-1", "replace") + body


def broken_request(request: Request, rng: random.Random) -> bytes:
    """A request with one thing wrong: its body, its path, its headers, or its bytes."""
    match rng.randrange(10):
        case 0 | 1 | 2 | 3 if request.body is not None:
            return request.bytes(body=broken_body(request.body, rng))
        case 4 | 5:
            path = rng.choice(ODD_PATHS) if rng.random() < 0.4 else _odd_query(request.path, rng)
            return _replaced(request, path=path).bytes()
        case 6 | 7:
            return request.bytes(more=[rng.choice(ODD_HEADERS)])
        case 8:
            method = rng.choice(("GET", "POST", "PUT", "HEAD", "OPTIONS", "TRACE", "BREW", "get"))
            return _replaced(request, method=method).bytes()
        case _:
            change = rng.choice((cut, flip, splice))
            return change(request.bytes(), rng)


def broken_body(body: Any, rng: random.Random) -> bytes:
    sound = json.dumps(body).encode()
    change: Callable[[bytes, random.Random], bytes] = rng.choice(
        (typed, typed, typed, flip, splice, _large, _deep)
    )
    return change(sound, rng)


def broken_message(message: Any, rng: random.Random) -> str | bytes:
    """A message of a socket: of other types, no JSON, or bytes instead of text."""
    body = broken_body(message, rng)
    return body if rng.random() < 0.1 else body.decode("utf-8", "replace")


def _odd_query(path: str, rng: random.Random) -> str:
    odd = str(rng.choice(ODD))[:200].encode("utf-8", "replace")
    quoted = "".join(f"%{byte:02x}" for byte in odd)
    start, _, last = path.rpartition("/")
    if rng.random() < 0.5:
        return f"{start}/{quoted}"
    name = rng.choice(("room", "after", "limit", "language", "form", "status", "q", last or "x"))
    return f"{path}?{name}={quoted}"


def _replaced(request: Request, *, path: str = "", method: str = "") -> Request:
    return Request(method or request.method, path or request.path, request.headers, request.body)


def _large(body: bytes, rng: random.Random) -> bytes:
    return body[:-1] + b', "x": "' + b"a" * rng.choice((5_000, 70_000, 5_000_000)) + b'"}'


def _deep(body: bytes, rng: random.Random) -> bytes:
    return b'{"text": ' + b"[" * rng.choice((50, 900, 20_000))
