"""The file of a store on SQLite: whether it can be one, whether it is whole, and whose it is.

file = StoreFile(path)          # held by one server, found by inode, whatever its name
file.check()                    # StoreMoved once it is deleted or replaced
"""

import contextlib
import fcntl
import os
import sqlite3
from pathlib import Path
from typing import Final
from urllib.parse import quote

from crosstalk.errors import CrosstalkError, FileProblem, OutputError
from crosstalk.files import cannot_write

MAGIC: Final = b"SQLite format 3\0"
SIDE_FILES: Final = ("-wal", "-shm", "-journal")
DAMAGED: Final = (
    "Stop the site and restore the newest backup: `crosstalk collect restore BACKUP --store NEW`. "
    "Keep this file and those beside it; nothing was changed."
)


class StoreUnavailable(CrosstalkError):
    """The store could not be read or written; nothing was recorded."""


class StoreMoved(StoreUnavailable):
    """The file was deleted, or another one has its name; `public` says so without its path."""

    def __init__(self, message: str, *, public: str, remedy: str) -> None:
        super().__init__(message, remedy=remedy)
        self.public = f"{public}. {remedy}"


def connect(path: Path, *, mode: str = "rw") -> sqlite3.Connection:
    """A connection that never creates the file: `rw`, `ro`, or `ro&immutable=1`."""
    address = f"file:{quote(str(path))}?mode={mode}"
    return sqlite3.connect(address, uri=True, check_same_thread=False)


def refuse_unfit(path: Path, *, create: bool) -> tuple[Path, ...]:
    """Raise FileProblem unless the file can be a store; returns what had to be made for it."""
    made: tuple[Path, ...] = ()
    if not path.exists():
        if not create:
            raise FileProblem(f"{path}: no such store", remedy="Check the path given to --store.")
        made = (path, *(folder for folder in path.parents if not folder.exists()))
        _make_private(path)
    if not path.is_file():
        kind = "is a directory" if path.is_dir() else "is no plain file"
        raise FileProblem(f"{path} {kind}", remedy="Give the name of a file.")
    with path.open("rb") as file:
        if file.read(16) not in (b"", MAGIC):
            raise FileProblem(
                f"{path}: not a store", remedy="Choose another file; it was left alone."
            )
    return made


def _make_private(path: Path) -> None:
    """A new file that only its owner can read: it holds names and password digests."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise cannot_write(path, error) from error


def refuse_damaged(path: Path, *, wholly: bool = False) -> None:
    """Raise FileProblem if pages are damaged; `wholly` also compares indexes, which takes longer.

    SQLite keeps no checksums: a change inside of a text is found by replaying rooms, or not at all.
    """
    logged = path.with_name(path.name + "-wal").exists()
    mode = "ro" if logged else "ro&immutable=1"  # which makes no files beside it
    try:
        connection = connect(path, mode=mode)
        try:
            refuse_damaged_pages(connection, path, wholly=wholly)
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError) or "malformed" in str(error):
            raise damaged(path, str(error)) from error
        raise FileProblem(f"{path}: cannot be opened: {error}") from error


def refuse_damaged_pages(connection: sqlite3.Connection, path: Path, *, wholly: bool) -> None:
    said = connection.execute(
        "PRAGMA integrity_check(1)" if wholly else "PRAGMA quick_check(1)"
    ).fetchone()[0]
    if said != "ok":
        raise damaged(path, " ".join(said.split()))


def damaged(path: Path, what: str) -> FileProblem:
    return FileProblem(f"{path}: the store is damaged: {what}", remedy=DAMAGED)


def remove(path: Path | None = None, *folders: Path) -> None:
    """Remove a store, what SQLite keeps beside it, and folders that were made for it."""
    if path is None:
        return
    for name in (path, *(path.with_name(path.name + end) for end in SIDE_FILES)):
        name.unlink(missing_ok=True)
    for folder in folders:
        with contextlib.suppress(OSError):  # somebody else has put something there
            folder.rmdir()


class StoreFile:
    """The file that a process works on, as an open descriptor.

    The lock (`flock`) is on the file itself, so that a link or another name is no way around it.
    The descriptor stays open as long as there are connections: closing it would drop SQLite's own
    locks of this process.
    """

    def __init__(self, path: Path, *, alone: bool) -> None:
        """`alone`: lock it for one server; raises OutputError if another one holds it."""
        self.path = path
        try:
            self._held = os.open(path, os.O_RDWR)
        except OSError as error:
            raise cannot_write(path, error) from error
        self._inode = self._id(os.fstat(self._held))
        if alone:
            self._lock()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._held)
            raise OutputError(
                f"{self.path}: another server is using this store",
                remedy="Stop it first, or give a store on PostgreSQL, which several servers can "
                "share.",
            ) from None

    @staticmethod
    def _id(status: os.stat_result) -> tuple[int, int]:
        return status.st_dev, status.st_ino

    def check(self) -> None:
        """Raise StoreMoved unless the file still has its name.

        What is written to a deleted file is lost, and another file is another store.
        """
        try:
            here = self._id(self.path.stat())
        except OSError as error:
            raise StoreMoved(
                f"{self.path}: the store is gone ({error.strerror})",
                public="the store's file is gone",
                remedy=PUT_BACK,
            ) from error
        if here != self._inode:
            raise StoreMoved(
                f"{self.path}: another file has its name",
                public="another file has the store's name, and is left alone",
                remedy=SERVE_OTHER,
            )

    def close(self) -> None:
        held, self._held = self._held, -1
        if held >= 0:
            os.close(held)


SERVE_OTHER: Final = "Restart the site to serve that file, or put the former one back."
PUT_BACK: Final = "Put it back where it was, or stop the site and restore a backup."
