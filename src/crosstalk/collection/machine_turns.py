"""A machine's turn as the events a person's turn would have led to."""

from collections.abc import Iterator

from crosstalk.collection.events import Answered, Event, Filled, Queried, Said, Selected
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.conversation.participants import Reply
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Reference
from crosstalk.dialogue.states import SystemState


def events_of(context: WorldContext, room: Room, reply: Reply) -> tuple[Event, ...]:
    """What a participant's reply does in a room."""
    if reply.turn.speaker is Speaker.USER:
        return tuple(_user(room, reply))
    return tuple(_wizard(context, room, reply.turn))


def _user(room: Room, reply: Reply) -> Iterator[Event]:
    state = reply.turn.user_state or room.cells
    said = {(act.domain, act.slot) for act in reply.turn.acts}
    ticks = []
    for number, (before, after) in enumerate(zip(room.cells, state, strict=True)):
        if after.value != before.value and not isinstance(after.value, Reference):
            yield Filled(number, after.value)
        again = after.is_open and (after.domain, after.slot) in said
        if after.expressed and (again or not before.expressed):
            ticks.append(number)
    yield Said(reply.turn.text, tuple(ticks), reply.done, acts=reply.turn.acts)


def _wizard(context: WorldContext, room: Room, turn: Turn) -> Iterator[Event]:
    before = room.form
    for form in (turn.first_query, turn.last_query):
        if form is not None:
            yield from _queries(context, before, form)
            before = form
    if turn.last_query is not None:
        yield from _selections(room, turn.last_query)
    yield Answered(turn.text, acts=turn.acts)


def _queries(context: WorldContext, before: SystemState, form: SystemState) -> Iterator[Event]:
    for tab in form:
        if tab.slots != before.get(tab.domain).slots:
            yield Queried(tab.domain, tab.slots, len(context.search(tab.domain, tab.slots).rows))


def _selections(room: Room, form: SystemState) -> Iterator[Event]:
    for tab in form:
        if tab.selected or room.form.get(tab.domain).selected:
            yield Selected(tab.domain, tab.selected)
