"""Zulip: messages of its interface, or a file of a whole export; a topic is a conversation."""

import re
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_object
from crosstalk.chatlogs.formats.html_text import words_of_html
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

NEEDED: Final = ("sender_full_name", "timestamp", "content")
SIGNATURES: Final = (
    Signature((Shape.OBJECT,), tuple(f"messages.{each}" for each in NEEDED), ("anchor",)),
    Signature((Shape.LIST, Shape.OBJECT), NEEDED, ("subject",)),
    Signature((Shape.OBJECT,), ("zerver_message",)),
)
MENTION: Final = re.compile(r"@_?\*\*([^*|]+)(?:\|\d+)?\*\*")
QUOTE: Final = re.compile(
    r"(?:@_?\*\*[^*]+\*\* \[said\]\(\S*\):\s*)?(`{3,}|~{3,})quote\n.*?\n\1", re.DOTALL
)
"""What a writer quotes of the message that is answered."""


def _rooms(content: LogContent) -> dict[str, list[LogMessage]]:
    export = documents.load(content)
    if isinstance(export, dict):
        rows = export.get("messages", export.get("zerver_message", [export]))
    else:
        rows = export
    people = _people(export, content)
    topics: dict[tuple[str, str], str] = {}
    found: dict[str, list[LogMessage]] = {}
    for number, value in enumerate(documents.objects(rows)):
        room, topic = _place(value), str(value.get("subject") or value.get("topic") or "")
        message = _message(number, value, people)
        opener = topics.setdefault((room, topic), message.key) if topic else ""
        answered = "" if opener == message.key else opener
        found.setdefault(room, []).append(message._replace(reply_to=answered))
    shown = documents.shown_names(
        [*people.values(), *(each.get("sender_full_name") for each in documents.objects(rows))]
    )
    return {
        room: list(documents.with_mentions(documents.in_order(messages), shown))
        for room, messages in found.items()
    }


def _place(value: Json) -> str:
    """Return the stream; for direct messages the people."""
    place = value.get("display_recipient")
    if isinstance(place, list):
        return "direct " + ", ".join(
            sorted(str(each.get("full_name")) for each in documents.objects(place))
        )
    return str(place or value.get("stream") or value.get("recipient") or "")


def _message(number: int, value: Json, people: dict[str, str]) -> LogMessage:
    name = value.get("sender_full_name") or people.get(str(value.get("sender")))
    sender = documents.one_word(name or value.get("sender_email") or value.get("sender"))
    time = documents.seconds(value.get("timestamp", value.get("date_sent")))
    written = MENTION.sub(r"@\1", QUOTE.sub("", str(value.get("content") or "")))
    is_html = "rendered" in str(value.get("content_type", "")) or written.startswith("<p>")
    is_html = is_html or value.get("content_type") == "text/html"
    text = words_of_html(written) if is_html else " ".join(written.split())
    if time is None or not sender:
        return LogMessage(number, time or 0, LineKind.UNREADABLE, sender, str(value)[:1000])
    is_bot_notice = value.get("sender_email") == "notification-bot@zulip.com"
    kind = LineKind.SYSTEM if is_bot_notice else LineKind.MESSAGE
    return LogMessage(number, time, kind, sender, documents.whole(text), str(value.get("id", "")))


def _people(export: Any, content: LogContent) -> dict[str, str]:
    """Return names by id, which an export keeps beside its messages."""
    realm = as_object(export)
    if "zerver_message" in realm and "zerver_userprofile" not in realm:
        realm = as_object(content.json_beside("realm.json"))
    tables = (
        "zerver_userprofile",
        "zerver_userprofile_crossrealm",
        "zerver_userprofile_mirrordummy",
    )
    return {
        str(each.get("id")): str(each.get("full_name") or each.get("email"))
        for table in tables
        for each in documents.objects(realm.get(table))
    }


FORMAT: Final = LogFormat(
    "zulip",
    "Zulip (messages, export)",
    documents.has_fields(*SIGNATURES),
    lambda content: iter([each for room in _rooms(content).values() for each in room]),
    rooms=_rooms,
)
