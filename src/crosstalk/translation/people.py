"""Who works on a translation: their names, who has come and left, whose each dialogue is."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from crosstalk.errors import InputError
from crosstalk.translation.effort import efforts
from crosstalk.translation.journal import Event

NAME: Final = re.compile(r"[\w][\w\- ]{0,39}")


def refuse_names(names: Sequence[str]) -> None:
    for name in names:
        if not NAME.fullmatch(name):
            raise InputError(
                f"{name!r} is no name for a person here",
                remedy="Use 1 to 40 letters, digits, spaces and hyphens.",
            )
    if len({name.casefold() for name in names}) < len(names):
        raise InputError("two people have one name", remedy="Give each a name of their own.")


CAME: Final = "editor"
LEFT: Final = "left"
NOBODY: Final = "editor"
"""Whoever edits where nobody is named; not recorded, so that names given later replace it."""


def current_editors(events: Iterable[Event]) -> tuple[str, ...]:
    """Everybody who came and has not left, in the order in which they came."""
    here: dict[str, None] = {}
    for event in events:
        if event["event"] == CAME:
            here[str(event["name"])] = None
        elif event["event"] == LEFT:
            here.pop(str(event["name"]), None)
    return tuple(here)


def changes(before: Sequence[str], coming: Sequence[str], leaving: Sequence[str]) -> list[Event]:
    """What to record when some come and others leave; who is not here cannot leave."""
    refuse_names([*before, *(name for name in coming if name not in before)])
    for name in leaving:
        if name not in before:
            raise InputError(
                f"{name} is no editor of this file",
                remedy=f"Its editors are {', '.join(before) or 'not named yet'}.",
            )
    events = [{"event": CAME, "name": name} for name in coming if name not in before]
    return events + [{"event": LEFT, "name": name} for name in leaving]


def all_editors_ever(events: Sequence[Event]) -> set[str]:
    """Whoever was an editor, or saved something: none of them judges it."""
    return {str(event["name"]) for event in events if event["event"] == CAME} | set(efforts(events))


def assign(
    sizes: Mapping[str, int], editors: Sequence[str], kept: Mapping[str, str]
) -> dict[str, str]:
    """Dialogue to editor: those `kept` stay, the others go to whoever has the least.

    Dialogues in their order, so that the same file and the same editors give the same answer.
    """
    if not editors:
        return dict(kept)
    load = dict.fromkeys(editors, 0)
    given = {dialogue: name for dialogue, name in kept.items() if dialogue in sizes}
    for dialogue, name in given.items():
        if name in load:
            load[name] += sizes[dialogue]
    for dialogue, size in sizes.items():
        if dialogue not in given:
            least = min(editors, key=lambda name: load[name])
            given[dialogue] = least
            load[least] += size
    return given
