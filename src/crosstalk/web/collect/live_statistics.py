"""Statistics of what has been collected so far, counted in the background and kept.

Counts add up, so a finished dialogue is counted once. Only a verdict that takes one out again makes
everything be counted anew.
"""

import threading
from itertools import islice
from typing import Any, Final

from sqlalchemy import Connection, func, select

from crosstalk.collection.rooms import Status
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.statistics.corpora import CorpusCounts, count_corpus
from crosstalk.statistics.summary import corpus_summary
from crosstalk.statistics.tables import by_type, intents, size
from crosstalk.web.collect.exports import Annotate, collected
from crosstalk.web.store.store import Store
from crosstalk.web.store.tables import ROOMS

BATCH: Final = 100
AT_ONCE: Final = 0.15
"""Seconds a page waits for the count before it shows what is known."""


class LiveStatistics:
    """The counts of one site; safe to use from any thread."""

    def __init__(self, store: Store, annotate: Annotate | None) -> None:
        self._store = store
        self._annotate = annotate
        self._lock = threading.Lock()
        self._counts = CorpusCounts()
        self._seen: set[int] = set()
        """Rooms counted; they do not finish in the order in which they are opened."""
        self._returned = 0
        self._worker: threading.Thread | None = None
        self._figure: tuple[CorpusCounts, bytes] | None = None

    def told(self) -> dict[str, Any]:
        counts, complete = self.counts()
        found = (size("collected", counts), by_type(counts), intents(counts))
        tables = [{"title": each.title, "header": each.header, "rows": each.rows} for each in found]
        return {"counting": not complete, "tables": tables, "summary": corpus_summary(counts)}

    def figure(self) -> bytes:
        """Figure 2 as a file, drawn again when everything new is counted: that takes a second."""
        from crosstalk.statistics.figures import lengths_image  # matplotlib

        counts, complete = self.counts()
        if self._figure is None or (complete and self._figure[0] is not counts):
            self._figure = counts, lengths_image(counts)
        return self._figure[1]

    def counts(self) -> tuple[CorpusCounts, bool]:
        """What is known, and whether that is everything."""
        with self._lock:
            if self._worker is None and self._is_behind():
                self._worker = threading.Thread(target=self._count, daemon=True)
                self._worker.start()
            worker = self._worker
        if worker is not None:
            worker.join(AT_ONCE)
        with self._lock:
            return self._counts, self._worker is None

    def _is_behind(self) -> bool:
        finished, returned = self._store.read(_state)
        if returned != self._returned:
            self._counts, self._seen, self._returned = CorpusCounts(), set(), returned
        return finished != len(self._seen)

    def _count(self) -> None:
        try:
            uncounted = collected(self._store, self._annotate, skip=self._seen)
            while new := list(islice(uncounted, BATCH)):
                self._add(new)
        finally:
            with self._lock:
                self._worker = None

    def _add(self, dialogues: list[Dialogue]) -> None:
        counts = self._counts + count_corpus(dialogues)
        with self._lock:
            self._counts = counts
            self._seen.update(int(dialogue.id) for dialogue in dialogues)


def _state(connection: Connection) -> tuple[int, int]:
    finished = ROOMS.c.status == Status.FINISHED.value
    kept = select(func.count()).where(finished, ROOMS.c.review != "returned")
    returned = select(func.count()).where(finished, ROOMS.c.review == "returned")
    return connection.execute(kept).scalar_one(), connection.execute(returned).scalar_one()
