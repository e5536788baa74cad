"""JSON documents of any program: a list of messages, or an object with `messages`."""

from collections.abc import Iterator
from typing import Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import as_list
from crosstalk.chatlogs.formats.log_format import UNLIKE, FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LogMessage
from crosstalk.corpora.formats import Shape


def _likeness(head: FileHead) -> Likeness:
    document = head.json.views.get(Shape.OBJECT) or {}
    if isinstance(document.get("messages"), list):
        return Likeness(1, 1)
    message = head.json.views.get(Shape.LIST)
    if message is None or documents.first(message, documents.TIMES) is None:
        return UNLIKE
    return Likeness(1, 1) if documents.first(message, documents.SENDERS) else UNLIKE


def _read(content: LogContent) -> Iterator[LogMessage]:
    export = documents.load(content)
    values = as_list(export.get("messages") if isinstance(export, dict) else export)
    found = (documents.to_message(number, value) for number, value in enumerate(values))
    shown = documents.shown_names(map(documents.sender_of, documents.objects(values)))
    return documents.with_mentions(documents.in_order(found), shown)


FORMAT: Final = LogFormat("json", "JSON with a list of messages", _likeness, _read, general=True)
