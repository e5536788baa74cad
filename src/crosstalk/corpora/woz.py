"""WOZ 2.0: lists of dialogues whose turns are pairs, the system's line before the user's.

The states hold what was asked for too, as [`slot`, name]; only constraints are part of a form.
"""

from collections.abc import Iterator
from typing import Any, Final

from crosstalk.corpora import json_types
from crosstalk.corpora.dialogue_parts import Utterance, act_of, form, identifier, turns_of
from crosstalk.corpora.formats import Format, Record, Shape, Signature, documents_reader
from crosstalk.dialogue.acts import INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Dialogue, Speaker

EXTRAS: Final = "woz"
DOMAIN: Final = "restaurant"
REQUESTED: Final = ("slot", "request")
"""Stand in place of a slot where its name is the value: a request."""
USED: Final = ("system_transcript", "transcript", "turn_label", "belief_state", "system_acts")


def _dialogue(document: Record) -> Dialogue:
    pairs = json_types.items(json_types.needed(document, "dialogue"), "dialogue")
    said: list[Utterance] = []
    for number, raw in enumerate(pairs):
        with json_types.within(f"dialogue[{number}]"):
            said += _pair(json_types.members(raw))
    others = {key: value for key, value in document.items() if key != "dialogue"}
    return Dialogue(
        id=identifier(document, "dialogue_idx"),
        turns=turns_of(said),
        world="woz",
        extras={EXTRAS: others},
    )


def _pair(turn: Record) -> Iterator[Utterance]:
    """The system's line, empty at the beginning of a dialogue, and the user's."""
    line = json_types.text(turn.get("system_transcript", ""), "system_transcript")
    acts = json_types.items(turn.get("system_acts", []), "system_acts")
    if line or acts:
        yield Utterance(Speaker.SYSTEM, line, tuple(map(_system_act, acts)))
    others = {
        key: value for key, value in turn.items() if key not in USED and value not in ([], "")
    }
    yield Utterance(
        Speaker.USER,
        json_types.text(json_types.needed(turn, "transcript"), "transcript"),
        tuple(_user_act(*pair) for pair in _pairs(turn.get("turn_label", []), "turn_label")),
        state(turn.get("belief_state", [])),
        extras={EXTRAS: others} if others else {},
    )


def _system_act(raw: Any) -> Act:
    """A slot is asked for; a slot with a value is told."""
    if isinstance(raw, str):
        return act_of(REQUEST, DOMAIN, raw)
    slot, value = pair_of(raw)
    return act_of(INFORM, DOMAIN, slot, value)


def _user_act(slot: str, value: str) -> Act:
    return (
        act_of(REQUEST, DOMAIN, value) if slot in REQUESTED else act_of(INFORM, DOMAIN, slot, value)
    )


def state(raw: Any) -> Any:
    """The constraints of a belief state; the last value of a slot counts."""
    slots = {}
    for entry in json_types.each(raw, json_types.members, "belief_state"):
        for slot, value in _pairs(entry.get("slots", []), "belief_state.slots"):
            if slot not in REQUESTED:
                slots[slot] = value
    return form({DOMAIN: slots}) if slots else None


def _pairs(raw: Any, field: str) -> tuple[tuple[str, str], ...]:
    return json_types.each(raw, pair_of, field)


def pair_of(raw: Any) -> tuple[str, str]:
    """A slot and its value."""
    pair = json_types.texts(raw)
    if len(pair) != 2:
        raise json_types.wrong("[slot, value]", raw)
    return pair[0], pair[1]


FORMAT = Format(
    name="woz",
    title="WOZ 2.0, in English, German and Italian",
    signature=Signature(
        (Shape.LIST, Shape.OBJECT),
        needs=("dialogue", "dialogue.transcript", "dialogue.belief_state"),
        usual=("dialogue_idx", "dialogue.turn_label", "dialogue.system_transcript"),
    ),
    read=documents_reader(_dialogue, "dialogue_idx"),
)
