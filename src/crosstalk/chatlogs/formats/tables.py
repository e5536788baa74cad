"""Tables of messages: one a row, with columns named in the first row.

Fields are separated by commas, tabs or semicolons and may be quoted.
"""

import csv
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.log_format import UNLIKE, FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import decode_line
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.files import bounded_lines


def _likeness(head: FileHead) -> Likeness:
    try:
        first = next(csv.reader(head.lines[:1], delimiter=_mark("".join(head.lines[:1]))), [])
    except csv.Error:
        return UNLIKE
    return Likeness(1, 1) if _are_named(_columns(first)) else UNLIKE


def _columns(row: list[str]) -> list[str]:
    return [name.strip().casefold() for name in row]


def _are_named(names: list[str]) -> bool:
    return bool({*names} & {*documents.SENDERS}) and bool({*names} & {*documents.TIMES})


def _read(content: LogContent) -> Iterator[LogMessage]:
    with content.open() as stream:
        rows = _rows(bounded_lines(stream, content.name))
        names = _columns(next(rows, []))
        if not names:
            return
        if not _are_named(names):
            yield LogMessage(0, 0, LineKind.UNREADABLE, "", ",".join(names)[:1000])
        for number, row in enumerate(rows, start=1):
            value = dict(zip(names, row, strict=False))
            fits = len(row) == len(names)
            yield documents.to_message(number, value if fits else None, ",".join(row))


def _rows(content: BinaryIO) -> Iterator[list[str]]:
    """Yield rows; a damaged row is yielded empty."""
    text = (decode_line(raw).replace("\0", "") for raw in content)
    start = next(text, "")
    rows = csv.reader(chain([start.removeprefix("\ufeff")], text), delimiter=_mark(start))
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield []


def _mark(line: str) -> str:
    return max("\t;,", key=line.count)


FORMAT: Final = LogFormat(
    "table", "tables (CSV, TSV), one message a row", _likeness, _read, general=True
)
