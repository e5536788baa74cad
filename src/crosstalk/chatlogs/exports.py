"""Messages in the exports of today's chat programs, in plain JSON lines and in tables.

Such a line is
    {"time": "2026-01-02T10:00:00Z", "sender": "ann", "text": "hi", "id": "7", "reply_to": "3"}
"""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from typing import Any, BinaryIO

from crosstalk.chatlogs.irc import decode_line
from crosstalk.chatlogs.messages import Kind, Message

Json = dict[str, Any]

SENDERS = ("sender", "user", "author", "from", "nick", "name")
TEXTS = ("text", "body", "content", "message")
TIMES = ("time", "timestamp", "ts", "date", "origin_server_ts", "created_at")
KEYS = ("id", "event_id", "key", "client_msg_id")
REPLIES = ("reply_to", "in_reply_to", "parent", "thread_ts")
MILLISECONDS = 10**11
"""Numbers above it are milliseconds since 1970: as seconds they would be the year 5138."""


def read_lines(content: BinaryIO) -> Iterator[Message]:
    """One JSON object a line: our own names, or those of Matrix events."""
    for number, raw in enumerate(content):
        if raw.strip():
            try:
                value = json.loads(raw)
            except (ValueError, RecursionError):
                value = None
            yield _message(number, value, raw.decode("utf-8", errors="replace"))


def read_table(content: BinaryIO) -> Iterator[Message]:
    """A spreadsheet's export: a row a message, the columns named in the first row.

    Fields may be parted by commas, tabs or semicolons and hold quotes, tabs and ends of lines.
    """
    rows = _rows(content)
    names = [name.strip().casefold() for name in next(rows, [])]
    if not names:
        return
    if not {*names} & {*SENDERS} or not {*names} & {*TIMES}:
        yield Message(0, 0, Kind.UNREADABLE, "", ",".join(names)[:1000])
    for number, row in enumerate(rows, start=1):
        value = dict(zip(names, row, strict=False))
        yield _message(number, value if len(row) == len(names) else None, ",".join(row))


def _rows(content: BinaryIO) -> Iterator[list[str]]:
    """Rows one by one; one that is damaged comes as an empty one, and the next is tried."""
    text = (decode_line(raw).replace("\0", "") for raw in content)
    first = next(text, "")
    mark = max("\t;,", key=first.count)
    rows = csv.reader(chain([first.removeprefix("\ufeff")], text), delimiter=mark)
    while True:
        try:
            yield next(rows)
        except StopIteration:
            return
        except csv.Error:
            yield []


def read_slack(content: BinaryIO) -> Iterator[Message]:
    """One day of one channel; a thread's first message is what its answers answer."""
    for number, value in enumerate(_list(json.load(content))):
        message = _message(number, value, str(value))
        if isinstance(value, dict):
            kind = Kind.SYSTEM if value.get("subtype") in SLACK_NOTICES else message.kind
            key = str(value.get("ts", ""))
            parent = str(value.get("thread_ts", ""))
            message = message._replace(kind=kind, key=key, reply_to=parent if parent != key else "")
        yield message


SLACK_NOTICES = frozenset(
    {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"}
)


def read_discord(content: BinaryIO) -> Iterator[Message]:
    """A channel as DiscordChatExporter writes it, or any object or list with `messages`."""
    export = json.load(content)
    values = export.get("messages", []) if isinstance(export, dict) else export
    for number, value in enumerate(_list(values)):
        message = _message(number, value, str(value))
        if isinstance(value, dict) and value.get("type", "Default") not in DISCORD_SPEECH:
            message = message._replace(kind=Kind.SYSTEM)
        yield message


DISCORD_SPEECH = frozenset({"Default", "Reply", "m.room.message", "message"})


def _message(number: int, value: Any, raw: str) -> Message:
    """A message from whatever names its fields have; unreadable where one of them is missing."""
    if not isinstance(value, dict):
        return Message(number, 0, Kind.UNREADABLE, "", raw[:1000])
    sender, text, time = _sender(value), _text(value), _seconds(_first(value, TIMES))
    if not sender or time is None:
        return Message(number, time or 0, Kind.UNREADABLE, sender, raw[:1000])
    key = str(_first(value, KEYS) or "")
    return Message(number, time, Kind.MESSAGE, sender, " ".join(text.split()), key, _reply(value))


def _first(value: Json, names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def _sender(value: Json) -> str:
    found = _first(value, SENDERS)
    if isinstance(found, dict):
        found = found.get("name") or found.get("id")
    return "_".join(str(found or "").split())


def _text(value: Json) -> str:
    found = _first(value, TEXTS)
    if isinstance(found, dict):  # Matrix keeps the words in an object
        found = found.get("body")
    return str(found or "")


def _reply(value: Json) -> str:
    found = _first(value, REPLIES)
    if isinstance(reference := value.get("reference"), dict):
        found = reference.get("messageId")
    content = value.get("content")
    if isinstance(content, dict) and isinstance(relation := content.get("m.relates_to"), dict):
        answered = relation.get("m.in_reply_to")
        found = answered.get("event_id") if isinstance(answered, dict) else found
    return str(found or "")


def _seconds(value: Any) -> int | None:
    """Seconds since 1970 from ISO text, seconds or milliseconds; None for anything else."""
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            moment = datetime.fromisoformat(value)
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        number = float(value)
        return int(number / 1000 if number > MILLISECONDS else number)
    except (TypeError, ValueError, OverflowError):
        return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
