"""JSON Lines of any program: one object per line, with a time, a sender and a text.

{"time": "2026-01-02T10:00:00Z", "sender": "ann", "text": "hi", "id": "7", "reply_to": "3"}
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.log_format import UNLIKE, FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.formats.text_blocks import decode_line
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.files import bounded_lines


def records(content: LogContent) -> Iterator[tuple[int, Any, str]]:
    """Yield the number, the value and the text of each line; None for what is no JSON."""
    with content.open() as stream:
        for number, raw in enumerate(bounded_lines(stream, content.name)):
            if not raw.strip():
                continue
            line = decode_line(raw.removeprefix(BOM_UTF8))
            try:
                yield number, json.loads(line), line
            except (ValueError, RecursionError):
                yield number, None, line


def records_of(head: FileHead) -> list[documents.Json]:
    """Return the objects on the first lines of a file; none if the first line is no whole one."""
    found: list[documents.Json] = []
    for line in head.lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            if not found:
                return []
            continue
        found += [value] if isinstance(value, dict) else []
    return found


def _likeness(head: FileHead) -> Likeness:
    values = records_of(head)
    if not values:
        return UNLIKE
    known = sum(
        bool(documents.first(value, documents.SENDERS))
        and documents.first(value, documents.TIMES) is not None
        for value in values
    )
    return Likeness(known / len(values), known, f"{known:,} of its first {len(values):,} lines")


def _read(content: LogContent) -> Iterator[LogMessage]:
    shown: dict[str, str] = {}
    yield from documents.with_mentions(_messages(content, shown), shown)


def _messages(content: LogContent, shown: dict[str, str]) -> Iterator[LogMessage]:
    """Yield messages, and add to `shown` the names of several words."""
    for number, value, line in records(content):
        message = documents.to_message(number, value, line)
        if "_" in message.sender and isinstance(value, dict):
            shown |= documents.shown_names([documents.sender_of(value)])
        yield message


FORMAT: Final = LogFormat("lines", "JSON Lines, one message each", _likeness, _read, general=True)
