"""Telegram Desktop's export in JSON: one chat, or all chats of an account."""

from collections.abc import Iterator
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_object
from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

ONE_CHAT = documents.has_fields(
    Signature(
        (Shape.OBJECT,),
        ("messages.date", "messages.id"),
        ("name", "messages.from", "messages.from_id", "messages.date_unixtime", "messages.actor"),
    ),
)
ALL_CHATS = documents.has_fields(Signature((Shape.OBJECT,), ("chats.list.messages",)))


def _likeness(head: FileHead) -> Likeness:
    return max(ONE_CHAT(head), ALL_CHATS(head))


def _rooms(content: LogContent) -> dict[str, list[LogMessage]]:
    export = documents.load(content)
    whole = as_object(as_object(export).get("chats"))
    if not whole:
        return {"": list(_messages(as_object(export).get("messages")))}
    found: dict[str, list[LogMessage]] = {}
    for chat in documents.objects(whole.get("list")):
        name = str(chat.get("name") or chat.get("id") or chat.get("type") or "chat")
        found.setdefault(name, []).extend(_messages(chat.get("messages")))
    return found


def _messages(values: Any) -> Iterator[LogMessage]:
    found = [_message(number, value) for number, value in enumerate(documents.as_list(values))]
    people = documents.shown_names(value.get("from") for value in documents.objects(values))
    return documents.with_mentions(documents.in_order(found), people)


def _message(number: int, value: Any) -> LogMessage:
    if isinstance(value, dict) and value.get("type") == "service":
        time = documents.seconds(value.get("date_unixtime") or value.get("date")) or 0
        return LogMessage(number, time, LineKind.SYSTEM, "", str(value.get("action", "")))
    message = documents.to_message(number, _with_exact_time(value))
    no_words = message.kind is LineKind.MESSAGE and not message.text
    return message._replace(kind=LineKind.SYSTEM) if no_words else message


def _with_exact_time(value: Any) -> Any:
    """`date` is the exporter's local time; `date_unixtime` (newer) is exact."""
    if not isinstance(value, dict):
        return value
    changed: Json = {"time": value.get("date_unixtime") or value.get("date")}
    if not value.get("from"):
        changed["from"] = value.get("from_id") or "deleted_account"
    return value | changed


FORMAT: Final = LogFormat(
    "telegram",
    "Telegram's export (JSON)",
    _likeness,
    lambda content: iter([each for room in _rooms(content).values() for each in room]),
    rooms=_rooms,
)
