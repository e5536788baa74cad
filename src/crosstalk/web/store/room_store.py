"""Rooms and goals in the store: events, the columns for lists and timers, and the pool of goals.

Each goal of the pool is taken by one room at a time.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from crosstalk.collection.events import Event, Opened, Recorded, Role, from_json, to_json
from crosstalk.collection.rooms import Room, Seat, Status, apply, replay
from crosstalk.corpora.record_encoding import decode_goal, encode_goal
from crosstalk.dialogue.goals import Goal
from crosstalk.errors import InputError
from crosstalk.goals.describe import for_people
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.store.sql_tables import CREDITS, EVENTS, GOALS, ROOMS, SEATS

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
    """Client's message id -> sequence number of its acknowledgement."""

    def after(self, seq: int) -> tuple[Recorded, ...]:
        """Events are numbered from 1 without gaps."""
        return self.events[max(seq, 0) :]


def load(connection: Connection, room: int, known: Log | None = None) -> Log | None:
    """Load a room; only events after those of `known` are read."""
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
    """Open a room: its first event, its goal marked as taken, its workers seated."""
    recorded = Recorded(1, now, opened)
    room = apply(None, recorded)
    row = {**_columns(room), "goal": opened.goal_id, "type": str(room.goal.type or "")}
    inserted = insert(ROOMS).values(opened=now, **row).returning(ROOMS.c.id)
    number = connection.execute(inserted).scalar_one()
    _insert(connection, number, [recorded], None)
    workers = [worker for worker in (opened.user, opened.wizard) if worker is not None]
    if workers:
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
        "note_for": room.note_for.value if room.note_for else None,
        "reason": room.reason or None,
        "reviewer": room.reviewer,
    }


def _lasting(room: Room) -> tuple[object, ...]:
    """The parts of a room on which seats, goal and credits depend."""
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
    """Free the seats of workers who have left or whose room is over."""
    seated = [seat.worker for seat in room.seats if not seat.left and seat.worker is not None]
    staying = seated if room.status is Status.OPEN else []
    gone = delete(SEATS).where(SEATS.c.room == number, SEATS.c.worker.not_in(staying))
    connection.execute(gone)


def _settle_goal(connection: Connection, number: int, room: Room) -> None:
    """Mark the goal as done; after an unfinished or returned dialogue, put it back to the pool."""
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


BATCH = 500
LONGEST_ID = 200


def add_goals(connection: Connection, records: Iterable[StoredGoal], world: str) -> int:
    """Add goals whose ids are new; returns their number."""
    known = set(connection.execute(select(GOALS.c.id)).scalars())
    rows = list[dict[str, Any]]()
    for record in records:
        _refuse_unfit(record, world)
        if record.id not in known:
            known.add(record.id)
            rows.append(_row(record))
    for start in range(0, len(rows), BATCH):
        connection.execute(insert(GOALS), rows[start : start + BATCH])
    return len(rows)


def _refuse_unfit(record: StoredGoal, world: str) -> None:
    if record.world != world:
        raise InputError(
            f"the goal {record.id!r} is about the world {record.world!r}, not about {world!r}",
            remedy="Give goals of the world that --world names.",
        )
    if len(record.id) > LONGEST_ID:
        raise InputError(f"the id {record.id[:40]!r}... is longer than {LONGEST_ID} characters")


def _row(record: StoredGoal) -> dict[str, Any]:
    plain = json.dumps(encode_goal(record.goal), ensure_ascii=False)
    return {"id": record.id, "type": str(record.goal.type or ""), "record": plain, "state": POOL}


def free_goals(connection: Connection, count: int) -> list[str]:
    """The next goals of the pool, oldest first."""
    wanted = select(GOALS.c.id).where(GOALS.c.state == POOL).order_by(GOALS.c.number).limit(count)
    return list(connection.execute(wanted).scalars())


def goal_for(connection: Connection, *workers: int) -> str | None:
    """The next goal of the pool that is new to these workers; one they know if no other is left.

    A dialogue that was returned or ended early puts its goal back to the front of the pool, and
    those who had it know its answers.
    """
    known = (
        select(ROOMS.c.goal)
        .join(CREDITS, CREDITS.c.room == ROOMS.c.id)
        .where(CREDITS.c.worker.in_(workers))
    )
    wanted = (
        select(GOALS.c.id)
        .where(GOALS.c.state == POOL, GOALS.c.id.not_in(known))
        .order_by(GOALS.c.number)
        .limit(1)
    )
    new = connection.execute(wanted).scalar_one_or_none()
    return new or next(iter(free_goals(connection, 1)), None)


def read_goal(connection: Connection, id: str) -> Goal:
    record = connection.execute(select(GOALS.c.record).where(GOALS.c.id == id)).scalar_one()
    return decode_goal(json.loads(record))


def count_goals(connection: Connection) -> dict[str, int]:
    counted = select(GOALS.c.state, func.count()).group_by(GOALS.c.state)
    found = {row[0]: row[1] for row in connection.execute(counted)}
    return {state: found.get(state, 0) for state in ("pool", "taken", "done")}


def goal_page(
    connection: Connection, *, state: str | None, after: int, limit: int
) -> list[dict[str, Any]]:
    wanted = select(GOALS).where(GOALS.c.number > after).order_by(GOALS.c.number).limit(limit)
    if state:
        wanted = wanted.where(GOALS.c.state == state)
    return [
        {
            "number": row.number,
            "id": row.id,
            "type": row.type,
            "state": row.state,
            "room": row.room,
            "description": for_people(json.loads(row.record).get("description", [])),
        }
        for row in connection.execute(wanted)
    ]
