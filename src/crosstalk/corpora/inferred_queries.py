"""What was searched for in a corpus that has states but no queries, as MultiWOZ has.

    with_inferred_queries(dialogue, meant=said_value)

A state often lacks what the user has just asked for ("a swimming pool", with the type left empty).
People answered by a search for it all the same. So the query of a system's turn gets the values
that acts of the user name and the state leaves open, until the state has a value of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from crosstalk.corpora.dialogue_parts import EMPTY
from crosstalk.corpora.multiwoz_world import world_slot
from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.dialogue.states import DomainState, SystemState

NO_WISH: Final = (*EMPTY, "dontcare", "do n't care", "none")

Wishes = dict[tuple[str, str], str]
"""Domain and slot -> the value that the user asked for last."""


def with_inferred_queries(dialogue: Dialogue, meant: Callable[[str, str], str]) -> Dialogue:
    """The same dialogue with queries that hold what its users asked for.

    `meant`: the value of the tables, from the slot and the words of an act.
    """
    return replace(dialogue, turns=tuple(_turns(dialogue, meant)))


def _turns(dialogue: Dialogue, meant: Callable[[str, str], str]) -> Iterator[Turn]:
    wishes: Wishes = {}
    for turn in dialogue.turns:
        if turn.speaker is Speaker.USER:
            wishes |= _asked(turn, meant)
            yield turn
            continue
        first, last = (_filled(form, wishes) for form in (turn.first_query, turn.last_query))
        yield replace(turn, first_query=first, last_query=last)


def _asked(turn: Turn, meant: Callable[[str, str], str]) -> Wishes:
    found: Wishes = {}
    for act in turn.acts:
        value = meant(act.slot, act.value)
        if act.intent == INFORM and value and value not in NO_WISH:
            found[act.domain.lower(), world_slot(act.slot)] = value
    return found


def _filled(form: SystemState | None, wishes: Wishes) -> SystemState | None:
    return None if form is None else SystemState(tuple(_tab(tab, wishes) for tab in form))


def _tab(tab: DomainState, wishes: Wishes) -> DomainState:
    """The tab with what was asked for in the fields that say nothing; what they say counts."""
    slots = []
    for slot, value in tab.slots:
        if value in EMPTY:
            value = wishes.get((tab.domain, slot), value)
        else:
            wishes.pop((tab.domain, slot), None)
        slots.append((slot, value))
    return replace(tab, slots=tuple(slots))
