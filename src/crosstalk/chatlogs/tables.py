"""Extracted lines as Parquet."""

from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crosstalk.chatlogs.threads import Line, Thread
from crosstalk.files import writing_binary

PIECE = 100_000
"""Lines a Parquet file; bounds what waits in memory."""
SCHEMA: dict[str, Any] = {
    "channel": pl.String,
    "conversation": pl.String,
    "dialogue": pl.String,
    "order": pl.Int64,
    "file": pl.String,
    "line": pl.Int64,
    "time": pl.Int64,
    "sender": pl.String,
    "recipient": pl.String,
    "text": pl.String,
    "parent": pl.Int64,
    "confidence": pl.Float32,
}
MESSAGE = attrgetter("message")
LINE_COLUMNS = ("order", "recipient", "text", "parent", "confidence")
MESSAGE_COLUMNS = {
    "line": attrgetter("number"),
    "time": attrgetter("time"),
    "sender": attrgetter("sender"),
}
FilesOf = Callable[[Sequence[int]], pl.Series]


class Pieces:
    """Threads on their way into Parquet files `stem-0000.parquet`, `stem-0001.parquet`, ...

    Columns are made of many threads at once: rows one by one would take ten times as long.
    """

    def __init__(self, folder: Path, stem: str, channel: str, files_of: FilesOf) -> None:
        self._folder = folder
        self._stem = stem
        self._channel = channel
        self._files_of = files_of
        self._written = 0
        self._clear()
        self.words = 0
        """Of all lines written so far."""

    def _clear(self) -> None:
        self._threads: list[Thread] = []
        self._names: list[tuple[str, str]] = []
        self._waiting = 0

    def add(self, thread: Thread, conversation: str, dialogue: str) -> None:
        self._threads.append(thread)
        self._names.append((conversation, dialogue))
        self._waiting += len(thread)
        if self._waiting >= PIECE:
            self.flush()

    def flush(self) -> None:
        if self._threads:
            table = self._table()
            self.words += int(table["text"].str.count_matches(r"\S+").sum())
            path = self._folder / f"{self._stem}-{self._written:04}.parquet"
            with writing_binary(path) as out:
                table.write_parquet(out)
            self._written += 1
            self._clear()

    def _table(self) -> pl.DataFrame:
        thread = np.repeat(np.arange(len(self._threads)), [len(each) for each in self._threads])
        names = pl.DataFrame(self._names, schema=["conversation", "dialogue"], orient="row")
        columns = _columns([line for each in self._threads for line in each])
        table = names[thread].with_columns(
            pl.lit(self._channel).alias("channel"),
            self._files_of(columns["order"].to_list()).alias("file"),
            **columns,
        )
        return table.select(*SCHEMA)


def _columns(lines: list[Line]) -> dict[str, pl.Series]:
    """What is known line by line."""
    messages = list(map(MESSAGE, lines))
    of_lines = {name: map(attrgetter(name), lines) for name in LINE_COLUMNS}
    of_messages = {name: map(get, messages) for name, get in MESSAGE_COLUMNS.items()}
    return {
        name: pl.Series(list(values), dtype=SCHEMA[name])
        for name, values in (of_lines | of_messages).items()
    }
