"""A world's actions as tools: JSON Schema for their arguments, and results in words.

`WorldTools` (tools.py) offers them beside searches. A call changes the copy of the tables that
belongs to one conversation.
"""

from collections.abc import Mapping
from typing import Any, Final

from crosstalk.dialogue.actions import ENTITY, Action, argument_slot
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.worlds.action_events import REASONS, ActionEvent, Refusal
from crosstalk.worlds.actions import Executor

Json = dict[str, Any]
TYPES: Final[Mapping[SlotKind, Json]] = {
    SlotKind.COUNT: {"type": "integer"},
    SlotKind.NUMBER: {"type": "integer"},
    SlotKind.MONEY: {"type": "number"},
    SlotKind.RATING: {"type": "number"},
    SlotKind.FLAG: {"type": "boolean"},
}
"""Kinds of arguments that are no texts."""
WRITTEN: Final = {SlotKind.DATE: "YYYY-MM-DD", SlotKind.TIME: "HH:MM"}


def action_properties(executor: Executor, action: Action) -> dict[str, Json]:
    """Argument -> its JSON Schema."""
    schema = executor.world.schema
    return {
        name: _property(executor, action, slot)
        for name in action.arguments
        if (slot := argument_slot(schema, action, name))
    }


def _property(executor: Executor, action: Action, slot: Slot) -> Json:
    pack = executor.world.language
    title = pack.slot_name(action.domain, slot.key)
    if slot.key == ENTITY:
        title = f"{pack.domain_name(action.domain)}: {pack.slot_name(action.domain, 'name')}"
    found: Json = {**TYPES.get(slot.kind, {"type": "string"})}
    if found["type"] in ("integer", "number"):
        limits = {"minimum": slot.low, "maximum": slot.high}
        found |= {key: limit for key, limit in limits.items() if limit is not None}
    if slot.values and slot.kind is not SlotKind.ENDPOINT:
        found["enum"] = list(slot.values)
    written = WRITTEN.get(slot.kind)
    limits_text = f", {slot.low} to {slot.high}" if written and slot.low is not None else ""
    found["description"] = f"{title} ({written}{limits_text})" if written else title
    return found


def action_description(executor: Executor, action: Action) -> str:
    """What an action does, when it is to be confirmed, and what it gives."""
    pack = executor.world.language
    does = pack.action_name(action.key)
    gives = ", ".join(pack.slot_name(action.domain, given.key) for given in action.gives)
    sentences = [f"{does[:1].upper()}{does[1:]}."]
    if action.confirm:
        sentences.append("Read the details back and get the user's yes before you call this.")
    if gives:
        sentences.append(f"Gives: {gives}.")
    return " ".join(sentences)


def tool_arguments(executor: Executor, event: ActionEvent) -> Json:
    """The arguments of a call as the tool's JSON Schema has them: yes and no are true and false."""
    schema, pack = executor.world.schema, executor.world.language
    action = executor.action(event.action)
    slots = {name: argument_slot(schema, action, name) for name in event.arguments}
    flags = {name for name, slot in slots.items() if slot and slot.kind is SlotKind.FLAG}
    return {
        name: value == pack.yes if name in flags else value
        for name, value in event.arguments.items()
    }


def action_result(executor: Executor, event: ActionEvent) -> Json:
    """What an agent learns of a call: what it gives, or why it was refused."""
    if event.refusal:
        return {"refused": event.refusal.reason, "message": refusal_text(executor, event)}
    return {"done": event.action, **event.gives}


def refusal_text(executor: Executor, event: ActionEvent) -> str:
    """The sentence for a refusal in the world's language; the bare reason where it has none.

    The reasons that every world has name the argument: `limit: number of days`.
    """
    refusal = event.refusal or Refusal("")
    action = executor.action(event.action)
    pack = executor.world.language
    bare = f"{refusal.reason}: {{slot}}" if refusal.reason in REASONS else refusal.reason
    sentence = pack.refusals.get(refusal.reason, bare)
    return sentence.replace("{slot}", pack.slot_name(action.domain, refusal.argument))
