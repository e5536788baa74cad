"""The connected clients of a server, and the messages that tell them what has changed.

Runs on the event loop; the writer's thread reports commits to it.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from pydantic_core import to_json

from crosstalk.collection.events import Role
from crosstalk.collection.room_views import concerns, shown_events, view
from crosstalk.web.collect.jobs import lobby_view
from crosstalk.web.collect.site import Site
from crosstalk.web.store.attendance import room_of
from crosstalk.web.store.message_store import newest, unread
from crosstalk.web.store.room_store import Log
from crosstalk.web.store.sqlite_files import StoreUnavailable
from crosstalk.web.store.worker_store import session_states

MOST_WAITING: Final = 256
"""Maximum number of queued messages of a slow client; then its socket is closed, and it resumes."""
MOST_BYTES: Final = 1024 * 1024
"""Maximum number of characters that wait for a slow client."""
LAST_SECONDS: Final = 5.0
"""From closing a socket to cutting it."""
LOBBY_PAUSE: Final = 0.25
"""Seconds in which changes of the lobby are collected into one message."""
AGAIN: Final = 1.0
"""Seconds after which a store that was away is asked again."""
TOO_SLOW: Final = 1013
TAKEN_OVER: Final = 4409
RESTARTING: Final = 1012
BLOCKED: Final = 4403


@dataclass(slots=True, eq=False)
class ClientSocket:
    """One socket."""

    worker: int
    session: str
    """Token of the session that it was opened with."""
    room: int | None = None
    """The room it shows; None: the lobby."""
    last: int = 0
    """The last event it was sent."""
    waiting: "asyncio.Queue[str | int]" = field(default_factory=lambda: asyncio.Queue(MOST_WAITING))
    """Messages to be sent, or the code to close with."""
    closing: bool = False
    follows: bool = False
    """Whether it belongs to a page of a reviewer, who takes no part."""
    cut: Callable[[], None] = lambda: None
    """Drops the connection; called some seconds after `close`, if the client does not read."""
    _size: int = 0

    def send(self, message: dict[str, Any]) -> None:
        if self.closing:
            return
        text = to_json(message).decode()
        if self.waiting.full() or self._size + len(text) > MOST_BYTES:
            self.close(TOO_SLOW)
            return
        self._size += len(text)
        self.waiting.put_nowait(text)

    async def next(self) -> str | int:
        """The next message to send, or the code to close with."""
        message = await self.waiting.get()
        if isinstance(message, str):
            self._size -= len(message)
        return message

    def close(self, code: int) -> None:
        """Nothing that waits is sent any more if it is too much."""
        if self.closing:
            return
        self.closing = True
        while code == TOO_SLOW and not self.waiting.empty():
            self.waiting.get_nowait()
        while self.waiting.full():
            self.waiting.get_nowait()
        self.waiting.put_nowait(code)
        with contextlib.suppress(RuntimeError):  # no event loop: in tests of this class
            asyncio.get_running_loop().call_later(LAST_SECONDS, self.cut)


class Hub:
    """All clients of this server, one per worker."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.lines: dict[int, ClientSocket] = {}
        self.followers: set[ClientSocket] = set()
        """Pages of reviewers, told when their room, or without one anything, has changed."""
        self.watchers: list[Callable[[Log], None]] = []
        """Called with every changed room, such as for machines that may have to reply."""
        self.stopping = False
        """Whether sockets close because the server stops: then nobody counts as disconnected."""
        self.unrecorded: set[int] = set()
        """Workers who have left while the store was away."""
        self._newest: int | None = None
        """The latest message of the staff that those in rooms have been told of."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lobby_is_old = asyncio.Event()
        self._checks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.site.heard = self.hear
        self.site.store.writer.deliver = self._deliver
        self.site.typing = self.hear_typing
        self.site.recheck = self.recheck

    def stop(self) -> None:
        """Close all sockets; pending results of the store are delivered directly."""
        self.stopping = True
        self.site.store.writer.deliver = lambda tell: tell()
        self.close_all()

    def _deliver(self, tell: Callable[[], None]) -> None:
        """From the writer's thread: one wake-up for all that a commit has made durable."""
        try:
            assert self._loop is not None
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:  # the loop is closed
            tell()

    def hear(self, rooms: tuple[int, ...], lobby: bool) -> None:
        """From any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._changed, rooms, lobby)

    def hear_typing(self, room: int, role: Role) -> None:
        """From any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.typing, room, role)

    def join(self, line: ClientSocket) -> None:
        """Register a client; it replaces an older window of the same worker."""
        before = self.lines.get(line.worker)
        self.lines[line.worker] = line
        if before:
            before.close(TAKEN_OVER)

    def leave(self, line: ClientSocket) -> bool:
        """Whether the worker has no line any more."""
        if self.lines.get(line.worker) is not line:
            return False
        del self.lines[line.worker]
        return True

    def recheck(self, worker: int) -> None:
        """From any thread: a session of a worker has ended, or they were blocked."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._recheck, worker)

    def _recheck(self, worker: int) -> None:
        if lines := [line for line in self._everybody() if line.worker == worker]:
            checking = asyncio.create_task(self.close_ended(lines))
            self._checks.add(checking)
            checking.add_done_callback(self._checks.discard)

    async def close_ended(self, lines: Sequence[ClientSocket] | None = None) -> None:
        """Close the sockets (default: all) whose session has ended or whose worker is blocked.

        A client whose session has ended comes back at once, if its browser has another one.
        """
        lines = self._everybody() if lines is None else lines
        if not lines:
            return
        tokens, now = [line.session for line in lines], self.site.clock()
        states = await asyncio.to_thread(
            self.site.store.read, partial(session_states, tokens=tokens, now=now)
        )
        for line in lines:
            if line.session not in states:
                line.close(RESTARTING)
            elif states[line.session]:
                line.close(BLOCKED)

    def _everybody(self) -> list[ClientSocket]:
        return [*self.lines.values(), *self.followers]

    def close_all(self) -> None:
        for line in self._everybody():
            line.close(RESTARTING)

    def _changed(self, rooms: tuple[int, ...], lobby: bool) -> None:
        for room in rooms:
            log = self.site.logs.get(room)
            if log is not None:
                self.tell(log)
        if lobby:
            self._lobby_is_old.set()
        for line in self.followers:
            if line.waiting.empty() and (line.room is None or line.room in rooms):
                line.send({"type": "changed"})

    def tell(self, log: Log) -> None:
        for role in Role:
            worker = log.room.seat(role).worker
            line = self.lines.get(worker) if worker is not None else None
            if line and line.room == log.id:
                self.update(line, log, role)
        for watcher in self.watchers:
            watcher(log)

    def update(self, line: ClientSocket, log: Log, role: Role, *, always: bool = False) -> None:
        """Send the events that this client has not seen."""
        new = log.after(line.last)
        if not always and not any(concerns(event, role) for event in new):
            return
        line.send(update_message(self.site, log, role, line.last))
        line.last = log.room.seq

    def typing(self, room: int, role: Role) -> None:
        log = self.site.logs.get(room)
        worker = log.room.seat(role.other).worker if log else None
        line = self.lines.get(worker) if worker is not None else None
        if line and line.room == room:
            line.send({"type": "presence", "room": room, "typing": True})

    async def tell_lobby(self) -> None:
        """Runs forever: sends changes of the lobby to all clients in it, at intervals."""
        while True:
            await self._lobby_is_old.wait()
            self._lobby_is_old.clear()
            try:
                await self.tell_lobby_now()
            except StoreUnavailable:
                self._lobby_is_old.set()  # told when the store is back
                await asyncio.sleep(AGAIN)
            await asyncio.sleep(LOBBY_PAUSE)

    async def tell_lobby_now(self, only: ClientSocket | None = None) -> None:
        lines = [only] if only else [line for line in self.lines.values() if line.room is None]
        if lines:
            news = await asyncio.to_thread(self._lobby_for, [line.worker for line in lines])
            for line in lines:
                line.send(news[line.worker])
        if only is None:
            await self._tell_messages()

    async def _tell_messages(self) -> None:
        """Send a new message of the staff to those in rooms; the lobby has it already."""
        latest = await asyncio.to_thread(self.site.store.read, newest)
        if latest == self._newest:
            return
        self._newest = latest
        for line in [each for each in self.lines.values() if each.room]:
            await self.tell_unread(line)

    async def tell_unread(self, line: ClientSocket) -> None:
        """Send the unread messages of the staff, if there are any."""
        look = partial(unread, worker=line.worker)
        if found := await asyncio.to_thread(self.site.store.read, look):
            line.send({"type": "notices", "notices": found})

    def _lobby_for(self, workers: list[int]) -> dict[int, dict[str, Any]]:
        site = self.site

        def look(connection: Any) -> dict[int, dict[str, Any]]:
            lobby = lobby_view(site, connection)
            queue, now = lobby.pop("queue"), site.clock()
            patience = site.rules.patience
            return {
                worker: {
                    "type": "lobby",
                    **lobby,
                    "you": {
                        "role": queue[worker].role.value,
                        "since": queue[worker].since,
                        "offer_at": queue[worker].since + patience,
                    }
                    if worker in queue
                    else None,
                    "room": room_of(connection, worker),
                    "notices": unread(connection, worker),
                    "now": now,
                }
                for worker in workers
            }

        return site.store.read(look)


def update_message(site: Site, log: Log, role: Role, last: int) -> dict[str, Any]:
    """The events that a role has not seen yet, and its view of the room."""
    seen = view(site.context, log.room, role)
    if role.other not in site.machine_roles:
        seen["choices"] = [choice for choice in seen["choices"] if choice != "machine"]
    return {
        "type": "update",
        "room": log.id,
        "seq": log.room.seq,
        "events": shown_events(log.after(last), role),
        "view": seen,
        "now": site.clock(),
    }
