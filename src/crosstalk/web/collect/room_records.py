"""Rooms and workers as plain records for pages: replay of a room, lists, counts, credits.

Queries are indexed, so they stay fast for any number of rooms.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, case, func, select
from sqlalchemy.sql import Select

from crosstalk.collection.events import (
    Acted,
    Answered,
    Closed,
    Filled,
    Gone,
    Left,
    Queried,
    Recorded,
    Replaced,
    Reported,
    Said,
    Selected,
    to_json,
)
from crosstalk.collection.export import MACHINE
from crosstalk.collection.room_views import told_verdict
from crosstalk.collection.rooms import Room
from crosstalk.collection.user_table import plain_value, slot_label
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.states import SlotValue
from crosstalk.web.accounts import worker_record
from crosstalk.web.collect.jobs import lobby_view
from crosstalk.web.collect.site import Site
from crosstalk.web.store import worker_store
from crosstalk.web.store.room_store import Log, count_goals
from crosstalk.web.store.sql_tables import CREDITS, LOBBY, ROOMS, SEATS, WORKERS
from crosstalk.web.store.worker_store import Worker

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A turn with the notes made for it, or something that happened between turns."""

    at: float
    by: str
    """user, wizard, or empty."""
    text: str
    happened: str = ""
    """What happened if nobody spoke: a key of the interface words."""
    machine: bool = False
    done: bool = False
    seconds: float = 0
    notes: tuple[Plain, ...] = ()
    hints: tuple[Plain, ...] = ()
    findings: tuple[Plain, ...] = ()
    """What the label checker found in the turn: rule, and what it is about."""


def steps(context: WorldContext, log: Log, findings: Iterable[Plain] = ()) -> Iterator[ReplayStep]:
    """The steps of a room for reviewers; notes are attached to the turn that follows them."""
    notes, turns, before = list[Plain](), 0, log.room.opened_at
    found = [(each["turn"], _finding(context, log.room, each)) for each in findings]
    for recorded in log.events:
        if note := _note(context, log.room, recorded):
            notes.append(note)
        elif isinstance(recorded.event, Said | Answered):
            machine = turns in log.room.machine_turns
            step = _turn(context, log.room, recorded, tuple(notes), before, machine)
            yield replace(step, findings=tuple(each for turn, each in found if turn == turns))
            notes, turns, before = [], turns + 1, recorded.at
        elif between := _between(recorded):
            yield between


def _finding(context: WorldContext, room: Room, record: Plain) -> Plain:
    """A finding's rule, and the row or field and the value that it is about."""
    if (cell := record.get("cell")) is not None:
        where = cell_label(context, room, cell)
    else:
        slot = record["slot"] and slot_label(context, record["domain"], record["slot"])
        where = " · ".join(filter(None, (context.pack.domain_name(record["domain"]), slot)))
    return {"rule": record["rule"], "where": where, "value": record["value"]}


def _note(context: WorldContext, room: Room, recorded: Recorded) -> Plain | None:
    match recorded.event:
        case Filled(cell=cell, dropped=True):
            return {"kind": "dropped", "cell": cell_label(context, room, cell), "value": ""}
        case Filled(cell=cell, value=value):
            return {"kind": "filled", "cell": cell_label(context, room, cell), "value": said(value)}
        case Queried(domain=domain, slots=slots, count=count):
            asked = [
                (slot_label(context, domain, key), said(value)) for key, value in slots if value
            ]
            name = context.pack.domain_name(domain)
            return {"kind": "queried", "domain": name, "slots": asked, "count": count}
        case Selected(domain=domain, names=names):
            return {"kind": "selected", "domain": context.pack.domain_name(domain), "names": names}
        case Acted(record=record, title=title, message=message) as event:
            given = ", ".join(map(str, record["arguments"].values()))
            kind = "acted" if event.is_done else "refused"
            return {"kind": kind, "cell": f"{title}: {given}", "value": message}
    return None


def _turn(
    context: WorldContext,
    room: Room,
    recorded: Recorded,
    notes: tuple[Plain, ...],
    before: float,
    machine: bool,
) -> ReplayStep:
    event = recorded.event
    assert isinstance(event, Said | Answered)
    ticks = event.ticks if isinstance(event, Said) else ()
    ticked = tuple(
        {"kind": "ticked", "cell": cell_label(context, room, tick), "value": _wish(room, tick)}
        for tick in ticks
    )
    return ReplayStep(
        at=recorded.at,
        by="user" if isinstance(event, Said) else "wizard",
        text=event.text,
        machine=machine,
        done=isinstance(event, Said) and event.done,
        seconds=recorded.at - before,
        notes=notes + ticked,
        hints=tuple(
            {
                "code": hint.code,
                "value": hint.value,
                "cell": "" if hint.cell is None else cell_label(context, room, hint.cell),
            }
            for hint in event.hints
        ),
    )


def _between(recorded: Recorded) -> ReplayStep | None:
    match recorded.event:
        case Reported(role=role, text=text):
            return ReplayStep(recorded.at, role.value, text, "reported")
        case Left(role=role, text=text):
            return ReplayStep(recorded.at, role.value, text, "left")
        case Gone(role=role):
            return ReplayStep(recorded.at, role.value, "", "gone")
        case Replaced(role=role):
            return ReplayStep(recorded.at, role.value, "", "machine")
        case Closed(note=note):
            return ReplayStep(recorded.at, "", note, "closed")
    return None


def cell_label(context: WorldContext, room: Room, cell: int) -> str:
    each = room.goal.tuples[cell]
    return f"{each.subgoal} · {slot_label(context, each.domain, each.slot)}"


def _wish(room: Room, cell: int) -> str:
    """The value in the goal; empty for a question."""
    return said(plain_value(room.goal.tuples[cell].value))


def said(value: Value | SlotValue | list[str]) -> str:
    plain = plain_value(value) if not isinstance(value, list) else value
    return plain if isinstance(plain, str) else ", ".join(plain)


def table(context: WorldContext, room: Room) -> list[Plain]:
    """The user's table: current values beside those of the goal."""
    return [
        {
            "cell": cell_label(context, room, number),
            "domain": context.pack.domain_name(each.domain),
            "wanted": said(room.goal.tuples[number].value),
            "value": said(each.value),
            "said": each.expressed,
            "changed": not room.goal.tuples[number].is_open
            and each.value != room.goal.tuples[number].value,
        }
        for number, each in enumerate(room.cells)
    ]


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
            if status == "finished" and review in ("pending", "second")
        ),
    }


def room_lines(
    connection: Connection, filters: Mapping[str, Any], before: int | None, limit: int
) -> list[Plain]:
    """Rooms, newest first; filters that are None do not apply."""
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
        "note_for": row.note_for or "",
        "reason": row.reason or "",
        "seq": row.seq,
    }


def _person(worker: int | None, names: Mapping[int, str]) -> Plain:
    return {"worker": worker, "name": MACHINE if worker is None else names.get(worker, "")}


def worker_lines(connection: Connection, only: int | None = None) -> list[Plain]:
    """All workers with their totals; `only`: one of them."""
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
        **worker_record(worker_store.worker_of(row)),
        "credit": {"turns": turns, "dialogues": row.dialogues or 0, "waits": row.waits},
        "status": "room" if row.seat else "waiting" if row.queued else "",
        "room": row.seat,
        "left": int(row.left or 0),
        "hints": int(row.hints or 0),
        "seconds_per_turn": round(seconds / turns, 1) if turns else None,
        "note": row.note,
    }


def told_events(log: Log) -> list[Plain]:
    """All events of a room as JSON, for administrators."""
    return [_event(each, json.loads(to_json(each.event))) for each in log.events]


def _event(recorded: Recorded, body: Plain) -> Plain:
    return {"seq": recorded.seq, "at": recorded.at, **body}


def credit(connection: Connection, worker: Worker) -> dict[str, int]:
    """Turns, dialogues and waits that a worker is paid for."""
    own = select(func.count(), func.coalesce(func.sum(CREDITS.c.turns), 0)).where(
        CREDITS.c.worker == worker.id
    )
    dialogues, turns = connection.execute(own).one()
    return {"turns": int(turns), "dialogues": dialogues, "waits": worker.waits}


def own_dialogues(connection: Connection, worker: int, limit: int = 100) -> list[dict[str, Any]]:
    """The rooms that a worker has taken part in, newest first."""
    wanted = (
        select(
            CREDITS.c.room,
            CREDITS.c.role,
            CREDITS.c.turns,
            ROOMS.c.status,
            ROOMS.c.review,
            ROOMS.c.note,
            ROOMS.c.note_for,
            ROOMS.c.reason,
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
            "review": told_verdict(row.review),
            "note": row.note if row.note_for in (None, row.role) else "",
            "reason": row.reason or "",
            "at": row.opened,
        }
        for row in connection.execute(wanted)
    ]
