"""Response-selection files: those of both public releases, and the ones written here.

| file | columns |
| --- | --- |
| second release, training | `Context,Utterance,Label` |
| second release, evaluation | `Context,Ground Truth Utterance,Distractor_0,...` |
| first release, both | context, response, flag; no header; each true one before its false ones |
"""

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TextIO

from crosstalk.errors import FileProblem
from crosstalk.files import open_text, writing
from crosstalk.retrieval.sampling import Group

TRAIN_HEADER = ["Context", "Utterance", "Label"]
TRUE_COLUMN = "Ground Truth Utterance"
FIELD_LIMIT = 10_000_000
"""Characters a field may have; the standard library's own limit is 131,072."""

Pair = tuple[str, str, bool]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    with writing(path) as out:
        writer = csv.writer(out)
        writer.writerow(TRAIN_HEADER)
        rows = 0
        for context, response, right in pairs:
            writer.writerow([context, response, int(right)])
            rows += 1
    return rows


def write_groups(path: Path, groups: Iterable[Group], negatives: int) -> int:
    with writing(path) as out:
        writer = csv.writer(out)
        false = [f"Distractor_{number}" for number in range(negatives)]
        writer.writerow(["Context", TRUE_COLUMN, *false])
        rows = 0
        for group in groups:
            writer.writerow([group.context, group.response, *group.false])
            rows += 1
    return rows


def read_pairs(path: Path) -> Iterator[Pair]:
    """(context, response, whether true) from a training file of either release."""
    with _rows(path) as rows:
        for number, row in rows:
            if row == TRAIN_HEADER:
                continue
            if len(row) < 3 or row[2] not in ("0", "1", "0.0", "1.0"):
                raise _unfit(path, number, "context, response and a label of 0 or 1")
            yield row[0], row[1], row[2] in ("1", "1.0")


def read_groups(path: Path) -> Iterator[Group]:
    """Contexts with one true and several false responses, from a file of either release."""
    with _rows(path) as rows:
        first = next(rows, None)
        if first is None:
            return
        if first[1][:2] == ["Context", TRUE_COLUMN]:
            yield from _groups_of_columns(path, rows, len(first[1]))
        else:
            yield from _groups_of_rows(path, chain([first], rows))


def _groups_of_columns(
    path: Path, rows: Iterator[tuple[int, list[str]]], width: int
) -> Iterator[Group]:
    for number, row in rows:
        if len(row) != width:
            raise _unfit(path, number, f"{width} columns, as in the header")
        yield Group(row[0], row[1], tuple(row[2:]))


def _groups_of_rows(path: Path, rows: Iterator[tuple[int, list[str]]]) -> Iterator[Group]:
    context, response, false = "", "", list[str]()
    for number, row in rows:
        if len(row) < 3 or row[2] not in ("0", "1", "0.0", "1.0"):
            raise _unfit(path, number, "context, response and a flag of 0 or 1")
        if row[2] in ("1", "1.0"):
            if false:
                yield Group(context, response, tuple(false))
            context, response, false = row[0], row[1], []
        elif not context:
            raise _unfit(path, number, "a true response before its false ones")
        else:
            false.append(row[1])
    if false:
        yield Group(context, response, tuple(false))


@contextmanager
def _rows(path: Path) -> Iterator[Iterator[tuple[int, list[str]]]]:
    """Numbered rows of a CSV file, plain or in a zip."""
    with open_text(path) as text:
        yield _numbered(path, text)


def _numbered(path: Path, text: TextIO) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(FIELD_LIMIT)
    reader = csv.reader(text)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise FileProblem(
            f"{path}, line {reader.line_num}: not CSV: {error}",
            remedy="Fields with commas, quotes or line breaks stand in double quotes.",
        ) from error


def _unfit(path: Path, line: int, expected: str) -> FileProblem:
    return FileProblem(
        f"{path}, line {line}: expected {expected}",
        remedy="Files are made by `crosstalk retrieve triples`, or are those of the public corpus.",
    )
