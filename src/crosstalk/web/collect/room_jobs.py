"""What happens in rooms, as jobs: messages, presence, deadlines, machines, reviews."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import select

from crosstalk.collection.commands import Choose, Command, decide
from crosstalk.collection.events import Closed, Reviewed
from crosstalk.collection.lobby import Waiting
from crosstalk.collection.machine_turns import events_of
from crosstalk.collection.presence import connected, disconnected, overdue
from crosstalk.collection.roles import Role
from crosstalk.collection.rooms import Room, Status
from crosstalk.conversation.participants import Reply
from crosstalk.errors import Rejection
from crosstalk.web.collect.lobby_jobs import pair
from crosstalk.web.collect.site import Work
from crosstalk.web.store import attendance
from crosstalk.web.store.tables import ROOMS


@dataclass(frozen=True, slots=True)
class Ack:
    """A message that is durable."""

    room: int
    seq: int


def act(work: Work, *, worker: int, room: int, client: str, command: Command) -> Ack:
    """One message of a person; the same message again changes nothing and is answered alike."""
    log = work.log(room)
    role = log.room.role_of(worker)
    if role is None:
        raise Rejection("not_yours", "this is not your room")
    if client in log.clients:
        return Ack(room, log.clients[client])
    if isinstance(command, Choose) and command.choice == "machine":
        _refuse_without_machine(work, role.other)
    log = work.append(log, decide(work.site.context, log.room, role, command), client)
    if isinstance(command, Choose) and command.choice == "requeue":
        attendance.enqueue(work.connection, Waiting(worker, role, work.now))
        pair(work)
    if log.room.status is not Status.OPEN:
        work.lobby = True
    return Ack(room, log.room.seq)


def _refuse_without_machine(work: Work, role: Role) -> None:
    if role not in work.site.machine_roles:
        raise Rejection("no_machine", f"no machine plays the {role} here")


def machine_turn(work: Work, room: int, seq: int, reply: Reply) -> bool:
    """A machine's turn, unless the room has moved on since it was asked."""
    log = work.log(room)
    role = log.room.next_role
    if log.room.seq != seq or role is None or not log.room.seat(role).is_machine:
        return False
    number = len(log.room.conversation.turns)
    work.append(log, events_of(work.site.context, log.room, reply), f"machine {number}")
    return True


def arrive(work: Work, worker: int) -> int | None:
    """Somebody's page is open; the room they sit in, if they do."""
    attendance.arrive(work.connection, worker, work.site.server)
    room = attendance.room_of(work.connection, worker)
    if room is not None:
        log = work.log(room)
        work.append(log, connected(log.room, _seated(log.room, worker)))
    work.lobby = True
    return room


def depart(work: Work, worker: int, server: str | None = None) -> None:
    """Somebody's page is closed, or their server is dead."""
    here = server or work.site.server
    if not attendance.depart(work.connection, worker, here, work.now):
        return
    room = attendance.room_of(work.connection, worker)
    if room is not None:
        log = work.log(room)
        work.append(log, disconnected(log.room, _seated(log.room, worker)))
    work.lobby = True


def begin_serving(work: Work) -> None:
    """Before the first request: who sits in a room and is connected nowhere is away."""
    attendance.beat(work.connection, work.site.server, work.now)
    for worker, room in attendance.unattended(work.connection):
        log = work.log(room)
        work.append(log, disconnected(log.room, _seated(log.room, worker)))


def _seated(room: Room, worker: int) -> Role:
    role = room.role_of(worker)
    assert role is not None, "seats and rooms are written together"
    return role


def pass_time(work: Work) -> None:
    """Everything that is due by now."""
    rules, connection = work.site.rules, work.connection
    if abs(work.now - work.site.seen) >= rules.silence / 5:  # not at every tick: each is a write
        attendance.beat(connection, work.site.server, work.now)
        work.site.seen = work.now
    for worker, server in attendance.stranded(connection, work.now - rules.silence):
        depart(work, worker, server)
    attendance.forget_servers(connection, work.now - 10 * rules.silence)
    due = select(ROOMS.c.id).where(ROOMS.c.deadline <= work.now)
    for room in connection.execute(due).scalars().all():
        log = work.log(room)
        work.append(log, overdue(log.room, work.now))
    if attendance.prune_queue(connection, work.now - rules.stay):
        work.lobby = True
    pair(work)


def review(
    work: Work, room: int, decision: Literal["pending", "approved", "returned"], note: str, by: int
) -> Ack:
    log = work.log(room)
    if log.room.status is not Status.FINISHED:
        raise Rejection("not_over", "only finished dialogues are reviewed")
    return Ack(room, work.append(log, (Reviewed(decision, note, by),)).room.seq)


def close(work: Work, room: int, note: str) -> Ack:
    """An administrator ends a room."""
    log = work.log(room)
    if log.room.status is not Status.OPEN:
        raise Rejection("over", "this dialogue is over")
    work.lobby = True
    return Ack(room, work.append(log, (Closed(note or "closed by an administrator"),)).room.seq)
