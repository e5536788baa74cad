"""Faults planted into the labels of a dialogue, one at a time: `plant(kind, dialogue, world, rng)`.

Each function returns the changed dialogue and the turn of the fault, or None where the dialogue
has no place for it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples, Value
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState
from crosstalk.worlds.conditions import terms
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import World

Planted = tuple[Dialogue, int]
Planter = Callable[[Dialogue, World, Random], Planted | None]
CUT = (SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.LIST, SlotKind.SERVICES, SlotKind.NEARBY)
TICKABLE = (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT, SlotKind.STATION)


def _slot(world: World, domain: str, key: str) -> Slot | None:
    found = world.schema.domain(domain)
    return found.slot(key) if found else None


def _values(each: SemanticTuple, world: World) -> tuple[str, ...]:
    if isinstance(each.value, Reference):
        return ()
    return each.value if isinstance(each.value, tuple) else (each.value,)


def _user_turns(dialogue: Dialogue) -> Iterator[tuple[int, Turn, Tuples]]:
    """Number, turn, and the user's table before it."""
    before = dialogue.goal.tuples if dialogue.goal else ()
    for number, turn in enumerate(dialogue.turns):
        if turn.user_state is not None:
            yield number, turn, before
            before = turn.user_state


def _with_turns(dialogue: Dialogue, changed: dict[int, Turn]) -> Dialogue:
    turns = tuple(changed.get(number, turn) for number, turn in enumerate(dialogue.turns))
    return replace(dialogue, turns=turns)


def _with_cell(
    dialogue: Dialogue, first: int, cell: int, change: Callable[[SemanticTuple], SemanticTuple]
) -> Dialogue:
    """The dialogue with one cell changed from a turn on."""
    changed = {}
    for number, turn in enumerate(dialogue.turns):
        if number >= first and turn.user_state is not None:
            cells = list(turn.user_state)
            cells[cell] = change(cells[cell])
            changed[number] = replace(turn, user_state=tuple(cells))
    return _with_turns(dialogue, changed)


def _with_acts(dialogue: Dialogue, number: int, acts: tuple[Act, ...]) -> Dialogue:
    return _with_turns(dialogue, {number: replace(dialogue.turns[number], acts=acts)})


def _is_wish(each: SemanticTuple, world: World) -> bool:
    slot = _slot(world, each.domain, each.slot)
    return (
        slot is not None
        and slot.kind not in TICKABLE
        and not each.is_open
        and not isinstance(each.value, Reference)
    )


def _is_question(each: SemanticTuple, world: World) -> bool:
    slot = _slot(world, each.domain, each.slot)
    return slot is not None and slot.kind is not SlotKind.STATION and each.is_open


def _dropped(dialogue: Dialogue, world: World, rng: Random, wish: bool) -> Planted | None:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    kind = _is_wish if wish else _is_question
    spots = [
        (number, cell)
        for number, turn, before in _user_turns(dialogue)
        for cell, each in enumerate(turn.user_state or ())
        if each.expressed and not before[cell].expressed and kind(goal[cell], world)
        if any((act.domain, act.slot) == (each.domain, each.slot) for act in turn.acts)
    ]
    if not spots:
        return None
    number, cell = rng.choice(spots)
    each = (dialogue.turns[number].user_state or ())[cell]
    acts = tuple(
        act
        for act in dialogue.turns[number].acts
        if (act.domain, act.slot) != (each.domain, each.slot)
    )
    changed = _with_cell(dialogue, number, cell, lambda one: replace(one, expressed=False))
    return _with_acts(changed, number, acts), number


def wish_tick_dropped(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    return _dropped(dialogue, world, rng, True)


def question_tick_dropped(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    return _dropped(dialogue, world, rng, False)


def _falsely(dialogue: Dialogue, world: World, rng: Random, wish: bool) -> Planted | None:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    kind = _is_wish if wish else _is_question
    spots = [
        (number, cell)
        for number, turn, _ in _user_turns(dialogue)
        for cell, each in enumerate(turn.user_state or ())
        if not each.expressed and kind(goal[cell], world) and kind(each, world)
    ]
    if not spots:
        return None
    number, cell = rng.choice(spots)
    each = (dialogue.turns[number].user_state or ())[cell]
    said = [Act(REQUEST, each.domain, each.slot, "")]
    if wish:
        said = [Act(INFORM, each.domain, each.slot, value) for value in _values(each, world)]
    acts = (*dialogue.turns[number].acts, *said)
    changed = _with_cell(dialogue, number, cell, lambda one: one.said())
    return _with_acts(changed, number, acts), number


def wish_ticked_falsely(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    return _falsely(dialogue, world, rng, True)


def question_ticked_falsely(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    return _falsely(dialogue, world, rng, False)


def _other_value(
    world: World, domain: str, key: str, not_this: Value, rng: Random
) -> tuple[str, ...] | None:
    """What another row says of a slot."""
    asked = world.schema.domain(domain)
    rows = list(world.tables.get(domain, ()))
    for _ in range(20 if asked and rows else 0):
        assert asked is not None
        told = answer(world.language, asked, rng.choice(rows), key)
        mine = (
            {not_this}
            if isinstance(not_this, str)
            else set(not_this)
            if isinstance(not_this, tuple)
            else set()
        )
        if told and not mine & set(told) and told != (world.language.nothing,):
            return told
    return None


def other_value_written(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    spots = []
    for number, turn, before in _user_turns(dialogue):
        for cell, each in enumerate(turn.user_state or ()):
            slot = _slot(world, each.domain, each.slot)
            if slot is None or slot.kind in (SlotKind.NAME, SlotKind.SERVICES, SlotKind.ENDPOINT):
                continue
            is_new = each.value != before[cell].value and goal[cell].is_open
            if is_new and not each.is_open and each.value != world.language.nothing:
                spots.append((number, cell))
    rng.shuffle(spots)
    for number, cell in spots:
        each = (dialogue.turns[number].user_state or ())[cell]
        other = _other_value(world, each.domain, each.slot, each.value, rng)
        if other:
            value: Value = other if isinstance(each.value, tuple) else other[0]
            change = partial(SemanticTuple.filled, value=value)
            return _with_cell(dialogue, number, cell, change), number
    return None


def _fields(dialogue: Dialogue, world: World) -> Iterator[tuple[int, DomainState, Slot, SlotValue]]:
    """The fields of first searches that are new there."""
    before = SystemState()
    for number, turn in enumerate(dialogue.turns):
        if turn.first_query is None:
            continue
        for tab in turn.first_query:
            domain = world.schema.domain(tab.domain)
            for key, value in tab.constraints.items():
                slot = domain.slot(key) if domain else None
                is_place = domain is not None and domain.kind is DomainKind.PLACE
                if slot and is_place and before.get(tab.domain).constraints.get(key) != value:
                    yield number, tab, slot, value
        before = turn.last_query or turn.first_query


def _with_field(
    dialogue: Dialogue, number: int, domain: str, key: str, old: SlotValue, new: SlotValue
) -> Dialogue:
    """A field of the first search changed, and wherever it stays as it was."""

    def changed(form: SystemState | None) -> SystemState | None:
        if form is None or form.get(domain).constraints.get(key, "") != old:
            return form
        return form.with_domain(form.get(domain).with_slot(key, new))

    turns = {}
    for at in range(number, len(dialogue.turns)):
        turn = dialogue.turns[at]
        if turn.first_query is not None:
            if changed(turn.first_query) is turn.first_query:
                break
            turns[at] = replace(
                turn, first_query=changed(turn.first_query), last_query=changed(turn.last_query)
            )
            if changed(turn.last_query) is turn.last_query:
                break
    return _with_turns(dialogue, turns)


def letter_cut(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    spots = []
    for number, tab, slot, value in _fields(dialogue, world):
        parts = terms(world.language, value) if slot.kind in CUT else ()
        if parts and len(parts[-1]) > 2:
            spots.append((number, tab, slot, value))
    if not spots:
        return None
    number, tab, slot, value = rng.choice(spots)
    new = value[:-1] if isinstance(value, str) else (*value[:-1], value[-1][:-1])
    return _with_field(dialogue, number, tab.domain, slot.key, value, new), number


def field_left_out(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    wished = {
        (each.domain, each.slot.split(SERVICE_MARK)[0]) for each in goal if _is_wish(each, world)
    }
    spots = [
        spot
        for spot in _fields(dialogue, world)
        if (spot[1].domain, spot[2].key) in wished
        and _ticked_at(dialogue, spot[0], spot[1].domain, spot[2].key)
    ]
    if not spots:
        return None
    number, tab, slot, value = rng.choice(spots)
    return _with_field(dialogue, number, tab.domain, slot.key, value, ""), number


def _ticked_at(dialogue: Dialogue, number: int, domain: str, key: str) -> bool:
    """Whether the user ticked a wish for this field in the turn before."""
    return any(
        at == number - 1
        and any(
            each.expressed and not before[cell].expressed
            for cell, each in enumerate(turn.user_state or ())
            if each.domain == domain and each.slot.split(SERVICE_MARK)[0] == key
        )
        for at, turn, before in _user_turns(dialogue)
    )


def field_invented(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    goal = dialogue.goal.tuples if dialogue.goal else ()
    wished = {(each.domain, each.slot.split(SERVICE_MARK)[0]) for each in goal if not each.is_open}
    said = "".join(turn.text for turn in dialogue.turns)
    spots = []
    for number, tab, _, _ in _fields(dialogue, world):
        domain = world.schema.domain(tab.domain)
        for slot in domain.form if domain else ():
            empty = not tab.constraints.get(slot.key)
            if empty and slot.kind in CUT[:-1] and (tab.domain, slot.key) not in wished:
                spots.append((number, tab, slot))
    rng.shuffle(spots)
    for number, tab, slot in spots:
        value = rng.choice(world.texts(tab.domain, slot.key))
        if value and value not in said:
            new: SlotValue = (
                value if world.language.term_separator or slot.kind in CUT[:2] else (value,)
            )
            return _with_field(dialogue, number, tab.domain, slot.key, "", new), number
    return None


def _selections(dialogue: Dialogue) -> Iterator[tuple[int, str, str]]:
    """Places that are named where they are selected for the first time."""
    seen: set[tuple[str, str]] = set()
    for number, turn in enumerate(dialogue.turns):
        for tab in turn.last_query or ():
            for name in tab.selected:
                if (tab.domain, name) not in seen and name in turn.text:
                    yield number, tab.domain, name
                seen.add((tab.domain, name))


def _with_selection(
    dialogue: Dialogue, number: int, domain: str, name: str, new: tuple[str, ...]
) -> Dialogue:
    def changed(form: SystemState | None) -> SystemState | None:
        if form is None or name not in form.get(domain).selected:
            return form
        kept = tuple(each for each in form.get(domain).selected if each != name)
        return form.with_domain(replace(form.get(domain), selected=(*kept, *new)))

    turns = {}
    for at in range(number, len(dialogue.turns)):
        turn = dialogue.turns[at]
        first, last = changed(turn.first_query), changed(turn.last_query)
        turns[at] = replace(turn, first_query=first, last_query=last)
    return _with_turns(dialogue, turns)


def selection_dropped(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    spots = list(_selections(dialogue))
    if not spots:
        return None
    number, domain, name = rng.choice(spots)
    return _with_selection(dialogue, number, domain, name, ()), number


def other_selected(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    spots = [spot for spot in _selections(dialogue) if spot[1] in world.tables]
    if not spots:
        return None
    number, domain, name = rng.choice(spots)
    asked = world.schema.domain(domain)
    assert asked is not None and asked.name_slot is not None
    said = "".join(turn.text for turn in dialogue.turns)
    names = [each for each in world.texts(domain, asked.name_slot.key) if each not in said]
    return _with_selection(dialogue, number, domain, name, (rng.choice(names),)), number


def _system_acts(dialogue: Dialogue, world: World) -> Iterator[tuple[int, Act, Slot]]:
    for number, turn in enumerate(dialogue.turns):
        for act in turn.acts if turn.speaker is Speaker.SYSTEM else ():
            slot = _slot(world, act.domain, act.slot)
            known = slot is not None and act.intent == INFORM and act.value in turn.text
            if slot is not None and known and act.value != world.language.nothing:
                yield number, act, slot


def act_value_exchanged(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    spots = [spot for spot in _system_acts(dialogue, world) if spot[1].domain in world.tables]
    rng.shuffle(spots)
    for number, act, slot in spots:
        if slot.kind is SlotKind.SERVICES:
            continue
        other = _other_value(world, act.domain, act.slot, act.value, rng)
        if other and other[0] not in dialogue.turns[number].text:
            acts = dialogue.turns[number].acts
            new = tuple(replace(one, value=other[0]) if one == act else one for one in acts)
            return _with_acts(dialogue, number, new), number
    return None


def act_left_out(dialogue: Dialogue, world: World, rng: Random) -> Planted | None:
    spots = [spot for spot in _system_acts(dialogue, world) if spot[2].kind is SlotKind.TEXT]
    spots = [spot for spot in spots if spot[1].domain not in world.rides]
    if not spots:
        return None
    number, act, _ = rng.choice(spots)
    acts = tuple(one for one in dialogue.turns[number].acts if one != act)
    return _with_acts(dialogue, number, acts), number


KINDS: dict[str, Planter] = {
    "a wish's tick dropped": wish_tick_dropped,
    "a question's tick dropped": question_tick_dropped,
    "a wish ticked falsely": wish_ticked_falsely,
    "a question ticked falsely": question_ticked_falsely,
    "another place's value written down": other_value_written,
    "last letter of a value cut": letter_cut,
    "a search field left out": field_left_out,
    "a search field invented": field_invented,
    "a selection dropped": selection_dropped,
    "another place selected": other_selected,
    "an act's value exchanged": act_value_exchanged,
    "an act left out (phone, address, hours)": act_left_out,
}
