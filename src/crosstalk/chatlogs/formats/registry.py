"""The formats of chat logs by name, and which of them a file is in.

    recognise(head)  # "irssi"

A format from outside is named `package.module:OBJECT`, or comes from an installed package as an
entry point of the group `crosstalk.log_formats`.
"""

from collections.abc import Iterable
from typing import Final

from crosstalk.chatlogs.formats.log_format import FileHead, Likeness, LogFormat
from crosstalk.external_objects import Registry

GROUP: Final = "crosstalk.log_formats"
PLACE: Final = "crosstalk.chatlogs.formats"
BUILT_IN: Final = {
    "ubuntu": f"{PLACE}.ubuntu:FORMAT",
    "irssi": f"{PLACE}.irssi:FORMAT",
    "weechat": f"{PLACE}.weechat:FORMAT",
    "hexchat": f"{PLACE}.hexchat:FORMAT",
    "znc": f"{PLACE}.znc:FORMAT",
    "mirc": f"{PLACE}.mirc:FORMAT",
    "thelounge": f"{PLACE}.thelounge:FORMAT",
    "irc": f"{PLACE}.irc:FORMAT",
    "whatsapp": f"{PLACE}.whatsapp:FORMAT",
    "slack": f"{PLACE}.slack:FORMAT",
    "discord": f"{PLACE}.discord:FORMAT",
    "matrix": f"{PLACE}.matrix:FORMAT",
    "telegram": f"{PLACE}.telegram:FORMAT",
    "telegram-html": f"{PLACE}.telegram_html:FORMAT",
    "mattermost": f"{PLACE}.mattermost:FORMAT",
    "zulip": f"{PLACE}.zulip:FORMAT",
    "teams": f"{PLACE}.teams:FORMAT",
    "lines": f"{PLACE}.json_lines:FORMAT",
    "json": f"{PLACE}.json_messages:FORMAT",
    "table": f"{PLACE}.tables:FORMAT",
}
"""Name -> the `LogFormat`; of formats that fit equally well the first is taken."""
FORMATS: Final = Registry(LogFormat, "log format", GROUP, BUILT_IN, "docs/chatlogs.md")
ENOUGH: Final = 0.95
"""A file that looks so much like its neighbour's format is taken for one of it."""


def recognise(head: FileHead, first: str = "") -> str:
    """Return the name of the format that a file looks most like; empty: like none.

    `first` is tried before the others: the files of a folder mostly have one format.
    """
    before = FORMATS.find(first) if first else None
    if before and not before.general and before.likeness(head).share >= ENOUGH:
        return first
    found = {name: FORMATS.find(name).likeness(head) for name in FORMATS.names()}
    best = max(found, key=lambda name: found[name][:2])
    return best if found[best].fits else ""


def description(head: FileHead) -> str:
    """Say what a file in no known format looks like."""
    if not head.lines:
        return "it is empty"
    if head.json.views:
        return f"it holds {head.json.description}"
    if "\0" in head.text or "\ufffd" in head.text[:200]:
        return "it is no text"
    return f"it begins with {head.lines[0][:60]!r}"


def closest(heads: Iterable[FileHead]) -> str:
    """Say which formats came close, for a message; empty if none did."""
    found: dict[str, Likeness] = {}
    for head in heads:
        for name in FORMATS.names():
            likeness = FORMATS.find(name).likeness(head)
            if likeness.note and likeness.weight and likeness[:2] > found.get(name, (0, 0))[:2]:
                found[name] = likeness
    best = sorted(found, key=lambda name: found[name][:2], reverse=True)[:3]
    return "; ".join(f"{name} ({found[name].note})" for name in best)
