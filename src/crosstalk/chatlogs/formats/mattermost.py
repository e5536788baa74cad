"""Mattermost: the bulk export (JSON Lines of all channels), or posts of its interface."""

import json
from collections.abc import Iterator
from typing import Any, Final

from crosstalk.chatlogs.formats import documents
from crosstalk.chatlogs.formats.documents import Json, as_object
from crosstalk.chatlogs.formats.json_lines import records, records_of
from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogContent, LogFormat
from crosstalk.chatlogs.log_messages import LineKind, LogMessage
from crosstalk.corpora.formats import Shape, Signature

KINDS: Final = ("post", "direct_post")
PARTS: Final = (*KINDS, "version", "team", "channel", "user", "direct_channel", "emoji", "scheme")
"""Kinds of lines of the bulk export."""
POSTS = documents.has_fields(Signature((Shape.OBJECT,), ("posts", "order")))


def _likeness(head: FileHead) -> Likeness:
    values = records_of(head)
    known = sum(value.get("type") in PARTS and value.get("type") in value for value in values)
    if not known or len(values) == 1 == len(values[0]):
        return POSTS(head)
    return Likeness(known / len(values), 1000 + known, f"{known:,} of {len(values):,} lines")


def _rooms(content: LogContent) -> dict[str, list[LogMessage]]:
    try:
        export = as_object(documents.load(content))
    except json.JSONDecodeError:  # lines
        export = {}
    if "posts" in export:
        return {"": documents.in_order(_of_interface(export))}
    found: dict[str, list[LogMessage]] = {}
    for number, value, line in records(content):
        kind = as_object(value).get("type")
        if value is None:
            found.setdefault("", []).append(documents.to_message(number, None, line))
        elif kind in KINDS:
            post = as_object(value.get(kind))
            found.setdefault(_room(post), []).extend(_with_replies(number, post))
    return {room: documents.in_order(messages) for room, messages in found.items()}


def _room(post: Json) -> str:
    people = post.get("channel_members")
    if people:
        return "direct " + ", ".join(map(str, documents.as_list(people)))
    return "/".join(str(post[each]) for each in ("team", "channel") if post.get(each))


def _with_replies(number: int, post: Json) -> Iterator[LogMessage]:
    key = f"{number}"
    yield _message(number, post, key, "")
    for place, reply in enumerate(documents.objects(post.get("replies")), 1):
        yield _message(number, reply, f"{number}.{place}", key)


def _of_interface(value: Json) -> Iterator[LogMessage]:
    posts = as_object(value.get("posts"))
    for number, post in enumerate(documents.objects(list(posts.values()))):
        who = post.get("username") or as_object(post.get("props")).get("override_username")
        person = who or post.get("user_id")
        yield _message(number, post | {"user": person}, str(post.get("id")), post.get("root_id"))


def _message(number: int, post: Json, key: str, reply: Any) -> LogMessage:
    message = documents.to_message(
        number, {"time": post.get("create_at"), **post, "text": post.get("message")}
    )
    is_system = str(post.get("type") or "").startswith("system_") or not message.text
    if is_system and message.kind is LineKind.MESSAGE:
        message = message._replace(kind=LineKind.SYSTEM)
    return message._replace(key=key, reply_to=str(reply or ""))


FORMAT: Final = LogFormat(
    "mattermost",
    "Mattermost (bulk export, posts)",
    _likeness,
    lambda content: iter([each for room in _rooms(content).values() for each in room]),
    rooms=_rooms,
)
