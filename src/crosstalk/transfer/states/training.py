"""A tracker learnt from dialogues of the source language, and of the target's where there are some.

Scorers are crossed: no column of a row was learnt from the dialogue the row comes from, nor from
its translation. So the trees see them as good as they will be on dialogues nobody has seen.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm
import numpy as np

from crosstalk.errors import InputError
from crosstalk.transfer.states.features import Featurer, SlotPriors
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.rows import (
    FOLDS,
    Scorers,
    TaughtTurns,
    crossed_turns,
    crossed_words,
    read_rows,
)
from crosstalk.transfer.states.sentences import Sentences
from crosstalk.transfer.states.tracker import StateTracker, TrackerConfig
from crosstalk.transfer.states.turn_features import ReaderCache
from crosstalk.transfer.states.turns import StateDialogue

SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.08,
    "num_leaves": 31,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}
StepCallback = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StateLesson:
    """All that is learnt but the trees: seeds differ only in those."""

    config: TrackerConfig
    readers: ReaderCache
    rows: np.ndarray[Any, Any]
    answers: np.ndarray[Any, Any]
    habits: SlotPriors
    scorers: Scorers
    sentences: Sentences | None

    def tracker(self, *, seed: int) -> StateTracker:
        trees = lightgbm.train(
            {**SETTINGS, "seed": seed},
            lightgbm.Dataset(self.rows, self.answers.astype(np.float32)),
            self.config.rounds,
        )
        return StateTracker(
            self.config, self.readers, trees, self.habits, self.scorers, self.sentences
        )


def prepare(
    dialogues: Sequence[StateDialogue],
    ontology: Ontology,
    config: TrackerConfig,
    *,
    sentences: Sentences | None = None,
    told: StepCallback = lambda words: None,
) -> StateLesson:
    """Raises in words where the dialogues have no states to learn from."""
    readers = ReaderCache(ontology)
    told(f"reading {len(dialogues)} dialogues")
    taught = _taught(dialogues, readers)
    if not taught.moments or not taught.answers.any():
        raise InputError(
            "there is nothing to learn from: no turn sets a slot that its text speaks of",
            remedy="Give dialogues with states, in the language that was named.",
        )
    habits = [_habits(dialogues, readers, without=part) for part in range(FOLDS)]
    featurer = Featurer(ontology.slots, directed=config.directed)
    columns = [read_rows(featurer, taught, habits)]
    turns = words = None
    if sentences is not None and config.sentences:
        told("scoring turns by sentence vectors")
        scores, turns = crossed_turns(taught, ontology.slots, sentences)
        columns.append(scores)
    if config.words:
        told("scoring the words around values")
        scores, words = crossed_words(taught)
        columns.append(scores)
    used = sentences if turns is not None else None
    every = _habits(dialogues, readers)
    rows = np.hstack(columns)
    return StateLesson(config, readers, rows, taught.answers, every, Scorers(turns, words), used)


def part_of(dialogue: str) -> int:
    """By its id, so that translations of one dialogue are in one part."""
    return zlib.crc32(dialogue.encode()) % FOLDS


def _taught(dialogues: Iterable[StateDialogue], readers: ReaderCache) -> TaughtTurns:
    pairs = [pair for dialogue in dialogues for pair in readers.taught(dialogue)]
    parts = np.array([part_of(moment.dialogue) for moment, _ in pairs], dtype=np.int64)
    return TaughtTurns([moment for moment, _ in pairs], [state for _, state in pairs], parts)


def _habits(
    dialogues: Iterable[StateDialogue], readers: ReaderCache, *, without: int | None = None
) -> SlotPriors:
    counts: dict[str, dict[str, int]] = {}
    for dialogue in dialogues:
        if part_of(dialogue.id) == without:
            continue
        before: dict[str, str] = {}
        for number in range(len(dialogue.turns)):
            state = readers.ids(dialogue, number)
            for slot, value in state.items():
                if before.get(slot) != value:
                    known = counts.setdefault(slot, {})
                    known[value] = known.get(value, 0) + 1
            before = state
    return SlotPriors(counts)
