"""Dialogues of MultiWOZ in the words of its world: acts, states and goals by its domains and slots.

    in_world(dialogue, load_outline("multiwoz").schema)

Files write `Hotel-Inform [Price, cheap]` and tell empty slots in several ways; the world says
`Inform(hotel, pricerange, cheap)` and leaves empty slots empty. What the world has no slot for is
left out: acts and fields of bookings, numbers of choices, references, the domain `bus`.
"""

from dataclasses import replace
from typing import Final

from crosstalk.corpora.dialogue_parts import EMPTY
from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import DomainState, SlotValue, SystemState

ACT_SLOTS: Final = {
    "addr": "address",
    "arrive": "arriveBy",
    "car": "car type",
    "depart": "departure",
    "dest": "destination",
    "fee": "entrance fee",
    "id": "trainID",
    "leave": "leaveAt",
    "open": "openhours",
    "post": "postcode",
    "price": "pricerange",
    "ticket": "price",
}
"""Slots of acts in small letters -> slots of the world; others have one name in both."""
INTENTS: Final = {"Inform": INFORM, "Request": REQUEST, "Recommend": RECOMMEND, "NoOffer": NO_OFFER}
"""Intents with the same meaning; MultiWOZ's `Select` offers a choice, ours chooses a domain."""


def world_slot(act_slot: str) -> str:
    """`arriveBy` of `Arrive`."""
    slot = act_slot.lower()
    return ACT_SLOTS.get(slot, slot)


def in_world(dialogue: Dialogue, schema: Schema) -> Dialogue:
    """The same dialogue with acts, states and goal in the world's words."""
    goal = dialogue.goal
    if goal is not None:
        kept = tuple(each for each in goal.tuples if _is_known(each.domain, each.slot, schema))
        goal = replace(goal, tuples=kept)
    turns = tuple(_turn(turn, schema) for turn in dialogue.turns)
    return replace(dialogue, goal=goal, turns=turns)


def _turn(turn: Turn, schema: Schema) -> Turn:
    acts = tuple(dict.fromkeys(made for act in turn.acts for made in _acts(act, schema)))
    return replace(
        turn,
        acts=acts,
        first_query=_form(turn.first_query, schema),
        last_query=_form(turn.last_query, schema),
    )


def _acts(act: Act, schema: Schema) -> tuple[Act, ...]:
    if act.intent == GENERAL:
        return (act,)
    intent, domain, slot = INTENTS.get(act.intent), act.domain.lower(), world_slot(act.slot)
    if intent is None or schema.domain(domain) is None:
        return ()
    if intent == NO_OFFER:
        return (Act(NO_OFFER, domain),)
    return (Act(intent, domain, slot, act.value),) if _is_known(domain, slot, schema) else ()


def _form(form: SystemState | None, schema: Schema) -> SystemState | None:
    if form is None:
        return None
    return SystemState(tuple(_tab(tab, schema) for tab in form if schema.domain(tab.domain)))


def _tab(tab: DomainState, schema: Schema) -> DomainState:
    slots = ((slot, _value(value)) for slot, value in tab.slots)
    return replace(
        tab, slots=tuple(each for each in slots if _is_known(tab.domain, each[0], schema))
    )


def _value(value: SlotValue) -> str:
    first = value if isinstance(value, str) else (value or ("",))[0]
    return "" if first in EMPTY else first


def _is_known(domain: str, slot: str, schema: Schema) -> bool:
    known = schema.domain(domain)
    return known is not None and known.slot(slot) is not None
