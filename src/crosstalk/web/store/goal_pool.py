"""Goals in the store: a pool from which each is taken by one room at a time."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, func, insert, select

from crosstalk.corpora.encoding import decode_goal, encode_goal
from crosstalk.dialogue.goals import Goal
from crosstalk.errors import InputError
from crosstalk.goals.goal_files import StoredGoal
from crosstalk.web.store.room_log import POOL
from crosstalk.web.store.tables import GOALS

BATCH = 500
LONGEST_ID = 200


def add_goals(connection: Connection, records: Iterable[StoredGoal], world: str) -> int:
    """How many were new; one whose id is there already is left as it is."""
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
            "description": json.loads(row.record).get("description", []),
        }
        for row in connection.execute(wanted)
    ]
