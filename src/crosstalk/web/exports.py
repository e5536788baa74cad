"""What was collected, as corpora: read from the store room by room, written piece by piece."""

import csv
import io
import json
from collections.abc import Container, Iterable, Iterator
from typing import Final

from crosstalk.collection.exporting import COLUMNS, safe, table_rows
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.formats.chat import chat_record
from crosstalk.formats.crosswoz_writer import crosswoz_pieces
from crosstalk.formats.encoding import decode_dialogue
from crosstalk.web.archiving import Annotate as Annotate
from crosstalk.web.archiving import records, written
from crosstalk.web.store.store import Store

KINDS: Final = ("crosswoz", "native", "chat", "csv")
ENDINGS: Final = {"crosswoz": "json", "native": "jsonl", "chat": "jsonl", "csv": "csv"}


def collected(
    store: Store,
    annotate: Annotate | None = None,
    *,
    review: str | None = None,
    skip: Container[int] = frozenset(),
) -> Iterator[Dialogue]:
    """Finished dialogues, by room: all that were not returned, or those of one verdict.

    `annotate` derives the acts of those that have none yet; without it, states only.
    """
    for _, record in records(store, annotate, review=review, skip=skip):
        yield decode_dialogue(json.loads(record))


def exported(
    store: Store, to: str, annotate: Annotate | None = None, *, review: str | None = None
) -> Iterator[str]:
    """A whole file of what was collected, piece by piece, a piece a dialogue."""
    if to == "native":
        found = records(store, annotate, review=review, skip=frozenset())
        return (record + "\n" for _, record in found)
    return pieces(collected(store, annotate, review=review), to)


def pieces(dialogues: Iterable[Dialogue], to: str) -> Iterator[str]:
    """Dialogues as a file of some format, piece by piece."""
    match to:
        case "crosswoz":
            return crosswoz_pieces(dialogues)
        case "native":
            return (written(dialogue) + "\n" for dialogue in dialogues)
        case "chat":
            return (_line(chat_record(dialogue)) for dialogue in dialogues)
        case "csv":
            return _table(dialogues)
    raise InputError(f"there is no export called {to!r}", remedy=f"Known: {', '.join(KINDS)}.")


def _line(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"


def _table(dialogues: Iterable[Dialogue]) -> Iterator[str]:
    """With a byte order mark, without which spreadsheets take UTF-8 for something else."""
    yield "\ufeff" + _csv([list(map(safe, COLUMNS))])
    for dialogue in dialogues:
        yield _csv(list(table_rows(dialogue)))


def _csv(rows: list[list[str]]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    return text.getvalue()
