"""Response-selection files: read and write the layouts of both public releases.

| file | columns |
| --- | --- |
| second release, training | `Context,Utterance,Label` |
| second release, evaluation | `Context,Ground Truth Utterance,Distractor_0,...` |
| first release, both | context, response, flag; no header; each true one before its false ones |
"""

import csv
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

from crosstalk.errors import FileProblem, InputError
from crosstalk.files import open_text, writing
from crosstalk.retrieval.response_sampling import LONGEST_CONTEXT, Pair, ResponseGroup
from crosstalk.retrieval.turn_table import TurnTable, turns_of


def dialogues_of_pairs(pairs: Iterable[Pair]) -> TurnTable:
    """Rebuild the dialogues of a training file; rows may be in any order.

    A context holds all turns before its response, so the longest row of a dialogue is the dialogue.
    """
    gathered = _DialogueBuilder()
    for context, response, right in pairs:
        if right:
            gathered.add([*turns_of(context), response])
    dialogues = tuple(map(tuple, gathered.dialogues))
    if len(dialogues) < 2:
        raise InputError(
            f"{len(dialogues)} dialogues are too few to learn from",
            remedy="Give a training file with true responses of many dialogues.",
        )
    questions = tuple(turns[0] for turns in dialogues)
    return TurnTable(dialogues, questions, (0,) * len(dialogues))


class _DialogueBuilder:
    """Collects dialogues; each true row may extend one."""

    def __init__(self) -> None:
        self.dialogues: list[list[str]] = []
        self._openings: dict[tuple[str, ...], int] = {}
        self._last: int | None = None

    def add(self, turns: list[str]) -> None:
        opening = tuple(turns[:2])
        number = self._openings.get(opening)
        if number is None and self._follows(turns):
            self.dialogues[self._last or 0].append(turns[-1])
            return
        if number is None:
            number = self._openings[opening] = len(self.dialogues)
            self.dialogues.append([])
        if len(turns) > len(self.dialogues[number]):
            self.dialogues[number] = turns
        self._last = number

    def _follows(self, turns: list[str]) -> bool:
        """Tell whether a row continues the last dialogue: long contexts have lost their opening."""
        if self._last is None or len(turns) <= LONGEST_CONTEXT:
            return False
        return self.dialogues[self._last][1 - len(turns) :] == turns[:-1]


TRAIN_HEADER = ["Context", "Utterance", "Label"]
TRUE_COLUMN = "Ground Truth Utterance"
LABEL_NAMES = ("label", "flag")
LABELS = {"0": False, "1": True, "0.0": False, "1.0": True}
FIELD_LIMIT = 10_000_000
"""Maximum characters of a field; the standard library's default is 131,072."""
Row = tuple[int, list[str]]
"""The line number at which a row ends, and its fields."""


def write_pairs(path: Path, pairs: Iterable[Pair]) -> int:
    rows = ((context, response, str(int(right))) for context, response, right in pairs)
    return _write(path, TRAIN_HEADER, rows)


def write_groups(path: Path, groups: Iterable[ResponseGroup], negatives: int) -> int:
    header = ["Context", TRUE_COLUMN, *(f"Distractor_{number}" for number in range(negatives))]
    return _write(path, header, ((group.context, group.response, *group.false) for group in groups))


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> int:
    """Write the very bytes of the standard library's writer, which takes six times as long."""
    lines = 0
    with writing(path) as out:
        for row in chain([header], rows):
            out.write(",".join(map(_field, row)) + "\r\n")
            lines += 1
    return lines - 1


def _field(text: str) -> str:
    """Quote a field if it has a mark of the format."""
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text


class PairFile(Collection[Pair]):
    """The pairs of a training file, read from the file anew each time they are gone through."""

    def __init__(self, path: Path, count: int | None = None) -> None:
        self.path = path
        self._count = count
        """Only so many of the first pairs; None: all."""

    def __iter__(self) -> Iterator[Pair]:
        return islice(read_pairs(self.path), self._count)

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(1 for _ in read_pairs(self.path))
        return self._count

    def __contains__(self, pair: object) -> bool:
        return any(each == pair for each in self)

    def first(self, count: int) -> "PairFile":
        return PairFile(self.path, min(count, len(self)))


def read_pairs(path: Path) -> Iterator[Pair]:
    """Read pairs from a file of either release; of a group, the true response comes first."""
    with _rows(path) as rows:
        first, rows = _peeked(rows)
        if _has_columns(first):
            next(rows)
            for group in _groups_of_columns(path, rows, len(first)):
                yield group.context, group.response, True
                yield from ((group.context, text, False) for text in group.false)
        else:
            yield from (pair for _, pair in _labelled(path, rows))


def read_groups(path: Path) -> Iterator[ResponseGroup]:
    """Read groups (one true and several false responses) from a file of either release."""
    with _rows(path) as rows:
        first, rows = _peeked(rows)
        if _has_columns(first):
            next(rows)
            yield from _groups_of_columns(path, rows, len(first))
        else:
            yield from _groups_of_rows(path, rows)


def _peeked(rows: Iterator[Row]) -> tuple[list[str], Iterator[Row]]:
    first = next(rows, None)
    return (first[1], chain([first], rows)) if first else ([], rows)


def _has_columns(first: list[str]) -> bool:
    return first[:2] == ["Context", TRUE_COLUMN]


def _groups_of_columns(path: Path, rows: Iterator[Row], width: int) -> Iterator[ResponseGroup]:
    if width < 3:
        raise _unfit(path, 1, f"columns of false responses after {TRUE_COLUMN!r}")
    for number, row in rows:
        if len(row) != width:
            raise _unfit(path, number, f"{width} columns, as in the header, not {len(row)}")
        yield ResponseGroup(row[0], row[1], tuple(row[2:]))


def _labelled(path: Path, rows: Iterator[Row]) -> Iterator[tuple[int, Pair]]:
    for number, row in rows:
        if _is_header(row):
            continue
        if len(row) < 3 or row[2].strip() not in LABELS:
            raise _unfit(path, number, "context, response and a label of 0 or 1")
        yield number, (row[0], row[1], LABELS[row[2].strip()])


def _is_header(row: list[str]) -> bool:
    """Accepts `Context,Utterance,Label` and `context,response,flag`."""
    return row[0].casefold() == "context" and len(row) > 2 and row[2].casefold() in LABEL_NAMES


def _groups_of_rows(path: Path, rows: Iterator[Row]) -> Iterator[ResponseGroup]:
    true: tuple[str, str] | None = None
    false: list[str] = []
    for number, (context, response, right) in _labelled(path, rows):
        if right:
            if true and false:
                yield ResponseGroup(*true, tuple(false))
            true, false = (context, response), []
        elif true is None or true[0] != context:
            raise _unfit(path, number, "a true response before its false ones, of one context")
        else:
            false.append(response)
    if true and false:
        yield ResponseGroup(*true, tuple(false))


@contextmanager
def _rows(path: Path) -> Iterator[Iterator[Row]]:
    """Open the numbered rows of a CSV file, plain or zipped."""
    with open_text(path) as text:
        yield _numbered(path, text)


def _numbered(path: Path, text: TextIO) -> Iterator[Row]:
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
