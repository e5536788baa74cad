"""The store: an SQLite file or a PostgreSQL database, with many readers and one writer.

    store = Store(store_url("talk.db"))
    store.write(lambda connection: ...).result()

Jobs are answered after their commit. Group commit makes durable writing fast: a disk syncs a few
hundred times a second, and each sync covers all jobs that were waiting.
"""

import logging
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.pool import NullPool

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.web.store.sql_tables import METADATA
from crosstalk.web.store.sqlite_files import (
    StoreFile,
    StoreMoved,
    StoreUnavailable,
    connect,
    damaged,
    refuse_damaged,
    refuse_unfit,
    remove,
)

MIGRATIONS: Final = "crosstalk.web.store:migrations"
LOCK: Final = 0x63726F7373
"""Advisory lock that lets only one server on a PostgreSQL database write at a time."""
CONNECTING: Final = 5
"""Seconds to wait for PostgreSQL to accept a connection."""
KNOWN: Final = "Give a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."


def store_url(given: str) -> URL:
    """The URL of a store; a bare path is an SQLite file."""
    if "://" not in given:
        return URL.create("sqlite", database=str(Path(given).absolute()))
    try:
        url = make_url(given)
    except (ArgumentError, ValueError) as error:
        raise InputError(f"{given!r} is no address of a store", remedy=KNOWN) from error
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database:
        return URL.create("sqlite", database=str(Path(url.database).absolute()))
    if backend == "postgresql" or url.drivername == "postgres":
        return url.set(drivername="postgresql+psycopg")
    raise InputError(f"stores of the kind {url.drivername!r} are not supported", remedy=KNOWN)


def is_shared(url: URL) -> bool:
    """Whether several servers may use the store at once."""
    return url.get_backend_name() == "postgresql"


def sqlite_file(url: URL) -> Path:
    assert url.database is not None
    return Path(url.database)


def open_writer(url: URL) -> Engine:
    """An engine whose transactions exclude other writers and whose commits are durable."""
    if is_shared(url):
        engine = _postgres(url, poolclass=NullPool)
        event.listen(engine, "begin", _take_turn)
        return engine
    engine = create_engine(url, poolclass=NullPool, creator=partial(connect, sqlite_file(url)))
    event.listen(engine, "connect", _careful_sqlite)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def open_reader(url: URL) -> Engine:
    if is_shared(url):
        return _postgres(url, pool_size=4, max_overflow=4, pool_pre_ping=True)
    engine = create_engine(url, pool_size=4, creator=partial(connect, sqlite_file(url)))
    event.listen(engine, "connect", _reading_sqlite)
    event.listen(engine, "begin", begin_reading)
    return engine


def _postgres(url: URL, **options: Any) -> Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise InputError(
            "stores on PostgreSQL need psycopg, which is not installed",
            remedy="Install it with `pip install 'crosstalk-dialogue[postgres]'`.",
        ) from None
    patience = {"connect_timeout": CONNECTING}
    return create_engine(url, isolation_level="READ COMMITTED", connect_args=patience, **options)


def _careful_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=10000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _reading_sqlite(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout=10000")
    connection.execute("PRAGMA query_only=ON")


def begin_reading(connection: Connection) -> None:
    """All reads of a transaction see one snapshot."""
    connection.exec_driver_sql("BEGIN")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _take_turn(connection: Connection) -> None:
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")


def make_ready(url: URL) -> bool:
    """Create or migrate the tables; returns whether there were none.

    Raises InputError if the store cannot be used.
    """
    writer = open_writer(url)
    try:
        with writer.begin() as connection:
            before = MigrationContext.configure(connection).get_current_revision()
            migrate(connection)
            return before is None
    except DBAPIError as error:
        raise cannot_open(url, error) from error
    finally:
        writer.dispose()


def migrate(connection: Connection, version: str = "head") -> None:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    refuse_newer(MigrationContext.configure(connection).get_current_revision())
    command.upgrade(config, version)


def refuse_newer(version: str | None) -> None:
    """Raise InputError if the tables are of a version that is not known here."""
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    scripts = ScriptDirectory.from_config(config)
    if version is not None and version not in {each.revision for each in scripts.walk_revisions()}:
        raise InputError(
            f"the store was made by a newer version of Crosstalk (its tables are {version})",
            remedy="Install that version or a later one; nothing was changed.",
        )


def cannot_open(url: URL, error: DBAPIError) -> InputError:
    if not is_shared(url) and not isinstance(error, OperationalError):
        return damaged(sqlite_file(url), str(error.orig))
    where = url.render_as_string(hide_password=True)
    said = " ".join(str(error.orig).split())
    return InputError(f"{where}: cannot be opened: {said}", remedy=KNOWN)


log = logging.getLogger(__name__)
T = TypeVar("T")
Job = Callable[[Connection], T]
JOBS_KEY: Final = "batch"
"""Key in a connection's `info`: rooms changed by earlier jobs of the same transaction."""
MOST_JOBS: Final = 256
"""Maximum number of jobs in one transaction."""


@dataclass(slots=True)
class _QueuedJob:
    job: Job[Any]
    future: Future[Any]
    after: Callable[[Any], None] | None
    """Called in the writer's thread when the job's commit is durable, before the next batch."""
    tidy: bool
    """Raises, if at all, before it has written anything; needs no savepoint."""


class Writer:
    """A thread that owns the only writing connection."""

    def __init__(self, engine: Engine, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called before each transaction; raises StoreUnavailable if there is none."""
        self._engine = engine
        self._check = check
        self._failing = ""
        self._queue: queue.SimpleQueue[_QueuedJob | None] = queue.SimpleQueue()
        self._connection: Connection | None = None
        self.deliver: Callable[[Callable[[], None]], None] = lambda tell: tell()
        """How results of a commit are delivered; an event loop is woken once for all of them."""
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(
        self, job: Job[T], after: Callable[[T], None] | None = None, *, tidy: bool = False
    ) -> "Future[T]":
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # a submitted job cannot be cancelled
        self._queue.put(_QueuedJob(job, future, after, tidy))
        return future

    @property
    def waiting(self) -> int:
        """Number of jobs that wait."""
        return self._queue.qsize()

    def close(self) -> None:
        """Write all submitted jobs, then end the thread."""
        self._queue.put(None)
        self._thread.join()
        self._drop()
        self._engine.dispose()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._write(batch)

    def _next(self) -> list[_QueuedJob] | None:
        """All waiting jobs, up to MOST_JOBS; None after `close`."""
        first = self._queue.get()
        if first is None:
            return None
        batch = [first]
        while len(batch) < MOST_JOBS:
            try:
                work = self._queue.get_nowait()
            except queue.Empty:
                break
            if work is None:
                self._queue.put(None)
                break
            batch.append(work)
        return batch

    def _write(self, batch: list[_QueuedJob]) -> None:
        done: list[tuple[_QueuedJob, Any]] = []
        failed: list[tuple[_QueuedJob, CrosstalkError]] = []
        try:
            self._check()
            connection = self._connected()
            connection.info[JOBS_KEY] = {}
            with connection.begin():
                for work in batch:
                    try:
                        with nullcontext() if work.tidy else connection.begin_nested():
                            done.append((work, work.job(connection)))
                    except CrosstalkError as error:
                        failed.append((work, error))
        # Catches everything: drivers and jobs may raise anything, and every caller of the batch
        # waits for its future.
        except Exception as error:
            self._drop()
            self._give_up(batch, error)
            return
        self._failing = ""
        for work, result in done:
            self._follow_up(work, result)  # before the next batch, which builds on it
        self.deliver(partial(self._tell, done, failed))

    def _tell(
        self, done: list[tuple[_QueuedJob, Any]], failed: list[tuple[_QueuedJob, CrosstalkError]]
    ) -> None:
        for work, result in done:
            work.future.set_result(result)
        for work, refusal in failed:
            work.future.set_exception(refusal)

    def _follow_up(self, work: _QueuedJob, result: Any) -> None:
        """Call a job's `after`; its errors are logged, since the job itself is durable."""
        try:
            if work.after:
                work.after(result)
        except Exception:  # catches everything: the writer's thread must survive
            log.exception("what was written could not be kept at hand")

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _drop(self) -> None:
        """Discard a failed connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    def _give_up(self, batch: list[_QueuedJob], error: Exception) -> None:
        """Retry the jobs of a failed batch one by one, so that one bad job fails alone."""
        if len(batch) > 1:
            for work in batch:
                self._write([work])
            return
        said = " ".join(str(error).split("\n")) if isinstance(error, CrosstalkError) else str(error)
        if said != self._failing:
            log.error("the store cannot be written: %s", said)
        self._failing = said
        if isinstance(error, StoreMoved):
            batch[0].future.set_exception(error)
            return
        problem = StoreUnavailable(f"the store could not record this: {said}")
        problem.__cause__ = error
        batch[0].future.set_exception(problem)


class Store:
    """An open store; safe to use from any thread."""

    def __init__(self, url: URL, *, create: bool = True, alone: bool = True) -> None:
        """`alone`: as the one server of an SQLite file; tools open it with False beside that."""
        self.url = url
        self.shared = is_shared(url)
        self._made: tuple[Path, ...] = ()
        """What was made just now: the file, and folders above it."""
        self._file = None if self.shared else self._open_file(sqlite_file(url), create, alone)
        try:
            self._empty = make_ready(url)
        except BaseException:  # also Ctrl-C: the lock is released, and the error goes on
            self._let_go()
            remove(*self._made)
            raise
        self._reader = open_reader(url)
        self.writer = Writer(open_writer(url), self.check)

    def _open_file(self, path: Path, create: bool, alone: bool) -> StoreFile:
        self._made = refuse_unfit(path, create=create)
        file = StoreFile(path, alone=alone)
        if alone and not self._made:
            try:
                refuse_damaged(path)
            except BaseException:
                file.close()
                raise
        return file

    @property
    def folder(self) -> Path | None:
        """The folder of an SQLite file."""
        return None if self.shared else sqlite_file(self.url).parent

    def check(self) -> None:
        """Raise StoreUnavailable if the file was deleted or replaced."""
        if self._file is not None:
            self._file.check()

    def write(
        self, job: Job[T], after: Callable[[T], None] | None = None, *, tidy: bool = False
    ) -> "Future[T]":
        """Run a job; durable when the future is done. A `tidy` job raises before it writes."""
        return self.writer.submit(job, after, tidy=tidy)

    def read(self, question: Callable[[Connection], T]) -> T:
        """The answer to a question; raises StoreUnavailable if the store cannot be read."""
        self.check()
        try:
            with self._reader.connect() as connection, connection.begin():
                return question(connection)
        except (DBAPIError, NoConnection) as error:
            raise StoreUnavailable(f"the store cannot be read: {error}") from error

    def close(self) -> None:
        self.writer.close()
        self._reader.dispose()
        self._let_go()

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()

    def take_back(self) -> None:
        """Close the store, and remove the file or the tables if they were made just now."""
        if self.shared and self._empty:
            self.write(_drop_tables).result()
        self.close()
        remove(*self._made)


def _drop_tables(connection: Connection) -> None:
    METADATA.drop_all(connection)
    connection.execute(text("DROP TABLE alembic_version"))
