"""Whether a site works: its store is written and read back every second.

health = Health(store)
await health.watch()        # forever, while the server runs
health.problem()            # "" while the last round trip is fresh
"""

import asyncio
import secrets
import time
from functools import partial
from typing import Final

from sqlalchemy import Connection, select

from crosstalk.errors import CrosstalkError
from crosstalk.web.store.attendance import beat, forget_servers
from crosstalk.web.store.sql_tables import SERVERS
from crosstalk.web.store.sqlite_files import StoreMoved
from crosstalk.web.store.store import Store

EVERY: Final = 1.0
"""Seconds between two round trips."""
FRESH: Final = 4.0
"""Seconds for which a round trip proves something; one that hangs proves nothing."""
DAY: Final = 86400.0


class Health:
    """The last round trip of a server to its store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._id = f"probe {secrets.token_hex(8)}"
        self._good_at: float | None = None
        self._said = "the store has not been written yet"
        self._public = ""

    async def watch(self) -> None:
        while True:
            await self.probe()
            await asyncio.sleep(EVERY)

    async def probe(self) -> None:
        now = time.time()
        try:
            await asyncio.wrap_future(self.store.write(partial(self._write, now=now)))
            read = await asyncio.to_thread(self.store.read, self._read)
        except CrosstalkError as error:
            self._said = " ".join(str(error).split("\n"))
            self._public = error.public if isinstance(error, StoreMoved) else ""
            self._good_at = None
            return
        self._public = ""
        self._good_at, self._said = (time.monotonic(), "") if read == now else (None, "not read")

    def _write(self, connection: Connection, now: float) -> None:
        beat(connection, self._id, now)
        forget_servers(connection, now - DAY)

    def _read(self, connection: Connection) -> float | None:
        wanted = select(SERVERS.c.seen).where(SERVERS.c.id == self._id)
        return connection.execute(wanted).scalar_one_or_none()

    @property
    def age(self) -> float | None:
        """Seconds since the last round trip; None if the last attempt failed."""
        return None if self._good_at is None else time.monotonic() - self._good_at

    @property
    def public_problem(self) -> str:
        """What anybody may know about what is wrong."""
        return self._public or "the store does not answer; the log says why"

    def problem(self) -> str:
        """What is wrong; empty if the site is ready."""
        age = self.age
        if age is None:
            return self._said
        return "" if age <= FRESH else f"the store has not answered for {age:.0f} s"
