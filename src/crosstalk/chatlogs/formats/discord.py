"""Discord, as DiscordChatExporter writes a channel in JSON."""

from collections.abc import Iterator
from typing import Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_list, as_object
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

SPEECH: Final = frozenset({"Default", "Reply", "0", "19"})
"""Kinds of messages that people write, by name and by number."""
SIGNATURE: Final = Signature(
    (Shape.OBJECT, Shape.LIST),
    ("messages.author", "messages.timestamp"),
    ("guild", "channel", "messages.content", "messages.isPinned"),
)


def _read(content: LogContent) -> Iterator[LogMessage]:
    export = documents.load(content)
    values = as_list(export.get("messages") if isinstance(export, dict) else export)
    found = (_message(number, value) for number, value in enumerate(values))
    return documents.with_mentions(documents.in_order(found), _shown(values))


def _message(number: int, value: object) -> LogMessage:
    message = documents.to_message(number, value)
    if not isinstance(value, dict):
        return message
    text = message.text
    for mention in documents.objects(value.get("mentions")):
        for mark in (f"<@{mention.get('id')}>", f"<@!{mention.get('id')}>"):
            text = text.replace(mark, f"@{documents.one_word(_name(mention))}")
    reference = as_object(value.get("reference") or value.get("message_reference"))
    reply = str(reference.get("messageId") or reference.get("message_id") or message.reply_to)
    spoken = str(value.get("type", "Default")) in SPEECH
    kind = message.kind if spoken else LineKind.SYSTEM
    return message._replace(kind=kind, text=text, reply_to=reply)


def _shown(values: list[object]) -> dict[str, str]:
    """Return the names that mentions show, with the sender that each stands for."""
    shown = {}
    for value in documents.objects(values):
        people = [as_object(value.get("author")), *documents.objects(value.get("mentions"))]
        for person in people:
            for name in (person.get("nickname"), person.get("global_name"), person.get("name")):
                if name:
                    shown[" ".join(str(name).split())] = documents.one_word(_name(person))
    return shown


def _name(person: Json) -> str:
    return str(person.get("name") or person.get("username") or person.get("id") or "")


FORMAT: Final = LogFormat(
    "discord",
    "Discord (DiscordChatExporter, JSON)",
    documents.has_fields(SIGNATURE),
    _read,
)
