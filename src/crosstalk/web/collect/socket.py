"""The WebSocket protocol between a page and the server, described in `design/collection.md`."""

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from crosstalk.errors import Rejection
from crosstalk.web.collect import jobs, messages
from crosstalk.web.collect.hub import LAST_SECONDS, RESTARTING, ClientSocket, Hub, update_message
from crosstalk.web.collect.jobs import Ack, Sender, arrive, depart
from crosstalk.web.collect.messages import acknowledged, own_room, peek, rejected, result_of, submit
from crosstalk.web.collect.site import Transaction
from crosstalk.web.metrics import Metrics
from crosstalk.web.middleware import LARGEST_FRAME
from crosstalk.web.protocols import CUT
from crosstalk.web.rate_limits import Buckets
from crosstalk.web.sessions import find_visitor, permissions
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.sqlite_files import StoreUnavailable

router = APIRouter()
log = logging.getLogger(__name__)
FIRST_WORD: Final = 10.0
"""Seconds a client has to say hello."""
NOT_LOGGED_IN, NOT_ALLOWED, NO_HELLO, TOO_FAST, TOO_LARGE = 4401, 4403, 4408, 4429, 1009
NO_SESSION: Final = "not_logged_in"
"""Code of the rejection of a message whose session has ended."""
NOWHERE: Final = 0
"""Room of a socket that is neither in the lobby nor in a room yet."""
MOST_UNANSWERED: Final = 32
"""Messages of a socket that are worked on at once; the next one is read when one is answered."""


@router.websocket("/ws")
async def socket(websocket: WebSocket) -> None:
    try:
        visitor = await asyncio.to_thread(find_visitor, websocket)
    except StoreUnavailable:
        visitor = None
    try:
        await websocket.accept()
    except OSError:  # the client is gone already
        return
    if visitor is None:
        await websocket.close(RESTARTING)
        return
    if visitor.worker is None or visitor.worker.blocked:
        await websocket.close(NOT_LOGGED_IN if visitor.worker is None else NOT_ALLOWED)
        return
    hub: Hub = websocket.app.state.hub
    session = SocketSession(websocket, hub, Sender(visitor.worker.id, visitor.token))
    await session.run(partial(permissions, websocket, visitor.worker))


class SocketSession:
    """One socket from its hello to its end."""

    def __init__(self, websocket: WebSocket, hub: Hub, sender: Sender) -> None:
        self._websocket = websocket
        self._hub = hub
        self._site = hub.site
        self._sender = sender
        self._worker = sender.worker
        extensions = websocket.scope.get("extensions", {})
        self._line = ClientSocket(
            sender.worker, sender.session, cut=extensions.get(CUT, lambda: None)
        )
        self._messages: Buckets = websocket.app.state.messages
        self._metrics: Metrics = websocket.app.state.metrics
        self._jobs: set[asyncio.Task[None]] = set()
        self._typed = -10.0

    async def run(self, may: Callable[[], frozenset[Permission]]) -> None:
        """`may` says what the worker's roles allow."""
        try:
            text = await asyncio.wait_for(self._websocket.receive_text(), FIRST_WORD)
            hello = messages.parse(text)
        except (TimeoutError, Rejection, WebSocketDisconnect, KeyError):
            await self._end(NO_HELLO)
            return
        if not isinstance(hello, messages.HelloMessage):
            await self._end(NO_HELLO)
            return
        if hello.watch:
            await self._follow(hello, may)
            return
        self._hub.join(self._line)
        async with self._sending():
            try:
                await self._in_words(None, self._arrive(hello))
                await self._listen()
            finally:
                await self._depart()

    @contextlib.asynccontextmanager
    async def _sending(self) -> AsyncIterator[None]:
        """Queued messages are sent meanwhile."""
        pump = asyncio.create_task(self._pump())
        try:
            yield
        finally:
            if self._line.closing:  # the client is told why, if it reads
                await asyncio.wait({pump}, timeout=LAST_SECONDS)
            pump.cancel()
            # Suppresses everything: the transport may fail in any way while the socket closes.
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await pump

    async def _follow(
        self, hello: messages.HelloMessage, may: Callable[[], frozenset[Permission]]
    ) -> None:
        """A page of a reviewer: nobody is told of it, and it is told when it is old."""
        try:
            allowed = Permission.REVIEW in await asyncio.to_thread(may)
        except StoreUnavailable:
            await self._end(RESTARTING)
            return
        if not allowed:
            await self._end(NOT_ALLOWED)
            return
        self._line.room, self._line.follows = hello.room, True
        self._hub.followers.add(self._line)
        async with self._sending():
            try:
                self._line.send({"type": "watching"})
                await self._listen()
            finally:
                self._hub.followers.discard(self._line)

    async def _end(self, code: int) -> None:
        self._metrics.count("crosstalk_sockets_closed_total", code=str(code))
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await self._websocket.close(code)

    async def _pump(self) -> None:
        """Send queued messages; a number in the queue is a close code."""
        while True:
            message = await self._line.next()
            if isinstance(message, int):
                await self._end(message)
                return
            await self._websocket.send_text(message)

    async def _arrive(self, hello: messages.HelloMessage) -> None:
        try:
            await self._do(self._sender.doing(partial(arrive, worker=self._worker)))
        except StoreUnavailable:
            self._line.close(RESTARTING)  # come again: nobody is here unrecorded
            return
        await self._hello(hello)

    async def _depart(self) -> None:
        if self._hub.leave(self._line) and not self._hub.stopping:
            try:
                await self._do(partial(depart, worker=self._worker))
            except StoreUnavailable:
                self._hub.unrecorded.add(self._worker)

    async def _do(self, task: Callable[[Transaction], Any]) -> Any:
        return await asyncio.wrap_future(self._site.submit(task))

    async def _listen(self) -> None:
        while not self._line.closing:
            try:
                text = await self._websocket.receive_text()
            except (WebSocketDisconnect, RuntimeError):
                return
            except KeyError:  # a binary frame
                text = ""
            if len(text.encode(errors="replace")) > LARGEST_FRAME:
                self._line.close(TOO_LARGE)
            elif not self._messages.take(self._worker):
                self._metrics.count("crosstalk_throttled_total", door="socket")
                self._line.close(TOO_FAST)
            else:
                await self._take(text)

    async def _take(self, text: str) -> None:
        """Handle one message; durable ones are answered after the commit, without blocking."""
        try:
            message = messages.parse(text)
        except Rejection as rejection:
            self._line.send(rejected(_id_in(text), rejection))
            return
        if self._line.follows:
            self._line.send({"type": "watching"})  # it only asks whether somebody is there
        elif isinstance(message, messages.TypingMessage):
            await self._in_words(None, self._tell_typing(message.room))
        elif isinstance(message, messages.HelloMessage):
            await self._in_words(None, self._hello(message))
        else:
            # Jobs are submitted to the writer in message order, before the next message is read.
            answer = self._answer(message)
            job = asyncio.ensure_future(self._timed(message.do, message.id, answer))
            self._jobs.add(job)
            job.add_done_callback(self._jobs.discard)
            await asyncio.sleep(0)
            if len(self._jobs) >= MOST_UNANSWERED:
                await asyncio.wait(self._jobs, return_when=asyncio.FIRST_COMPLETED)

    async def _timed(self, kind: str, id: str, work: Awaitable[None]) -> None:
        began = time.monotonic()
        outcome = await self._in_words(id, work)
        self._metrics.count("crosstalk_messages_total", kind=kind, outcome=outcome)
        if outcome == "done":
            self._metrics.observe("crosstalk_ack_seconds", time.monotonic() - began)

    async def _in_words(self, id: str | None, work: Awaitable[None]) -> str:
        """Do what a message asks, or say why not; returns `done`, `refused` or `unavailable`."""
        try:
            await work
        except Rejection as rejection:
            self._line.send(rejected(id, rejection))
            if rejection.code == NO_SESSION:
                self._line.close(RESTARTING)  # the browser may have another session by now
            return "refused"
        except StoreUnavailable as error:
            log.error("a message could not be recorded: %s", error.message)
            self._metrics.count("crosstalk_store_errors_total", door="socket")
            problem = Rejection("unavailable", "this could not be recorded; please try again")
            self._line.send(rejected(id, problem))
            return "unavailable"
        return "done"

    async def _hello(self, hello: messages.HelloMessage) -> None:
        line = self._line
        if hello.room is None:
            line.room, line.last = None, 0
            await self._hub.tell_lobby_now(line)
            return
        log, role = await asyncio.to_thread(own_room, self._site, self._sender, hello.room)
        log = self._site.logs.get(hello.room) or log
        last = min(hello.last, log.room.seq)
        line.room = NOWHERE  # before it has all that is missing, nothing else is sent
        told = await asyncio.to_thread(update_message, self._site, log, role, last)
        line.send(told)
        line.room, line.last = hello.room, log.room.seq
        self._hub.update(line, self._site.logs.get(hello.room) or log, role)
        await self._hub.tell_unread(line)
        for watcher in self._hub.watchers:
            watcher(log)

    async def _tell_typing(self, room: int) -> None:
        """Tell the partner that the worker is typing, at most once in two seconds."""
        now = asyncio.get_running_loop().time()
        if now - self._typed >= 2:
            self._typed = now
            _, role = await asyncio.to_thread(own_room, self._site, self._sender, room)
            self._hub.typing(room, role)
            if self._site.store.shared:
                self._site.submit(lambda transaction: transaction.notify(f"{role.value} {room}"))

    async def _answer(self, message: messages.AnyMessage) -> None:
        match message:
            case messages.WaitMessage(id=id, role=role):
                await self._lobby(id, partial(jobs.wait, worker=self._worker, role=role))
            case messages.UnwaitMessage(id=id):
                await self._lobby(id, partial(jobs.unwait, worker=self._worker))
            case messages.WayOutMessage(id=id):
                await self._lobby(id, partial(jobs.way_out, worker=self._worker))
            case messages.MachineMessage(id=id, role=role):
                start = partial(jobs.with_machine, worker=self._worker, role=role)
                await self._lobby(id, start)
            case messages.PeekMessage():
                seen = await asyncio.to_thread(peek, self._site, self._sender, message)
                self._line.send(acknowledged(message.id, None, seen))
            case messages.HelloMessage() | messages.TypingMessage():
                raise AssertionError("answered elsewhere")
            case _:
                ack = await asyncio.wrap_future(submit(self._site, self._sender, message))
                result = None
                if isinstance(message, messages.QueryMessage):
                    result = await asyncio.to_thread(result_of, self._site, message)
                self._line.send(acknowledged(message.id, ack, result))

    async def _lobby(self, id: str, task: Callable[[Transaction], Any]) -> None:
        await self._do(self._sender.doing(task))
        self._line.send(acknowledged(id, Ack(0, 0)))
        await self._hub.tell_lobby_now(self._line)


def _id_in(text: str) -> str | None:
    """The id of a message that could not be parsed, if there is one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    id = value.get("id") if isinstance(value, dict) else None
    return id[:64] if isinstance(id, str) else None
