"""Joint goal accuracy of predicted states, over the 30 slots of TRADE.

A turn is right if all slots are; `dontcare` is a value. Labels and predictions are first spelt
alike (`corpora/multiwoz_labels.py`): the text rules of TRADE (`18 : 00`, `b&b`, `king 's college`),
then the table of slips that `transfer dst` uses.
"""

from collections.abc import Mapping
from pathlib import Path

from crosstalk.corpora.multiwoz_labels import NONE, trade_label
from crosstalk.evaluation.multiwoz.responses import Responses, State, response_id
from crosstalk.evaluation.scores import Share
from crosstalk.evaluation.state_transfer import score_labels
from crosstalk.transfer.multiwoz_tracker import read_english
from crosstalk.transfer.states.state_slots import multiwoz_key, multiwoz_slots


def joint_goals(path: Path, given: Responses) -> Share:
    """Turns of a MultiWOZ file whose predicted state is right; other dialogues are left out."""
    dialogues = [each for each in read_english(path) if response_id(each.id) in given]
    guesses = [
        [state_labels(turn.state or {}) for turn in given[response_id(each.id)]]
        for each in dialogues
    ]
    return score_labels(guesses, dialogues, multiwoz_slots()).joint


def state_labels(state: State) -> Mapping[str, str]:
    """A predicted state by slot keys (`hotel-book day`), labels normalised."""
    found = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            key = multiwoz_key(domain, slot)
            if (label := trade_label(key, value)) != NONE:
                found[key] = label
    return found
