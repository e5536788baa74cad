"""Our tracker: every candidate judged by boosted trees, the state carried from turn to turn.

tracker.track(dialogues) gives a state by value ids for every turn of every dialogue. Nothing of a
dialogue's own states is looked at.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from safetensors.numpy import load_file, save

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, read_text, writing, writing_binary
from crosstalk.transfer.states.contexts import Contexts
from crosstalk.transfer.states.features import Featurer, SlotPriors
from crosstalk.transfer.states.memory import StateHistory
from crosstalk.transfer.states.ontology import Ontology
from crosstalk.transfer.states.rows import Scorers, featurer_rows
from crosstalk.transfer.states.sentences import Sentences
from crosstalk.transfer.states.turn_features import ReaderCache, TurnFeatures
from crosstalk.transfer.states.turn_scores import TurnScores
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
        turns = TurnScores(arrays["turns"]) if "turns" in arrays else None
        words = Contexts(arrays["words"]) if "words" in arrays else None
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
