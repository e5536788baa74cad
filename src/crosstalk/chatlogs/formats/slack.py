"""Slack's export: a folder per channel with a file per day, and `users.json` beside the folders."""

import re
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json
from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

USERS: Final = "users.json"
NOTICES: Final = re.compile(
    r"(?:channel|group)_(?:join|leave|topic|purpose|name|archive|unarchive|convert\w+)|"
    r"pinned_item|reminder_add|bot_(?:add|remove)|tombstone|huddle_thread"
)
MARK: Final = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
MESSAGES = documents.has_fields(Signature((Shape.LIST,), ("ts",), ("user", "type")))
DUMPED = documents.has_fields(
    Signature((Shape.OBJECT,), ("messages.ts",), ("channel_id", "messages.user"))
)


def _likeness(head: FileHead) -> Likeness:
    return max(MESSAGES(head), DUMPED(head))


def _read(content: LogContent) -> Iterator[LogMessage]:
    names = _names(content.json_beside(f"../{USERS}") or content.json_beside(USERS))
    export = documents.load(content)
    values = export.get("messages") if isinstance(export, dict) else export
    for number, value in enumerate(documents.as_list(values)):
        message = documents.to_message(number, value)
        if isinstance(value, dict) and message.kind is LineKind.MESSAGE:
            message = _spelt_out(message, value, names)
        yield message


def _spelt_out(message: LogMessage, value: Json, names: Mapping[str, str]) -> LogMessage:
    key, parent = str(value.get("ts", "")), str(value.get("thread_ts", ""))
    own = documents.as_object(value.get("user_profile")).get("name")
    is_notice = NOTICES.fullmatch(str(value.get("subtype", "")))
    return message._replace(
        kind=LineKind.SYSTEM if is_notice else LineKind.MESSAGE,
        sender=names.get(message.sender) or documents.one_word(own) or message.sender,
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


def _names(users: Any) -> dict[str, str]:
    """Return user names by id."""
    return {
        str(value["id"]): documents.one_word(value["name"])
        for value in documents.objects(users)
        if value.get("id") and value.get("name")
    }


FORMAT: Final = LogFormat("slack", "Slack's export", _likeness, _read)
