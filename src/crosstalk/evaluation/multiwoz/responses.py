"""Responses of a system, turn by turn, as the standard evaluation reads them.

They come from the corpus itself (what people said), or from a file of predictions: dialogue id in
lower case without `.json` -> turns with `response` and, optionally, `state` and `active_domains`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.json_types import Unexpected, within
from crosstalk.corpora.multiwoz import BOOK, EXTRAS
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import FormatError, Place
from crosstalk.evaluation.multiwoz.moses_spacing import moses_spacing
from crosstalk.evaluation.multiwoz.spellings import (
    DOMAINS,
    placeholder,
    response_slot,
    state_slot,
    table_value,
    with_placeholders,
)
from crosstalk.files import read_json

EMPTY: Final = frozenset(("", "none", "not mentioned"))
ANY: Final = "dontcare"
BOOKING: Final = "booking"
"""The domain of acts that do not say what is booked."""

State = Mapping[str, Mapping[str, str]]
"""Domain -> slot -> value."""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer of the system."""

    text: str
    """Delexicalised: `[name] is in the [area]`."""
    state: State | None = None
    """The state before the answer; None: not predicted."""
    domains: tuple[str, ...] | None = None
    """The domains that the answer is about; None: not predicted."""

    @property
    def normal(self) -> str:
        """The text as it is compared: `NAME is in the AREA`."""
        text = with_placeholders(self.text).replace("-s", "").replace("-ly", "")
        return moses_spacing(text)

    @property
    def constraints(self) -> State:
        """The state with slots and values as the tables spell them."""
        return {
            domain: {
                (name := state_slot(slot)): table_value(name, value)
                for slot, value in slots.items()
            }
            for domain, slots in (self.state or {}).items()
        }

    def without_any(self) -> "Response":
        """The same without slots that may be anything: gold states are searched with so."""
        state = {
            domain: kept
            for domain, slots in (self.state or {}).items()
            if (kept := {slot: value for slot, value in slots.items() if value != ANY})
        }
        return replace(self, state=state)


Responses = Mapping[str, tuple[Response, ...]]
"""Dialogue id -> one response per system turn."""


def response_id(id: str) -> str:
    """`mul0003` of `MUL0003.json`."""
    return id.lower().removesuffix(".json")


# The corpus


def human_responses(dialogue: Dialogue) -> tuple[Response, ...]:
    """What the wizard said, with the annotated spans cut out, and the annotated states."""
    return tuple(
        Response(delexicalised(turn), gold_state(turn.first_query))
        for turn in dialogue.system_turns
    )


def delexicalised(turn: Turn) -> str:
    """The text of a turn with slots in place of its annotated spans, which count tokens.

    Spans may overlap (a name inside an address): the slots of all of them stand there. A turn
    without spans has slots in place of the values of its acts.
    """
    spans = _spans(turn)
    if spans is None:
        return _without_values(turn)
    tokens = turn.text.split()
    pieces, at, slot = list[str](), 0, ""
    for span in spans:
        if span.first >= at:
            pieces += tokens[at : span.first]
            at = span.last + 1
        elif span.slot == slot:
            continue
        slot = span.slot
        pieces.append(f"[{slot}]")
    return " ".join([*pieces, *tokens[at:]])


@dataclass(frozen=True, slots=True)
class _Span:
    """Tokens of a text that name the value of a slot, both ends included."""

    slot: str
    first: int
    last: int


def _spans(turn: Turn) -> list[_Span] | None:
    """The spans of known slots by where they begin; None if the turn has no annotation."""
    raw = turn.extras.get(EXTRAS, {}).get("span_info")
    if raw is None:
        return None
    found = [
        _Span(slot, int(first), int(last))
        for _, act_slot, value, first, last in raw
        if placeholder(slot := response_slot(act_slot)) and value != ANY
    ]
    return sorted(found, key=lambda span: span.first)


def _without_values(turn: Turn) -> str:
    text = turn.text
    told = [act for act in turn.acts if act.slot and act.value]
    for act in sorted(told, key=lambda act: -len(act.value)):
        slot = response_slot(act.slot)
        if placeholder(slot):
            value = rf"(?<!\w){re.escape(act.value)}(?!\w)"
            text = re.sub(value, f"[{slot}]", text, flags=re.IGNORECASE)
    return text


def gold_state(form: SystemState | None) -> State:
    """The filled slots of a form; the first value where there are several."""
    state: dict[str, dict[str, str]] = {}
    for tab in form or ():
        for slot, value in tab.constraints.items():
            first = (value if isinstance(value, str) else value[0]).split("|")[0]
            if first not in EMPTY:
                state.setdefault(tab.domain, {})[slot.replace(BOOK, "book")] = first
    return state


def booked_domains(dialogue: Dialogue) -> list[frozenset[str]]:
    """The domains that the wizard had booked by each system turn."""
    return [
        frozenset(domain for domain, booked in _booked(turn).items() if booked)
        for turn in dialogue.system_turns
    ]


def _booked(turn: Turn) -> Mapping[str, Any]:
    found: Mapping[str, Any] = turn.extras.get(EXTRAS, {}).get("booked", {})
    return found


# Files of predictions


def read_responses(path: Path) -> Responses:
    """A file of predictions; raises FormatError for anything else."""
    document = read_json(path)
    try:
        dialogues = json_types.members(document)
        return {response_id(id): tuple(_turns(id, turns)) for id, turns in dialogues.items()}
    except Unexpected as error:
        place = Place(str(path), field=error.field)
        raise FormatError(
            error.message,
            place=place,
            remedy="Give an object: dialogue id -> list of turns with `response`.",
        ) from error


def _turns(id: str, raw: object) -> Iterator[Response]:
    for number, entry in enumerate(json_types.items(raw, id)):
        with within(f"{id}[{number}]"):
            turn = json_types.members(entry)
            text = json_types.text(json_types.needed(turn, "response"), "response")
            state = _state(turn["state"]) if "state" in turn else None
            named = turn.get("active_domains")
            domains = None if named is None else json_types.texts(named, "active_domains")
            yield Response(text, state, None if domains is None else tuple(domains))


def _state(raw: object) -> State:
    return {
        domain: {
            slot: json_types.text(value, f"state.{domain}.{slot}")
            for slot, value in json_types.members(slots, f"state.{domain}").items()
        }
        for domain, slots in json_types.members(raw, "state").items()
    }


# Active domains


def with_estimated_domains(responses: tuple[Response, ...]) -> tuple[Response, ...]:
    """Each turn is about the domain whose constraints have grown.

    If several have, the current one stays; if it is not among them, the one with most slots comes
    next. If none has, the current one stays, or the other one of a double change just before.
    """
    current, before, grown_before = "", dict[str, Any](), list[str]()
    found = []
    for response in responses:
        state = response.constraints
        grown = [
            domain
            for domain, slots in state.items()
            if set(slots.items()) - set(before.get(domain, {}).items())
        ]
        if not grown and not current:
            found.append(replace(response, domains=()))
            continue
        if not grown and len(grown_before) > 1:
            others = [each for each in grown_before if each in state and each != current]
            current = others[0] if others else current
        elif grown and current not in grown:
            current = max(grown, key=lambda domain: len(state[domain]))
        before, grown_before = dict(state), grown
        found.append(replace(response, domains=(current,)))
    return tuple(found)


def with_act_domains(responses: tuple[Response, ...], dialogue: Dialogue) -> tuple[Response, ...]:
    """Each turn is about the domains of the wizard's acts.

    Acts of booking do not say what they book: they are about what the wizard has booked so far,
    or else about the estimated domain.
    """
    found = []
    estimated = with_estimated_domains(responses)
    booked = booked_domains(dialogue)
    for response, already, turn in zip(estimated, booked, dialogue.system_turns, strict=True):
        named = {act.domain.lower() for act in turn.acts}
        bookings = set(already or response.domains or ()) if BOOKING in named else set()
        domains = tuple(domain for domain in DOMAINS if domain in named | bookings)
        found.append(replace(response, domains=domains))
    return tuple(found)
