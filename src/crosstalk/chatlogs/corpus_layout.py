"""Dialogues as the Ubuntu Dialogue Corpus was released: a small file each.

`dialogs/<number of lines>/<running number>.tsv` holds time, sender, recipient and text, parted by
tabs, without quotes. Made from the Parquet files, so that the numbers do not depend on who worked
on which part.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import polars as pl

DIALOGS = "dialogs"


def write_corpus_layout(dialogues: Path, out: Path) -> None:
    """All dialogues of the Parquet files in a folder; replaces what an earlier run wrote."""
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
        table = pl.read_parquet(path, columns=["dialogue", "time", "sender", "recipient", "text"])
        for _, rows in groupby(table.iter_rows(), key=lambda row: row[0]):
            yield [_line(row) for row in rows]


def _line(row: tuple[Any, ...]) -> str:
    _, time, *words = row
    stamp = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return "\t".join([stamp, *(" ".join(word.split()) for word in words)]) + "\n"
