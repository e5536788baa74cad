"""What a wizard's turn tells, read off the tables: for machines that play the user.

No word is understood. An answer counts as given where the text has what the table says about a
place that is named or selected, or where the table has nothing to say.
"""

from collections.abc import Iterator

from crosstalk.collection.world_context import WorldContext
from crosstalk.database.saying import answer
from crosstalk.database.tables import Row
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, SlotKind


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
