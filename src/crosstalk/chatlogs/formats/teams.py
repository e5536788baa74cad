"""Microsoft Teams: messages of the Graph interface, or a person's export (as Skype's)."""

import re
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_object
from crosstalk.chatlogs.formats.html_text import words_of_html
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

MESSAGE: Final = ("createdDateTime", "body.content")
USUAL: Final = ("messageType", "from.user.displayName", "body.contentType")
WITHIN: Final = ("value", "messages", "replies")
SIGNATURES: Final = (
    Signature((Shape.LIST, Shape.OBJECT), MESSAGE, USUAL),
    *(
        Signature(
            (Shape.OBJECT,), tuple(f"{field}.{each}" for each in MESSAGE), ("@odata.context",)
        )
        for field in WITHIN
    ),
    Signature((Shape.OBJECT,), ("conversations.MessageList",), ("userId", "exportDate")),
)
AT: Final = re.compile(r"<at\b[^>]*>(.*?)</at>", re.DOTALL)
QUOTED: Final = re.compile(r'<attachment id="(\w+)"')
"""A reply in a chat shows the message it answers as an attachment."""


def _rooms(content: LogContent) -> dict[str, list[LogMessage]]:
    export = documents.load(content)
    conversations = documents.objects(as_object(export).get("conversations"))
    if not conversations:
        return {"": _channel(_values(export))}
    return {
        str(each.get("displayName") or each.get("id") or "chat"): _personal(each.get("MessageList"))
        for each in conversations
    }


def _values(export: Any) -> list[Any]:
    if isinstance(export, dict):
        return documents.as_list(
            next((export[name] for name in WITHIN if name in export), [export])
        )
    return documents.as_list(export)


def _channel(values: list[Any]) -> list[LogMessage]:
    """Read messages of Graph; replies may stand within the message that they answer."""
    flat: list[tuple[Any, str]] = []
    for value in values:
        flat.append((value, ""))
        key = as_object(value).get("id")
        flat += [
            (each, str(key or "")) for each in documents.objects(as_object(value).get("replies"))
        ]
    found = [_message(number, value, answered) for number, (value, answered) in enumerate(flat)]
    people = documents.shown_names(_person(as_object(value)) for value, _ in flat)
    return documents.in_order(documents.with_mentions(found, people))


def _message(number: int, value: Any, answered: str) -> LogMessage:
    value = as_object(value)
    time = documents.seconds(value.get("createdDateTime"))
    sender, body = documents.one_word(_person(value)), as_object(value.get("body"))
    if time is None:
        return LogMessage(number, 0, LineKind.UNREADABLE, sender, str(value)[:1000])
    written = str(body.get("content") or "")
    quoted = QUOTED.search(written)
    reply = str(value.get("replyToId") or answered or (quoted[1] if quoted else ""))
    spoken = str(value.get("messageType", "message")) == "message" and sender
    text = _words(written, str(body.get("contentType", "html")))
    kind = LineKind.MESSAGE if spoken and text else LineKind.SYSTEM
    return LogMessage(number, time, kind, sender, text, str(value.get("id") or ""), reply)


def _person(value: Json) -> str:
    source = as_object(value.get("from"))
    who = as_object(source.get("user")) or as_object(source.get("application"))
    return str(who.get("displayName") or who.get("id") or "")


def _words(written: str, kind: str) -> str:
    if kind.casefold() == "text":
        return documents.whole(" ".join(written.split()))
    return documents.whole(words_of_html(AT.sub(r"@\1", written)))


def _personal(values: Any) -> list[LogMessage]:
    """Read a conversation of a person's export, newest first."""
    found = [
        _personal_message(number, value) for number, value in enumerate(documents.as_list(values))
    ]
    people = documents.shown_names(value.get("displayName") for value in documents.objects(values))
    return documents.in_order(documents.with_mentions(found, people))


def _personal_message(number: int, value: Any) -> LogMessage:
    value = as_object(value)
    time = documents.seconds(value.get("originalarrivaltime")) or 0
    name = value.get("displayName") or str(value.get("from") or "").rpartition(":")[2]
    kind = str(value.get("messagetype") or "")
    spoken = kind in ("Text", "RichText") or kind.startswith("RichText/Html")
    text = _words(str(value.get("content") or ""), "text" if kind == "Text" else "html")
    return LogMessage(
        number,
        time,
        LineKind.MESSAGE if spoken and text else LineKind.SYSTEM,
        documents.one_word(name),
        text,
        str(value.get("id") or ""),
    )


FORMAT: Final = LogFormat(
    "teams",
    "Microsoft Teams (Graph messages, personal export)",
    documents.has_fields(*SIGNATURES),
    lambda content: iter([each for room in _rooms(content).values() for each in room]),
    rooms=_rooms,
)
