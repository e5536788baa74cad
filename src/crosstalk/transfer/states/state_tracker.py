"""Our tracker: every candidate judged by boosted trees, the state carried from turn to turn.

tracker.track(dialogues) gives a state by value ids for every turn of every dialogue. Nothing of a
dialogue's own states is looked at.

A tracker learnt from dialogues of the source language, and of the target's where there are some.

Scorers are crossed: no column of a row was learnt from the dialogue the row comes from, nor from
its translation. So the trees see them as good as they will be on dialogues nobody has seen.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from safetensors.numpy import load_file, save

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, read_text, writing, writing_binary
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.state_candidates import ReaderCache, StateHistory, TurnFeatures
from crosstalk.transfer.states.state_features import Featurer, SlotPriors
from crosstalk.transfer.states.state_scorers import (
    FOLDS,
    ContextScorer,
    Scorers,
    Sentences,
    TaughtTurns,
    TurnScorer,
    crossed_turns,
    crossed_words,
    featurer_rows,
    read_rows,
)
from crosstalk.transfer.states.turns import StateDialogue

State = dict[str, str]
TREES, ARRAYS, KNOWN = "trees.txt", "scorers.safetensors", "tracker.json"


@dataclass(frozen=True, slots=True)
class TrackerConfig:
    """How a tracker looks at candidates; chosen on English dialogues held out."""

    directed: bool = False
    """Whether it matters on which side of a value a cue stands: not across languages."""
    words: bool = False
    """Whether the words around a value count: only in languages with dialogues to learn from."""
    sentences: bool = True
    """Whether sentence vectors are used, where the encoder is installed."""
    rounds: int = 250
    threshold: float = 0.35
    """A candidate below that changes nothing."""


@dataclass(slots=True)
class StateTracker:
    """What was learnt, and the language tables it reads with."""

    config: TrackerConfig
    readers: ReaderCache
    trees: lightgbm.Booster
    habits: SlotPriors
    scorers: Scorers
    sentences: Sentences | None

    def track(self, dialogues: Sequence[StateDialogue]) -> list[list[State]]:
        """All dialogues at once, turn by turn: the trees are asked once a turn."""
        featurer = Featurer(self.readers.ontology.slots, directed=self.config.directed)
        memories = [StateHistory() for _ in dialogues]
        states: list[list[State]] = [[] for _ in dialogues]
        for number in range(max((len(each.turns) for each in dialogues), default=0)):
            live = [place for place, each in enumerate(dialogues) if number < len(each.turns)]
            moments = [
                self.readers.moment(dialogues[place], number, memories[place]) for place in live
            ]
            likely = self._likelihoods(featurer, moments)
            for place, moment in zip(live, moments, strict=True):
                state = self._decided(moment, likely[: len(moment.found)])
                likely = likely[len(moment.found) :]
                states[place].append(state)
                memories[place] = moment.after(state, self.readers.ontology.slots)
        return states

    def _likelihoods(
        self, featurer: Featurer, moments: Sequence[TurnFeatures]
    ) -> np.ndarray[Any, Any]:
        asked = [moment for moment in moments if moment.found]
        if not asked:
            return np.zeros(0)
        read = np.vstack([featurer_rows(featurer, moment, self.habits) for moment in asked])
        others = self.scorers.columns(asked, self.readers.ontology.slots, self.sentences)
        return np.asarray(self.trees.predict(np.hstack([read, *others]), num_threads=1))

    def _decided(self, moment: TurnFeatures, likely: np.ndarray[Any, Any]) -> State:
        best: dict[str, tuple[float, str]] = {}
        for each, chance in zip(moment.found, likely, strict=True):
            key = each.slot.key
            if chance > self.config.threshold and (key not in best or chance > best[key][0]):
                best[key] = (float(chance), each.value)
        return {**moment.memory.state, **{slot: value for slot, (_, value) in best.items()}}

    def save(self, folder: Path) -> None:
        arrays = {}
        if self.scorers.turns is not None:
            arrays["turns"] = self.scorers.turns.weights
        if self.scorers.words is not None:
            arrays["words"] = self.scorers.words.weights
        for language, mean in (self.sentences.means if self.sentences else {}).items():
            arrays[f"mean {language}"] = mean.astype(np.float32)
        with writing_binary(folder / ARRAYS) as raw:
            raw.write(save(arrays))
        known = {"config": asdict(self.config), "habits": self.habits.counts}
        with writing(folder / KNOWN) as text:
            json.dump(known, text, ensure_ascii=False)
        with writing(folder / TREES) as text:
            text.write(self.trees.model_to_string())


def load(folder: Path, ontology: Ontology, sentences: Sentences | None) -> StateTracker:
    """A kept tracker; raises in words where its folder is not whole."""
    try:
        known = read_json(folder / KNOWN)
        arrays = load_file(folder / ARRAYS)
        config = TrackerConfig(**known["config"])
        turns = TurnScorer(arrays["turns"]) if "turns" in arrays else None
        words = ContextScorer(arrays["words"]) if "words" in arrays else None
        if sentences is not None:
            for name, mean in arrays.items():
                if name.startswith("mean "):
                    sentences.means[name.removeprefix("mean ")] = mean
        trees = lightgbm.Booster(model_str=read_text(folder / TREES))
    except (CrosstalkError, OSError, KeyError, TypeError, ValueError,
            lightgbm.basic.LightGBMError) as error:  # fmt: skip
        raise InputError(
            f"{folder}: not a whole tracker of states: {error}",
            remedy="Remove the folder; the next run trains it anew.",
        ) from error
    scorers = Scorers(turns, words)
    return StateTracker(
        config, ReaderCache(ontology), trees, SlotPriors(known["habits"]), scorers, sentences
    )


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
