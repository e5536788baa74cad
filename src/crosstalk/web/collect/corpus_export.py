"""Export of collected dialogues: a stored record of each finished dialogue in every format.

    exported(store, "crosswoz", annotate)     # a file, piece by piece
    collected(store, annotate)                # dialogues

Replaying a room, deriving its acts and encoding it takes about 10 ms, so records are made once,
when a dialogue is finished: exporting thousands takes seconds instead of a minute.
"""

import csv
import io
import json
import zlib
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, groupby
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, exists, func, insert, select

from crosstalk import __version__
from crosstalk.annotation.annotator import Annotator
from crosstalk.collection.events import Recorded, from_json
from crosstalk.collection.export import COLUMNS, EXTRAS, dialogue_of, safe, table_rows
from crosstalk.collection.rooms import Status, replay
from crosstalk.corpora.chat import chat_record
from crosstalk.corpora.crosswoz import crosswoz_file, crosswoz_piece
from crosstalk.corpora.record_encoding import decode_dialogue, encode_dialogue
from crosstalk.dialogue.dialogues import MACHINE, Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.corpus_world import WorldLookUps
from crosstalk.labels.checker import LabelChecker
from crosstalk.web.store.room_store import Log
from crosstalk.web.store.sql_tables import EVENTS, EXPORT_RECORDS, ROOMS, SETTINGS
from crosstalk.web.store.store import Store
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, load_world

Annotate = Callable[[Dialogue], Dialogue]
"""Adds acts to a dialogue that has states only."""
KINDS: Final = ("crosswoz", "native", "chat", "csv")
FINDINGS: Final = "findings"
"""Kind of the record of what the label checker found; not an export file."""
ENDINGS: Final = {"crosswoz": "json", "native": "jsonl", "chat": "jsonl", "csv": "csv"}
BATCH: Final = 100
"""Rooms read at a time, so that memory stays flat."""


def store_records(connection: Connection, room: int, seq: int, dialogue: Dialogue) -> None:
    """Store the records of a finished room in every format."""
    connection.execute(delete(EXPORT_RECORDS).where(EXPORT_RECORDS.c.room == room))
    about = {"room": room, "seq": seq, "version": __version__}
    records = {kind: export_record(dialogue, kind) for kind in KINDS}
    records[FINDINGS] = json.dumps(dialogue.extras.get(EXTRAS, {}).get("findings", []))
    rows = [{**about, "kind": kind, "packed": compress(text)} for kind, text in records.items()]
    connection.execute(insert(EXPORT_RECORDS), rows)


def findings_of(connection: Connection, rooms: Iterable[int]) -> dict[int, int]:
    """How many findings of the label checker rooms have; of rooms that were checked."""
    wanted = select(EXPORT_RECORDS.c.room, EXPORT_RECORDS.c.packed).where(
        EXPORT_RECORDS.c.room.in_(list(rooms)), EXPORT_RECORDS.c.kind == FINDINGS
    )
    return {row[0]: len(json.loads(decompress(row[1]))) for row in connection.execute(wanted)}


def findings_in(connection: Connection, room: int) -> list[dict[str, Any]]:
    """What the label checker found in a room, as records; empty if it was not checked."""
    wanted = select(EXPORT_RECORDS.c.packed).where(
        EXPORT_RECORDS.c.room == room, EXPORT_RECORDS.c.kind == FINDINGS
    )
    packed = connection.execute(wanted).scalar_one_or_none()
    found: list[dict[str, Any]] = json.loads(decompress(packed)) if packed else []
    return found


def compress(record: str) -> bytes:
    """Compressed to a tenth; decompressing is faster than reading the difference."""
    return zlib.compress(record.encode(), level=3)


def decompress(record: bytes) -> str:
    return zlib.decompress(record).decode()


def archive(store: Store, log: Log, annotate: Annotate) -> None:
    """Make and store the records of a room that was finished or reviewed."""
    dialogue = annotate(dialogue_of(log.id, log.room))
    store.write(partial(store_records, room=log.id, seq=log.room.seq, dialogue=dialogue)).result()


def export_records(
    store: Store,
    kind: str,
    annotate: Annotate | None,
    *,
    review: str | None = None,
    skip: Container[int] = frozenset(),
) -> Iterator[str]:
    """The record of every finished room, stored or made now; without `annotate`, states only."""
    last = 0
    while rows := store.read(partial(_next_rooms, last=last, review=review)):
        last = rows[-1]
        wanted = [room for room in rows if room not in skip]
        known = store.read(partial(_stored_records, kind=kind, numbers=wanted)) if annotate else {}
        missing = [room for room in wanted if room not in known]
        made = dict(_new_records(store, missing, kind, annotate)) if missing else {}
        yield from (decompress(known[room]) if room in known else made[room] for room in wanted)


def _next_rooms(connection: Connection, last: int, review: str | None) -> list[int]:
    wanted = select(ROOMS.c.id).where(_is_exported(review), ROOMS.c.id > last)
    return list(connection.execute(wanted.order_by(ROOMS.c.id).limit(BATCH)).scalars())


def _is_exported(review: str | None) -> ColumnElement[bool]:
    verdict = ROOMS.c.review == review if review else ROOMS.c.review != "returned"
    return and_(ROOMS.c.status == Status.FINISHED.value, verdict)


def count_finished(connection: Connection, review: str | None) -> int:
    return connection.execute(select(func.count()).where(_is_exported(review))).scalar_one()


def _stored_records(connection: Connection, kind: str, numbers: list[int]) -> dict[int, bytes]:
    """Stored records that are up to date with their rooms and with this version."""
    wanted = (
        select(EXPORT_RECORDS.c.room, EXPORT_RECORDS.c.packed)
        .join(ROOMS, ROOMS.c.id == EXPORT_RECORDS.c.room)
        .where(EXPORT_RECORDS.c.room.in_(numbers), EXPORT_RECORDS.c.kind == kind)
        .where(EXPORT_RECORDS.c.seq == ROOMS.c.seq)
        .where(EXPORT_RECORDS.c.version == __version__)
    )
    return {row[0]: row[1] for row in connection.execute(wanted)}


def _new_records(
    store: Store, rooms: list[int], kind: str, annotate: Annotate | None
) -> Iterator[tuple[int, str]]:
    for room, dialogue in store.read(partial(_replayed, rooms=rooms)):
        yield room, export_record(annotate(dialogue) if annotate else dialogue, kind)


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
    """Finished rooms without records of this version."""
    kept = exists().where(
        EXPORT_RECORDS.c.room == ROOMS.c.id,
        EXPORT_RECORDS.c.kind == FINDINGS,
        EXPORT_RECORDS.c.seq == ROOMS.c.seq,
        EXPORT_RECORDS.c.version == __version__,
    )
    wanted = select(ROOMS.c.id).where(ROOMS.c.status == Status.FINISHED.value, ~kept).limit(limit)
    return list(connection.execute(wanted).scalars())


def collected(
    store: Store,
    annotate: Annotate | None = None,
    *,
    review: str | None = None,
    skip: Container[int] = frozenset(),
) -> Iterator[Dialogue]:
    """Finished dialogues, by room: all that were not returned, or those of one verdict.

    `annotate` derives the acts of those that have none yet; without it, states only.
    """
    for record in export_records(store, "native", annotate, review=review, skip=skip):
        yield decode_dialogue(json.loads(record))


def exported(
    store: Store, to: str, annotate: Annotate | None = None, *, review: str | None = None
) -> Iterator[str]:
    """The text of an export file, one dialogue at a time."""
    return file_of(export_records(store, to, annotate, review=review), to)


def export_record(dialogue: Dialogue, kind: str) -> str:
    match kind:
        case "crosswoz":
            return crosswoz_piece(dialogue)
        case "native":
            return _line(encode_dialogue(dialogue))
        case "chat":
            return _line(chat_record(dialogue, _lookups()(dialogue)))
        case "csv":
            return _csv(table_rows(dialogue))
    raise InputError(f"there is no export called {kind!r}", remedy=f"Known: {', '.join(KINDS)}.")


@cache
def _lookups() -> WorldLookUps:
    return WorldLookUps()


def file_of(records: Iterable[str], kind: str) -> Iterator[str]:
    match kind:
        case "crosswoz":
            return crosswoz_file(records)
        case "csv":
            # With a byte order mark, without which spreadsheets take UTF-8 for something else.
            return chain(["\ufeff" + _csv([list(map(safe, COLUMNS))])], records)
    return iter(records)


def _line(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()


def annotation(world: str, language: str, data: Path | None = None) -> Annotate:
    """A function that adds acts; raises InputError if the world or its keywords are missing."""
    return annotation_in(load_world(world, language=language, data=data), find_world(world))


def annotation_in(world: World, folder: Path, checker: LabelChecker | None = None) -> Annotate:
    """The same in a world that is loaded; `folder` has its keywords, `checker` is its checker."""
    annotator = Annotator.of(world, folder)
    checker = checker or LabelChecker.of(world, folder)

    def annotate(dialogue: Dialogue) -> Dialogue:
        """Derive the acts of people's turns; machines' turns keep theirs."""
        derived = annotator.annotate(dialogue).turns
        turns = zip(dialogue.turns, derived, strict=True)
        labelled = replace(
            dialogue,
            turns=tuple(
                replace(given, acts_from=MACHINE) if given.acts else found for given, found in turns
            ),
        )
        return with_findings(labelled, checker)

    return annotate


def with_findings(dialogue: Dialogue, checker: LabelChecker) -> Dialogue:
    """The dialogue with what the label checker finds in it, if that is anything."""
    found = [finding.record() for finding in checker.check(dialogue)]
    if not found:
        return dialogue
    own = {**dialogue.extras.get(EXTRAS, {}), "findings": found}
    return replace(dialogue, extras={**dialogue.extras, EXTRAS: own})


def stored_world(connection: Connection) -> tuple[str, str]:
    """(world, language) of a store."""
    rows = connection.execute(select(SETTINGS.c.key, SETTINGS.c.value))
    known = {row[0]: row[1] for row in rows}
    return known.get("world", ""), known.get("language", "")
