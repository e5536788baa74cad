"""Checks of a turn against its annotation: hints about what was probably forgotten.

A value may be ticked but not in the text, in the text but not ticked, or a name may be mentioned
but not selected. Names and terms are matched ignoring case, numbers by their digits. Questions
cannot be recognised in every language, so they are never checked.
"""

from collections.abc import Iterable

from crosstalk.collection.events import Hint
from crosstalk.collection.rooms import Room, dropped_cells, empty_cells
from crosstalk.collection.wizard_form import NUMBERS
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.goals import Reference, SemanticTuple
from crosstalk.dialogue.schema import SERVICE_MARK, Slot, SlotKind
from crosstalk.language.figures import numbers_alike
from crosstalk.language.normalize import squeezed
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.language.writing import writing_of


def user_hints(
    context: WorldContext, room: Room, text: str, ticks: tuple[int, ...], done: bool
) -> tuple[Hint, ...]:
    """Hints about the user's turn and its ticks."""
    found = [*_unsaid(context, room, text, ticks), *_unticked(context, room, text, ticks)]
    if not ticks and not done:
        found.append(Hint("nothing_ticked", "nothing is ticked for this utterance"))
    if done:
        found += [
            Hint("never_said", f"{each.slot} was never ticked", cell=number)
            for number, each in enumerate(room.cells)
            if not each.expressed and number not in {*ticks, *dropped_cells(room)}
        ]
    return tuple(found)


def missing(room: Room) -> tuple[Hint, ...]:
    """The empty cells, which must be filled in before the user can finish."""
    return tuple(
        Hint("cells_empty", f"{room.cells[number].slot} is not filled in", cell=number)
        for number in empty_cells(room)
    )


def wizard_hints(context: WorldContext, room: Room, text: str) -> tuple[Hint, ...]:
    """Hints about the wizard's turn and the selected results."""
    named = {mention[2:] for mention in context.mentions(text)}
    selected = {(tab.domain, name) for tab in room.form for name in tab.selected}
    before = {(tab.domain, name) for tab in room.at_start for name in tab.selected}
    asked = {query.domain for query in room.queries}
    found = [
        Hint("named_not_selected", f"{name!r} is named and not selected", name)
        for domain, name in sorted(named - selected)
        if domain in asked and not _is_known(context, room, domain, name, selected | before)
    ]
    found += [
        Hint("selected_not_named", f"{name!r} is selected and not named", name)
        for domain, name in sorted(selected - before - named)
        if context.database.find(domain, name)
    ]
    return tuple(found)


def _is_known(
    context: WorldContext, room: Room, domain: str, name: str, selected: Iterable[tuple[str, str]]
) -> bool:
    """Whether a name is near a selected place or was typed into the form: not a new offer."""
    typed = any(name == value for tab in room.form for value in tab.constraints.values())
    return typed or any(
        str(row.get(slot.key)) == name
        for place, chosen in selected
        if context.database.find(place, chosen)
        and (slot := context.database.domain(domain).name_slot)
        for row in context.database.nearby(place, chosen, domain)
    )


def _unsaid(context: WorldContext, room: Room, text: str, ticks: tuple[int, ...]) -> Iterable[Hint]:
    for number in ticks:
        each = room.cells[number]
        if room.goal.tuples[number].is_open or isinstance(each.value, Reference):
            continue
        for value in _unfound(context, each, text):
            message = f"{value!r} is ticked and not in the text"
            yield Hint("ticked_not_said", message, value, number)


def _unticked(
    context: WorldContext, room: Room, text: str, ticks: tuple[int, ...]
) -> Iterable[Hint]:
    said = {_wording(context, each) for each in room.cells if each.expressed}
    said |= {_wording(context, room.cells[number]) for number in ticks}
    for number, each in enumerate(room.cells):
        if number in ticks or each.expressed or each.is_open or room.goal.tuples[number].is_open:
            continue
        wording = _wording(context, each)
        if not wording or wording in said or not _is_telling(context, each):
            continue
        if not _unfound(context, each, text):
            message = f"{', '.join(wording)} is in the text and not ticked"
            yield Hint("said_not_ticked", message, ", ".join(wording), number)


def _wording(context: WorldContext, each: SemanticTuple) -> tuple[str, ...]:
    """The texts that express a cell."""
    slot = context.slot(each.domain, each.slot)
    if _is_service(slot, each.slot):
        assert slot is not None
        return (each.slot.removeprefix(slot.key + SERVICE_MARK),)
    if isinstance(each.value, Reference):
        return ()
    return (each.value,) if isinstance(each.value, str) else each.value


def _is_service(slot: Slot | None, key: str) -> bool:
    return slot is not None and slot.kind is SlotKind.SERVICES and key != slot.key


def _is_telling(context: WorldContext, each: SemanticTuple) -> bool:
    """Whether a match in the text is evidence for the value; a single digit is not."""
    slot = context.slot(each.domain, each.slot)
    if slot is None or slot.kind not in NUMBERS or not isinstance(each.value, str):
        return True
    numbers = _numbers(context, each.value)
    return len(numbers) > 1 or any(len(number) > 1 for number in numbers)


def _unfound(context: WorldContext, each: SemanticTuple, text: str) -> list[str]:
    """The parts of a cell's value that the text does not contain."""
    slot = context.slot(each.domain, each.slot)
    wording = _wording(context, each)
    if slot is not None and slot.kind in NUMBERS:
        return [value for value in wording if not _has_number(context, each, slot, value, text)]
    folded = squeezed(text)
    return [value for value in wording if squeezed(value) not in folded]


def _has_number(
    context: WorldContext, each: SemanticTuple, slot: Slot, value: str, text: str
) -> bool:
    forms = forms_of(context.pack, each.domain, slot)
    wanted = read_bounds(forms, value)
    numbers = _numbers(context, value)
    if not numbers:
        return squeezed(value) in squeezed(text) or read_bounds(forms, text) == wanted
    return set(numbers) <= set(_numbers(context, text))


def _numbers(context: WorldContext, text: str) -> list[str]:
    return numbers_alike(text, writing_of(context.pack.code))
