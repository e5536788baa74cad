"""The user's table: the goal's tuples as cells that the user ticks and fills in."""

from functools import lru_cache
from typing import Any, Final

from crosstalk.collection.closed_fields import word_hint, word_of
from crosstalk.collection.events import Hint
from crosstalk.collection.rooms import Room, is_wish
from crosstalk.collection.wizard_form import NUMBERS, clean, clean_all
from crosstalk.collection.world_context import WorldContext, is_several
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import Band, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.errors import Rejection
from crosstalk.labels.field_words import is_word_of
from crosstalk.language.number_forms import forms_of, read_bounds, say_band, say_number
from crosstalk.worlds.conditions import several

WORDS: Final = (SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.LIST, SlotKind.STATION)
"""Kinds of answers that are words of the tables."""


PLACES: Final = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT)


def _completed(context: WorldContext, domain: str, slot: Slot, typed: str) -> str | None:
    return word_of(context, context.database.domain(domain), slot, typed)


def _term(context: WorldContext, domain: str, slot: Slot | None, typed: str) -> str:
    """A member of a list: a dish, a place nearby."""
    if slot is None or typed == context.pack.nothing:
        return typed
    return _completed(context, domain, slot, typed) or typed


def unlisted_values(context: WorldContext, room: Room, cell: int, value: SlotValue) -> list[str]:
    """The values of a cell that are no words of its field; none of *none*, or of an empty cell."""
    each = room.cells[cell]
    slot = context.slot(each.domain, each.slot)
    if slot is None or (slot.kind is SlotKind.SERVICES and slot.key != each.slot):
        return []  # yes and no
    typed = (one for one in several(value) if one != context.pack.nothing)
    return [one for one in typed if not _is_word(context, each.domain, slot, one)]


def _is_word(context: WorldContext, domain: str, slot: Slot, typed: str) -> bool:
    if slot.kind is SlotKind.NAME:
        return context.entity(domain, typed) == typed  # a part of a name names nobody
    return is_word_of(context.checker.words, context.database.domain(domain), slot, typed)


def written_cell(context: WorldContext, room: Room, cell: int, value: Any) -> SlotValue:
    """A typed value in the notation of the corpus; raises Rejection if it does not fit the slot."""
    if not 0 <= cell < len(room.cells):
        raise Rejection("unknown_cell", f"there is no cell {cell}")
    each = room.cells[cell]
    slot = context.slot(each.domain, each.slot)
    if isinstance(value, list):
        if not is_several(slot, each.slot):
            raise Rejection("bad_value", f"{each.slot} has one value, not several")
        terms = (_term(context, each.domain, slot, typed) for typed in clean_all(value))
        return tuple(dict.fromkeys(terms))
    if not isinstance(value, str):
        raise Rejection("bad_value", f"{each.slot}: expected text")
    text = clean(value)
    if not text or text == context.pack.nothing:
        return text
    if is_several(slot, each.slot):
        return (_term(context, each.domain, slot, text),)
    return _one(context, each, slot, text)


def _one(context: WorldContext, each: SemanticTuple, slot: Slot | None, text: str) -> str:
    if slot is None:
        return text
    if slot.kind in NUMBERS:
        return _number(context, each, slot, text)
    if slot.kind is SlotKind.SERVICES:
        return _yes_or_no(context, text)
    if slot.kind in WORDS:
        return _completed(context, each.domain, slot, text) or text
    if slot.kind is SlotKind.NAME:
        return context.entity(each.domain, text) or text
    return context.place(text) or text if slot.kind is SlotKind.ENDPOINT else text


def _number(context: WorldContext, each: SemanticTuple, slot: Slot, text: str) -> str:
    forms = forms_of(context.pack, each.domain, slot)
    bounds = read_bounds(forms, text)
    if bounds is None:
        raise Rejection("bad_value", f"{each.slot}: {text!r} says no number")
    if bounds.low is not None and bounds.low == bounds.high:
        return say_number(forms, bounds.low)
    return text if text in (forms.free, forms.not_free) else _band(forms, bounds.low, bounds.high)


def _band(forms: Any, low: float | None, high: float | None) -> str:
    return say_band(forms, Band(low, high))


def _yes_or_no(context: WorldContext, text: str) -> str:
    known = (context.pack.yes, context.pack.no)
    for word in known:
        if text.casefold() == word.casefold():
            return word
    raise Rejection("bad_value", f"expected {' or '.join(known)}, found {text!r}")


def doubts(context: WorldContext, room: Room, cell: int, value: SlotValue) -> tuple[Hint, ...]:
    """Hints about a value that is not an entity, or not one that fits the goal."""
    each, wanted = room.cells[cell], room.goal.tuples[cell].value
    slot = context.slot(each.domain, each.slot)
    if slot is None or value in ("", context.pack.nothing):
        return ()
    if unknown := unlisted_values(context, room, cell, value):
        domain = context.database.domain(each.domain)
        if slot.kind in PLACES:
            return tuple(_not_an_entity(cell, typed) for typed in unknown)
        return tuple(word_hint(context, domain, slot, typed, cell) for typed in unknown)
    if not isinstance(value, str):
        return ()
    if isinstance(wanted, Reference) and not _fits(context, room, each, wanted, value):
        message = f"{value!r} does not fit the place of sub-goal {wanted.subgoal}"
        return (Hint("not_nearby", message, value, cell),)
    return ()


def _not_an_entity(cell: int, value: str) -> Hint:
    return Hint("not_an_entity", f"there is no place called {value!r}", value, cell)


def _fits(
    context: WorldContext, room: Room, each: SemanticTuple, wanted: Reference, value: str
) -> bool:
    """Whether an entity is, or is near, the entity that another sub-goal refers to."""
    source = name_of(context, room.cells, wanted.subgoal)
    if source is None:
        return True
    domain, name = source
    if not wanted.nearby:
        return value == name
    near = context.database.nearby(domain, name, each.domain)
    asked = context.database.domain(each.domain).name_slot
    return asked is None or any(row[asked.key] == value for row in near)


def name_of(context: WorldContext, cells: Tuples, subgoal: int) -> tuple[str, str] | None:
    """(domain, name) of the entity chosen for a sub-goal; None if there is none yet."""
    for each in cells:
        slot = context.slot(each.domain, each.slot)
        if each.subgoal == subgoal and slot is not None and slot.kind is SlotKind.NAME:
            found = isinstance(each.value, str) and each.value
            return (each.domain, found) if found else None
    return None


def shown_cells(context: WorldContext, room: Room) -> list[dict[str, Any]]:
    heard = [turn.text for turn in room.conversation.turns if turn.speaker is Speaker.SYSTEM]
    named = {mention[2:]: None for text in heard for mention in context.mentions(text)}
    return [_shown(context, room, number, list(named)) for number in range(len(room.cells))]


def _shown(
    context: WorldContext, room: Room, number: int, named: list[tuple[str, str]]
) -> dict[str, Any]:
    each, wanted = room.cells[number], room.goal.tuples[number].value
    constraint = not room.goal.tuples[number].is_open
    slot = context.slot(each.domain, each.slot)
    return {
        "cell": number,
        "subgoal": each.subgoal,
        "domain": each.domain,
        "slot": each.slot,
        **_names_of(context, each.domain, each.slot),
        "wanted": plain_value(wanted),
        "value": plain_value(each.value),
        "constraint": constraint,
        "said": each.expressed,
        "changed": constraint and not isinstance(wanted, Reference) and each.value != wanted,
        "dropped": is_wish(room.goal.tuples[number]) and each.is_open,
        "reference": reference(wanted),
        "choices": _choices(context, room, each, slot, wanted, named),
    }


@lru_cache(4096)
def _names_of(context: WorldContext, domain: str, key: str) -> dict[str, Any]:
    """The parts of a cell that depend on the slot only."""
    slot = context.slot(domain, key)
    return {
        "domain_name": context.pack.domain_name(domain),
        "slot_name": slot_label(context, domain, key),
        "kind": slot.kind.value if slot else "text",
        "several": is_several(slot, key),
    }


def slot_label(context: WorldContext, domain: str, key: str) -> str:
    """The display name of a slot; for a service, its own name."""
    slot = context.slot(domain, key)
    if slot is not None and slot.kind is SlotKind.SERVICES and slot.key != key:
        return f"{context.pack.slot_name(domain, slot.key)}: {key.removeprefix(slot.key)[1:]}"
    return context.pack.slot_name(domain, key)


def plain_value(value: Value) -> str | list[str]:
    if isinstance(value, Reference):
        return ""
    return value if isinstance(value, str) else list(value)


def reference(value: Value) -> dict[str, int] | None:
    if not isinstance(value, Reference):
        return None
    return {"near" if value.nearby else "at": value.subgoal}


def _choices(
    context: WorldContext,
    room: Room,
    each: SemanticTuple,
    slot: Slot | None,
    wanted: Value,
    named: list[tuple[str, str]],
) -> list[str]:
    """Suggested values of a cell, from the entities named so far."""
    if slot is None:
        return []
    if isinstance(wanted, Reference) and not wanted.nearby:
        source = name_of(context, room.cells, wanted.subgoal)
        return [source[1]] if source else []
    match slot.kind:
        case SlotKind.SERVICES:
            return [context.pack.yes, context.pack.no]
        case SlotKind.NAME:
            return [name for domain, name in named if domain == each.domain]
        case SlotKind.NEARBY:
            own = name_of(context, room.cells, each.subgoal)  # nothing is near itself
            others = (place for place in named if place != own)
            return [name for domain, name in others if domain == slot.target]
    return []
