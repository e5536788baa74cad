"""JSON Lines: one value a line, each line known by its number."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crosstalk.corpora.json_stream import COMPLETE, decode
from crosstalk.errors import FileProblem, FormatError, Place
from crosstalk.files import open_binary

LONGEST = 1 << 28
"""Bytes of one line; a dialogue has about 50,000."""
MARK = b"\xef\xbb\xbf"


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The lines that are not blank, decoded, with their numbers."""
    number = 0
    with open_binary(path) as raw:
        while line := raw.readline(LONGEST):
            number += 1
            line = line.removeprefix(MARK) if number == 1 else line
            if line.strip():
                yield number, _value(path, number, line)


def _value(path: Path, number: int, line: bytes) -> Any:
    try:
        return decode(line.decode())
    except UnicodeDecodeError as error:
        raise FileProblem(
            f"{path}, line {number}: not UTF-8 text at byte {error.start:,} of the line",
            remedy="Save the file as UTF-8 and try again.",
        ) from error
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not valid JSON at column {error.colno}: {error.msg}",
            place=Place(str(path), number),
            remedy=COMPLETE,
        ) from error
    except ValueError as error:
        raise FormatError(str(error), place=Place(str(path), number)) from error
