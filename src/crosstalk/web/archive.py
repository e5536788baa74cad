"""Finished dialogues as exports write them, made once and kept.

Replaying a room, deriving its acts and writing them takes some 10 ms, reading what was kept hardly
anything: with thousands of dialogues that is the difference between a minute and a few seconds.
"""

import zlib
from collections.abc import Callable, Container, Iterator
from functools import partial
from itertools import groupby
from typing import Final

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, select

from crosstalk import __version__
from crosstalk.collection.events import Recorded, from_json
from crosstalk.collection.export import dialogue_of
from crosstalk.collection.rooms import Status, replay
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.web.export_records import KINDS, piece_of
from crosstalk.web.store.room_log import Log
from crosstalk.web.store.store import Store
from crosstalk.web.store.tables import EVENTS, PIECES, ROOMS

Annotate = Callable[[Dialogue], Dialogue]
"""Adds acts to a dialogue that has states only."""
BATCH: Final = 100
"""Rooms read at a time: memory stays flat however many there are."""


def keep(connection: Connection, room: int, seq: int, dialogue: Dialogue) -> None:
    """A finished room as of an event, in every format."""
    connection.execute(delete(PIECES).where(PIECES.c.room == room))
    about = {"room": room, "seq": seq, "version": __version__}
    rows = [{**about, "kind": kind, "packed": packed(piece_of(dialogue, kind))} for kind in KINDS]
    connection.execute(insert(PIECES), rows)


def packed(piece: str) -> bytes:
    """A tenth of the size; unpacking is quicker than reading so much more."""
    return zlib.compress(piece.encode(), level=3)


def unpacked(piece: bytes) -> str:
    return zlib.decompress(piece).decode()


def archive(store: Store, log: Log, annotate: Annotate) -> None:
    """Make and keep the pieces of a room that has just finished, or was reviewed."""
    dialogue = annotate(dialogue_of(log.id, log.room))
    store.write(partial(keep, room=log.id, seq=log.room.seq, dialogue=dialogue)).result()


def kept_pieces(
    store: Store,
    kind: str,
    annotate: Annotate | None,
    *,
    review: str | None = None,
    skip: Container[int] = frozenset(),
) -> Iterator[str]:
    """The piece of every finished room, kept or made now; None: states only, as they are."""
    last = 0
    while rows := store.read(partial(_next_rooms, last=last, review=review)):
        last = rows[-1]
        wanted = [room for room in rows if room not in skip]
        known = store.read(partial(_kept, kind=kind, numbers=wanted)) if annotate else {}
        missing = [room for room in wanted if room not in known]
        made = dict(_made(store, missing, kind, annotate)) if missing else {}
        yield from (unpacked(known[room]) if room in known else made[room] for room in wanted)


def _next_rooms(connection: Connection, last: int, review: str | None) -> list[int]:
    wanted = select(ROOMS.c.id).where(_is_wanted(review), ROOMS.c.id > last)
    return list(connection.execute(wanted.order_by(ROOMS.c.id).limit(BATCH)).scalars())


def _is_wanted(review: str | None) -> ColumnElement[bool]:
    verdict = ROOMS.c.review == review if review else ROOMS.c.review != "returned"
    return and_(ROOMS.c.status == Status.FINISHED.value, verdict)


def count_finished(connection: Connection, review: str | None) -> int:
    return connection.execute(select(func.count()).where(_is_wanted(review))).scalar_one()


def _kept(connection: Connection, kind: str, numbers: list[int]) -> dict[int, bytes]:
    """Pieces that are still what this version would make of their rooms."""
    wanted = (
        select(PIECES.c.room, PIECES.c.packed)
        .join(ROOMS, ROOMS.c.id == PIECES.c.room)
        .where(PIECES.c.room.in_(numbers), PIECES.c.kind == kind, PIECES.c.seq == ROOMS.c.seq)
        .where(PIECES.c.version == __version__)
    )
    return {row[0]: row[1] for row in connection.execute(wanted)}


def _made(
    store: Store, rooms: list[int], kind: str, annotate: Annotate | None
) -> Iterator[tuple[int, str]]:
    for room, dialogue in store.read(partial(_replayed, rooms=rooms)):
        yield room, piece_of(annotate(dialogue) if annotate else dialogue, kind)


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
    """Finished rooms without pieces of this version."""
    kept = exists().where(
        PIECES.c.room == ROOMS.c.id,
        PIECES.c.kind == KINDS[0],
        PIECES.c.seq == ROOMS.c.seq,
        PIECES.c.version == __version__,
    )
    wanted = select(ROOMS.c.id).where(ROOMS.c.status == Status.FINISHED.value, ~kept).limit(limit)
    return list(connection.execute(wanted).scalars())
