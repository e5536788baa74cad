"""Reading a store without writing to it: one moment of it, checked, as backups need it.

    with still(store_url("talk.db")) as connection:
        ...

Nothing is migrated, and no file beside it is made or changed: a file that no server works on is
read as a copy, because SQLite would finish what a crash has left in its log.
"""

import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from crosstalk.web.store.sqlite_files import (
    connect,
    damaged,
    refuse_damaged_pages,
    refuse_unfit,
)
from crosstalk.web.store.store import (
    begin_reading,
    cannot_open,
    is_shared,
    open_reader,
    refuse_newer,
    sqlite_file,
)


@contextmanager
def still(url: URL) -> Iterator[Connection]:
    """One moment of a store; raises InputError if it is damaged, newer than us, or no store."""
    try:
        with _still_shared(url) if is_shared(url) else _still_file(sqlite_file(url)) as connection:
            refuse_newer(MigrationContext.configure(connection).get_current_revision())
            yield connection
    except DBAPIError as error:
        raise cannot_open(url, error) from error


@contextmanager
def _still_shared(url: URL) -> Iterator[Connection]:
    engine = open_reader(url)
    try:
        with engine.connect() as plain:
            connection = plain.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with connection.begin():
                yield connection
    finally:
        engine.dispose()


@contextmanager
def _still_file(path: Path) -> Iterator[Connection]:
    with still_sqlite(path) as source:
        source.isolation_level = None
        engine = create_engine("sqlite://", creator=lambda: source, poolclass=StaticPool)
        # Not before: what the engine asks of its first connection ends with a rollback.
        event.listen(engine, "begin", begin_reading)
        with engine.connect() as connection, connection.begin():
            yield connection


@contextmanager
def still_sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file of SQLite that was found to be whole."""
    refuse_unfit(path, create=False)
    with _unchanging(path) as (file, mode), closing(connect(file, mode=mode)) as source:
        try:
            source.execute("PRAGMA busy_timeout=10000")
            refuse_damaged_pages(source, path, wholly=True)
        except sqlite3.DatabaseError as error:
            raise damaged(path, str(error)) from error
        yield source


@contextmanager
def _unchanging(path: Path) -> Iterator[tuple[Path, str]]:
    """(file, mode) to open: the file itself while a server works on it, otherwise a copy."""
    held = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            yield path, "ro"
            return
        with tempfile.TemporaryDirectory(prefix="crosstalk-") as folder:
            copy = Path(folder) / path.name
            for end in ("", "-wal"):
                if (source := path.with_name(path.name + end)).exists():
                    shutil.copyfile(source, copy.with_name(copy.name + end))
            fcntl.flock(held, fcntl.LOCK_UN)
            yield copy, "rw"
    finally:
        os.close(held)
