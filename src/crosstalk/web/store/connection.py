"""Opening a store: which database, how it is spoken to, its tables brought up to date."""

import fcntl
import os
import sqlite3
from pathlib import Path
from typing import IO, Any, Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from crosstalk.errors import FileProblem, InputError, OutputError
from crosstalk.files import cannot_write

MIGRATIONS: Final = "crosstalk.web.store:migrations"
LOCK: Final = 0x63726F7373
"""The advisory lock by which servers on one PostgreSQL take turns to write."""
KNOWN: Final = "Give a file, sqlite:///FILE or postgresql://USER:PASSWORD@HOST/DATABASE."


def store_url(given: str) -> URL:
    """The address of a store; a bare path is an SQLite file."""
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
    """Every transaction is the only one that writes, and its commit is on the disk."""
    if is_shared(url):
        engine = _postgres(url, poolclass=NullPool)
        event.listen(engine, "begin", _take_turn)
        return engine
    engine = create_engine(url, poolclass=NullPool, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _careful_sqlite)
    event.listen(engine, "begin", _begin_immediate)
    return engine


def open_reader(url: URL) -> Engine:
    if is_shared(url):
        return _postgres(url, pool_size=4, max_overflow=4, pool_pre_ping=True)
    engine = create_engine(url, pool_size=4, connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _reading_sqlite)
    event.listen(engine, "begin", _begin_reading)
    return engine


def _postgres(url: URL, **options: Any) -> Engine:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise InputError(
            "stores on PostgreSQL need psycopg, which is not installed",
            remedy="Install it with `pip install 'crosstalk-dialogue[postgres]'`.",
        ) from None
    return create_engine(url, isolation_level="READ COMMITTED", **options)


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


def _begin_reading(connection: Connection) -> None:
    """All questions of a transaction are answered as of one moment."""
    connection.exec_driver_sql("BEGIN")


def _begin_immediate(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _take_turn(connection: Connection) -> None:
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")


def make_ready(url: URL, *, create: bool = True) -> None:
    """The tables as this version wants them; what is wrong is said in words."""
    if not is_shared(url):
        _refuse_unfit_file(sqlite_file(url), create=create)
    writer = open_writer(url)
    try:
        with writer.begin() as connection:
            migrate(connection)
    except DBAPIError as error:
        raise _in_words(url, error) from error
    finally:
        writer.dispose()


def migrate(connection: Connection, version: str = "head") -> None:
    config = Config()
    config.set_main_option("script_location", MIGRATIONS)
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in {each.revision for each in scripts.walk_revisions()}:
        raise InputError(
            f"the store was made by a newer version of Crosstalk (its tables are {current})",
            remedy="Install that version or a later one; nothing was changed.",
        )
    command.upgrade(config, version)


def _refuse_unfit_file(path: Path, *, create: bool) -> None:
    if not path.exists():
        if not create:
            raise FileProblem(f"{path}: no such store", remedy="Check the path given to --store.")
        _make_private(path)
    if path.is_dir():
        raise FileProblem(f"{path} is a directory", remedy="Give the name of a file in it.")
    with path.open("rb") as file:
        if file.read(16) not in (b"", b"SQLite format 3\0"):
            raise FileProblem(
                f"{path}: not a store", remedy="Choose another file; it was left alone."
            )


def _make_private(path: Path) -> None:
    """A new file that only its owner can read: it holds names and password digests."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise cannot_write(path, error) from error


def _in_words(url: URL, error: DBAPIError) -> InputError:
    where = url.render_as_string(hide_password=True)
    said = " ".join(str(error.orig).split())
    return InputError(f"{where}: cannot be opened: {said}", remedy=KNOWN)


def hold(url: URL) -> IO[str] | None:
    """The one server of an SQLite file keeps this open; a second one is refused."""
    if is_shared(url):
        return None
    path = sqlite_file(url).with_name(sqlite_file(url).name + ".lock")
    try:
        held = path.open("w")
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise OutputError(
            f"{sqlite_file(url)}: another server is using this store",
            remedy="Stop it first, or give a store on PostgreSQL, which several servers can share.",
        ) from None
    return held
