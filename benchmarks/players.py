"""Programs that play both sides of the collection website over real sockets.

They speak the protocol of `design/collection.md` as a page does: every message has an id, is sent
again after a lost connection until it is acknowledged, and the gap is asked for when coming back.
"""

import asyncio
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from crosstalk.collection.world_context import WorldContext
from crosstalk.goals.goal_files import sample_stored_goals
from crosstalk.goals.sampler import goal_sampler
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.collect.startup import missing_goals, remember_world
from crosstalk.web.store.store import Store, store_url
from crosstalk.web.store.worker_store import add_worker, begin_session
from crosstalk.worlds.world import load_world

AGAIN = 0.3
"""Seconds before a lost connection is made again, at least."""


def prepare(
    address: str, people: int, goals: int, context: WorldContext | None = None
) -> list[str]:
    """A store with so many people and goals (of harbour); the sessions of the people."""
    site = Site(Store(store_url(address)), context or WorldContext(load_world("harbour")))
    try:
        site.submit(remember_world).result()
        missing_goals(site, sample_stored_goals(goal_sampler(site.context.world), goals, seed=0))
        return [site.submit(partial(_newcomer, name=f"w{n}")).result() for n in range(people)]
    finally:
        site.store.close()


def _newcomer(work: Transaction, name: str) -> str:
    worker = add_worker(
        work.connection, name=name, password="", interface="en", now=work.now, admin=True
    )
    return begin_session(work.connection, worker.id, work.now)


@dataclass
class Tally:
    """What all players together have seen."""

    latencies: list[float] = field(default_factory=list)
    """Seconds from sending to the acknowledgement."""
    acked: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    """Room -> (message id, sequence number)."""
    errors: list[str] = field(default_factory=list)
    resumed: list[float] = field(default_factory=list)
    """Seconds from losing a connection to having the gap."""


@dataclass
class Player:
    """One person at one page."""

    port: int
    session: str
    role: str
    tally: Tally
    pause: Callable[[], float] = lambda: 0.0
    """Seconds before each message."""
    again: float = AGAIN
    rng: Random = field(default_factory=Random)
    endless: bool = False
    """Go back to the lobby for another dialogue when one is over."""
    room: int | None = None
    seq: int = 0
    events: list[dict[str, Any]] = field(default_factory=list)
    view: dict[str, Any] = field(default_factory=dict)
    pending: dict[str, dict[str, Any]] = field(default_factory=dict)
    line: ClientConnection | None = None
    _sent: dict[str, float] = field(default_factory=dict)
    _lost: float | None = None
    _waits: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, until: asyncio.Event) -> None:
        """Talk until told to stop; then answer nothing any more."""
        while not until.is_set():
            try:
                async with self._connected() as socket:
                    self.line = socket
                    await self._talk(socket, until)
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                self._lost = self._lost or time.monotonic()
                await asyncio.sleep(self.again * (1 + self.rng.random()))

    def cut(self) -> None:
        """The cable is pulled: nobody says goodbye."""
        if self.line is not None:
            self.line.transport.abort()

    def _connected(self) -> connect:
        origin = f"http://127.0.0.1:{self.port}"
        return connect(
            f"ws://127.0.0.1:{self.port}/ws",
            origin=origin,  # type: ignore[arg-type]
            additional_headers={"Cookie": f"crosstalk_{self.port}={self.session}"},
            compression=None,
            open_timeout=20,
            close_timeout=1,
        )

    async def _talk(self, socket: ClientConnection, until: asyncio.Event) -> None:
        self._waits = False
        await socket.send(json.dumps({"do": "hello", "room": self.room, "last": self.seq}))
        speaking = asyncio.create_task(self._speak(socket, until))
        try:
            while not until.is_set():
                try:
                    text = await asyncio.wait_for(socket.recv(), 0.5)
                except TimeoutError:
                    continue
                await self._hear(socket, json.loads(text))
        finally:
            speaking.cancel()

    async def _hear(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        match message["type"]:
            case "lobby" if message["room"] is not None and self.room is None:
                self.room = message["room"]
                await socket.send(json.dumps({"do": "hello", "room": self.room, "last": 0}))
            case "lobby" if message["you"] is None and self.room is None and not self._waits:
                self._waits = True
                await self._send(socket, {"do": "wait", "role": self.role})
            case "update":
                await self._update(socket, message)
                if self.endless and self.view["status"] != "open" and not self.pending:
                    await self._next_dialogue(socket)
            case "ack":
                self._acknowledged(message)
                if self.endless and self.view and self.view["status"] != "open":
                    await self._next_dialogue(socket)
            case "refused":
                self.pending.pop(message["id"], None)
                if message["code"] != "in_a_room":  # paired before the answer to `wait` was lost
                    self.tally.errors.append(f"{message['code']}: {message['message']}")
        self._news.set()

    async def _next_dialogue(self, socket: ClientConnection) -> None:
        self.room, self.seq, self.events, self.view = None, 0, [], {}
        self._waits = False
        await socket.send(json.dumps({"do": "hello", "room": None, "last": 0}))

    async def _update(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        if self._lost is not None:
            self.tally.resumed.append(time.monotonic() - self._lost)
            self._lost = None
        known = {event["seq"] for event in self.events}
        for event in message["events"]:
            if event["seq"] in known:
                self.tally.errors.append(f"event {event['seq']} came twice")
        self.events += message["events"]
        self.seq, self.view = message["seq"], message["view"]
        for id, again in list(self.pending.items()):
            if id not in self._sent:
                self._sent[id] = time.monotonic()
                await socket.send(json.dumps(again))

    def _acknowledged(self, message: dict[str, Any]) -> None:
        self.pending.pop(message["id"], None)
        sent = self._sent.pop(message["id"], None)
        if sent is not None:
            self.tally.latencies.append(time.monotonic() - sent)
        if self.room is not None and message["seq"]:
            entry = (message["id"], message["seq"])
            self.tally.acked.setdefault(self.room, []).append(entry)

    async def _send(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        id = uuid.uuid4().hex
        message = {**message, "id": id}
        self._sent[id] = time.monotonic()
        if message["do"] != "wait":
            self.pending[id] = message
        await socket.send(json.dumps(message))

    async def _speak(self, socket: ClientConnection, until: asyncio.Event) -> None:
        """One message after the other, each after the one before it is acknowledged."""
        self._sent.clear()
        while not until.is_set():
            self._news.clear()
            if self.view.get("your_turn") and not self.pending and self.view["status"] == "open":
                await asyncio.sleep(self.pause())
                for message in self._turn():
                    await self._send(socket, {**message, "room": self.room})
                    while self.pending:
                        self._news.clear()
                        await self._news.wait()
                while self.view.get("your_turn") and self.view["status"] == "open":
                    self._news.clear()
                    await self._news.wait()
            else:
                await self._news.wait()

    def _turn(self) -> list[dict[str, Any]]:
        """A whole turn with its annotation: what was learned and said, or searched and selected."""
        number = self.view["exchange"]
        text = f"{self.role} says something for the {number}th time, {self.rng.random()}"
        say = {"do": "say", "text": text, "sure": True}
        if self.role == "user":
            cells = self.view["cells"]
            cell = cells[number % len(cells)]["cell"]
            return [
                {"do": "fill", "cell": cell, "value": "", "sure": True},
                {**say, "ticks": [cell]},
            ]
        low = self.rng.randrange(100, 400)
        query = {
            "do": "query",
            "domain": "hotel",
            "slots": {"price": {"low": low, "high": low + 200}},
        }
        return [query, {"do": "select", "domain": "hotel", "names": []}, say]
