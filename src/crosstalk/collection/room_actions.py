"""Actions in a room: their forms, made from what the world declares, and what a call led to.

    acted = performed(context, room, "book_room", {"entity": "Pilot House", ...})
    acted.record, acted.title, acted.message

The tables of a room are those of its world after all calls so far; nothing else is kept.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from crosstalk.collection.events import Acted
from crosstalk.collection.rooms import Room
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.actions import ENTITY, Action, argument_slot
from crosstalk.dialogue.dialogues import ACTIONS, Turn
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.errors import InputError, Rejection
from crosstalk.language.number_forms import forms_of, say_number
from crosstalk.worlds.action_events import ActionEvent, TableState, event_of
from crosstalk.worlds.action_tools import refusal_text
from crosstalk.worlds.actions import Executor

CONTROLS: Final[Mapping[SlotKind, str]] = {
    SlotKind.DATE: "date",
    SlotKind.TIME: "time",
    SlotKind.COUNT: "count",
    SlotKind.NUMBER: "count",
    SlotKind.CATEGORY: "choice",
    SlotKind.DAY: "choice",
    SlotKind.FLAG: "choice",
}
"""Kind of argument -> control of a page; everything else is typed as text."""


def described_actions(context: WorldContext) -> list[dict[str, Any]]:
    """The form of each action as JSON for pages; none where the study has no actions."""
    if context.executor is None:
        return []
    return [
        {
            "key": action.key,
            "name": context.pack.action_name(action.key),
            "domain": action.domain,
            "confirm": action.confirm,
            "fields": [_field(context, action, name) for name in action.arguments],
        }
        for action in context.world.schema.actions
    ]


def _field(context: WorldContext, action: Action, name: str) -> dict[str, Any]:
    slot = argument_slot(context.world.schema, action, name)
    assert slot is not None  # `world check` refuses arguments that are nowhere declared
    title = context.pack.slot_name(action.domain, name)
    is_entity = name == ENTITY
    return {
        "slot": name,
        "name": context.pack.domain_name(action.domain) if is_entity else title,
        "control": CONTROLS.get(slot.kind, "text"),
        "choices": _choices(context, slot),
        "low": slot.low,
        "high": slot.high,
        "needed": name in action.needs,
        "target": slot.target,
        "is_place": is_entity or slot.kind is SlotKind.ENDPOINT,
    }


def _choices(context: WorldContext, slot: Slot) -> list[str]:
    if slot.kind is SlotKind.FLAG:
        return [context.pack.yes, context.pack.no]
    if slot.kind is SlotKind.ENDPOINT:
        return []  # places are typed, and other ends too
    return list(context.pack.days) if slot.kind is SlotKind.DAY else list(slot.values)


def performed(
    context: WorldContext, room: Room, action: str, arguments: Mapping[str, Any]
) -> Acted:
    """What comes of a call, refused or done; raises Rejection where there is no such action."""
    executor = context.executor
    if executor is None:
        raise Rejection("no_actions", "nothing can be done here: this study has no actions")
    try:
        event = executor.perform(tables_of(executor, room), action, arguments)[1]
    except InputError as problem:
        raise Rejection("unknown_action", problem.message) from None
    return Acted(event.record(), context.pack.action_name(action), _message(context, event))


def done_by_machine(context: WorldContext, turn: Turn) -> Iterator[Acted]:
    """What a machine's turn says it did, as calls of a person would have been recorded."""
    for record in turn.extras.get(ACTIONS, ()) if context.executor else ():
        event = event_of(record)
        title = context.pack.action_name(event.action)
        yield Acted(dict(record), title, _message(context, event))


def tables_of(executor: Executor, room: Room) -> TableState:
    """The tables of a room as they are now."""
    return executor.replay(map(event_of, room.acted), room.goal_id)


def _message(context: WorldContext, event: ActionEvent) -> str:
    """What the action gave, or why it was refused, in the world's language."""
    assert context.executor is not None
    if event.refusal:
        return refusal_text(context.executor, event)
    domain = context.executor.action(event.action).domain
    told = []
    for key, cell in event.gives.items():
        if cell is None:
            continue
        said = str(cell)
        if isinstance(cell, int | float):
            said = say_number(forms_of(context.pack, domain, Slot(key, SlotKind.NUMBER)), cell)
        told.append(f"{context.pack.slot_name(domain, key)}: {said}")
    return context.pack.goal.comma.join(told) if context.pack.goal else ", ".join(told)
