"""A store that is open: one writer, many readers."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.engine import URL

from crosstalk.web.store.connection import hold, is_shared, make_ready, open_reader, open_writer
from crosstalk.web.store.writer import Job, Writer

T = TypeVar("T")


class Store:
    """Everything that is kept; safe to use from any thread."""

    def __init__(self, url: URL, *, create: bool = True, alone: bool = True) -> None:
        """`alone`: as a server, of which an SQLite file has one; tools look on beside it."""
        self.url = url
        self.shared = is_shared(url)
        self._held = hold(url) if alone else None
        try:
            make_ready(url, create=create)
        except BaseException:
            self._let_go()
            raise
        self._reader = open_reader(url)
        self.writer = Writer(open_writer(url))

    def write(
        self, job: Job[T], after: Callable[[T], None] | None = None, *, tidy: bool = False
    ) -> "Future[T]":
        """Done and durable when the future is; a `tidy` job refuses before it writes."""
        return self.writer.submit(job, after, tidy=tidy)

    def read(self, question: Callable[[Connection], T]) -> T:
        with self._reader.connect() as connection, connection.begin():
            return question(connection)

    def close(self) -> None:
        self.writer.close()
        self._reader.dispose()
        self._let_go()

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
