"""A day of a Slack channel, with people by name instead of by number.

Slack writes `<@U1>` for somebody who is mentioned, `<https://a.b|here>` for a link and `&lt;` for
`<`; who U1 is stands in `users.json` at the top of the export.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from html import unescape
from pathlib import PurePosixPath
from typing import Any

from crosstalk.chatlogs.exports import Json, as_list, to_message
from crosstalk.chatlogs.messages import LineKind, LogMessage
from crosstalk.chatlogs.sources import LogFile
from crosstalk.errors import CrosstalkError

USERS = "users.json"
NOTICES = frozenset(
    {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name"}
)
MARK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def is_slack(export: Any) -> bool:
    """A list of messages that are known by their time `ts`."""
    return any(isinstance(value, dict) and "ts" in value for value in as_list(export))


def slack_messages(export: Any, names: Mapping[str, str]) -> Iterator[LogMessage]:
    """A thread's first message is what its answers answer."""
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
    """What a person sees of `<...>`."""
    sign, target, label = mark.groups()
    if sign == "@":
        return f"@{names.get(target) or label or target}"
    return f"{sign.replace('!', '@')}{label or target}"


def names_beside(log: LogFile) -> dict[str, str]:
    """The names of the people of an export, by their numbers; none where there is no such list."""
    same = replace(log, channel="", day=date.min, name="")
    if log.member:
        users = PurePosixPath(log.member).parent.parent / USERS
        return _names(replace(same, member=str(users)))
    return _names(replace(same, path=log.path.parent.parent / USERS))


@lru_cache(maxsize=8)
def _names(users: LogFile) -> dict[str, str]:
    """Read once, not for every day of every channel."""
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
