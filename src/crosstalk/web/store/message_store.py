"""Messages of the staff to one worker or to everybody, and who has read them."""

from typing import Any

from sqlalchemy import Connection, delete, func, insert, or_, select

from crosstalk.web.store.sql_tables import MESSAGE_READS, MESSAGES, WORKERS


def write(connection: Connection, sender: int, worker: int | None, text: str, now: float) -> int:
    """The number of a new message; `worker` None: to everybody who is here by now."""
    values = {"sender": sender, "worker": worker, "text": text, "at": now}
    added = insert(MESSAGES).values(values).returning(MESSAGES.c.id)
    number: int = connection.execute(added).scalar_one()
    return number


def received(connection: Connection, worker: int) -> list[dict[str, Any]]:
    """The messages to a worker, newest first: those to them, and those to all since they came."""
    joined = select(WORKERS.c.created).where(WORKERS.c.id == worker).scalar_subquery()
    read = select(MESSAGE_READS.c.message).where(MESSAGE_READS.c.worker == worker)
    wanted = (
        select(MESSAGES, MESSAGES.c.id.in_(read).label("read"))
        .where(
            or_(
                MESSAGES.c.worker == worker,
                MESSAGES.c.worker.is_(None) & (MESSAGES.c.at >= joined),
            )
        )
        .order_by(MESSAGES.c.id.desc())
    )
    return [
        {"id": row.id, "text": row.text, "at": row.at, "read": bool(row.read)}
        for row in connection.execute(wanted)
    ]


def unread(connection: Connection, worker: int) -> list[dict[str, Any]]:
    return [each for each in received(connection, worker) if not each["read"]]


def newest(connection: Connection) -> int:
    """The number of the latest message; 0 if there is none."""
    return connection.execute(select(func.max(MESSAGES.c.id))).scalar_one() or 0


def mark_read(connection: Connection, worker: int, message: int) -> bool:
    """Whether there is such a message to the worker."""
    known = {each["id"]: each["read"] for each in received(connection, worker)}
    if known.get(message) is False:
        connection.execute(insert(MESSAGE_READS).values(worker=worker, message=message))
    return message in known


def sent(connection: Connection, limit: int) -> list[dict[str, Any]]:
    """The latest messages, with the number of people who have read them."""
    counted = select(MESSAGE_READS.c.message, func.count()).group_by(MESSAGE_READS.c.message)
    read: dict[int, int] = {row[0]: row[1] for row in connection.execute(counted)}
    wanted = select(MESSAGES).order_by(MESSAGES.c.id.desc()).limit(limit)
    return [
        {"worker": row.worker, "text": row.text, "at": row.at, "read": read.get(row.id, 0)}
        for row in connection.execute(wanted)
    ]


def forget(connection: Connection, worker: int) -> None:
    """Remove what was written to a worker, and what they have read."""
    connection.execute(delete(MESSAGE_READS).where(MESSAGE_READS.c.worker == worker))
    own = select(MESSAGES.c.id).where(MESSAGES.c.worker == worker)
    connection.execute(delete(MESSAGE_READS).where(MESSAGE_READS.c.message.in_(own)))
    connection.execute(delete(MESSAGES).where(MESSAGES.c.worker == worker))
