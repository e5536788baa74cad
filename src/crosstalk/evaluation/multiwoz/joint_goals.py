"""Joint goal accuracy of predicted states, over the 30 slots of TRADE.

A turn is right if all slots are; `dontcare` is a value. Labels and predictions are first spelt
alike: the text rules of TRADE (`18 : 00`, `b&b`, `king 's college`), then the table of slips that
`transfer dst` uses.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.multiwoz.responses import Responses, State, response_id
from crosstalk.evaluation.scores import Share
from crosstalk.evaluation.state_transfer import score_labels
from crosstalk.transfer.states.state_dialogues import state_turns, with_states
from crosstalk.transfer.states.state_files import BOOKED_WITHOUT_WORD, read_states
from crosstalk.transfer.states.state_slots import MULTIWOZ, NONE, normalised

KEYS: Final = {"arrive": "arriveby", "leave": "leaveat"}
TEXT_RULES: Final = (
    (re.compile(r"\bb ?& ?b\b|\bb and b\b"), "bed and breakfast"),
    (re.compile(r"\bguesthouse\b"), "guest house"),
    (re.compile(r"\s*;\s*"), ", "),
    (re.compile(r"/"), " and "),
    (re.compile(r"-"), " "),
    (re.compile(r"[\"<>@()]"), ""),
    (re.compile(r"(?<=\d)\s*:\s*(?=\d)"), ":"),
    (re.compile(r"(?<=\d) (?=\d)"), ""),
    (re.compile(r"\s+(?=[?.,!]|'s\b)"), ""),
)


def joint_goals(path: Path, given: Responses) -> Share:
    """Turns of a MultiWOZ file whose predicted state is right; other dialogues are left out."""
    gold = [_spelt(each) for each in read_states(path, "en", MULTIWOZ)]
    dialogues = [each for each in gold if response_id(each.id) in given]
    guesses = [
        [state_labels(turn.state or {}) for turn in given[response_id(each.id)]]
        for each in dialogues
    ]
    return score_labels(guesses, dialogues, MULTIWOZ).joint


def state_labels(state: State) -> Mapping[str, str]:
    """A predicted state by slot keys (`hotel-book day`), labels normalised."""
    found = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            key = f"{domain}-{_state_key(domain, slot)}"
            if (label := _label(key, value)) != NONE:
                found[key] = label
    return found


def _state_key(domain: str, slot: str) -> str:
    name = slot.lower().replace(" ", "")
    booked = name.removeprefix("book")
    if booked in BOOKED_WITHOUT_WORD.get(domain, ()):
        return f"book {booked}"
    return KEYS.get(name, name)


def _label(key: str, value: str) -> str:
    return normalised(key, trade_spelling(value))


def _spelt(dialogue: Dialogue) -> Dialogue:
    """The same dialogue with its labels in the spelling of TRADE."""
    states = (
        {
            key: spelt
            for key, value in turn.state.items()
            if (spelt := "|".join(_label(key, each) for each in value.split("|"))) != NONE
        }
        for turn in state_turns(dialogue)
    )
    return with_states(dialogue, states)


def trade_spelling(value: str) -> str:
    """A value in lower case with the punctuation and spaces that TRADE leaves."""
    text = value.lower().strip()
    for pattern, replacement in TEXT_RULES:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())
