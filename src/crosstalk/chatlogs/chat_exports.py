"""Messages in exports of chat programs (Slack, Discord, Matrix), JSON lines and tables.

A JSON line is
    {"time": "2026-01-02T10:00:00Z", "sender": "ann", "text": "hi", "id": "7", "reply_to": "3"}
"""

import csv
import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import lru_cache
from html import unescape
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, BinaryIO

from crosstalk.chatlogs.irc import decode_line
from crosstalk.chatlogs.log_files import LogFile
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.errors import CrosstalkError

Json = dict[str, Any]

SENDERS = ("sender", "user", "author", "from", "nick", "name", "username", "bot_id")
TEXTS = ("text", "body", "content", "message")
TIMES = ("time", "timestamp", "ts", "date", "origin_server_ts", "created_at")
KEYS = ("id", "event_id", "key", "client_msg_id")
REPLIES = ("reply_to", "in_reply_to", "reply_to_message_id", "parent", "thread_ts")
UNITS = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3))
"""Numbers above these are nano-, micro- or milliseconds: 10^11 seconds are the year 5138."""
LAST_TIME = 253_402_300_799
"""The end of the year 9999, in seconds."""


def read_lines(content: BinaryIO) -> Iterator[LogMessage]:
    """Read one JSON object per line, with our field names or those of Matrix events."""
    for number, raw in enumerate(content):
        if raw.strip():
            line = decode_line(raw.removeprefix(BOM_UTF8))
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = None
            message = to_message(number, value, line)
            yield _as_matrix_means(message, value) if isinstance(value, dict) else message


def _as_matrix_means(message: LogMessage, value: Json) -> LogMessage:
    """Set the kind: state events, reactions and corrections are SYSTEM, encrypted UNREADABLE."""
    kind = str(value.get("type", ""))
    if kind == "m.room.encrypted":
        return message._replace(kind=LineKind.UNREADABLE)
    is_correction = _relation(value).get("rel_type") == "m.replace"
    if is_correction or (kind.startswith("m.") and kind != "m.room.message"):
        return message._replace(kind=LineKind.SYSTEM)
    return message


def read_table(content: BinaryIO) -> Iterator[LogMessage]:
    """Read a spreadsheet's export: one message per row, columns named in the first row.

    Fields are separated by commas, tabs or semicolons and may be quoted.
    """
    rows = _rows(content)
    names = [name.strip().casefold() for name in next(rows, [])]
    if not names:
        return
    if not {*names} & {*SENDERS} or not {*names} & {*TIMES}:
        yield LogMessage(0, 0, LineKind.UNREADABLE, "", ",".join(names)[:1000])
    for number, row in enumerate(rows, start=1):
        value = dict(zip(names, row, strict=False))
        yield to_message(number, value if len(row) == len(names) else None, ",".join(row))


def _rows(content: BinaryIO) -> Iterator[list[str]]:
    """Yield rows; a damaged row is yielded empty."""
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


def discord_messages(export: Any) -> Iterator[LogMessage]:
    """Read a channel of DiscordChatExporter, or any object or list with `messages`."""
    values = export.get("messages", []) if isinstance(export, dict) else export
    for number, value in enumerate(as_list(values)):
        message = to_message(number, value, str(value))
        if isinstance(value, dict) and value.get("type", "Default") not in DISCORD_SPEECH:
            message = message._replace(kind=LineKind.SYSTEM)
        yield message


DISCORD_SPEECH = frozenset({"Default", "Reply", "m.room.message", "message"})


def to_message(number: int, value: Any, raw: str) -> LogMessage:
    """Build a message from any known field names; UNREADABLE without sender or time."""
    if not isinstance(value, dict):
        return LogMessage(number, 0, LineKind.UNREADABLE, "", raw[:1000])
    sender, text, time = _sender(value), _text(value), _seconds(_first(value, TIMES))
    if not sender or time is None:
        return LogMessage(number, time or 0, LineKind.UNREADABLE, sender, raw[:1000])
    key, reply = str(_first(value, KEYS) or ""), _reply(value)
    text = " ".join((_without_quote(text) if reply else text).split())
    return LogMessage(number, time, LineKind.MESSAGE, _whole(sender), _whole(text), key, reply)


def _whole(text: str) -> str:
    """Replace lone surrogates, which JSON allows but UTF-8 files do not."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _without_quote(text: str) -> str:
    """Remove the quoted lines `> ...` at the start of a Matrix reply."""
    lines = text.split("\n")
    own = next((at for at, line in enumerate(lines) if not line.startswith("> ")), 0)
    return "\n".join(lines[own:])


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
    if isinstance(found, list):  # Telegram parts it where links and names begin
        found = "".join(
            str(piece.get("text", "") if isinstance(piece, dict) else piece) for piece in found
        )
    return str(found or "")


def _reply(value: Json) -> str:
    found = _first(value, REPLIES)
    if isinstance(reference := value.get("reference"), dict):
        found = reference.get("messageId")
    relation = _relation(value)
    if isinstance(answered := relation.get("m.in_reply_to"), dict):
        found = answered.get("event_id")
    elif relation.get("rel_type") == "m.thread":
        found = relation.get("event_id")
    return str(found or "")


def _relation(value: Json) -> Json:
    """Return the `m.relates_to` object of a Matrix event."""
    content = value.get("content")
    relation = content.get("m.relates_to") if isinstance(content, dict) else None
    return relation if isinstance(relation, dict) else {}


def _seconds(value: Any) -> int | None:
    """Parse ISO text or a number of any unit into seconds since 1970; else None."""
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            moment = datetime.fromisoformat(value)
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        number = float(value)
        unit = next((unit for least, unit in UNITS if number > least), 1)
        seconds = int(number / unit)
        return seconds if 0 <= seconds <= LAST_TIME else None
    except (TypeError, ValueError, OverflowError):
        return None


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


USERS = "users.json"
NOTICES = frozenset(
    {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"}
)
MARK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def is_slack(export: Any) -> bool:
    """Recognise a Slack export: a list of messages with a time `ts`."""
    return any(isinstance(value, dict) and "ts" in value for value in as_list(export))


def slack_messages(export: Any, names: Mapping[str, str]) -> Iterator[LogMessage]:
    """Read a day of a channel; replies in a thread answer its first message."""
    for number, value in enumerate(as_list(export)):
        message = to_message(number, value, str(value))
        if isinstance(value, dict) and message.kind is LineKind.MESSAGE:
            message = _spelt_out(message, value, names)
        yield message


def _spelt_out(message: LogMessage, value: Json, names: Mapping[str, str]) -> LogMessage:
    key, parent = str(value.get("ts", "")), str(value.get("thread_ts", ""))
    return message._replace(
        kind=LineKind.SYSTEM if value.get("subtype") in NOTICES else LineKind.MESSAGE,
        sender=names.get(message.sender, message.sender),
        text=unescape(MARK.sub(lambda mark: _said(mark, names), message.text)),
        key=key or message.key,
        reply_to=parent if parent != key else "",
    )


def _said(mark: re.Match[str], names: Mapping[str, str]) -> str:
    """Return the visible text of `<@U1>`, `<https://a.b|here>` and the like."""
    sign, target, label = mark.groups()
    if sign == "@":
        return f"@{names.get(target) or label or target}"
    return f"{sign.replace('!', '@')}{label or target}"


def slack_user_names(log: LogFile) -> dict[str, str]:
    """Return user names by id from `users.json` of the export; empty without that file."""
    same = replace(log, channel="", day=date.min, name="")
    if log.member:
        users = PurePosixPath(log.member).parent.parent / USERS
        return _names(replace(same, member=str(users)))
    return _names(replace(same, path=log.path.parent.parent / USERS))


@lru_cache(maxsize=8)
def _names(users: LogFile) -> dict[str, str]:
    """Cached, since every day of every channel asks for it."""
    try:
        with users.open() as content:
            values = as_list(json.load(content))
    except (CrosstalkError, OSError, ValueError, RecursionError):
        return {}
    return {
        str(value["id"]): "_".join(str(value["name"]).split())
        for value in values
        if isinstance(value, dict) and value.get("id") and value.get("name")
    }
