"""Finished dialogues as exports write them, made once and kept.

Replaying a room and deriving its acts takes some 10 ms, reading what was kept a tenth of that: with
thousands of dialogues that is the difference between a minute and some seconds.
"""

import json
from collections.abc import Callable, Container, Iterator
from functools import partial
from itertools import groupby
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select

from crosstalk import __version__
from crosstalk.collection.events import Recorded, from_json
from crosstalk.collection.exporting import dialogue_of
from crosstalk.collection.rooms import Status, replay
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.formats.encoding import encode_dialogue
from crosstalk.web.store.room_log import Log
from crosstalk.web.store.store import Store
from crosstalk.web.store.tables import EVENTS, FINISHED, ROOMS

Annotate = Callable[[Dialogue], Dialogue]
"""Adds acts to a dialogue that has states only."""
BATCH: Final = 100
"""Rooms read at a time: memory stays flat however many there are."""


def written(dialogue: Dialogue) -> str:
    return json.dumps(encode_dialogue(dialogue), ensure_ascii=False, allow_nan=False)


def keep(connection: Connection, room: int, seq: int, record: str) -> None:
    """The record of a finished room as of an event."""
    connection.execute(delete(FINISHED).where(FINISHED.c.room == room))
    row = {"room": room, "seq": seq, "version": __version__, "record": record}
    connection.execute(insert(FINISHED).values(row))


def archive(store: Store, log: Log, annotate: Annotate) -> None:
    """Make and keep the record of a room that has just finished, or was reviewed."""
    record = written(annotate(dialogue_of(log.id, log.room)))
    store.write(partial(keep, room=log.id, seq=log.room.seq, record=record)).result()


def records(
    store: Store, annotate: Annotate | None, *, review: str | None, skip: Container[int]
) -> Iterator[tuple[int, str]]:
    """(room, record) of every finished room, kept or made now; None: states only, as they are."""
    last = 0
    while rows := store.read(partial(_next_rooms, last=last, review=review)):
        last = rows[-1]
        wanted = [room for room in rows if room not in skip]
        known = store.read(partial(_kept, numbers=wanted)) if annotate else {}
        missing = [room for room in wanted if room not in known]
        made = dict(_made(store, missing, annotate)) if missing else {}
        yield from ((room, known.get(room) or made[room]) for room in wanted)


def _next_rooms(connection: Connection, last: int, review: str | None) -> list[int]:
    wanted = select(ROOMS.c.id).where(_is_wanted(review), ROOMS.c.id > last)
    return list(connection.execute(wanted.order_by(ROOMS.c.id).limit(BATCH)).scalars())


def _is_wanted(review: str | None) -> ColumnElement[bool]:
    verdict = ROOMS.c.review == review if review else ROOMS.c.review != "returned"
    return and_(ROOMS.c.status == Status.FINISHED.value, verdict)


def count_finished(connection: Connection, review: str | None) -> int:
    return connection.execute(select(func.count()).where(_is_wanted(review))).scalar_one()


def _kept(connection: Connection, numbers: list[int]) -> dict[int, str]:
    """Records that are still what this version would make of their rooms."""
    wanted = (
        select(FINISHED.c.room, FINISHED.c.record)
        .join(ROOMS, ROOMS.c.id == FINISHED.c.room)
        .where(FINISHED.c.room.in_(numbers), FINISHED.c.seq == ROOMS.c.seq)
        .where(FINISHED.c.version == __version__)
    )
    return {row[0]: row[1] for row in connection.execute(wanted)}


def _made(store: Store, rooms: list[int], annotate: Annotate | None) -> Iterator[tuple[int, str]]:
    for room, dialogue in store.read(partial(_replayed, rooms=rooms)):
        yield room, written(annotate(dialogue) if annotate else dialogue)


def _replayed(connection: Connection, rooms: list[int]) -> list[tuple[int, Dialogue]]:
    rows = connection.execute(
        select(EVENTS.c.room, EVENTS.c.seq, EVENTS.c.at, EVENTS.c.body)
        .where(EVENTS.c.room.in_(rooms))
        .order_by(EVENTS.c.room, EVENTS.c.seq)
    )
    found = list[tuple[int, Dialogue]]()
    for room, own in groupby(rows, key=lambda row: row.room):
        events = (Recorded(row.seq, row.at, from_json(row.body)) for row in own)
        found.append((room, dialogue_of(room, replay(events))))
    return found


def unarchived(connection: Connection, limit: int = BATCH) -> list[int]:
    """Finished rooms without a record of this version."""
    kept = select(FINISHED.c.room).where(
        FINISHED.c.seq == ROOMS.c.seq, FINISHED.c.version == __version__
    )
    wanted = (
        select(ROOMS.c.id)
        .where(ROOMS.c.status == Status.FINISHED.value, ROOMS.c.id.not_in(kept.correlate(ROOMS)))
        .limit(limit)
    )
    return list(connection.execute(wanted).scalars())
