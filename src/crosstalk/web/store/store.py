"""A store that is open: many readers, and one writer whose jobs are answered after the commit.

    store.write(lambda connection: ...).result()

Group commit is what makes durable writing quick: a disk syncs a few hundred times a second, and
every sync carries all jobs that were waiting.
"""

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import URL

from crosstalk.errors import CrosstalkError
from crosstalk.web.store.connection import hold, is_shared, make_ready, open_reader, open_writer

log = logging.getLogger(__name__)
T = TypeVar("T")
Job = Callable[[Connection], T]
BATCH: Final = "batch"
"""In a connection's `info`: what jobs of this transaction leave for later ones; gone with it."""
MOST_JOBS: Final = 256
"""Jobs in one transaction at most."""


class StoreUnavailable(CrosstalkError):
    """The store could not take it; nothing was recorded."""


@dataclass(slots=True)
class _QueuedJob:
    job: Job[Any]
    future: Future[Any]
    after: Callable[[Any], None] | None
    """Called in the writer's thread when the job's commit is durable, before the next batch."""
    tidy: bool
    """Refuses, if it does, before it has written anything, and so needs no savepoint."""


class Writer:
    """A thread that owns the only connection that writes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: queue.SimpleQueue[_QueuedJob | None] = queue.SimpleQueue()
        self._connection: Connection | None = None
        self.deliver: Callable[[Callable[[], None]], None] = lambda tell: tell()
        """How news of a commit is brought: an event loop is woken once for all of it."""
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(
        self, job: Job[T], after: Callable[[T], None] | None = None, *, tidy: bool = False
    ) -> "Future[T]":
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()  # what was handed in is done, wanted or not
        self._queue.put(_QueuedJob(job, future, after, tidy))
        return future

    def close(self) -> None:
        """Everything handed in so far is written, then the thread ends."""
        self._queue.put(None)
        self._thread.join()
        self._drop()
        self._engine.dispose()

    def _run(self) -> None:
        while (batch := self._next()) is not None:
            self._write(batch)

    def _next(self) -> list[_QueuedJob] | None:
        """All work that waits now; None when the writer was closed."""
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
            connection = self._connected()
            connection.info[BATCH] = {}
            with connection.begin():
                for work in batch:
                    try:
                        with nullcontext() if work.tidy else connection.begin_nested():
                            done.append((work, work.job(connection)))
                    except CrosstalkError as error:
                        failed.append((work, error))
        except Exception as error:  # of any kind: everybody in the batch waits for an answer
            self._drop()
            self._give_up(batch, error)
            return
        for work, result in done:
            self._follow_up(work, result)  # here: the next batch builds on it
        self.deliver(partial(self._tell, done, failed))

    def _tell(
        self, done: list[tuple[_QueuedJob, Any]], failed: list[tuple[_QueuedJob, CrosstalkError]]
    ) -> None:
        for work, result in done:
            work.future.set_result(result)
        for work, refusal in failed:
            work.future.set_exception(refusal)

    def _follow_up(self, work: _QueuedJob, result: Any) -> None:
        """What is durable stays so, whatever those who hear of it make of it."""
        try:
            if work.after:
                work.after(result)
        except Exception:  # of any kind: the thread must live to write the next batch
            log.exception("what was written could not be kept at hand")

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _drop(self) -> None:
        """A connection that failed is not used again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()

    def _give_up(self, batch: list[_QueuedJob], error: Exception) -> None:
        """One bad job must not take the others along: they are tried again one by one."""
        if len(batch) > 1:
            for work in batch:
                self._write([work])
            return
        problem = StoreUnavailable(f"the store could not record this: {error}")
        problem.__cause__ = error
        batch[0].future.set_exception(problem)


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
