"""Who edits a file: names from its journal, where people come and go."""

from collections.abc import Iterable, Sequence
from typing import Final

from crosstalk.errors import InputError
from crosstalk.translation.effort import efforts
from crosstalk.translation.journal import Event
from crosstalk.translation.names import refuse_names

CAME: Final = "editor"
LEFT: Final = "left"
NOBODY: Final = "editor"
"""Whoever edits where nobody is named; not recorded, so that names given later replace it."""


def staff(events: Iterable[Event]) -> tuple[str, ...]:
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


def everybody_ever(events: Sequence[Event]) -> set[str]:
    """Whoever was an editor, or saved something: none of them judges it."""
    return {str(event["name"]) for event in events if event["event"] == CAME} | set(efforts(events))
