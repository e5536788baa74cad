"""Backups: all rows as JSON Lines, between SQLite and PostgreSQL in either direction.

The first line is a header, the last one the number of rows, so that a truncated file is noticed.
Presence, sessions and other transient tables are left out.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Table, func, insert, inspect, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from crosstalk import __version__
from crosstalk.collection.rooms import replay
from crosstalk.corpora.json_stream import json_lines
from crosstalk.errors import CrosstalkError, FileProblem, InputError, OutputError
from crosstalk.files import open_binary, writing_binary, writing_packed
from crosstalk.web.store.erasure import Erasure, erase_again
from crosstalk.web.store.room_store import load
from crosstalk.web.store.sql_tables import EVENTS, METADATA, PASSING, ROOMS, WORKERS
from crosstalk.web.store.sqlite_files import DAMAGED, MAGIC
from crosstalk.web.store.still_reading import still, still_sqlite
from crosstalk.web.store.store import Store, sqlite_file, store_url

FORMAT: Final = 1
KEPT: Final = tuple(table for table in METADATA.sorted_tables if table not in PASSING)
BATCH: Final = 500


def write_backup(url: URL, path: Path) -> int:
    """Write a consistent snapshot while the site runs; returns the number of rows.

    Nothing is written to the store. Raises FileProblem if it is damaged.
    """
    with still(url) as connection, writing_packed(path) as file:
        _check(connection, url.render_as_string(hide_password=True))
        file.write(_line({"crosstalk": "collection", "format": FORMAT, "version": __version__}))
        count, digest = 0, hashlib.sha256()
        for table, row in _rows(connection):
            line = _line({"table": table, "row": row})
            digest.update(line.encode())
            file.write(line)
            count += 1
        file.write(_line({"rows": count, "sha256": digest.hexdigest()}))
    return count


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _rows(connection: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """All rows to keep; a store of an earlier version may lack tables and columns."""
    found = inspect(connection)
    there = set(found.get_table_names())
    for table in KEPT:
        if table.name not in there:
            continue
        names = {column["name"] for column in found.get_columns(table.name)}
        rows = connection.execution_options(yield_per=BATCH).execute(
            select(*(column for column in table.columns if column.name in names)).order_by(
                *table.primary_key
            )
        )
        for row in rows.mappings():
            yield table.name, dict(row)


def copy_sqlite(url: URL, path: Path) -> None:
    """Copy the file with SQLite's online backup, which writes nothing to it."""
    with still_sqlite(sqlite_file(url)) as source, writing_binary(path) as file:
        target = sqlite3.connect(file.name)
        try:
            source.backup(target)
        finally:
            target.close()


def is_sqlite(path: Path) -> bool:
    with open_binary(path) as file:
        return file.read(16) == MAGIC


def refuse_damaged_backup(path: Path) -> None:
    """Raise FileProblem unless the file is a whole backup; reads all of it."""
    for _ in _rows_of_file(path) if is_sqlite(path) else _rows_of_lines(path):
        pass


def restore(store: Store, path: Path, erasures: Iterable[Erasure] = ()) -> int:
    """Fill an empty store, completely or not at all; every room is replayed as a check.

    People who were erased since the backup are erased in the same transaction.
    """
    rows = _rows_of_file(path) if is_sqlite(path) else _rows_of_lines(path)

    def job(connection: Connection) -> int:
        _refuse_full(connection, store)
        count = _insert(connection, rows, path)
        _check(connection, str(path))
        erase_again(connection, erasures)
        if store.shared:
            _continue_numbers(connection)
        return count

    return store.write(job).result()


def _rows_of_file(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with still(store_url(str(path))) as connection:
        yield from _rows(connection)


def _rows_of_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = (value for _, value in json_lines(path))
    match next(lines, None):
        case {"crosstalk": "collection", "format": int(number)} if number <= FORMAT:
            pass
        case {"crosstalk": "collection"}:
            raise InputError(
                f"{path}: written by a newer version of Crosstalk", remedy="Install that one."
            )
        case _:
            raise FileProblem(f"{path}: not a backup of a collection", remedy="Check the path.")
    count, digest = 0, hashlib.sha256()
    for value in lines:
        match value:
            case {"table": str(table), "row": dict(row)}:
                count += 1
                digest.update(_line(value).encode())
                yield table, row
            case {"rows": int(whole), **rest} if whole == count:
                if rest.get("sha256", digest.hexdigest()) == digest.hexdigest():
                    return  # earlier versions wrote no digest
                break
            case _:
                break
    raise FileProblem(
        f"{path}: the backup is damaged, or ends after {count:,} rows",
        remedy="Take another copy of it; nothing was changed.",
    )


def _refuse_full(connection: Connection, store: Store) -> None:
    for table in (WORKERS, ROOMS):
        if connection.execute(select(func.count()).select_from(table)).scalar_one():
            where = store.url.render_as_string(hide_password=True)
            raise OutputError(
                f"{where} holds something already; nothing was changed",
                remedy="Restore into a store that does not exist yet, or is empty.",
            )


def _insert(connection: Connection, rows: Iterable[tuple[str, dict[str, Any]]], path: Path) -> int:
    tables = {table.name: table for table in KEPT}
    for table in reversed(KEPT):
        connection.execute(table.delete())
    count, waiting, current = 0, list[dict[str, Any]](), KEPT[0]
    for name, row in rows:
        table = tables.get(name)
        if table is None or set(row) - set(table.columns.keys()):
            raise FileProblem(f"{path}: a row of {name!r} is not what this version knows")
        if table is not current or len(waiting) >= BATCH:
            _flush(connection, current, waiting, path)
            current, waiting = table, []
        waiting.append(row)
        count += 1
    _flush(connection, current, waiting, path)
    return count


def _flush(connection: Connection, table: Table, rows: list[dict[str, Any]], path: Path) -> None:
    if not rows:
        return
    try:
        connection.execute(insert(table), rows)
    except DBAPIError as error:
        raise FileProblem(
            f"{path}: rows of {table.name} do not fit: {error.orig}",
            remedy="Take another copy of the backup; nothing was changed.",
        ) from error


def _check(connection: Connection, where: str) -> None:
    """Raise FileProblem unless the events of every room are complete and match its row."""
    if ROOMS.name not in inspect(connection).get_table_names():
        return  # nothing has been collected in such an early store
    for row in connection.execute(select(ROOMS.c.id, ROOMS.c.seq, ROOMS.c.turns)).all():
        try:
            log = load(connection, row.id)
            whole = log is not None and log.room == replay(log.events)
        except (ValueError, LookupError, TypeError, CrosstalkError) as error:
            raise FileProblem(
                f"{where}: the store is damaged: room {row.id} cannot be replayed: {error}",
                remedy=DAMAGED,
            ) from error
        seen = (log.room.seq, len(log.room.conversation.turns)) if log else (0, 0)
        numbers = [event.seq for event in log.events] if log else []
        whole = whole and numbers == list(range(1, len(numbers) + 1))
        if not whole or seen != (row.seq, row.turns):
            raise FileProblem(
                f"{where}: the store is damaged: events of room {row.id} are missing",
                remedy=DAMAGED,
            )


def _continue_numbers(connection: Connection) -> None:
    """Set PostgreSQL's sequences to continue after the restored rows."""
    for table in KEPT:
        column = table.autoincrement_column
        if column is None or table is EVENTS:
            continue
        last = connection.execute(select(func.max(column))).scalar()
        if last is not None:
            sequence = f"{table.name}_{column.name}_seq"
            connection.execute(
                text("SELECT setval(:name, :last)"), {"name": sequence, "last": last}
            )
