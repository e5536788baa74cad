"""Driving a room in tests: wishes become events, events become the next room."""

from collections.abc import Iterable

import pytest

from crosstalk.collection.commands import Command, decide
from crosstalk.collection.events import Event, Recorded, Role
from crosstalk.collection.rooms import Room, apply
from crosstalk.collection.world_context import WorldContext
from crosstalk.errors import Rejection


def after(room: Room, events: Iterable[Event], at: float = 1.0) -> Room:
    for event in events:
        room = apply(room, Recorded(room.seq + 1, at, event))
    return room


def play(
    context: WorldContext, room: Room, role: Role, *commands: Command, at: float = 1.0
) -> Room:
    for command in commands:
        room = after(room, decide(context, room, role, command), at)
    return room


def refusal(context: WorldContext, room: Room, role: Role, command: Command) -> Rejection:
    with pytest.raises(Rejection) as caught:
        decide(context, room, role, command)
    return caught.value
