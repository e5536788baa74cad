"""Values for delexicalised acts, from the rows that a query found.

Two ways: as the published code does it, defects included, and mended. Both speak of the first row:
that is the method, not a slip; ranking rows is what better policies do.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from crosstalk.dialogue.acts import GENERAL, NO_OFFER, RECOMMEND, Act
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.language.number_forms import forms_of
from crosstalk.system.policy.delexicalise import NUMBERED
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Cell, Row, World

Results = Callable[[str], Sequence[Row]]
"""Domain -> the rows that the form finds there."""
Lexicaliser = Callable[[World, Iterable[Act], str, Results], tuple[Act, ...]]
"""World, delexicalised acts, the current domain, what is found -> acts with values."""


def lexicalise_as_published(
    world: World, acts: Iterable[Act], domain: str, results: Results
) -> tuple[Act, ...]:
    """The published lexicaliser.

    Acts of other domains than the current one are lost, and so is every act numbered higher than
    there are rows, though it speaks of the first row. Unknown prices become `None元`, a dish too
    many becomes a number, an empty list of nearby places is never told.
    """
    asked = world.schema.domain(domain)
    rows = results(domain)
    spoken = []
    for act in acts:
        if act.intent in (GENERAL, NO_OFFER):
            spoken.append(act)
        elif act.domain == domain and asked is not None and len(rows) >= int(act.value):
            spoken += _published(world, asked, rows, act)
    return tuple(spoken)


def _published(world: World, domain: Domain, rows: Sequence[Row], act: Act) -> Iterator[Act]:
    slot = domain.slot(act.slot)
    number = int(act.value)
    if slot is None:
        return
    if act.intent == RECOMMEND:
        value = str(rows[number - 1].get(slot.key))
    elif domain.kind is DomainKind.METRO:
        station = next((row[slot.key] for row in rows if slot.key in row), None)
        value = str(station or world.language.nothing)
    elif slot.key not in rows[0]:  # a taxi without both ends: the published code stops here
        return
    elif slot.kind is SlotKind.NEARBY:
        names = _several(rows[0][slot.key])
        if len(names) < number:
            return
        value = names[number - 1]
    else:
        value = _published_value(world, domain, slot, rows[0], act)
    yield Act(act.intent, act.domain, act.slot, value)


def _published_value(world: World, domain: Domain, slot: Slot, row: Row, act: Act) -> str:
    cell = row[slot.key]
    if slot.kind is SlotKind.LIST:
        things = _things(slot, cell)
        number = int(act.value)
        return things[number - 1] if len(things) >= number else str(number - 1)
    if slot.kind is SlotKind.SERVICES:
        return answer(world.language, domain, row, act.slot)[0]
    if slot.kind in (SlotKind.NUMBER, SlotKind.RATING):
        return forms_of(world.language, domain.key, slot).exact.format(value=cell)
    return str(cell)


def lexicalise(world: World, acts: Iterable[Act], domain: str, results: Results) -> tuple[Act, ...]:
    """The mended lexicaliser: any domain, no false words, and `none` where a row knows nothing."""
    spoken: dict[Act, None] = {}
    for act in acts:
        asked = world.schema.domain(act.domain)
        if act.intent in (GENERAL, NO_OFFER):
            spoken[act] = None
        elif asked is not None and act.intent in NUMBERED:
            texts = _texts(world, asked, results(act.domain), act)
            number = int(act.value)
            if number <= len(texts):
                spoken[Act(act.intent, act.domain, act.slot, texts[number - 1])] = None
    return tuple(spoken)


def _texts(world: World, domain: Domain, rows: Sequence[Row], act: Act) -> tuple[str, ...]:
    """Everything that could be said to such an act, in the order of its numbers."""
    slot = domain.slot(act.slot)
    if slot is None or not rows:
        return ()
    if act.intent == RECOMMEND:
        return tuple(str(row[slot.key]) for row in rows)
    row = next((each for each in rows if slot.key in each), rows[0])
    if slot.kind is SlotKind.LIST:
        return _things(slot, row.get(slot.key)) or (world.language.nothing,)
    return answer(world.language, domain, row, act.slot)


def _things(slot: Slot, cell: Cell) -> tuple[str, ...]:
    """The terms that are things of the list: dishes, without `open at night`."""
    return tuple(term for term in _several(cell) if term not in slot.tags)


def _several(cell: Cell) -> tuple[str, ...]:
    return cell if isinstance(cell, tuple) else ()
