"""Erasing a person: what identifies them, or their dialogues, too.

    erase(store_url("talks.db"), "pilot 3", Level.SEVER)

A backup from before brings nobody back: what was erased is kept, as numbers and levels without
names, in a file beside the store, and is applied to whatever is restored there.
"""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, cast, delete, select, update
from sqlalchemy.engine import URL
from sqlalchemy.types import String

from crosstalk.collection.pay import without_person
from crosstalk.corpora.json_stream import json_lines
from crosstalk.errors import FileProblem, InputError
from crosstalk.files import writing
from crosstalk.web.store.message_store import forget
from crosstalk.web.store.room_store import POOL
from crosstalk.web.store.sql_tables import (
    ANSWERS,
    ARRIVALS,
    ATTEMPTS,
    CLAIMS,
    CREDITS,
    EVENTS,
    EXPORT_RECORDS,
    GOALS,
    LOBBY,
    OPINIONS,
    PAYMENTS,
    PRESENCE,
    ROLES,
    ROOMS,
    SEATS,
    SESSIONS,
    WORKERS,
)
from crosstalk.web.store.store import Store, is_shared, sqlite_file
from crosstalk.web.store.study_store import batch_file, fill_batch
from crosstalk.web.store.worker_store import find_worker, worker_named

ERASED: Final = "erased"
"""What people who were erased are called, with a number; nobody else can choose such a name."""
ENDING: Final = ".erased.jsonl"
PASSING: Final = (SESSIONS, LOBBY, PRESENCE, ROLES, CLAIMS)
"""Tables whose rows about a worker go in any case."""


class Level(StrEnum):
    """How much is erased."""

    SEVER = "sever"
    """Name, password, platform's ids, notes and answers go; dialogues stay, under a number."""
    REMOVE = "remove"
    """Their dialogues go, too; what partners earned in them stays."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """What was erased of whom."""

    worker: int
    level: Level
    rooms: tuple[int, ...] = ()
    """Dialogues that were removed: exports made before hold them still."""


def erase(url: URL, name: str, level: Level, kept: Path | None = None) -> Erasure:
    """Erase a worker from a store that no server uses.

    `kept`: where erasures are kept; default: beside an SQLite store, on PostgreSQL nowhere.
    Raises InputError if there is nobody of that name, or it is an administrator.
    """
    store = Store(url, create=False)
    place = kept or (None if is_shared(url) else erasures_file(sqlite_file(url)))

    def job(connection: Connection) -> Erasure:
        _clear_earlier(connection)
        done = _erase_named(connection, name=name, level=level)
        if place is not None:  # before the commit: what is erased is never missing in the list
            _remember(place, done)
        return done

    try:
        done = store.write(job).result()
    finally:
        store.close()
    compact(url)
    return done


def _erase_named(connection: Connection, name: str, level: Level) -> Erasure:
    worker = worker_named(connection, name)
    if worker is None:
        raise InputError(
            f"there is no worker named {name!r} in this store",
            remedy="The page Workers lists all names; participants are named after the study.",
        )
    if worker.admin:
        raise InputError(f"{name!r} is an administrator", remedy="Only workers can be erased.")
    return _erase(connection, worker.id, level)


def _erase(connection: Connection, worker: int, level: Level) -> Erasure:
    connection.execute(delete(ATTEMPTS))  # of everybody: nothing in it says whose it was
    for table in PASSING:
        connection.execute(delete(table).where(table.c.worker == worker))
    values = {
        "name": f"{ERASED} {worker}",
        "folded": f"{ERASED} {worker}",
        "password": "",
        "note": "",
    }
    connection.execute(update(WORKERS).where(WORKERS.c.id == worker).values(blocked=True, **values))
    ids = {"participant": f"{ERASED} {worker}", "submission": cast(ARRIVALS.c.id, String)}
    connection.execute(update(ARRIVALS).where(ARRIVALS.c.worker == worker).values(**ids))
    connection.execute(delete(ANSWERS).where(ANSWERS.c.worker == worker))
    connection.execute(delete(SEATS).where(SEATS.c.worker == worker))
    forget(connection, worker)
    connection.execute(update(PAYMENTS).where(PAYMENTS.c.worker == worker).values(reason=""))
    _clear_payment_files(connection, worker)
    rooms = _rooms_of(connection, worker) if level is Level.REMOVE else ()
    _remove_rooms(connection, rooms)
    return Erasure(worker, level, rooms)


def _clear_payment_files(connection: Connection, worker: int) -> None:
    """Take names and ids of a worker out of kept payment files; a line is a row of the ledger."""
    theirs = PAYMENTS.c.worker == worker, PAYMENTS.c.batch.is_not(None)
    for batch in connection.execute(select(PAYMENTS.c.batch).where(*theirs).distinct()).scalars():
        lines = select(PAYMENTS.c.worker).where(PAYMENTS.c.batch == batch).order_by(PAYMENTS.c.id)
        body = batch_file(connection, batch) or ""
        for line, paid in enumerate(connection.execute(lines).scalars()):
            if paid == worker:
                body = without_person(body, line, f"{ERASED} {worker}")
        fill_batch(connection, batch, body)


def _clear_earlier(connection: Connection) -> None:
    """Clear payment files of people erased by versions that left them as they were."""
    names = select(WORKERS.c.id, WORKERS.c.name).where(WORKERS.c.name.startswith(f"{ERASED} "))
    for row in connection.execute(names).all():
        if row.name == f"{ERASED} {row.id}":
            _clear_payment_files(connection, row.id)


def _rooms_of(connection: Connection, worker: int) -> tuple[int, ...]:
    credited = select(CREDITS.c.room).where(CREDITS.c.worker == worker)
    seated = select(ROOMS.c.id).where((ROOMS.c.user == worker) | (ROOMS.c.wizard == worker))
    return tuple(sorted(connection.execute(credited.union(seated)).scalars()))


def _remove_rooms(connection: Connection, rooms: Iterable[int]) -> None:
    """Delete dialogues; their goals go back to the pool, credits of both sides stay."""
    for room in rooms:
        for table in (EVENTS, EXPORT_RECORDS, OPINIONS, SEATS, CLAIMS):
            connection.execute(delete(table).where(table.c.room == room))
        freed = update(GOALS).where(GOALS.c.room == room)
        connection.execute(freed.values(state=POOL, room=None))
        connection.execute(delete(ROOMS).where(ROOMS.c.id == room))


def compact(url: URL) -> None:
    """Overwrite what a closed SQLite store keeps of deleted rows, in its file and its log."""
    if is_shared(url):
        return
    with closing(sqlite3.connect(sqlite_file(url))) as connection:
        connection.execute("PRAGMA secure_delete=ON")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def erasures_file(store: Path) -> Path:
    """Where the erasures of an SQLite store are kept."""
    return store.with_name(f"{store.name}{ENDING}")


def _remember(place: Path, done: Erasure) -> None:
    known = read_erasures(place) if place.exists() else []
    with writing(place) as file:
        file.writelines(json.dumps(asdict(each)) + "\n" for each in (*known, done))


def known_erasures(url: URL, given: Path | None) -> list[Erasure]:
    """The erasures of a given file, else of the one beside the store; none if there is no file."""
    if given is not None:
        return read_erasures(given)
    beside = None if is_shared(url) else erasures_file(sqlite_file(url))
    return read_erasures(beside) if beside and beside.exists() else []


def read_erasures(place: Path) -> list[Erasure]:
    """The erasures of a file; raises FileProblem if it is not one."""
    try:
        return [
            Erasure(int(value["worker"]), Level(value["level"]), tuple(value["rooms"]))
            for _, value in json_lines(place)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise FileProblem(
            f"{place}: not a file of erasures ({error})", remedy="Put the right one in its place."
        ) from error


def lists_nearby(url: URL, backup: Path) -> list[Path]:
    """Files of erasures in the folders of a store and of a backup."""
    folders = {backup.absolute().parent}
    if not is_shared(url):
        folders.add(sqlite_file(url).parent)
    found = {each for folder in folders for each in folder.glob(f"*{ENDING}")}
    return sorted(found)


def erase_again(connection: Connection, erasures: Iterable[Erasure]) -> int:
    """Apply earlier erasures to what was restored; returns the number of people."""
    known = list(erasures)
    people = {each.worker for each in known}
    removed = {each.worker for each in known if each.level is Level.REMOVE}
    for worker in sorted(people):
        if find_worker(connection, worker) is not None:
            _erase(connection, worker, Level.REMOVE if worker in removed else Level.SEVER)
    return len(people)
