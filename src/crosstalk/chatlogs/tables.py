"""Extracted lines as Parquet, and as the files the Ubuntu Dialogue Corpus was released in."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from crosstalk.chatlogs.threads import Thread
from crosstalk.files import writing, writing_binary

PIECE = 100_000
"""Lines a Parquet file; bounds what waits in memory."""
SCHEMA: dict[str, Any] = {
    "channel": pl.Categorical,
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
Row = tuple[Any, ...]


class Pieces:
    """Rows on their way into Parquet files `stem-0000.parquet`, `stem-0001.parquet`, ..."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder = folder
        self._stem = stem
        self._rows: list[Row] = []
        self._written = 0

    def add(self, rows: Iterable[Row]) -> None:
        self._rows += rows
        if len(self._rows) >= PIECE:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            table = pl.DataFrame(self._rows, schema=SCHEMA, orient="row")
            with writing_binary(self._folder / f"{self._stem}-{self._written:04}.parquet") as out:
                table.write_parquet(out)
            self._rows = []
            self._written += 1


def write_tsv(folder: Path, number: int, thread: Thread) -> None:
    """`dialogs/<number of lines>/<number>.tsv`: time, sender, recipient, text."""
    rows = [
        "\t".join((_iso(line.message.time), line.message.sender, line.recipient, line.text))
        for line in thread
    ]
    path = folder / "dialogs" / str(len(thread)) / f"{number}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as out:
        out.write("\n".join(rows) + "\n")


def _iso(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
