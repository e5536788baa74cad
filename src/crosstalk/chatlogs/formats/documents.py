"""Shared by the exports of chat programs in JSON: fields by any known name, times, mentions.

to_message(0, {"date": "2020-01-01T12:21:07", "from": "Ann Lee", "text": "hi"}, "")
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogContent
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Signature
from crosstalk.corpora.recognition import fit_of

Json = dict[str, Any]

SENDERS = ("sender", "user", "author", "from", "nick", "name", "username", "sender_name", "bot_id")
TEXTS = ("text", "body", "content", "message")
TIMES = (
    *("time", "timestamp", "ts", "date", "origin_server_ts", "created_at", "create_at"),
    *("timestamp_ms", "createdDateTime"),
)
KEYS = ("id", "event_id", "key", "client_msg_id")
REPLIES = ("reply_to", "in_reply_to", "reply_to_message_id", "parent", "thread_ts")
UNITS = ((10**17, 10**9), (10**14, 10**6), (10**11, 10**3))
"""Numbers above these are nano-, micro- or milliseconds: 10^11 seconds are the year 5138."""
LAST_TIME = 253_402_300_799
"""The end of the year 9999, in seconds."""


def has_fields(*signatures: Signature) -> Callable[[FileHead], Likeness]:
    """Likeness of a JSON file by the fields of its first message; the best of several."""

    def likeness(head: FileHead) -> Likeness:
        return max(like(signature, head) for signature in signatures)

    def like(signature: Signature, head: FileHead) -> Likeness:
        if not head.json.views:
            return Likeness(0)
        found = fit_of(signature, head.json)
        if found.fits:
            return Likeness(1, 1000 + found.found)
        close = found.lacks if found.shape_fits and found.is_close else ""
        return Likeness(0, found.found, close)

    return likeness


def load(content: LogContent) -> Any:
    """Parse a whole JSON document."""
    with content.open() as stream:
        return json.load(stream)


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def as_object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def objects(value: Any) -> list[Json]:
    return [each for each in as_list(value) if isinstance(each, dict)]


def to_message(number: int, value: Any, raw: str = "") -> LogMessage:
    """Build a message from any known field names; UNREADABLE without sender or time."""
    raw = raw or str(value)
    if not isinstance(value, dict):
        return LogMessage(number, 0, LineKind.UNREADABLE, "", raw[:1000])
    sender, text, time = one_word(sender_of(value)), _text(value), seconds(first(value, TIMES))
    if not sender or time is None:
        return LogMessage(number, time or 0, LineKind.UNREADABLE, sender, raw[:1000])
    key, reply = str(first(value, KEYS) or ""), str(first(value, REPLIES) or "")
    text = " ".join(text.split())
    return LogMessage(number, time, LineKind.MESSAGE, whole(sender), whole(text), key, reply)


def first(value: Json, names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def one_word(name: Any) -> str:
    """Return a name as senders have it: without white space."""
    return "_".join(str(name or "").split())


def whole(text: str) -> str:
    """Replace lone surrogates, which JSON allows but UTF-8 files do not."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def sender_of(value: Json) -> str:
    """Return the sender as people see the name; empty without one."""
    found = first(value, SENDERS)
    if isinstance(found, dict):
        found = found.get("name") or found.get("username") or found.get("id")
    return " ".join(str(found or "").split())


def _text(value: Json) -> str:
    found = first(value, TEXTS)
    if isinstance(found, dict):
        found = first(found, TEXTS)
    if isinstance(found, list):  # parted where links and names begin
        found = "".join(
            str(piece.get("text", "") if isinstance(piece, dict) else piece) for piece in found
        )
    return str(found or "")


def seconds(value: Any) -> int | None:
    """Parse ISO text or a number of any unit into seconds since 1970; else None."""
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            moment = datetime.fromisoformat(value)
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        number = float(value)
        unit = next((unit for least, unit in UNITS if number > least), 1)
        whole_seconds = int(number / unit)
        return whole_seconds if 0 <= whole_seconds <= LAST_TIME else None
    except (TypeError, ValueError, OverflowError):
        return None


def in_order(messages: Iterable[LogMessage]) -> list[LogMessage]:
    """Return messages by time; exports may begin with the newest, or pages with older ones."""
    found = list(messages)
    if len(found) > 1 and found[0].time > found[-1].time:
        found.reverse()
    return sorted(found, key=lambda message: message.time)


MENTION = re.compile(r"@(\S+(?: \S+){0,3})|^([^\s:,@][^:,]{0,60})(?=[:,])")
"""`@` and up to four words, or what stands before a colon or comma at the start."""
MARKS = re.compile(r"\W*$")


def with_mentions(messages: Iterable[LogMessage], shown: Mapping[str, str]) -> Iterator[LogMessage]:
    """Write mentions as senders are written: `@Ann Lee` and `Ann Lee: ` as `@Ann_Lee`.

    `shown`: the names that people see, with the sender that each stands for; it may grow while
    messages are read.
    """
    for message in messages:
        if message.kind is LineKind.MESSAGE and shown:
            text = _with_mentions(message.text, shown)
            yield message if text is message.text else message._replace(text=text)
        else:
            yield message


def _with_mentions(text: str, shown: Mapping[str, str]) -> str:
    def spelt(found: re.Match[str]) -> str:
        if found[2]:
            return shown.get(found[2], found[2])
        words = found[1].split(" ")
        for size in range(len(words), 0, -1):
            name = " ".join(words[:size])
            marks = MARKS.search(name)
            end = marks[0] if name not in shown and marks else ""
            if sender := shown.get(name.removesuffix(end)):
                rest = _with_mentions(" ".join(["", *words[size:]]), shown)
                return f"@{sender}{end}{rest}"
        return f"@{words[0]}{_with_mentions(' '.join(['', *words[1:]]), shown)}"

    return MENTION.sub(spelt, text) if "@" in text or ":" in text or "," in text else text


def shown_names(names: Iterable[Any]) -> dict[str, str]:
    """Return names that people see, with the sender that each stands for."""
    return {" ".join(str(name).split()): one_word(name) for name in names if name}
