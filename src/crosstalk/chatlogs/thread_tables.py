"""Write extracted threads: Parquet tables, and the TSV layout of the Ubuntu Dialogue Corpus.

The TSV layout is `dialogs/<number of lines>/<running number>.tsv` with time, sender, recipient and
text. It is made from the Parquet files, so that numbers do not depend on the number of workers.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from crosstalk.chatlogs.conversation_threads import Thread, ThreadLine
from crosstalk.errors import InputError
from crosstalk.files import polars_sources, writing_binary

DIALOGS = "dialogs"


def write_corpus_layout(dialogues: Path, out: Path) -> None:
    """Write all dialogues of the Parquet files as TSV; replaces an earlier output."""
    beside = out / f".{DIALOGS}.part"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    running: Counter[int] = Counter()
    for lines in _dialogues(dialogues):
        running[len(lines)] += 1
        path = beside / str(len(lines)) / f"{running[len(lines)]}.tsv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8", newline="")
    shutil.rmtree(out / DIALOGS, ignore_errors=True)
    beside.rename(out / DIALOGS)


def _dialogues(folder: Path) -> Iterator[list[str]]:
    for path in sorted(folder.glob("*.parquet")):
        table = read_columns(path, ["dialogue", "time", "sender", "recipient", "text"])
        for _, rows in groupby(table.iter_rows(), key=lambda row: row[0]):
            yield [_line(row) for row in rows]


def read_columns(path: Path, names: Sequence[str]) -> pl.DataFrame:
    """Read some columns of a file of threads; raises InputError if it is damaged or another one."""
    types = pl.Schema({name: SCHEMA[name] for name in names})
    try:
        table = pl.read_parquet(polars_sources([path]), columns=list(names)).cast(types)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        said = str(error).partition("\n")[0]
        raise InputError(f"{path}: cannot be read: {said}", remedy=EXTRACT_AGAIN) from error
    needed = table.select(name for name in names if name not in MAY_BE_MISSING)
    empty = needed.null_count().row(0)
    if any(empty):
        name = needed.columns[[bool(each) for each in empty].index(True)]
        raise InputError(f"{path}: a line without {name!r}", remedy=EXTRACT_AGAIN)
    if "time" in names and not table["time"].is_between(FIRST_SECOND, LAST_SECOND).all():
        raise InputError(f"{path}: a line whose time is no time", remedy=EXTRACT_AGAIN)
    return table


def _line(row: tuple[Any, ...]) -> str:
    _, time, *words = row
    stamp = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return "\t".join([stamp, *(" ".join(word.split()) for word in words)]) + "\n"


EXTRACT_AGAIN = "Extract the conversations again: crosstalk logs extract LOGS --out FOLDER"
FIRST_SECOND, LAST_SECOND = -62_135_596_800, 253_402_300_799
"""Of the years 1 and 9999."""
MAY_BE_MISSING = {"recipient", "parent", "confidence"}
PIECE = 100_000
"""Lines per Parquet file, which bounds the memory."""
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
MESSAGE_COLUMNS = ("line", "time", "kind", "sender")
"""The first fields of a message, under their column names."""
COMPRESSION = 1
"""Level of zstd: a tenth larger than the default, written in two thirds of the time."""
FilesOf = Callable[[Sequence[int]], pl.Series]


class ThreadTables:
    """Collects threads and writes them to `stem-0000.parquet`, `stem-0001.parquet`, ...

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
        """Words of all lines written so far."""

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
            lines = [line for each in self._threads for line in each]
            self.words += count_words([line.text for line in lines])
            table = self._table(lines)
            path = self._folder / f"{self._stem}-{self._written:04}.parquet"
            with writing_binary(path) as out:
                table.write_parquet(out, compression_level=COMPRESSION)
            self._written += 1
            self._clear()

    def _table(self, lines: list[ThreadLine]) -> pl.DataFrame:
        thread = np.repeat(np.arange(len(self._threads)), [len(each) for each in self._threads])
        names = pl.DataFrame(self._names, schema=["conversation", "dialogue"], orient="row")
        columns = _columns(lines)
        table = names[thread].with_columns(
            pl.lit(self._channel).alias("channel"),
            self._files_of(columns["order"].to_list()).alias("file"),
            **columns,
        )
        return table.select(*SCHEMA)


def _columns(lines: list[ThreadLine]) -> dict[str, pl.Series]:
    """Return the columns of single lines."""
    of_lines = dict(zip(ThreadLine._fields, zip(*lines, strict=True), strict=True))
    of_messages = zip(*of_lines.pop("message"), strict=True)
    columns = of_lines | dict(zip(MESSAGE_COLUMNS, of_messages, strict=False))
    return {
        name: pl.Series(values, dtype=SCHEMA[name])
        for name, values in columns.items()
        if name in SCHEMA
    }


def count_words(texts: list[str]) -> int:
    """Count whitespace-separated words over all texts."""
    marks = np.frombuffer("\n".join(["", *texts]).encode(), dtype=np.uint8)
    blank = marks <= ord(" ")
    return int(np.count_nonzero(blank[:-1] & ~blank[1:]))
