"""What happens in rooms, as jobs: messages, presence, deadlines, machines, reviews."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from crosstalk.collection.commands import Choose, Command, connected, decide, disconnected, overdue
from crosstalk.collection.events import Closed, Reviewed, Role
from crosstalk.collection.lobby import Waiting
from crosstalk.collection.machine_turns import events_of
from crosstalk.collection.rooms import Room, Status
from crosstalk.dialogue.participants import Reply
from crosstalk.errors import Rejection
from crosstalk.web.collect.lobby_jobs import pair
from crosstalk.web.collect.site import Transaction
from crosstalk.web.store import attendance
from crosstalk.web.store.tables import ROOMS


@dataclass(frozen=True, slots=True)
class Ack:
    """A message that is durable."""

    room: int
    seq: int


def act(transaction: Transaction, *, worker: int, room: int, client: str, command: Command) -> Ack:
    """One message of a person; the same message again changes nothing and is answered alike."""
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


def _refuse_without_machine(transaction: Transaction, role: Role) -> None:
    if role not in transaction.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role} here")


def machine_turn(transaction: Transaction, room: int, seq: int, reply: Reply) -> bool:
    """A machine's turn, unless the room has moved on since it was asked."""
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
    """Somebody's page is open; the room they sit in, if they do."""
    attendance.arrive(transaction.connection, worker, transaction.site.server)
    room = attendance.room_of(transaction.connection, worker)
    if room is not None:
        log = transaction.log(room)
        transaction.append(log, connected(log.room, _seated(log.room, worker)))
    transaction.lobby = True
    return room


def depart(transaction: Transaction, worker: int, server: str | None = None) -> None:
    """Somebody's page is closed, or their server is dead."""
    here = server or transaction.site.server
    if not attendance.depart(transaction.connection, worker, here, transaction.now):
        return
    room = attendance.room_of(transaction.connection, worker)
    if room is not None:
        log = transaction.log(room)
        transaction.append(log, disconnected(log.room, _seated(log.room, worker)))
    transaction.lobby = True


def begin_serving(transaction: Transaction) -> None:
    """Before the first request: who sits in a room and is connected nowhere is away."""
    attendance.beat(transaction.connection, transaction.site.server, transaction.now)
    for worker, room in attendance.unattended(transaction.connection):
        log = transaction.log(room)
        transaction.append(log, disconnected(log.room, _seated(log.room, worker)))


def _seated(room: Room, worker: int) -> Role:
    role = room.role_of(worker)
    assert role is not None, "seats and rooms are written together"
    return role


def pass_time(transaction: Transaction) -> None:
    """Everything that is due by now."""
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
    pair(transaction)


def review(
    transaction: Transaction,
    room: int,
    decision: Literal["pending", "approved", "returned"],
    note: str,
    by: int,
) -> Ack:
    log = transaction.log(room)
    if log.room.status is not Status.FINISHED:
        raise Rejection("not_over", "only finished dialogues are reviewed")
    return Ack(room, transaction.append(log, (Reviewed(decision, note, by),)).room.seq)


def close(transaction: Transaction, room: int, note: str) -> Ack:
    """An administrator ends a room."""
    log = transaction.log(room)
    if log.room.status is not Status.OPEN:
        raise Rejection("over", "this dialogue is over")
    transaction.lobby = True
    return Ack(
        room, transaction.append(log, (Closed(note or "closed by an administrator"),)).room.seq
    )
