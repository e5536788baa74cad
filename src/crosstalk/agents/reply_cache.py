"""Replies of endpoints, kept by the content of the request: a rerun is byte-identical and free.

    cache = ReplyCache(Path("run/replies.sqlite"), mode="auto")
    key = request_key(base, body, session="session 3:1:0")
    stored = cache.find(key)

Only complete answers are stored, for a broken one would be replayed for ever. Keys hold no header,
so that no secret comes near the file.
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from crosstalk.errors import InputError, UnusableAgent
from crosstalk.files import cannot_write

REPLIES: Final = "replies.sqlite"
"""Name of the file in a run folder: a resumed run does not ask again."""
PROTOCOL: Final = 1
"""Changes when requests of the same content would be sent differently."""
OFF, RECORD, REPLAY, AUTO = "off", "record", "replay", "auto"
MODES: Final = (AUTO, RECORD, REPLAY, OFF)
SCHEMA: Final = """
create table if not exists replies (
    key text primary key, body text not null, seconds real not null, fresh integer not null
)
"""


def request_key(base: str, body: dict[str, Any], session: str) -> str:
    """SHA-256 of everything that decides about the reply: address, body, session, protocol."""
    what = {"base": plain_url(base), "body": body, "session": session, "protocol": PROTOCOL}
    text = json.dumps(what, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plain_url(url: str) -> str:
    """An address without user, password and query, any of which may be a secret."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One answer of an endpoint."""

    body: dict[str, Any]
    seconds: float
    """How long the endpoint took, retries and waits not counted."""
    fresh: bool = True
    """Whether it was asked for in this run; False: copied from an earlier one."""


class ReplyCache:
    """A file of replies; several threads and processes may use it at the same time."""

    def __init__(self, path: Path | None, *, mode: str = AUTO, shared: Path | None = None) -> None:
        """`path`: the run's own file; `shared`: one that many runs share, asked second."""
        if mode not in MODES:
            raise InputError(
                f"there is no cache mode {mode!r}", remedy=f"Known: {', '.join(MODES)}."
            )
        self.mode = mode
        self._files = [each for each in (path, shared) if each is not None and mode != OFF]
        self._local = threading.local()

    def find(self, key: str) -> StoredReply | None:
        """The reply to a request, from the run itself or from an earlier one."""
        if self.mode == RECORD:
            return self._read(0, key) if self._files else None
        for number in range(len(self._files)):
            if found := self._read(number, key):
                if number:
                    found = StoredReply(found.body, found.seconds, fresh=False)
                    self._write(0, key, found)
                return found
        if self.mode == REPLAY:
            raise UnusableAgent(
                "a reply is missing in the cache, and --cache-mode replay sends no request",
                remedy="Run with --cache-mode auto, or give the folder that holds the replies.",
            )
        return None

    def store(self, key: str, reply: StoredReply) -> None:
        for number in range(len(self._files)):
            self._write(number, key, reply)

    def replies(self) -> Iterator[tuple[str, StoredReply]]:
        """Everything in the run's own file."""
        if not self._files or not self._files[0].exists():
            return
        query = "select key, body, seconds, fresh from replies order by rowid"
        for key, body, seconds, fresh in self._connection(0).execute(query):
            yield key, StoredReply(json.loads(body), seconds, bool(fresh))

    def _read(self, number: int, key: str) -> StoredReply | None:
        if not self._files[number].exists():  # nothing is written before there is a reply
            return None
        query = "select body, seconds, fresh from replies where key = ?"
        row = self._connection(number).execute(query, (key,)).fetchone()
        return StoredReply(json.loads(row[0]), row[1], bool(row[2])) if row else None

    def _write(self, number: int, key: str, reply: StoredReply) -> None:
        body = json.dumps(reply.body, ensure_ascii=False)
        connection = self._connection(number)
        with connection:
            connection.execute(
                "insert or ignore into replies values (?, ?, ?, ?)",
                (key, body, reply.seconds, int(reply.fresh)),
            )

    def _connection(self, number: int) -> sqlite3.Connection:
        """One connection a thread: SQLite shares files between them, not connections."""
        opened: dict[int, sqlite3.Connection] = self._local.__dict__.setdefault("opened", {})
        if number not in opened:
            path = self._files[number]
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                opened[number] = sqlite3.connect(path, timeout=60)
                opened[number].execute(SCHEMA)
            except (OSError, sqlite3.Error) as error:
                raise cannot_write(path, OSError(0, str(error))) from error
        return opened[number]
