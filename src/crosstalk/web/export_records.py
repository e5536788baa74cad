"""A dialogue as a piece of a file, for each format we export, and pieces put together to files."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from crosstalk.collection.export import COLUMNS, safe, table_rows
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.formats.chat import chat_record
from crosstalk.formats.crosswoz_writer import crosswoz_file, crosswoz_piece
from crosstalk.formats.encoding import encode_dialogue

KINDS: Final = ("crosswoz", "native", "chat", "csv")
ENDINGS: Final = {"crosswoz": "json", "native": "jsonl", "chat": "jsonl", "csv": "csv"}


def piece_of(dialogue: Dialogue, kind: str) -> str:
    match kind:
        case "crosswoz":
            return crosswoz_piece(dialogue)
        case "native":
            return _line(encode_dialogue(dialogue))
        case "chat":
            return _line(chat_record(dialogue))
        case "csv":
            return _csv(table_rows(dialogue))
    raise InputError(f"there is no export called {kind!r}", remedy=f"Known: {', '.join(KINDS)}.")


def file_of(pieces: Iterable[str], kind: str) -> Iterator[str]:
    match kind:
        case "crosswoz":
            return crosswoz_file(pieces)
        case "csv":
            # With a byte order mark, without which spreadsheets take UTF-8 for something else.
            return chain(["\ufeff" + _csv([list(map(safe, COLUMNS))])], pieces)
    return iter(pieces)


def _line(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()
