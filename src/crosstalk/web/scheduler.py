"""What a server does by itself: deadlines, news of other servers, machines' turns."""

import asyncio
import logging
import threading
from collections.abc import Coroutine
from functools import partial
from typing import Any, Final

from crosstalk.collection.roles import Role
from crosstalk.collection.rooms import Status
from crosstalk.web.archive import Annotate, archive, unarchived
from crosstalk.web.hub import Hub
from crosstalk.web.notifications import listen
from crosstalk.web.parts import Parts
from crosstalk.web.room_work import machine_turn, pass_time
from crosstalk.web.store.room_log import Log
from crosstalk.web.store.writer import StoreUnavailable

TICK: Final = 1.0
"""Seconds between two looks at the deadlines."""
log_ = logging.getLogger(__name__)


class Scheduler:
    """The background of one server."""

    def __init__(self, hub: Hub, parts: Parts) -> None:
        self._hub = hub
        self._site = hub.site
        self._parts = parts
        self._unarchived = asyncio.Event()
        self._unarchived.set()
        self._thinking: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = threading.Event()
        hub.watchers.append(self._watch)

    def jobs(self) -> list[Coroutine[Any, Any, None]]:
        jobs = [self._hub.tell_lobby(), self._tick()]
        if self._parts.annotate:
            jobs.append(self._archive(self._parts.annotate))
        if self._site.store.shared:
            jobs.append(asyncio.to_thread(listen, self._site, self._stopped))
        return jobs

    def stop(self) -> None:
        self._stopped.set()
        for task in self._tasks:
            task.cancel()

    async def _tick(self) -> None:
        while True:
            try:
                await asyncio.wrap_future(self._site.submit(pass_time))
            except StoreUnavailable as problem:
                log_.warning("%s", problem.message)
            await asyncio.sleep(TICK)

    async def _archive(self, annotate: Annotate) -> None:
        """Records of finished rooms are made one by one, beside everything else."""
        while True:
            await self._unarchived.wait()
            self._unarchived.clear()
            while rooms := await asyncio.to_thread(self._site.store.read, unarchived):
                for room in rooms:
                    log = await asyncio.to_thread(self._site.log, room)
                    if log is None or not await self._archived(log, annotate):
                        return
                    await asyncio.sleep(0.01)

    async def _archived(self, log: Log, annotate: Annotate) -> bool:
        """False where it cannot be done, and should not be tried again and again."""
        try:
            await asyncio.to_thread(archive, self._site.store, log, annotate)
        except Exception:  # of any kind: rooms go on, and the next start tries again
            log_.exception("no record of room %s could be made", log.id)
            return False
        return True

    def _watch(self, log: Log) -> None:
        """A machine whose turn it is answers, once; a room that is finished is archived."""
        if log.room.status is Status.FINISHED:
            self._unarchived.set()
        role = log.room.next_role
        if role is None or not log.room.seat(role).is_machine or log.id in self._thinking:
            return
        self._thinking.add(log.id)
        task = asyncio.create_task(self._think(log, role))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _think(self, log: Log, role: Role) -> None:
        try:
            seed = f"{log.room.goal_id} {log.id}"
            reply = await asyncio.to_thread(self._parts.machines.reply, log.room, role, seed)
            await asyncio.sleep(self._site.rules.pause)
            turn = partial(machine_turn, room=log.id, seq=log.room.seq, reply=reply)
            await asyncio.wrap_future(self._site.submit(turn))
        except Exception:  # a machine may be anybody's, with errors of its own
            log_.exception("the machine could not answer in room %s", log.id)
        finally:
            self._thinking.discard(log.id)
            newer = self._site.logs.get(log.id)
            if newer and newer.room.seq != log.room.seq:
                self._watch(newer)
