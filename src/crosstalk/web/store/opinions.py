"""Second opinions in the store: who is asked about which rooms, and what they have answered."""

import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from crosstalk.collection.rooms import Status
from crosstalk.web.store.tables import OPINIONS, ROOMS, SETTINGS

PANEL: Final = "panel"
SETTLED: Final = 0
"""Stands for an expert in what was decided between two opinions."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Which dialogues are annotated again, and by whom."""

    rooms: tuple[int, ...] = ()
    experts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Kept:
    """One expert's answer about one room."""

    body: dict[str, Any]
    done: bool


def read_panel(connection: Connection) -> Panel:
    wanted = select(SETTINGS.c.value).where(SETTINGS.c.key == PANEL)
    found = connection.execute(wanted).scalar()
    if found is None:
        return Panel()
    read = json.loads(found)
    return Panel(tuple(read["rooms"]), tuple(read["experts"]))


def write_panel(connection: Connection, panel: Panel) -> None:
    value = json.dumps({"rooms": panel.rooms, "experts": panel.experts})
    connection.execute(delete(SETTINGS).where(SETTINGS.c.key == PANEL))
    connection.execute(insert(SETTINGS).values(key=PANEL, value=value))


def finished_rooms(connection: Connection) -> list[int]:
    """What can be annotated again: complete, and not returned."""
    wanted = select(ROOMS.c.id).where(
        ROOMS.c.status == Status.FINISHED.value, ROOMS.c.review != "returned"
    )
    return list(connection.execute(wanted.order_by(ROOMS.c.id)).scalars())


def took_part(connection: Connection, worker: int, rooms: tuple[int, ...]) -> set[int]:
    own = (ROOMS.c.user == worker) | (ROOMS.c.wizard == worker)
    return set(connection.execute(select(ROOMS.c.id).where(ROOMS.c.id.in_(rooms), own)).scalars())


def read_opinion(connection: Connection, room: int, expert: int) -> Kept | None:
    wanted = select(OPINIONS).where(OPINIONS.c.room == room, OPINIONS.c.expert == expert)
    row = connection.execute(wanted).first()
    return Kept(json.loads(row.body), row.done) if row else None


def write_opinion(
    connection: Connection, room: int, expert: int, body: dict[str, Any], done: bool, now: float
) -> None:
    same = (OPINIONS.c.room == room) & (OPINIONS.c.expert == expert)
    connection.execute(delete(OPINIONS).where(same))
    values = {"body": json.dumps(body, ensure_ascii=False), "done": done, "changed": now}
    connection.execute(insert(OPINIONS).values(room=room, expert=expert, **values))


def states(connection: Connection) -> dict[tuple[int, int], bool]:
    """(room, expert) -> whether it is done, of everything that was begun."""
    rows = connection.execute(select(OPINIONS.c.room, OPINIONS.c.expert, OPINIONS.c.done))
    return {(row.room, row.expert): row.done for row in rows}
