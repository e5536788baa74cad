"""Rooms in the store: their events, and the columns that lists and timers need."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from crosstalk.collection.events import Event, Opened, Recorded, Role, from_json, to_json
from crosstalk.collection.rooms import Room, Seat, Status, apply, replay
from crosstalk.errors import InputError
from crosstalk.web.store.tables import CREDITS, EVENTS, GOALS, ROOMS, SEATS

_EVENTS_AFTER: Final = (
    select(EVENTS.c.seq, EVENTS.c.at, EVENTS.c.client, EVENTS.c.body)
    .where(EVENTS.c.room == bindparam("room"), EVENTS.c.seq > bindparam("after"))
    .order_by(EVENTS.c.seq)
)
_INSERT_EVENTS: Final = insert(EVENTS)
_UPDATE_ROOM: Final = update(ROOMS).where(ROOMS.c.id == bindparam("this"))
POOL, TAKEN, DONE = "pool", "taken", "done"


@dataclass(frozen=True, slots=True)
class Log:
    """A room with its events, as of some sequence number."""

    id: int
    room: Room
    events: tuple[Recorded, ...]
    clients: Mapping[str, int]
    """Message id -> the sequence number it was acknowledged with."""

    def after(self, seq: int) -> tuple[Recorded, ...]:
        """Events are numbered from 1 without gaps."""
        return self.events[max(seq, 0) :]


def load(connection: Connection, room: int, known: Log | None = None) -> Log | None:
    """The room; `known` spares reading what was read before."""
    start = known.room.seq if known else 0
    rows = connection.execute(_EVENTS_AFTER, {"room": room, "after": start}).all()
    if not rows:
        return known
    events = tuple(Recorded(row.seq, row.at, from_json(row.body)) for row in rows)
    clients = {row.client: row.seq for row in rows if row.client}
    if known is None:
        return Log(room, replay(events), events, clients)
    room_now = replay(events, known.room)
    return Log(room, room_now, known.events + events, {**known.clients, **clients})


def open_room(connection: Connection, opened: Opened, now: float) -> Log:
    """A new room with its first event; its goal is taken, its people are seated."""
    recorded = Recorded(1, now, opened)
    room = apply(None, recorded)
    row = {**_columns(room), "goal": opened.goal_id, "type": str(room.goal.type or "")}
    inserted = insert(ROOMS).values(opened=now, **row).returning(ROOMS.c.id)
    number = connection.execute(inserted).scalar_one()
    _insert(connection, number, [recorded], None)
    workers = [worker for worker in (opened.user, opened.wizard) if worker is not None]
    connection.execute(insert(SEATS), [{"worker": each, "room": number} for each in workers])
    taken = update(GOALS).where(GOALS.c.id == opened.goal_id, GOALS.c.state == POOL)
    if connection.execute(taken.values(state=TAKEN, room=number)).rowcount != 1:
        raise InputError(f"the goal {opened.goal_id!r} is not in the pool")
    return Log(number, room, (recorded,), {})


def append(
    connection: Connection, log: Log, events: Iterable[Event], now: float, client: str | None = None
) -> Log:
    """The room after these events; the last of them carries the message id."""
    room, new = log.room, list[Recorded]()
    for event in events:
        new.append(Recorded(room.seq + 1, max(now, room.changed_at), event))
        room = apply(room, new[-1])
    if not new:
        return log
    _insert(connection, log.id, new, client)
    connection.execute(_UPDATE_ROOM, {"this": log.id, **_columns(room)})
    if _lasting(log.room) != _lasting(room):
        _settle(connection, log.id, room)
    clients = {**log.clients, client: room.seq} if client else log.clients
    return Log(log.id, room, (*log.events, *new), clients)


def _insert(connection: Connection, room: int, events: list[Recorded], client: str | None) -> None:
    last = len(events) - 1
    rows = [
        {
            "room": room,
            "seq": each.seq,
            "at": each.at,
            "client": client if number == last else None,
            "body": to_json(each.event),
        }
        for number, each in enumerate(events)
    ]
    connection.execute(_INSERT_EVENTS, rows)


def _columns(room: Room) -> dict[str, Any]:
    ending = room.conversation.ending
    return {
        "status": room.status.value,
        "ending": ending.value if ending else None,
        "user": room.seat(Role.USER).worker,
        "wizard": room.seat(Role.WIZARD).worker,
        "machine": any(seat.is_machine for seat in room.seats),
        "turns": len(room.conversation.turns),
        "seq": room.seq,
        "changed": room.changed_at,
        "deadline": room.deadline,
        "review": room.review,
        "problem": bool(room.reports),
        "note": room.note,
    }


def _lasting(room: Room) -> tuple[object, ...]:
    """What, once changed, changes who sits where, whose goal it is and what is credited."""
    left = tuple(seat.left for seat in room.seats)
    return room.status, room.review, room.replaced, left


def _settle(connection: Connection, number: int, room: Room) -> None:
    _settle_seats(connection, number, room)
    _settle_goal(connection, number, room)
    credited = {
        (seat.worker, role): _credit(number, role, seat)
        for role, seat in (*room.replaced, *((role, room.seat(role)) for role in Role))
        if seat.worker is not None
    }
    connection.execute(delete(CREDITS).where(CREDITS.c.room == number))
    if credited:
        connection.execute(insert(CREDITS), list(credited.values()))


def _settle_seats(connection: Connection, number: int, room: Room) -> None:
    """Who has left, or whose room is over, is free for another one."""
    seated = [seat.worker for seat in room.seats if not seat.left and seat.worker is not None]
    staying = seated if room.status is Status.OPEN else []
    gone = delete(SEATS).where(SEATS.c.room == number, SEATS.c.worker.not_in(staying))
    connection.execute(gone)


def _settle_goal(connection: Connection, number: int, room: Room) -> None:
    """A goal is done once; a dialogue that was not finished, or not accepted, gives it back."""
    if room.status is Status.OPEN:
        return
    if room.status is Status.FINISHED and room.review != "returned":
        free = update(GOALS).where(
            GOALS.c.id == room.goal_id, (GOALS.c.state == POOL) | (GOALS.c.room == number)
        )
        connection.execute(free.values(state=DONE, room=number))
    else:
        held = update(GOALS).where(GOALS.c.id == room.goal_id, GOALS.c.room == number)
        connection.execute(held.values(state=POOL, room=None))


def _credit(number: int, role: Role, seat: Seat) -> dict[str, Any]:
    return {
        "worker": seat.worker,
        "room": number,
        "role": role.value,
        "turns": seat.turns,
        "hints": seat.hints,
        "seconds": seat.seconds,
        "left": seat.is_lost,
    }
