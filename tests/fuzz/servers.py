"""The servers of the command line, each started once, with requests that it would answer."""

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2 as httpx
from tests.fuzz.requests import FRAMES, Request, broken_message, broken_request

PATIENCE: Final = 10.0
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
"""Kinds of frames."""
PASSWORD: Final = "a long password"
STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3})")
ROOM: Final = {"id": "abcdefgh", "room": 1}
MESSAGES: Sequence[dict[str, Any]] = (
    {"do": "hello", "room": None, "last": 0},
    {"do": "wait", "id": "abcdefgh", "role": "user"},
    {"do": "unwait", "id": "abcdefgh"},
    {"do": "way_out", "id": "abcdefgh"},
    {"do": "typing", "room": 1},
    {"do": "say", "text": "Hello", "ticks": [0], "done": False, "sure": True, **ROOM},
    {"do": "fill", "domain": "hotel", "slots": {"name": "x"}, **ROOM},
    {"do": "query", "domain": "hotel", "slots": {}, **ROOM},
    {"do": "select", "domain": "hotel", "names": [], **ROOM},
    {"do": "leave", **ROOM},
    {"do": "report", "text": "x", **ROOM},
)
CHAT = {"model": "crosstalk-harbour-en", "messages": [{"role": "user", "content": "Hello"}]}
MCP = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "search_hotel", "arguments": {"area": "x"}},
}  # fmt: skip
MCP_HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@dataclass
class Server:
    """A running server and whoever asks it."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    port: int
    requests: list[Request] = field(default_factory=list)
    cookie: str = ""
    """Of somebody who may open a socket; empty: there are no sockets."""
    _read: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, rng: random.Random) -> tuple[bytes, str]:
        """Send one broken input; (what it was, what was wrong with the answer)."""
        kind = rng.random()
        if self.cookie and kind < 0.35:
            message = broken_message(rng.choice(MESSAGES), rng)
            return (message if isinstance(message, bytes) else message.encode()), self._say(message)
        if self.cookie and kind < 0.45:
            frame = rng.choice(FRAMES)
            return frame, self._frame(frame)
        request = broken_request(rng.choice(self.requests), rng)
        return request, self._exchange(request)

    def _exchange(self, request: bytes) -> str:
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as line:
            return _judged(_answer(line, request))

    def _frame(self, frame: bytes) -> str:
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as line:
            return _judged(_answer(line, self._upgrade(), frame))

    def _upgrade(self) -> bytes:
        head = {
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": self.url,
            "Cookie": self.cookie, "Host": f"127.0.0.1:{self.port}",
        }  # fmt: skip
        return Request("GET", "/ws", head).bytes()

    def _say(self, message: str | bytes) -> str:
        """On a socket of its own; afterwards the server still answers pings, or closes."""
        kind = BINARY if isinstance(message, bytes) else TEXT
        body = message if isinstance(message, bytes) else message.encode("utf-8", "replace")
        frames = framed(TEXT, b'{"do": "hello"}') + framed(kind, body) + framed(PING, b"")
        heard, ends = b"", time.monotonic() + PATIENCE
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as line:
            with suppress(ConnectionError):
                line.sendall(self._upgrade())
                heard = line.recv(65536)  # the handshake
                line.sendall(frames)
            while time.monotonic() < ends and not {PONG, CLOSE} & set(opcodes(heard)):
                try:
                    piece = line.recv(65536)
                except TimeoutError:
                    break
                except ConnectionError:
                    return ""
                if not piece:
                    return _judged(heard)
                heard += piece
            else:
                return _judged(heard)
        return "neither a pong nor an end within ten seconds"

    def trouble(self) -> str:
        """What its log says since the last time, or that it has ended."""
        if self.process.poll() is not None:
            return f"it ended with {self.process.returncode}"
        with self.log.open("rb") as log:
            log.seek(self._read)
            new = log.read()
        self._read += len(new)
        return new.decode(errors="replace")[-3000:] if b"Traceback" in new else ""

    def memory(self) -> int:
        fields = Path(f"/proc/{self.process.pid}/statm").read_text().split()
        return int(fields[1]) * 4096


def framed(kind: int, body: bytes) -> bytes:
    """A frame of a client, under a mask of zeros."""
    if len(body) < 126:
        size = bytes([0x80 | len(body)])
    elif len(body) < 65536:
        size = b"\xfe" + len(body).to_bytes(2)
    else:
        size = b"\xff" + len(body).to_bytes(8)
    return bytes([0x80 | kind]) + size + bytes(4) + body


def opcodes(heard: bytes) -> Iterator[int]:
    """The kinds of the frames of a server that have arrived after its handshake."""
    rest = heard.partition(b"\r\n\r\n")[2]
    while len(rest) >= 2:
        size, start = rest[1] & 0x7F, 2
        if size >= 126:
            start = 4 if size == 126 else 10
            size = int.from_bytes(rest[2:start])
        yield rest[0] & 0x0F
        rest = rest[start + size :]


def _answer(line: socket.socket, *parts: bytes) -> bytes | None:
    """What comes back; None if the server neither answers nor closes.

    A request that is not whole is ended by the client: the server need not wait for the rest.
    """
    heard = bytearray()
    ends = time.monotonic() + PATIENCE
    line.settimeout(0.5)
    with suppress(ConnectionError):
        for part in parts:
            line.sendall(part)
        while time.monotonic() < ends:
            try:
                piece = line.recv(65536)
            except TimeoutError:
                line.shutdown(socket.SHUT_WR)
                line.settimeout(1)
                continue
            if not piece:
                return bytes(heard)
            heard += piece
        return None
    return bytes(heard)


def _judged(answer: bytes | None) -> str:
    if answer is None:
        return "neither an answer nor an end within ten seconds"
    bad = [status for status in map(int, STATUS.findall(answer)) if status >= 500]
    return f"status {bad[0]}: {answer[-500:]!r}" if bad else ""


@contextmanager
def running(name: str, folder: Path, *words: str) -> Iterator[tuple[Server, list[str]]]:
    """A command that serves, and the links it prints."""
    log = folder / f"{name}.log"
    command = [sys.executable, "-m", "crosstalk", *words, "--port", "0"]
    with log.open("wb") as errors:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors)
    assert process.stdout
    try:
        said = process.stdout.readline().decode()
        found = re.search(r"http://\S+", said)
        assert found, f"{name} does not serve: {log.read_text()}"
        os.set_blocking(process.stdout.fileno(), False)
        time.sleep(0.3)
        links = re.findall(r"http://\S+/enter/\S+", (process.stdout.read() or b"").decode())
        port = urlsplit(found[0]).port
        assert port
        yield Server(name, process, log, port), links
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


@contextmanager
def collecting(folder: Path) -> Iterator[Server]:
    """`collect`, with an administrator, a worker and a stranger."""
    with running("collect", folder, "collect", "--goals", "5", "--no-machines") as (server, links):
        with (
            httpx.Client(base_url=server.url) as admin,
            httpx.Client(base_url=server.url) as worker,
        ):
            theirs = _entered(admin, "/api/enter", token=links[0].split("/")[-1])
            body = {"label": "", "uses": 9}
            invited = admin.post("/api/admin/invitations", json=body, headers=theirs).json()
            account = {"invitation": invited["token"], "name": "Mei", "password": PASSWORD}
            own = _entered(worker, "/api/join", **account)
            worker.post("/api/consent", json={"agreed": True}, headers=own)
            routes = admin.get("/api/openapi.json").json()["paths"]
            server.requests = [
                *_all_routes(routes, {}),
                *_all_routes(routes, {**own, "Cookie": _cookies(worker)}),
                *_all_routes(routes, {**theirs, "Cookie": _cookies(admin)}),
            ]
            server.cookie = _cookies(worker)
        yield server


@contextmanager
def translating(folder: Path, kind: str, *words: str) -> Iterator[Server]:
    """`translate edit` and `translate judge`, with their coordinator."""
    with running(f"translate {kind}", folder, "translate", kind, *words) as (server, links):
        with httpx.Client(base_url=server.url) as person:
            own = _entered(person, "/api/enter", token=links[0].split("/")[-1])
            routes = person.get("/api/openapi.json").json()["paths"]
            server.requests = _all_routes(routes, {**own, "Cookie": _cookies(person)})
            server.requests += _all_routes(routes, {})
        yield server


@contextmanager
def serving(folder: Path, kind: str, requests: Sequence[Request]) -> Iterator[Server]:
    """`serve openai` and `serve mcp`."""
    more = ("--transport", "http") if kind == "mcp" else ()
    with running(f"serve {kind}", folder, "serve", kind, "--world", "harbour", *more) as (
        server,
        _,
    ):
        server.requests = list(requests)
        yield server


def asked_of(kind: str) -> list[Request]:
    if kind == "mcp":
        return [
            Request("POST", "/mcp", MCP_HEADERS, MCP),
            Request(
                "POST", "/mcp", MCP_HEADERS, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            ),
            Request("DELETE", "/mcp", MCP_HEADERS),
        ]
    return [
        Request("POST", "/v1/chat/completions", {}, CHAT),
        Request("POST", "/v1/chat/completions", {}, {**CHAT, "stream": True}),
        Request("GET", "/v1/models"),
    ]


def _entered(client: httpx.Client, path: str, **body: str) -> dict[str, str]:
    """Log in; the header that later requests need."""
    token = client.get("/api/me").json().get("csrf", "")  # links need none
    answer = client.post(path, json=body, headers={"X-CSRF-Token": token})
    assert answer.status_code == 200, answer.text
    return {"X-CSRF-Token": answer.json()["csrf"]}


def _cookies(client: httpx.Client) -> str:
    return "; ".join(f"{name}={value}" for name, value in client.cookies.items())


LATE: Final = ("/api/logout", "/api/password", "/api/admin/workers", "/api/decline", "/api/leave")
"""What would end the session of whoever asks."""


def _all_routes(paths: dict[str, Any], headers: dict[str, str]) -> list[Request]:
    """Every route of the description, with an example of its body."""
    found = []
    for path, methods in paths.items():
        if headers and path.startswith(LATE):
            continue
        for method, about in methods.items():
            content = about.get("requestBody", {}).get("content", {})
            body = {"x": 1, "text": "Hello", "name": "Mei", **ROOM} if content else None
            place = re.sub(r"\{[^}]*\}", "1", path)
            found.append(Request(method.upper(), place, headers, body))
    return found
