"""WOZ 2.0, TRADE and Multi2WOZ: lists of dialogues whose turns are pairs, the system's line first.

The states hold what was asked for too, as [`slot`, name]; only constraints are part of a form.
TRADE and Multi2WOZ name the domain in each slot (`hotel-area`): their dialogues are of MultiWOZ.
"""

from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import Utterance, act_of, form, identifier, turns_of
from crosstalk.corpora.formats import (
    DOCUMENTS,
    Format,
    Record,
    Signature,
    documents_reader,
)
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.states import SystemState

EXTRAS: Final = "woz"
WORLD: Final = "woz"
MULTIWOZ: Final = "multiwoz"
DOMAIN: Final = "restaurant"
"""The one domain of WOZ 2.0."""
REQUESTED: Final = ("slot", "request")
"""Stand in place of a slot where its name is the value: a request."""
USED: Final = ("system_transcript", "transcript", "turn_label", "belief_state", "system_acts")


def _dialogue(document: Record) -> Dialogue:
    pairs = _in_order(json_types.items(json_types.needed(document, "dialogue"), "dialogue"))
    has_states = any("belief_state" in pair for pair in pairs)
    said: list[Utterance] = []
    for number, pair in enumerate(pairs):
        with json_types.within(f"dialogue[{number}]"):
            if has_states:
                json_types.needed(pair, "belief_state")
            said += _pair(pair, first=number == 0)
    others = {key: value for key, value in document.items() if key != "dialogue"}
    return Dialogue(
        id=identifier(document, "dialogue_idx"),
        turns=turns_of(said),
        world=MULTIWOZ if "domains" in document or _names_domains(pairs) else WORLD,
        extras={EXTRAS: others},
    )


def _names_domains(pairs: list[Record]) -> bool:
    """Whether slots have their domain before them, as TRADE writes them."""
    states = (entry for pair in pairs for entry in pair.get("belief_state", ()))
    return any("-" in slot for entry in states for slot, _ in entry.get("slots", ()))


def _in_order(pairs: list[Any]) -> list[Record]:
    """By `turn_idx`; a translation that lost a turn would be misaligned."""
    turns = [json_types.members(raw, f"dialogue[{place}]") for place, raw in enumerate(pairs)]
    if not all(type(turn.get("turn_idx")) is int for turn in turns):
        return turns
    turns = sorted(turns, key=lambda turn: int(turn["turn_idx"]))
    for number, turn in enumerate(turns):
        if turn["turn_idx"] != number:
            twice = turn["turn_idx"] < number
            problem = f"{number - 1} is there twice" if twice else f"{number} is missing"
            raise json_types.Unexpected(f"turn {problem}", field="dialogue")
    return turns


def _pair(turn: Record, *, first: bool) -> Iterator[Utterance]:
    """The system's line, empty at the beginning of a dialogue, and the user's."""
    line = json_types.text(turn.get("system_transcript", ""), "system_transcript")
    acts = json_types.items(turn.get("system_acts", []), "system_acts")
    if line or acts or not first:
        yield Utterance(Speaker.SYSTEM, line, tuple(map(_system_act, acts)))
    others = {
        key: value for key, value in turn.items() if key not in USED and value not in ([], "")
    }
    yield Utterance(
        Speaker.USER,
        json_types.text(json_types.needed(turn, "transcript"), "transcript"),
        tuple(_user_act(*pair) for pair in _pairs(turn.get("turn_label", []), "turn_label")),
        state(turn["belief_state"]) if "belief_state" in turn else None,
        extras={EXTRAS: others} if others else {},
    )


def _system_act(raw: Any) -> Act:
    """A slot is asked for; a slot with a value is told."""
    if isinstance(raw, str):
        return act_of(REQUEST, *_domain_and_slot(raw))
    slot, value = json_types.pair(raw)
    return act_of(INFORM, *_domain_and_slot(slot), value)


def _user_act(slot: str, value: str) -> Act:
    if slot in REQUESTED:
        return act_of(REQUEST, *_domain_and_slot(value))
    return act_of(INFORM, *_domain_and_slot(slot), value)


def _domain_and_slot(name: str) -> tuple[str, str]:
    domain, dash, slot = name.partition("-")
    return (domain, slot) if dash else (DOMAIN, name)


def state(raw: Any) -> SystemState | None:
    """The constraints of a belief state; the last value of a slot counts."""
    tabs: dict[str, dict[str, str]] = {}
    for entry in json_types.each(raw, json_types.members, "belief_state"):
        for name, value in _pairs(entry.get("slots", []), "belief_state.slots"):
            if name not in REQUESTED:
                domain, slot = _domain_and_slot(name)
                tabs.setdefault(domain, {})[slot] = value
    return form(tabs) if tabs else None


def _pairs(raw: Any, field: str) -> tuple[tuple[str, str], ...]:
    return json_types.each(raw, json_types.pair, field)


FORMAT = Format(
    name="woz",
    title="WOZ 2.0 in English, German and Italian; TRADE and Multi2WOZ",
    signature=Signature(
        DOCUMENTS,
        needs=("dialogue", "dialogue.transcript"),
        usual=(
            "dialogue_idx",
            "dialogue.belief_state",
            "dialogue.turn_label",
            "dialogue.system_transcript",
        ),
    ),
    read=documents_reader(_dialogue, "dialogue_idx"),
)
