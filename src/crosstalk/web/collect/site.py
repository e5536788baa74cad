"""A site: `collection` on top of a store; everything people do is one job of the writer.

    site = Site(Store(store_url("talk.db")), WorldContext(load_world("harbour")))
    site.submit(partial(act, worker=7, room=12, client="...", command=Say("Hello")))

A job works on a `Transaction`: it reads rooms and appends events. After the commit, the changed
rooms are published to all pages, and the caller is answered.
"""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Annotated, Final, TypeVar

from fastapi import Depends
from sqlalchemy import Connection, text
from starlette.requests import HTTPConnection

from crosstalk.collection.events import Event, Opened, Role
from crosstalk.collection.rooms import Status
from crosstalk.collection.study import Study
from crosstalk.collection.world_context import WorldContext
from crosstalk.errors import Rejection
from crosstalk.system.dst.tracker import empty_form
from crosstalk.web.rate_limits import AccessLimits
from crosstalk.web.store.room_store import Log, append, load, open_room, read_goal
from crosstalk.web.store.store import JOBS_KEY, Store

T = TypeVar("T")
CHANNEL: Final = "crosstalk"
RECHECK: Final = "recheck"
"""To other servers: a session of a worker has ended."""
MOST_OPEN: Final = 1000
MOST_OVER: Final = 10
"""Rooms in memory with all their events, open ones and those that are over (some 80 KB each, 220 KB
after 50 exchanges); others are read again when somebody asks."""
Heard = Callable[[tuple[int, ...], bool], None]
"""Called after every commit: rooms that changed, and whether the lobby did."""


Typing = Callable[[int, Role], None]
"""Called when somebody in a room is typing."""


@dataclass(frozen=True, slots=True)
class SiteRules(AccessLimits):
    """Limits and timeouts of a site, in seconds unless stated otherwise."""

    exchanges: int = 50
    """Maximum number of exchanges in a dialogue; the longest in CrossWOZ has 23."""
    grace: float = 120
    """From a disconnection until the seat counts as gone."""
    patience: float = 60
    """Waiting time in the lobby before leaving is offered and credited."""
    stay: float = 60
    """How long a place in the queue is kept for somebody who has closed the page."""
    silence: float = 15
    """Time without a sign of life after which a server counts as dead."""
    training: bool = True
    """Whether workers must pass the training stage first."""
    pause: float = 1.0
    """Delay of a machine's reply, so that people can read."""
    tries: int = 0
    """Wrong answers to one exercise that end a participant's visit; 0: any number."""
    absence: float = 3600
    """How long a participant of a study who has closed the page keeps their place."""
    newcomers: int = 20
    """New participants of a study from one client in an hour."""
    offers: bool = True
    """Whether wizards are offered the wishes that are read in the user's message."""
    drafts: bool = True
    """Whether wizards are offered a drafted answer."""


class Logs:
    """Cache of recently used rooms, newest last; safe from any thread."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, Log] = OrderedDict()
        self._over: OrderedDict[int, Log] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, room: int) -> Log | None:
        with self._lock:
            return self._open.get(room) or self._over.get(room)

    def known(self) -> list[int]:
        with self._lock:
            return [*self._open, *self._over]

    def put(self, log: Log) -> Log:
        """The newer of the one given and the one known."""
        with self._lock:
            known = self._open.pop(log.id, None) or self._over.pop(log.id, None)
            if known is None or known.room.seq < log.room.seq:
                known = log
            kept, most = (
                (self._open, MOST_OPEN)
                if known.room.status is Status.OPEN
                else (self._over, MOST_OVER)
            )
            kept[log.id] = known
            while len(kept) > most:
                kept.popitem(last=False)
            return known


class Site:
    """The site as seen by one server."""

    def __init__(
        self,
        store: Store,
        context: WorldContext,
        rules: SiteRules | None = None,
        *,
        study: Study | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.study = study
        self.context = context
        self.rules = rules or SiteRules()
        self.clock = clock
        self.server = secrets.token_hex(8)
        self.logs = Logs()
        self.heard: Heard = lambda rooms, lobby: None
        self.typing: Typing = lambda room, role: None
        self.recheck: Callable[[int], None] = lambda worker: None
        """Called when a session of a worker has ended, here or at another server."""
        self.seen = 0.0
        """When this server last said that it is alive."""
        self.machine_roles: frozenset[Role] = frozenset()
        """The roles that a machine can play here."""

    def submit(self, task: "Callable[[Transaction], T]", *, tidy: bool = False) -> "Future[T]":
        """Run a task in a transaction; the future is done when it is durable."""
        answer: Future[T] = Future()
        answer.set_running_or_notify_cancel()  # closing a page does not cancel what it sent

        def job(connection: Connection) -> tuple[T, Transaction]:
            transaction = Transaction(connection, self)
            value = task(transaction)
            transaction.tell_other_servers()
            connection.info[JOBS_KEY].update(transaction.changed)
            return value, transaction

        def after(done: "tuple[T, Transaction]") -> None:
            for log in done[1].changed.values():
                self.logs.put(log)

        def answered(future: "Future[tuple[T, Transaction]]") -> None:
            error = future.exception()
            if error is not None:
                answer.set_exception(error)
                return
            value, transaction = future.result()
            if transaction.changed or transaction.lobby:
                self.heard(tuple(transaction.changed), transaction.lobby)
            answer.set_result(value)

        self.store.write(job, after, tidy=tidy).add_done_callback(answered)
        return answer

    def session_ended(self, worker: int) -> None:
        """Close the worker's sockets on all servers; they reconnect only with a valid session."""
        self.recheck(worker)
        if self.store.shared:
            self.submit(lambda transaction: transaction.notify(f"{RECHECK} {worker}")).result()

    def log(self, room: int) -> Log | None:
        """The current state of a room, from the cache or the store."""
        known = self.logs.get(room)
        return known or self.refresh(room)

    def refresh(self, room: int) -> Log | None:
        """The state of a room in the store; updates the cache."""
        known = self.logs.get(room)
        log = self.store.read(lambda connection: load(connection, room, known))
        return self.logs.put(log) if log else None


class Transaction:
    """A running job: rooms as seen inside its database transaction."""

    def __init__(self, connection: Connection, site: Site) -> None:
        self.connection = connection
        self.site = site
        self.now = site.clock()
        self.changed: dict[int, Log] = {}
        self.lobby = False
        """Whether the queue or the presence of people has changed."""

    def log(self, room: int) -> Log:
        fresh = self.changed.get(room) or self.connection.info[JOBS_KEY].get(room)
        known = fresh or self.site.logs.get(room)
        if known is None or (self.site.store.shared and not fresh):
            known = load(self.connection, room, known)  # another server may have added events
        if known is None:
            raise Rejection("unknown_room", f"there is no room {room}")
        return known

    def append(self, log: Log, events: Iterable[Event], client: str | None = None) -> Log:
        """The room after these events; `log` is the room as this job knows it."""
        after = append(self.connection, log, events, self.now, client)
        if after is not log:
            self.changed[log.id] = after
        return after

    def open(self, goal: str, user: int | None, wizard: int | None) -> Log:
        site = self.site
        opened = Opened(
            goal_id=goal,
            goal=read_goal(self.connection, goal),
            world=site.context.world.name,
            language=site.context.pack.code,
            form=empty_form(site.context.world.schema),
            user=user,
            wizard=wizard,
            exchanges=site.rules.exchanges,
            grace=site.rules.grace,
        )
        log = open_room(self.connection, opened, self.now)
        self.changed[log.id] = log
        self.lobby = True
        return log

    def tell_other_servers(self) -> None:
        """PostgreSQL delivers this when the transaction commits, and only then."""
        if self.site.store.shared and (self.changed or self.lobby):
            rooms = ",".join(map(str, self.changed))
            self.notify(f"{int(self.lobby)} {rooms}")

    def notify(self, message: str) -> None:
        """Notify the other servers of a shared store."""
        notify = text("SELECT pg_notify(:channel, :message)")
        values = {"channel": CHANNEL, "message": f"{self.site.server} {message}"}
        self.connection.execute(notify, values)


def site_of(connection: HTTPConnection) -> Site:
    site: Site = connection.app.state.site
    return site


OurSite = Annotated[Site, Depends(site_of)]
