"""The state tracker trained on English MultiWOZ alone, kept with the values that it knows.

    dialogues = training_dialogues([train20, val], share=0.2)
    tracker = train(dialogues, Path("ontology21.json"), seed=1)
    save(tracker, folder)
    load(folder).track(dialogues)

It is the tracker of `transfer dst` (`states/state_tracker.py`) with features of the words around a
value, which do not carry over to another language. Labels are in the spelling of TRADE.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.corpora.multiwoz_labels import NONE, trade_label
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.files import read_json, writing
from crosstalk.transfer.states import state_tracker
from crosstalk.transfer.states.ontology import Ontology, build
from crosstalk.transfer.states.state_dialogues import slot_key, state_turns, with_states
from crosstalk.transfer.states.state_files import read_states
from crosstalk.transfer.states.state_slots import WORLD, multiwoz_slots
from crosstalk.transfer.states.state_tracker import StateTracker, TrackerConfig, prepare
from crosstalk.transfer.states.transfer_tasks import english_values
from crosstalk.transfer.transfer_corpora import SOURCE
from crosstalk.worlds.world import load_outline

VALUES: Final = "values.json"
CONFIG: Final = TrackerConfig(directed=True, words=True, sentences=False, threshold=0.25)
"""Chosen on 300 dialogues of val (design/LOG.md)."""


def read_english(path: Path) -> list[Dialogue]:
    """The dialogues of a MultiWOZ file with labels in the spelling of TRADE."""
    return [in_trade_spelling(each) for each in read_states(path, SOURCE, multiwoz_slots())]


def in_trade_spelling(dialogue: Dialogue) -> Dialogue:
    """The same dialogue with its labels in the spelling of TRADE."""
    states = (
        {
            key: spelt
            for key, value in turn.state.items()
            if (spelt := trade_label(key, value)) != NONE
        }
        for turn in state_turns(dialogue)
    )
    return with_states(dialogue, states)


def training_dialogues(files: Sequence[Path], share: float = 1.0) -> list[Dialogue]:
    """The dialogues of all files; a share below 1 is drawn from each file but the last."""
    *earlier, last = files
    drawn = [each for file in earlier for each in _drawn(read_english(file), share)]
    return [*drawn, *read_english(last)]


def _drawn(dialogues: list[Dialogue], share: float) -> list[Dialogue]:
    """The same dialogues for every seed; a smaller share is part of a larger one."""
    Random(1).shuffle(dialogues)
    return dialogues[: round(share * len(dialogues))]


def train(
    dialogues: Sequence[Dialogue],
    ontology: Path,
    *,
    seed: int,
    told: Callable[[str], None] = lambda words: None,
) -> StateTracker:
    """Values come from the ontology file alone.

    Labels of MultiWOZ 2.0 name many that are slips, and that occur in texts as other words.
    """
    known = build(multiwoz_slots(), english_values(ontology))
    return prepare(dialogues, known, CONFIG, told=told).tracker(seed=seed)


def save(tracker: StateTracker, folder: Path) -> None:
    tracker.save(folder)
    labels = tracker.readers.ontology.labels[SOURCE]
    values = {slot: list(found) for slot, found in labels.items()}
    with writing(folder / VALUES) as text:
        json.dump(values, text, ensure_ascii=False)


def load(folder: Path) -> StateTracker:
    """A tracker that `save` wrote; raises `InputError` for a damaged folder."""
    return state_tracker.load(folder, known_values(folder), None)


def known_values(folder: Path) -> Ontology:
    return build(multiwoz_slots(), read_json(folder / VALUES))


def predicted(tracker: StateTracker, dialogues: Sequence[Dialogue]) -> list[Dialogue]:
    """The dialogues with predicted states in place of their own, which are not read."""
    bare = [with_states(each, ({} for _ in state_turns(each))) for each in dialogues]
    found = tracker.track(bare)
    return [
        replace(with_states(each, states), id=each.id)
        for each, states in zip(bare, found, strict=True)
    ]


def table_spelling(dialogue: Dialogue) -> Dialogue:
    """The same dialogue with values as the tables of the world spell them (its aliases)."""
    schema = load_outline(WORLD).schema
    aliases = {
        slot_key(domain.key, slot.key.lower()): dict(slot.aliases)
        for domain in schema
        for slot in domain.slots
    }
    states = (
        {key: aliases.get(key, {}).get(value, value) for key, value in turn.state.items()}
        for turn in state_turns(dialogue)
    )
    return with_states(dialogue, states)
