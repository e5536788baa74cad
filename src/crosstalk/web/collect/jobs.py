"""Jobs of the writer: what people and machines do in the lobby and in rooms, each in a transaction.

Lobby: waiting, pairing, leaving the queue. Rooms: commands, presence, deadlines, machines' turns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection, select

from crosstalk.collection.commands import (
    MOST_EVENTS,
    Choose,
    Command,
    HintedRejection,
    connected,
    decide,
    disconnected,
    events_of,
    overdue,
)
from crosstalk.collection.events import Closed, Hinted, Role
from crosstalk.collection.rooms import Room, Status, Waiting, counts, pairings
from crosstalk.collection.study import Outcome
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import Rejection
from crosstalk.web.collect.participation import (
    credit_waiting,
    end_visit,
    refuse_unready,
    time_out,
    visit_of,
)
from crosstalk.web.collect.site import Site, Transaction
from crosstalk.web.store import attendance
from crosstalk.web.store.room_store import free_goals, goal_for
from crosstalk.web.store.sql_tables import ROOMS
from crosstalk.web.store.study_store import touch
from crosstalk.web.store.worker_store import Worker, change_worker, find_worker, session_worker

T = TypeVar("T")


def pair(transaction: Transaction) -> None:
    """Open a room for every possible pair."""
    connection = transaction.connection
    queue = attendance.queue(connection)
    here = attendance.still_here(connection, _only(transaction.site))
    waiting = counts(queue, here)
    if not min(waiting.user, waiting.wizard):
        return
    for user, wizard in pairings(queue, here):
        goal = goal_for(connection, user, wizard)
        if goal is None:
            return
        credit_waiting(transaction, user, wizard)
        attendance.dequeue(connection, user, wizard)
        transaction.open(goal, user, wizard)


def _only(site: Site) -> str | None:
    """The server whose connections count; None: all. Other servers of an SQLite store are dead."""
    return None if site.store.shared else site.server


def wait(transaction: Transaction, worker: int, role: Role) -> None:
    """Enter the queue; opens a room at once if a partner waits."""
    _refuse_unready(transaction, worker)
    before = attendance.waiting(transaction.connection, worker)
    if before is None or before.role is not role:
        attendance.enqueue(transaction.connection, Waiting(worker, role, transaction.now))
    if not free_goals(transaction.connection, 1):
        attendance.dequeue(transaction.connection, worker)
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    transaction.lobby = True
    pair(transaction)


def unwait(transaction: Transaction, worker: int) -> None:
    if not attendance.dequeue(transaction.connection, worker):
        raise Rejection("not_waiting", "you are not waiting")
    transaction.lobby = True


def way_out(transaction: Transaction, worker: int) -> None:
    """Leave the queue after a long wait, which is credited."""
    waiting = attendance.waiting(transaction.connection, worker)
    if waiting is None:
        raise Rejection("not_waiting", "you are not waiting")
    if transaction.now < waiting.since + transaction.site.rules.patience:
        raise Rejection("too_early", "please wait a little longer")
    credit_waiting(transaction, worker)
    attendance.dequeue(transaction.connection, worker)
    known = _known(transaction, worker)
    change_worker(transaction.connection, worker, waits=known.waits + 1)
    transaction.lobby = True
    if visit_of(transaction.site, transaction.connection, worker):
        end_visit(transaction, worker, Outcome.NOBODY_CAME)


def with_machine(transaction: Transaction, worker: int, role: Role) -> int:
    """A room with a machine in the other seat."""
    if role.other not in transaction.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role.other} here")
    _refuse_unready(transaction, worker)
    goal = goal_for(transaction.connection, worker)
    if goal is None:
        raise Rejection("no_goals", "all goals are taken or done; please come back later")
    credit_waiting(transaction, worker)
    attendance.dequeue(transaction.connection, worker)
    seats = (worker, None) if role is Role.USER else (None, worker)
    return transaction.open(goal, *seats).id


def _refuse_unready(transaction: Transaction, worker: int) -> None:
    known = _known(transaction, worker)
    if known.blocked:
        raise Rejection("blocked", "your account is blocked")
    refuse_unready(transaction, known)


def _known(transaction: Transaction, worker: int) -> Worker:
    found = find_worker(transaction.connection, worker)
    if found is None:
        raise Rejection("unknown_worker", f"there is no worker {worker}")
    return found


def lobby_view(site: Site, connection: Connection) -> dict[str, Any]:
    """The lobby as JSON, plus `queue`: worker -> their entry."""
    queue = attendance.queue(connection)
    waiting = counts(queue, attendance.still_here(connection, _only(site)))
    return {
        "waiting": {"user": waiting.user, "wizard": waiting.wizard},
        "goals_left": bool(free_goals(connection, 1)),
        "machines": sorted(role.value for role in site.machine_roles),
        "queue": {each.worker: each for each in queue},
    }


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message, and by which session."""

    worker: int
    session: str

    def check(self, connection: Connection, now: float) -> None:
        """Raise Rejection if the session has ended, or its worker is blocked."""
        known = session_worker(connection, self.session, now)
        if known is None or known.id != self.worker:
            raise Rejection("not_logged_in", "your session has ended; please log in")
        if known.blocked:
            raise Rejection("blocked", "your account is blocked")

    def doing(self, task: Callable[[Transaction], T]) -> Callable[[Transaction], T]:
        """The task, refused if the session has ended when the task's turn comes."""

        def checked(transaction: Transaction) -> T:
            self.check(transaction.connection, transaction.now)
            return task(transaction)

        return checked


@dataclass(frozen=True, slots=True)
class Ack:
    """Acknowledgement of a durable message."""

    room: int
    seq: int


def act(transaction: Transaction, *, worker: int, room: int, client: str, command: Command) -> Ack:
    """Carry out a person's command; idempotent by the client's message id."""
    log = transaction.log(room)
    role = log.room.role_of(worker)
    if role is None:
        raise Rejection("not_yours", "this is not your room")
    if client in log.clients:
        return Ack(room, log.clients[client])
    if isinstance(command, Choose) and command.choice == "machine":
        _refuse_without_machine(transaction, role.other)
    log = transaction.append(log, decide(transaction.site.context, log.room, role, command), client)
    if isinstance(command, Choose) and command.choice == "requeue":
        attendance.enqueue(transaction.connection, Waiting(worker, role, transaction.now))
        pair(transaction)
    if log.room.status is not Status.OPEN:
        transaction.lobby = True
    return Ack(room, log.room.seq)


def act_or_hint(
    transaction: Transaction, *, worker: int, room: int, client: str, command: Command
) -> Ack | HintedRejection:
    """As `act`; hints are recorded and returned, so that they are kept with the room."""
    try:
        return act(transaction, worker=worker, room=room, client=client, command=command)
    except HintedRejection as rejection:
        log = transaction.log(room)
        role = log.room.role_of(worker)
        if role is not None and log.room.seq < MOST_EVENTS:
            codes = tuple(hint.code for hint in rejection.hints)
            transaction.append(log, (Hinted(role, codes),))
        return rejection


def _refuse_without_machine(transaction: Transaction, role: Role) -> None:
    if role not in transaction.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role} here")


def machine_turn(transaction: Transaction, room: int, seq: int, reply: Reply) -> bool:
    """Record a machine's turn, unless the room has changed since; returns whether it was."""
    log = transaction.log(room)
    role = log.room.next_role
    if log.room.seq != seq or role is None or not log.room.seat(role).is_machine:
        return False
    number = len(log.room.conversation.turns)
    transaction.append(
        log, events_of(transaction.site.context, log.room, reply), f"machine {number}"
    )
    return True


def arrive(transaction: Transaction, worker: int) -> int | None:
    """A worker has connected; returns the room they are in, if any."""
    attendance.arrive(transaction.connection, worker, transaction.site.server)
    touch(transaction.connection, worker, transaction.now)
    room = attendance.room_of(transaction.connection, worker)
    if room is not None:
        log = transaction.log(room)
        transaction.append(log, connected(log.room, _seated(log.room, worker)))
    transaction.lobby = True
    return room


def depart(transaction: Transaction, worker: int, server: str | None = None) -> None:
    """A worker has disconnected, or their server is dead."""
    here = server or transaction.site.server
    if not attendance.depart(transaction.connection, worker, here, transaction.now):
        return
    touch(transaction.connection, worker, transaction.now)
    room = attendance.room_of(transaction.connection, worker)
    if room is not None:
        log = transaction.log(room)
        transaction.append(log, disconnected(log.room, _seated(log.room, worker)))
    transaction.lobby = True


def begin_serving(transaction: Transaction) -> None:
    """Before the first request: mark seated workers without a connection as disconnected."""
    attendance.beat(transaction.connection, transaction.site.server, transaction.now)
    for worker, room in attendance.unattended(transaction.connection):
        log = transaction.log(room)
        transaction.append(log, disconnected(log.room, _seated(log.room, worker)))


def _seated(room: Room, worker: int) -> Role:
    role = room.role_of(worker)
    assert role is not None, "seats and rooms are written together"
    return role


def pass_time(transaction: Transaction) -> None:
    """Apply all deadlines that have passed."""
    rules, connection = transaction.site.rules, transaction.connection
    if (
        abs(transaction.now - transaction.site.seen) >= rules.silence / 5
    ):  # not at every tick: each is a write
        attendance.beat(connection, transaction.site.server, transaction.now)
        transaction.site.seen = transaction.now
    for worker, server in attendance.stranded(connection, transaction.now - rules.silence):
        depart(transaction, worker, server)
    attendance.forget_servers(connection, transaction.now - 10 * rules.silence)
    due = select(ROOMS.c.id).where(ROOMS.c.deadline <= transaction.now)
    for room in connection.execute(due).scalars().all():
        log = transaction.log(room)
        transaction.append(log, overdue(log.room, transaction.now))
    if attendance.prune_queue(connection, transaction.now - rules.stay):
        transaction.lobby = True
    time_out(transaction)
    pair(transaction)


def close(transaction: Transaction, room: int, note: str) -> Ack:
    """An administrator ends a room."""
    log = transaction.log(room)
    if log.room.status is not Status.OPEN:
        raise Rejection("over", "this dialogue is over")
    transaction.lobby = True
    return Ack(
        room, transaction.append(log, (Closed(note or "closed by an administrator"),)).room.seq
    )
