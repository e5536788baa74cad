"""Presence of workers per server, and the queue of the lobby."""

from sqlalchemy import Connection, delete, insert, select, update

from crosstalk.collection.events import Role
from crosstalk.collection.rooms import Waiting
from crosstalk.web.store.sql_tables import LOBBY, PRESENCE, SEATS, SERVERS


def beat(connection: Connection, server: str, now: float) -> None:
    """Record a sign of life of a server."""
    seen = update(SERVERS).where(SERVERS.c.id == server).values(seen=now)
    if not connection.execute(seen).rowcount:
        connection.execute(insert(SERVERS).values(id=server, seen=now))


def arrive(connection: Connection, worker: int, server: str) -> None:
    moved = update(PRESENCE).where(PRESENCE.c.worker == worker).values(server=server)
    if not connection.execute(moved).rowcount:
        connection.execute(insert(PRESENCE).values(worker=worker, server=server))
    connection.execute(update(LOBBY).where(LOBBY.c.worker == worker).values(absent=None))


def depart(connection: Connection, worker: int, server: str, now: float) -> bool:
    """Remove a worker's presence at a server; False if they are connected elsewhere by now."""
    here = delete(PRESENCE).where(PRESENCE.c.worker == worker, PRESENCE.c.server == server)
    if not connection.execute(here).rowcount:
        return False
    connection.execute(update(LOBBY).where(LOBBY.c.worker == worker).values(absent=now))
    return True


def still_here(connection: Connection, server: str | None = None) -> set[int]:
    """Workers in the queue whose page is open, on any server or on `server`."""
    wanted = select(PRESENCE.c.worker).join(LOBBY, LOBBY.c.worker == PRESENCE.c.worker)
    if server:
        wanted = wanted.where(PRESENCE.c.server == server)
    return set(connection.execute(wanted).scalars())


def stranded(connection: Connection, before: float) -> list[tuple[int, str]]:
    """(worker, server) of all workers whose server has given no sign of life since `before`."""
    alive = select(SERVERS.c.id).where(SERVERS.c.seen >= before)
    lost = select(PRESENCE.c.worker, PRESENCE.c.server).where(PRESENCE.c.server.not_in(alive))
    return [(worker, server) for worker, server in connection.execute(lost)]


def unattended(connection: Connection) -> list[tuple[int, int]]:
    """(worker, room) of all seated workers who are not connected."""
    here = select(PRESENCE.c.worker)
    lost = select(SEATS.c.worker, SEATS.c.room).where(SEATS.c.worker.not_in(here))
    return [(worker, room) for worker, room in connection.execute(lost)]


def forget_servers(connection: Connection, before: float) -> None:
    connection.execute(delete(SERVERS).where(SERVERS.c.seen < before))


def queue(connection: Connection) -> list[Waiting]:
    rows = connection.execute(select(LOBBY.c.worker, LOBBY.c.role, LOBBY.c.since))
    return [Waiting(worker, Role(role), since) for worker, role, since in rows]


def waiting(connection: Connection, worker: int) -> Waiting | None:
    row = connection.execute(select(LOBBY).where(LOBBY.c.worker == worker)).one_or_none()
    return Waiting(worker, Role(row.role), row.since) if row else None


def enqueue(connection: Connection, each: Waiting) -> None:
    dequeue(connection, each.worker)
    row = {"worker": each.worker, "role": each.role.value, "since": each.since}
    connection.execute(insert(LOBBY).values(row))


def dequeue(connection: Connection, *workers: int) -> int:
    return connection.execute(delete(LOBBY).where(LOBBY.c.worker.in_(workers))).rowcount


def prune_queue(connection: Connection, before: float) -> int:
    """Remove workers from the queue who closed the page before that time."""
    return connection.execute(delete(LOBBY).where(LOBBY.c.absent < before)).rowcount


def room_of(connection: Connection, worker: int) -> int | None:
    """The open room of a worker; None if there is none."""
    seated = select(SEATS.c.room).where(SEATS.c.worker == worker)
    return connection.execute(seated).scalar_one_or_none()
