"""Lists and counts for pages: questions to the store that stay quick however much was collected."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, case, func, select
from sqlalchemy.sql import Select

from crosstalk.collection.events import Recorded, to_json
from crosstalk.collection.export import MACHINE
from crosstalk.web.accounts import worker_record
from crosstalk.web.collect.lobby_jobs import lobby_view
from crosstalk.web.collect.site import Site
from crosstalk.web.store import people
from crosstalk.web.store.goal_pool import count_goals
from crosstalk.web.store.people import Worker
from crosstalk.web.store.room_log import Log
from crosstalk.web.store.tables import CREDITS, LOBBY, ROOMS, SEATS, WORKERS

Plain = dict[str, Any]


def overview(site: Site, connection: Connection) -> Plain:
    counted = select(
        ROOMS.c.status, ROOMS.c.review, func.count(), func.sum(case((ROOMS.c.problem, 1), else_=0))
    ).group_by(ROOMS.c.status, ROOMS.c.review)
    rows = connection.execute(counted).all()
    by_status = dict.fromkeys(("open", "finished", "closed"), 0)
    for status, _, count, _ in rows:
        by_status[status] += count
    workers = select(func.count()).select_from(WORKERS).where(~WORKERS.c.admin)
    return {
        **by_status,
        "waiting": lobby_view(site, connection)["waiting"],
        "workers": connection.execute(workers).scalar_one(),
        "goals": count_goals(connection),
        "reports": int(sum(problems or 0 for *_, problems in rows)),
        "unreviewed": sum(
            count
            for status, review, count, _ in rows
            if (status, review) == ("finished", "pending")
        ),
    }


def room_lines(
    connection: Connection, filters: Mapping[str, Any], before: int | None, limit: int
) -> list[Plain]:
    """Rooms, newest first; a filter of None asks for everything."""
    wanted = select(ROOMS).order_by(ROOMS.c.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(ROOMS.c.id < before)
    for column in ("status", "review", "problem"):
        if filters.get(column) is not None:
            wanted = wanted.where(ROOMS.c[column] == filters[column])
    if filters.get("worker") is not None:
        took_part = select(CREDITS.c.room).where(CREDITS.c.worker == filters["worker"])
        seated = select(SEATS.c.room).where(SEATS.c.worker == filters["worker"])
        wanted = wanted.where(ROOMS.c.id.in_(took_part.union(seated)))
    return _with_names(connection, wanted)


def room_line(connection: Connection, room: int) -> Plain | None:
    found = _with_names(connection, select(ROOMS).where(ROOMS.c.id == room))
    return found[0] if found else None


def _with_names(connection: Connection, wanted: Select[Any]) -> list[Plain]:
    rows = connection.execute(wanted).all()
    ids = {worker for row in rows for worker in (row.user, row.wizard) if worker is not None}
    named = select(WORKERS.c.id, WORKERS.c.name).where(WORKERS.c.id.in_(ids))
    names = {row[0]: row[1] for row in connection.execute(named)}
    return [_room_line(row, names) for row in rows]


def _room_line(row: Row[Any], names: Mapping[int, str]) -> Plain:
    return {
        "room": row.id,
        "goal": row.goal,
        "type": row.type,
        "status": row.status,
        "ending": row.ending,
        "user": _person(row.user, names),
        "wizard": _person(row.wizard, names),
        "turns": row.turns,
        "opened": row.opened,
        "changed": row.changed,
        "review": row.review,
        "problem": row.problem,
        "note": row.note,
        "seq": row.seq,
    }


def _person(worker: int | None, names: Mapping[int, str]) -> Plain:
    return {"worker": worker, "name": MACHINE if worker is None else names.get(worker, "")}


def worker_lines(connection: Connection, only: int | None = None) -> list[Plain]:
    """Everybody, with what they have done; `only`: one of them."""
    done = (
        select(
            CREDITS.c.worker,
            func.count().label("dialogues"),
            func.sum(CREDITS.c.turns).label("turns"),
            func.sum(CREDITS.c.hints).label("hints"),
            func.sum(CREDITS.c.seconds).label("seconds"),
            func.sum(case((CREDITS.c.left, 1), else_=0)).label("left"),
        )
        .group_by(CREDITS.c.worker)
        .subquery()
    )
    wanted = (
        select(WORKERS, done, SEATS.c.room.label("seat"), LOBBY.c.role.label("queued"))
        .outerjoin(done, done.c.worker == WORKERS.c.id)
        .outerjoin(SEATS, SEATS.c.worker == WORKERS.c.id)
        .outerjoin(LOBBY, LOBBY.c.worker == WORKERS.c.id)
        .order_by(WORKERS.c.id)
    )
    if only is not None:
        wanted = wanted.where(WORKERS.c.id == only)
    return [_worker_line(row) for row in connection.execute(wanted)]


def _worker_line(row: Row[Any]) -> Plain:
    turns, seconds = int(row.turns or 0), float(row.seconds or 0)
    return {
        **worker_record(people.worker_of(row)),
        "credit": {"turns": turns, "dialogues": row.dialogues or 0, "waits": row.waits},
        "status": "room" if row.seat else "waiting" if row.queued else "",
        "room": row.seat,
        "left": int(row.left or 0),
        "hints": int(row.hints or 0),
        "seconds_per_turn": round(seconds / turns, 1) if turns else None,
        "note": row.note,
    }


def told_events(log: Log) -> list[Plain]:
    """The whole log, for replay; nothing is hidden from administrators."""
    return [_event(each, json.loads(to_json(each.event))) for each in log.events]


def _event(recorded: Recorded, body: Plain) -> Plain:
    return {"seq": recorded.seq, "at": recorded.at, **body}


def credit(connection: Connection, worker: Worker) -> dict[str, int]:
    """Everything somebody is paid for."""
    own = select(func.count(), func.coalesce(func.sum(CREDITS.c.turns), 0)).where(
        CREDITS.c.worker == worker.id
    )
    dialogues, turns = connection.execute(own).one()
    return {"turns": int(turns), "dialogues": dialogues, "waits": worker.waits}


def own_dialogues(connection: Connection, worker: int, limit: int = 100) -> list[dict[str, Any]]:
    """What somebody has taken part in, newest first."""
    wanted = (
        select(
            CREDITS.c.room,
            CREDITS.c.role,
            CREDITS.c.turns,
            ROOMS.c.status,
            ROOMS.c.review,
            ROOMS.c.note,
            ROOMS.c.opened,
        )
        .join(ROOMS, ROOMS.c.id == CREDITS.c.room)
        .where(CREDITS.c.worker == worker)
        .order_by(CREDITS.c.room.desc())
        .limit(limit)
    )
    return [
        {
            "room": row.room,
            "role": row.role,
            "turns": row.turns,
            "status": row.status,
            "review": row.review,
            "note": row.note,
            "at": row.opened,
        }
        for row in connection.execute(wanted)
    ]
