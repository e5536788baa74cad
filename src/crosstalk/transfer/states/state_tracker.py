"""The state tracker across languages: boosted trees score candidate values, turn by turn.

    tracker = prepare(dialogues, ontology, TrackerConfig()).tracker(seed=1)
    tracker.track(dialogues)

It reads texts in any language that has a word table and returns a state by value ids for every
turn; the states of the dialogues it tracks are not read. `system.dst.candidate_scoring` and
`system.boosted` have what it shares with the CrossWOZ trackers.

In training the scorers of `state_scorers` are cross-fitted: no column of a row was learnt from the
dialogue of the row, nor from its translation, so the trees see scores as good as on new dialogues.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from safetensors.numpy import save

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, writing, writing_binary
from crosstalk.system.boosted import Trees, grow_matrix, load_booster, save_booster
from crosstalk.system.dst.candidate_scoring import best_values
from crosstalk.training.boosting import Matrix, Rounds
from crosstalk.training.numpy_files import load_arrays_of
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.state_candidates import CandidateTurn, ReaderCache, StateHistory
from crosstalk.transfer.states.state_dialogues import label_language, state_turns
from crosstalk.transfer.states.state_features import (
    SlotPriors,
    StateFeatureMaker,
    feature_names,
)
from crosstalk.transfer.states.state_scorers import (
    FOLDS,
    ContextScorer,
    LabelledTurns,
    Scorers,
    SentenceVectors,
    TurnScorer,
    cross_fit_contexts,
    cross_fit_turns,
    labelled_rows,
    turn_rows,
)

State = dict[str, str]
"""Slot key -> value id."""
TREES, ARRAYS, KNOWN = "trees.txt", "scorers.safetensors", "tracker.json"
SETTINGS: Final[Mapping[str, Any]] = {"learning_rate": 0.08, "feature_fraction": 0.4}
"""Where the trees are trained otherwise than those of `system.boosted`."""
StepCallback = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrackerConfig:
    """Features and decision threshold; chosen on held-out English dialogues.

    Its `repr` is part of the names of kept model folders.
    """

    directed: bool = False
    """Whether features say on which side of a value a cue stands; not across languages."""
    words: bool = False
    """Whether the words around a value are scored; needs training dialogues in the language."""
    sentences: bool = True
    """Whether sentence vectors are used, if the encoder is installed."""
    rounds: int = 250
    threshold: float = 0.35
    """Candidates below this likelihood do not change the state."""


@dataclass(slots=True)
class StateTracker:
    """A trained tracker, with the word tables of the languages it reads."""

    config: TrackerConfig
    readers: ReaderCache
    trees: Trees
    priors: SlotPriors
    scorers: Scorers
    sentences: SentenceVectors | None

    def track(self, dialogues: Sequence[Dialogue]) -> list[list[State]]:
        """The states after all turns; the n-th turns of all dialogues are scored together."""
        features = StateFeatureMaker(self.readers.ontology.slots, directed=self.config.directed)
        turns = [state_turns(each) for each in dialogues]
        histories = [StateHistory() for _ in dialogues]
        states: list[list[State]] = [[] for _ in dialogues]
        for number in range(max(map(len, turns), default=0)):
            live = [place for place, each in enumerate(turns) if number < len(each)]
            found = [
                self.readers.candidates(dialogues[place], turns[place][number], histories[place])
                for place in live
            ]
            scores = self._likelihoods(features, found)
            for place, turn in zip(live, found, strict=True):
                state = self._next_state(turn, scores[: len(turn.candidates)])
                scores = scores[len(turn.candidates) :]
                states[place].append(state)
                histories[place] = turn.after(state, self.readers.ontology.slots)
        return states

    def _likelihoods(
        self, features: StateFeatureMaker, turns: Sequence[CandidateTurn]
    ) -> list[float]:
        filled = [turn for turn in turns if turn.candidates]
        if not filled:
            return []
        read = np.vstack([turn_rows(features, turn, self.priors) for turn in filled])
        others = self.scorers.columns(filled, self.readers.ontology.slots, self.sentences)
        return self.trees.of_matrix(np.hstack([read, *others]))

    def _next_state(self, turn: CandidateTurn, scores: Sequence[float]) -> State:
        candidates = ((each.slot.key, each.value) for each in turn.candidates)
        best = best_values(candidates, scores, threshold=self.config.threshold)
        return {**turn.history.state, **best}

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
        known = {"config": asdict(self.config), "habits": self.priors.counts}
        with writing(folder / KNOWN) as text:
            json.dump(known, text, ensure_ascii=False)
        save_booster(self.trees, folder / TREES)


def load(folder: Path, ontology: Ontology, sentences: SentenceVectors | None) -> StateTracker:
    """A saved tracker; refuses a damaged folder."""
    try:
        known = read_json(folder / KNOWN)
        arrays = load_arrays_of(folder / ARRAYS)
        config = TrackerConfig(**known["config"])
        turns = TurnScorer(arrays["turns"]) if "turns" in arrays else None
        words = ContextScorer(arrays["words"]) if "words" in arrays else None
        if sentences is not None:
            for name, mean in arrays.items():
                if name.startswith("mean "):
                    sentences.means[name.removeprefix("mean ")] = mean
        scorers = Scorers(turns, words)
        trees = load_booster(folder / TREES, _columns(config, scorers))
    except (CrosstalkError, OSError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder}: not a whole tracker of states: {error}",
            remedy="Remove the folder; the next run trains it anew.",
        ) from error
    return StateTracker(
        config, ReaderCache(ontology), trees, SlotPriors(known["habits"]), scorers, sentences
    )


def _columns(config: TrackerConfig, scorers: Scorers) -> tuple[str, ...]:
    """The names of the columns, in order: read features, then those of the scorers."""
    return (*feature_names(config.directed), *scorers.column_names)


# Training


@dataclass(frozen=True, slots=True)
class StateTrainingData:
    """Everything learnt except the trees, which alone depend on the seed."""

    config: TrackerConfig
    readers: ReaderCache
    rows: Matrix
    labels: Matrix
    priors: SlotPriors
    scorers: Scorers
    sentences: SentenceVectors | None

    def tracker(self, *, seed: int) -> StateTracker:
        trees = grow_matrix(
            self.rows,
            self.labels.tolist(),
            _columns(self.config, self.scorers),
            seed=seed,
            rounds=Rounds(self.config.rounds),
            settings=SETTINGS,
        )
        return StateTracker(
            self.config, self.readers, trees, self.priors, self.scorers, self.sentences
        )


def prepare(
    dialogues: Sequence[Dialogue],
    ontology: Ontology,
    config: TrackerConfig,
    *,
    sentences: SentenceVectors | None = None,
    told: StepCallback = lambda words: None,
) -> StateTrainingData:
    """Rows and scorers from dialogues of the source, and of the target where there are some."""
    readers = ReaderCache(ontology)
    told(f"reading {len(dialogues)} dialogues")
    labelled = _labelled_turns(dialogues, readers)
    if not labelled.turns or not labelled.labels.any():
        raise InputError(
            "there is nothing to learn from: no turn sets a slot that its text speaks of",
            remedy="Give dialogues with states, in the language that was named.",
        )
    priors = [_slot_priors(dialogues, ontology, without=part) for part in range(FOLDS)]
    features = StateFeatureMaker(ontology.slots, directed=config.directed)
    columns = [labelled_rows(features, labelled, priors)]
    turns = words = None
    if sentences is not None and config.sentences:
        told("scoring turns by sentence vectors")
        scores, turns = cross_fit_turns(labelled, ontology.slots, sentences)
        columns.append(scores)
    if config.words:
        told("scoring the words around values")
        scores, words = cross_fit_contexts(labelled)
        columns.append(scores)
    return StateTrainingData(
        config,
        readers,
        np.hstack(columns),
        labelled.labels,
        _slot_priors(dialogues, ontology),
        Scorers(turns, words),
        sentences if turns is not None else None,
    )


def part_of(dialogue: str) -> int:
    """The fold of a dialogue id; translations of one dialogue have its id and share the fold."""
    return zlib.crc32(dialogue.encode()) % FOLDS


def _labelled_turns(dialogues: Iterable[Dialogue], readers: ReaderCache) -> LabelledTurns:
    pairs = [pair for dialogue in dialogues for pair in readers.labelled(dialogue)]
    parts = np.array([part_of(turn.dialogue) for turn, _ in pairs], dtype=np.int64)
    return LabelledTurns([turn for turn, _ in pairs], [state for _, state in pairs], parts)


def _slot_priors(
    dialogues: Iterable[Dialogue], ontology: Ontology, *, without: int | None = None
) -> SlotPriors:
    """How often each slot was set to each value, one fold left out."""
    counts: dict[str, dict[str, int]] = {}
    for dialogue in dialogues:
        if part_of(dialogue.id) == without:
            continue
        before: dict[str, str] = {}
        for turn in state_turns(dialogue):
            state = ontology.ids(turn.state, label_language(dialogue))
            for slot, value in state.items():
                if before.get(slot) != value:
                    known = counts.setdefault(slot, {})
                    known[value] = known.get(value, 0) + 1
            before = state
    return SlotPriors(counts)
