"""Matrix events: one on each line, a list, an export of Element, or pages of a server's answer."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_object
from crosstalk.chatlogs.formats.json_lines import records
from crosstalk.chatlogs.formats.log_format import LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

WITHIN: Final = ("messages", "chunk", "events", "timeline")
"""Fields of a document that may have the events."""
NEEDED: Final = ("origin_server_ts", "sender", "content")


def _within(field: str) -> Signature:
    before = f"{field}." if field else ""
    shapes = (Shape.OBJECT,) if field else (Shape.LIST, Shape.OBJECT)
    return Signature(shapes, tuple(before + each for each in NEEDED), (f"{before}event_id",))


SIGNATURES: Final = tuple(_within(field) for field in ("", "chunk", "messages", "events"))


def _read(content: LogContent) -> Iterator[LogMessage]:
    events = list(_events(content))
    names = _Names()
    found = [_message(number, event, names) for number, event in enumerate(events)]
    return documents.with_mentions(documents.in_order(found), names.shown)


def _events(content: LogContent) -> Iterable[Any]:
    """Return the events of a document, or of its lines."""
    try:
        export = documents.load(content)
    except json.JSONDecodeError:
        return (value for _, value, _ in records(content))
    if isinstance(export, dict):
        found = next((export[name] for name in WITHIN if name in export), [export])
        return documents.as_list(as_object(found).get("events", found))
    return documents.as_list(export)


def _message(number: int, event: Any, names: "_Names") -> LogMessage:
    message = documents.to_message(number, event)
    if not isinstance(event, dict):
        return message
    names.learn(event)
    message = message._replace(sender=names.short(message.sender))
    kind = str(event.get("type", ""))
    if kind == "m.room.encrypted":
        return message._replace(kind=LineKind.UNREADABLE)
    content, relation = as_object(event.get("content")), _relation(event)
    is_correction = relation.get("rel_type") == "m.replace"
    if is_correction or (kind.startswith("m.") and kind not in ("m.room.message", "m.sticker")):
        return message._replace(kind=LineKind.SYSTEM)
    reply = _reply(relation)
    body = str(content.get("body") or event.get("body") or "")
    text = " ".join((_without_quote(body) if reply else body).split()) or message.text
    if content.get("msgtype") == "m.emote":
        message = message._replace(kind=LineKind.ACTION)
    return message._replace(text=documents.whole(text), reply_to=reply)


def _relation(event: Json) -> Json:
    return as_object(as_object(event.get("content")).get("m.relates_to"))


def _reply(relation: Json) -> str:
    """Return the event that another answers: the one it names, else the start of its thread."""
    answered = as_object(relation.get("m.in_reply_to")).get("event_id")
    is_thread = relation.get("rel_type") == "m.thread"
    return str(answered or (relation.get("event_id") if is_thread else "") or "")


def _without_quote(text: str) -> str:
    """Remove the quoted lines `> ...` at the start of a reply."""
    lines = text.split("\n")
    own = next((at for at, line in enumerate(lines) if not line.startswith("> ")), 0)
    return "\n".join(lines[own:])


class _Names:
    """Short names of people: `ann` for `@ann:server`, unless two servers have one of that name."""

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        """Names that people see, with their short names."""

    def short(self, sender: str) -> str:
        name = sender.removeprefix("@").partition(":")[0]
        if not name or not sender.startswith("@") or ":" not in sender:
            return sender
        return name if self._owner.setdefault(name, sender) == sender else sender

    def learn(self, event: Json) -> None:
        shown = as_object(event.get("content")).get("displayname")
        person = event.get("state_key") or event.get("sender")
        if shown and event.get("type") == "m.room.member":
            self.shown[" ".join(str(shown).split())] = self.short(str(person))


FORMAT: Final = LogFormat(
    "matrix", "Matrix events, Element's export", documents.has_fields(*SIGNATURES), _read
)
