"""Machines in a room: their replies as events, and what a wizard's turn tells them as acts."""

from collections.abc import Iterator

from crosstalk.collection.events import Answered, Event, Filled, Queried, Said, Selected
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.dialogue.participants import Reply
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row


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


def told(context: WorldContext, cells: Tuples, turn: Turn) -> tuple[Act, ...]:
    """The answers in a turn to what the cells ask for, and the places it names."""
    acts = set(_names(context, cells, turn))
    for each in cells:
        domain = context.domain(each.domain)
        if domain is not None and each.expressed and each.is_open:
            acts.update(_answers(context, domain, each, turn))
    return tuple(sorted(acts))


def _names(context: WorldContext, cells: Tuples, turn: Turn) -> Iterator[Act]:
    """Places offered: those selected, or all that are not merely somebody's neighbours."""
    wanted = {each.domain for each in cells if each.expressed}
    named = [(key, name) for *_, key, name in context.mentions(turn.text) if key in wanted]
    selected = {(tab.domain, name) for tab in turn.last_query or () for name in tab.selected}
    near = {each for place in (*named, *selected) for each in _neighbours(context, *place)}
    for key, name in named:
        domain = context.domain(key)
        if domain and domain.name_slot and ((key, name) in selected or (key, name) not in near):
            yield Act(INFORM, key, domain.name_slot.key, name)


def _neighbours(context: WorldContext, key: str, name: str) -> Iterator[tuple[str, str]]:
    domain, row = context.domain(key), context.database.find(key, name)
    for slot in domain.of_kind(SlotKind.NEARBY) if domain and row else ():
        cell = row[slot.key] if row else None
        yield from ((slot.target, each) for each in cell) if isinstance(cell, tuple) else ()


def _answers(
    context: WorldContext, domain: Domain, asked: SemanticTuple, turn: Turn
) -> Iterator[Act]:
    slot, text, nothing = domain.slot(asked.slot), turn.text.casefold(), context.pack.nothing
    for row in _rows(context, domain, turn):
        said = answer(context.pack, domain, row, asked.slot)
        if slot is not None and slot.kind is SlotKind.SERVICES:
            service = asked.slot.removeprefix(slot.key + SERVICE_MARK)
            found = said if service.casefold() in text else ()
        else:
            found = tuple(each for each in said if each.casefold() in text or each == nothing)
        if found:
            yield from (Act(INFORM, domain.key, asked.slot, each) for each in found)
            return


def _rows(context: WorldContext, domain: Domain, turn: Turn) -> Iterator[Row]:
    """The places a turn names, then those selected; for rides, what the form finds."""
    tab = turn.last_query.get(domain.key) if turn.last_query else None
    if domain.kind is not DomainKind.PLACE:
        yield from context.search(domain.key, tab.slots).rows if tab else ()
        return
    named = [name for *_, key, name in context.mentions(turn.text) if key == domain.key]
    for name in (*named, *(tab.selected if tab else ())):
        if row := context.database.find(domain.key, name):
            yield row
