"""Who is there: what connecting, losing a connection and passing deadlines lead to."""

from crosstalk.collection.events import Closed, Connected, Disconnected, Event, Gone, Recorded
from crosstalk.collection.roles import Role
from crosstalk.collection.rooms import Room, Status, apply


def connected(room: Room, role: Role) -> tuple[Event, ...]:
    """Somebody is back; who never was away, or has left, changes nothing."""
    seat = room.seat(role)
    if room.status is not Status.OPEN or seat.left or seat.is_machine:
        return ()
    return (Connected(role),) if seat.absent_since is not None else ()


def disconnected(room: Room, role: Role) -> tuple[Event, ...]:
    seat = room.seat(role)
    if room.status is not Status.OPEN or seat.is_machine or seat.absent_since is not None:
        return ()
    return (Disconnected(role),)


def overdue(room: Room, now: float) -> tuple[Event, ...]:
    """What has happened by itself by now: somebody gone; nobody left, and the room is closed."""
    events: list[Event] = []
    for role in Role:
        deadline = room.seat(role).gone_at
        if room.status is Status.OPEN and deadline is not None and deadline <= now:
            events.append(Gone(role))
            room = apply(room, Recorded(room.seq + 1, now, events[-1]))
    if events and all(seat.is_lost or seat.is_machine for seat in room.seats):
        events.append(Closed("nobody is left"))
    return tuple(events)
