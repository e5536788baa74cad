"""The collection area: routes, state, and the background tasks of a server.

The tasks are deadlines, replies of machine partners, export records of finished rooms, and news of
other servers on the same PostgreSQL store.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator
from functools import partial
from random import Random
from typing import Any, Final

from fastapi import Request
from sqlalchemy import Connection, func, select

from crosstalk.collection.events import Role
from crosstalk.collection.exercises import Exercise, exercises_for
from crosstalk.collection.rooms import Status
from crosstalk.collection.wizard_aid import WizardAid
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.goals import GoalType
from crosstalk.goals.goal_options import GoalOptions
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.system.nlg.generator import Generator
from crosstalk.web.collect import (
    admin,
    notices,
    participants,
    review,
    socket,
    study_admin,
    worker,
)
from crosstalk.web.collect.corpus_export import Annotate, archive, unarchived
from crosstalk.web.collect.hub import Hub
from crosstalk.web.collect.jobs import begin_serving, depart, lobby_view, machine_turn, pass_time
from crosstalk.web.collect.live_statistics import LiveStatistics
from crosstalk.web.collect.settings import Settings
from crosstalk.web.collect.site import CHANNEL, RECHECK, Site, Transaction
from crosstalk.web.collect.startup import Parts, unchanged
from crosstalk.web.metrics import Sample
from crosstalk.web.page import Area, NavigationLink
from crosstalk.web.sessions import Visitor, permissions
from crosstalk.web.store.role_store import Permission
from crosstalk.web.store.room_store import Log
from crosstalk.web.store.sql_tables import ROOMS
from crosstalk.web.store.sqlite_files import StoreUnavailable

WAIT: Final = 0.5
"""Seconds between two checks whether the server is being stopped."""
TICK: Final = 1.0
"""Seconds between two checks of the deadlines."""
log_ = logging.getLogger(__name__)


class Scheduler:
    """The background tasks of one server."""

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
        jobs = [self._hub.tell_lobby(), self._tick(), self._close_ended()]
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
                for worker in self._hub.unrecorded - self._hub.lines.keys():
                    await asyncio.wrap_future(self._site.submit(partial(depart, worker=worker)))
                self._hub.unrecorded.clear()
            except StoreUnavailable:
                pass  # the writer has logged it; the next tick tries again
            await asyncio.sleep(TICK)

    async def _close_ended(self) -> None:
        """Close sockets of ended sessions also when no other server could tell of the end."""
        while True:
            with contextlib.suppress(StoreUnavailable):  # then no message is taken, either
                await self._hub.close_ended()
            await asyncio.sleep(TICK)

    async def _archive(self, annotate: Annotate) -> None:
        """Make the export records of finished rooms one by one."""
        while True:
            await self._unarchived.wait()
            self._unarchived.clear()
            try:
                if not await self._archive_all(annotate):
                    return
            except StoreUnavailable:
                self._unarchived.set()
                await asyncio.sleep(TICK)

    async def _archive_all(self, annotate: Annotate) -> bool:
        """Whether all records that are missing could be made."""
        while rooms := await asyncio.to_thread(self._site.store.read, unarchived):
            for room in rooms:
                log = await asyncio.to_thread(self._site.log, room)
                if log is None or not await self._archived(log, annotate):
                    return False
                await asyncio.sleep(0.01)
        return True

    async def _archived(self, log: Log, annotate: Annotate) -> bool:
        """Whether the records were made; False stops the task instead of retrying forever."""
        try:
            await asyncio.to_thread(archive, self._site.store, log, annotate)
        except StoreUnavailable:
            raise
        except Exception:  # catches everything: annotators may fail on one room; the site goes on
            log_.exception("no record of room %s could be made", log.id)
            return False
        return True

    def _watch(self, log: Log) -> None:
        """Let a machine reply if it is its turn; archive the room if it is finished."""
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
            await self._recorded(turn)
        except Exception:  # catches everything: machines may be third-party code
            log_.exception("the machine could not answer in room %s", log.id)
        finally:
            self._thinking.discard(log.id)
            newer = self._site.logs.get(log.id)
            if newer and newer.room.seq != log.room.seq:
                self._watch(newer)

    async def _recorded(self, turn: Callable[[Transaction], bool]) -> None:
        """Record a machine's turn, when the store is back if it is away."""
        while True:
            try:
                await asyncio.wrap_future(self._site.submit(turn))
                return
            except StoreUnavailable:
                await asyncio.sleep(TICK)


def listen(site: Site, stopped: threading.Event) -> None:
    """Listen to PostgreSQL's notifications of what other servers have committed.

    Runs in a thread until `stopped`; reconnects after errors.
    """
    while not stopped.is_set():
        try:
            _listen(site, stopped)
        except Exception:  # catches everything: a thread that ended would never reconnect
            log_.exception("lost the connection that brings news of other servers")
            stopped.wait(1)


def _listen(site: Site, stopped: threading.Event) -> None:
    import psycopg  # only stores on PostgreSQL need it

    plain = site.store.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}")
        site.heard(tuple(_refreshed(site, site.logs.known())), True)
        while not stopped.is_set():
            for notice in connection.notifies(timeout=WAIT):
                hear(site, notice.payload)


def hear(site: Site, payload: str) -> None:
    """Handle a notification of another server.

    `SERVER LOBBY ROOM,ROOM`: what a commit changed; `SERVER user ROOM`: who is typing where;
    `SERVER recheck WORKER`: a session has ended.
    """
    server, what, rooms = payload.split(" ")
    numbers = [int(room) for room in rooms.split(",") if room]
    if server == site.server:
        return  # sent by this server
    if what in set(Role):
        site.typing(numbers[0], Role(what))
    elif what == RECHECK:
        site.recheck(numbers[0])
    else:
        site.heard(tuple(_refreshed(site, numbers)), what == "1")


def _refreshed(site: Site, rooms: list[int]) -> list[int]:
    """Reload the rooms that are cached here; returns those that exist."""
    return [room for room in rooms if site.logs.get(room) and site.refresh(room)]


def collect_area(site: Site, parts: Parts, settings: Settings | None = None) -> Area:
    hub = Hub(site)
    site.machine_roles = frozenset(filter(parts.machines.can_play, Role))
    site.submit(begin_serving).result()
    pack = site.context.pack
    return Area(
        routers=(
            worker.router,
            participants.router,
            admin.router,
            review.router,
            notices.router,
            study_admin.router,
            socket.router,
            worker.pages,
            participants.pages,
            admin.pages,
            review.pages,
            notices.pages,
            study_admin.pages,
        ),
        state={
            "site": site,
            "hub": hub,
            "settings": settings or Settings(),
            "parts": parts,
            "annotate": parts.annotate or unchanged,
            "aid": WizardAid(site.context, parts.reader, parts.drafter),
            "counting": LiveStatistics(site.store, parts.annotate),
            "training": _training(site, parts.voice),
        },
        about={"world": site.context.world.name, "language": pack.code},
        template_values={"world_language": pack.code, "world_direction": pack.direction},
        navigation=_navigation,
        running=lambda: _running(hub, parts),
        session_ended=site.session_ended,
        samples=lambda: _samples(hub),
    )


def _samples(hub: Hub) -> Iterator[Sample]:
    yield Sample("crosstalk_sockets", len(hub.lines))

    def look(connection: Connection) -> tuple[dict[str, int], dict[str, int]]:
        counted = select(ROOMS.c.status, func.count()).group_by(ROOMS.c.status)
        statuses = {row.status: row[1] for row in connection.execute(counted)}
        waiting: dict[str, int] = lobby_view(hub.site, connection)["waiting"]
        return statuses, waiting

    statuses, waiting = hub.site.store.read(look)
    for status, count in statuses.items():
        yield Sample("crosstalk_rooms", count, {"status": status})
    for role, count in waiting.items():
        yield Sample("crosstalk_waiting", count, {"role": role})


def _navigation(request: Request, visitor: Visitor) -> Iterator[NavigationLink]:
    if visitor.worker is None or visitor.worker.blocked:
        return
    yield NavigationLink("/lobby", "common.lobby")
    yield NavigationLink("/work", "common.work")
    if page := first_page(permissions(request, visitor.worker)):
        yield NavigationLink(page, "common.admin")


FIRST: Final = (
    (Permission.ADMINISTER, "/admin"),
    (Permission.REVIEW, "/admin/review"),
    (Permission.PAY, "/admin/study"),
)


def first_page(may: Collection[Permission]) -> str:
    """Where the pages of administrators, reviewers and payers begin; empty for everybody else."""
    return next((page for permission, page in FIRST if permission in may), "")


@contextlib.asynccontextmanager
async def _running(hub: Hub, parts: Parts) -> AsyncIterator[None]:
    hub.start()
    scheduler = Scheduler(hub, parts)
    tasks = [asyncio.create_task(job) for job in scheduler.jobs()]
    try:
        yield
    finally:
        hub.stop()
        scheduler.stop()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _training(site: Site, voice: Generator | None) -> tuple[Exercise, ...]:
    """The training exercises: about one goal with one place, the same on every server."""
    options = GoalOptions(only=frozenset({GoalType.S}))
    goal = goal_sampler(site.context.world, options).sample(goal_rng(0, 0))

    def say(acts: tuple[Act, ...]) -> str:
        if voice is None:
            return "; ".join(act.value or act.slot for act in acts)
        return voice.say(acts, Random("training"))

    return exercises_for(site.context, goal, say)
