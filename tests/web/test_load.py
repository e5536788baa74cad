"""People and programs that ask for too much, send half of it, or read nothing."""

import json
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from tests.web.playing import Pair
from tests.web.running import Browser, Running, paired
from websockets.exceptions import ConnectionClosed

from crosstalk.collection import commands
from crosstalk.collection.commands import Report, Say, Search
from crosstalk.collection.events import Role
from crosstalk.errors import Rejection
from crosstalk.web import middleware, protocols
from crosstalk.web.collect import hub as hub_module
from crosstalk.web.collect.hub import Hub
from crosstalk.web.collect.site import Site


def is_closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes a connection in time, after whatever it says."""
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True
    return True


HALVES = {
    "nothing": b"",
    "half a line": b"GET /heal",
    "half a head": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ",
    "half a second head": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /healthz HT",
    "half a body": b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n"
    b"Content-Type: application/json\r\n\r\n{",
}


@pytest.mark.parametrize("half", HALVES)
def test_half_sent_requests_do_not_stay(
    server: Running, monkeypatch: pytest.MonkeyPatch, half: str
) -> None:
    monkeypatch.setattr(protocols, "HEAD_SECONDS", 1.0)
    monkeypatch.setattr(middleware, "BODY_SECONDS", 1.0)
    open_ones = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    try:
        for each in open_ones:
            each.sendall(HALVES[half])
        assert server.browser().get("/healthz").status_code == 200, "others are answered"
        assert all(is_closed(each, 15) for each in open_ones)
    finally:
        for each in open_ones:
            each.close()


def test_as_many_connections_as_the_process_can_have(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those that send nothing, the oldest go; who asks something is answered."""
    monkeypatch.setattr(protocols, "most_connections", lambda: 30)
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
    try:
        assert server.browser().get("/healthz").status_code == 200
        assert all(is_closed(each, 5) for each in silent[:30])
        assert not is_closed(silent[-1], 0.5)
    finally:
        for each in silent:
            each.close()


def test_slow_but_steady_requests_are_answered(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocols, "HEAD_SECONDS", 5.0)
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        for part in (b"GET /healthz HTTP/1.1\r\n", b"Host: 127.0.0.1\r\n", b"\r\n"):
            slow.sendall(part)
            time.sleep(0.3)
        slow.settimeout(10)
        assert slow.recv(65536).startswith(b"HTTP/1.1 200")


@pytest.fixture
def slow_server(server: Running) -> Iterator[Running]:
    """Ten messages of a worker, and then one in ten seconds."""
    before = server.site.rules
    server.site.rules = replace(before, messages=0.1, burst=10)
    yield server
    server.site.rules = before


def test_one_limit_for_requests_and_sockets(slow_server: Running) -> None:
    """A worker cannot send more by another way, nor by coming back."""
    _, wim, _, wizard = paired(slow_server)
    assert wizard.room
    statuses = [_peek(wim, wizard.room) for _ in range(12)]
    assert statuses[0] == 200 and statuses[-1] == 429
    message = {"do": "peek", "room": wizard.room, "domain": "hotel", "slots": {}}
    for _ in range(2):
        page = wim.sit_down(wizard.room)
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(8):
                page.socket.send(json.dumps({**message, "id": uuid.uuid4().hex}))
            while True:
                page.socket.recv(timeout=10)
        assert closed.value.rcvd and closed.value.rcvd.code == 4429


def _peek(browser: Browser, room: int) -> int:
    body = {"do": "peek", "id": uuid.uuid4().hex, "room": room, "domain": "hotel", "slots": {}}
    answer = browser.post(f"/api/rooms/{room}/messages", body)
    if answer.status_code == 429:
        assert int(answer.headers["retry-after"]) >= 1
    return answer.status_code


def test_who_does_not_read_is_cut(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "LAST_SECONDS", 0.5)
    assert isinstance(server.app.app, FastAPI)
    hub: Hub = server.app.app.state.hub
    worker = server.worker("Ursula")
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", server.port))
        head, hello = _handshake(worker, server.port)
        deaf.sendall(head)
        assert deaf.recv(30).startswith(b"HTTP/1.1 101"), "and nothing after that"
        deaf.sendall(hello)
        _until(lambda: worker.id in hub.lines)
        line = hub.lines[worker.id]

        def flood() -> None:
            for _ in range(400):
                line.send({"text": "x" * 20_000})

        assert hub._loop
        for _ in range(5):
            hub._loop.call_soon_threadsafe(flood)
            time.sleep(0.05)
        _until(lambda: worker.id not in hub.lines)
        assert line.waiting.qsize() <= 1, "nothing is kept for them"


def _handshake(browser: Browser, port: int) -> tuple[bytes, bytes]:
    """An upgrade and a hello, as bytes of a client that never reads."""
    head = (
        f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
        f"Cookie: {browser.cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    text = b'{"do": "hello"}'
    return head.encode(), bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def _until(happened: Callable[[], bool]) -> None:

    deadline = time.monotonic() + 15
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_searches_of_a_turn_are_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_SEARCHES", 5)
    two = Pair(site)
    two.does(Role.USER, Say("Hello", sure=True))
    for low in range(5):
        two.does(Role.WIZARD, Search("hotel", {"price": {"low": low}}))
    with pytest.raises(Rejection, match="at most 5 searches"):
        two.does(Role.WIZARD, Search("hotel", {}))
    two.does(Role.WIZARD, Say("Hello", sure=True))
    two.does(Role.USER, Say("And now?", sure=True))
    two.does(Role.WIZARD, Search("hotel", {}))


def test_events_of_a_room_are_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_EVENTS", 6)
    two = Pair(site)
    for _ in range(5):
        two.does(Role.USER, Report("Something is wrong"))
    with pytest.raises(Rejection, match="too much has happened"):
        two.does(Role.USER, Report("Again"))
    two.does(Role.USER, Say("The dialogue can go on", sure=True))
