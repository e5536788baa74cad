"""Parts that the readers of foreign corpora share: texts, acts, forms, and turns from utterances.

    turns_of([Utterance(Speaker.USER, "a cheap hotel", state=form({"hotel": {"price": "cheap"}}))])

Foreign corpora give the state after a user's turn. It becomes both queries of the system turn that
follows, as in MultiWOZ; where none follows, it stays with the user's turn, in `extras`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.record_encoding import encode_state, shared_act, shared_tab
from crosstalk.dialogue.acts import (
    GENERAL,
    INFORM,
    NO_OFFER,
    NOTHING,
    RECOMMEND,
    REQUEST,
    Act,
    in_order,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.goals import SemanticTuple, Tuples
from crosstalk.dialogue.schema import EITHER
from crosstalk.dialogue.states import SlotValue, SystemState

EMPTY: Final = ("", "none", "not mentioned", None)
"""How corpora write that a slot has no value."""
OUR_INTENTS: Final = {
    "inform": INFORM,
    "request": REQUEST,
    "recommend": RECOMMEND,
    "nooffer": NO_OFFER,
    "no_offer": NO_OFFER,
    "no_result": NO_OFFER,
}
"""Intents that mean the same as ours; others keep the corpus's spelling."""
GENERALS: Final = {
    "greet": "greet",
    "greeting": "greet",
    "thank": "thank",
    "thank_you": "thank",
    "thankyou": "thank",
    "you_are_welcome": "welcome",
    "welcome": "welcome",
    "req_more": "reqmore",
    "reqmore": "reqmore",
    "goodbye": "bye",
    "bye": "bye",
}
"""Intents without a domain -> what our `General` acts call them."""
FINAL_STATE: Final = "state"
"""Key of the extras that hold a state that no system turn follows."""
AGENT: Final = "agent"
"""Key of the extras that hold the calls of an agent; the chat format writes them as tool calls."""


CANONICAL: Final = "canonical"
"""Key of the extras that hold values as services write them: what was said -> what they write."""
BOOKED: Final = "booked"
"""Field of a turn, in MultiWOZ and ConvLab's copy of it, that holds what is booked so far."""


def booked_in(turn: Turn) -> dict[str, list[dict[str, Any]]]:
    """Domain -> the bookings that a turn has, from whatever corpus."""
    for kept in turn.extras.values():
        held = kept.get(BOOKED) if isinstance(kept, dict) else None
        if isinstance(held, dict):
            return {
                domain: [each for each in entries if isinstance(each, dict)]
                for domain, entries in held.items()
                if isinstance(entries, list)
            }
    return {}


def text_of(value: Any) -> str:
    """A JSON value as text: numbers as written, several values joined by `|`, objects as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return EITHER.join(map(text_of, value))
    return json.dumps(value, ensure_ascii=False)


def identifier(document: Mapping[str, Any], key: str) -> str:
    """The id of a dialogue, a text or a whole number."""
    value = json_types.needed(document, key)
    return str(value) if type(value) is int else json_types.text(value, key)


def act_of(intent: str, domain: str, slot: Any = "", value: Any = "") -> Act:
    """An act in our spelling; slots and values may be empty, or of any JSON type."""
    plain = intent.lower()
    if plain in GENERALS:
        return shared_act(GENERAL, GENERALS[plain], NOTHING, NOTHING)
    ours = OUR_INTENTS.get(plain, intent)
    told = "" if value in EMPTY or value == "?" else text_of(value)
    if ours != REQUEST and not told:
        told = NOTHING
    return shared_act(ours, domain, NOTHING if slot in EMPTY else text_of(slot), told)


def form(tabs: Mapping[str, Mapping[str, Any]]) -> SystemState:
    """A state from domain -> slot -> value, a text or several."""
    return SystemState(
        tuple(
            shared_tab(domain, tuple((slot, _field(value)) for slot, value in slots.items()), ())
            for domain, slots in tabs.items()
        )
    )


def _field(value: Any) -> SlotValue:
    if isinstance(value, list | tuple):
        return tuple(map(text_of, value))
    return "" if value in EMPTY else text_of(value)


def goal_tuples(
    domain: str, wanted: Mapping[str, Any], asked: Iterable[str], *, subgoal: int = 1
) -> Tuples:
    """The tuples of one sub-goal: constraints, then requests."""
    constraints = [
        SemanticTuple(subgoal, domain, slot, text_of(value)) for slot, value in wanted.items()
    ]
    return (*constraints, *(SemanticTuple(subgoal, domain, slot, "") for slot in asked))


def tool_call(name: str, arguments: Any, result: Any) -> dict[str, str]:
    """A call of a service with its answer, as agents' calls are kept."""
    given, found = (
        each if isinstance(each, str) else json.dumps(each, ensure_ascii=False)
        for each in (arguments, "" if result is None else result)
    )
    return {"name": name, "arguments": given, "result": found}


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a corpus knows about one utterance."""

    speaker: Speaker
    text: str
    acts: tuple[Act, ...] = ()
    state: SystemState | None = None
    """User: the state after it."""
    calls: tuple[dict[str, str], ...] = ()
    """Calls of services, made before the system answers (`tool_call`)."""
    extras: dict[str, Any] = field(default_factory=dict, hash=False)


def turns_of(utterances: Iterable[Utterance]) -> tuple[Turn, ...]:
    """Turns with the states and calls on the system's side; extras as they are."""
    turns: list[Turn] = []
    state: SystemState | None = None
    calls: tuple[dict[str, str], ...] = ()
    for each in utterances:
        turn = Turn(each.speaker, each.text, in_order(each.acts), extras=each.extras)
        calls += each.calls
        if each.speaker is Speaker.SYSTEM:
            extras = {**each.extras, AGENT: {"tool_calls": list(calls)}} if calls else each.extras
            turn = replace(turn, first_query=state, last_query=state, extras=extras)
            state, calls = None, ()
        else:
            state = each.state
        turns.append(turn)
    if turns and (state or calls):
        last = {FINAL_STATE: encode_state(state)} if state else {}
        late = {AGENT: {"tool_calls": list(calls)}} if calls else {}
        turns[-1] = replace(turns[-1], extras={**turns[-1].extras, **last, **late})
    return tuple(turns)


def merged(utterances: Sequence[Utterance]) -> list[Utterance]:
    """Utterances of one speaker in a row as one, their texts on lines of their own."""
    found: list[Utterance] = []
    for each in utterances:
        if found and found[-1].speaker is each.speaker:
            found[-1] = _joined(found[-1], each)
        else:
            found.append(each)
    return found


def _joined(before: Utterance, after: Utterance) -> Utterance:
    extras = {
        key: [*_listed(before.extras.get(key)), *_listed(after.extras.get(key))]
        for key in {**before.extras, **after.extras}
    }
    return Utterance(
        before.speaker,
        "\n".join(filter(None, (before.text, after.text))),
        before.acts + after.acts,
        after.state or before.state,
        before.calls + after.calls,
        extras,
    )


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
