"""The trained linker: quick trees judge every candidate, more trees the few that are left.

A model folder holds `trees.txt` (LightGBM's own text) and `columns.json`. The quick look uses the
first trees of the same forest, so that there is one model to train and to keep.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.linking.candidates import Ints, Scene, candidate_pairs
from crosstalk.chatlogs.linking.features import COLUMNS, Floats, pair_features
from crosstalk.chatlogs.linking.lines import Lines
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, read_text, writing

TREES, COLUMN_NAMES = "trees.txt", "columns.json"
QUICK_TREES = 40
UNLIKELY = 0.02
"""Share of the quick look's belief in a line's candidates below which one gets no second look."""

Beliefs = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of a line and a line it may answer, and what is known of them."""

    lines: Ints
    others: Ints
    table: Floats
    size: int
    """Lines in all."""


@dataclass(frozen=True, slots=True)
class LearnedLinker:
    """One thread, so that any number of workers share a machine."""

    trees: lightgbm.Booster

    @classmethod
    def load(cls, folder: Path) -> "LearnedLinker":
        try:
            if read_json(folder / COLUMN_NAMES) != list(COLUMNS):
                raise ValueError("it looks at other columns than this Crosstalk")
            return cls(lightgbm.Booster(model_str=read_text(folder / TREES)))
        except (CrosstalkError, lightgbm.basic.LightGBMError, ValueError) as error:
            raise InputError(
                f"{folder}: not a whole linker: {error}",
                remedy="Train it anew: crosstalk logs train --help",
            ) from error

    def save(self, folder: Path) -> None:
        with writing(folder / TREES) as text:
            text.write(self.trees.model_to_string())
        with writing(folder / COLUMN_NAMES) as text:
            json.dump(COLUMNS, text, indent=1)

    def parents(self, lines: Lines, start: int) -> list[tuple[int, float]]:
        if not len(lines):
            return []
        candidates = candidates_of(lines)
        chosen, sure = _decide(candidates, self._beliefs(candidates))
        return list(zip(chosen[start:].tolist(), sure[start:].tolist(), strict=True))

    def _beliefs(self, candidates: Candidates) -> Beliefs:
        """How likely each candidate is; 0 for those that the quick look rules out."""
        quick = self._ask(candidates.table, QUICK_TREES)
        total = np.bincount(candidates.lines, weights=quick, minlength=candidates.size)
        left = quick > UNLIKELY * total[candidates.lines]
        beliefs = np.zeros(len(quick))
        beliefs[left] = self._ask(candidates.table[left], None)
        return beliefs

    def _ask(self, table: Floats, trees: int | None) -> Beliefs:
        return np.asarray(self.trees.predict(table, num_iteration=trees or -1, num_threads=1))


def candidates_of(lines: Lines) -> Candidates:
    scene = Scene.of(
        np.array(lines.minutes), np.array(lines.speakers), np.array(lines.targets).reshape(-1, 3)
    )
    of, others = candidate_pairs(scene, 0)
    flags = np.array(lines.flags, dtype=np.float32)
    return Candidates(of, others, pair_features(scene, flags, lines.words, of, others), len(lines))


def _decide(candidates: Candidates, beliefs: Beliefs) -> tuple[Ints, Beliefs]:
    """For each line its likeliest candidate, and its share of the belief in all of them."""
    order = np.lexsort((beliefs, candidates.lines))
    parents = np.arange(candidates.size)
    best = np.zeros(candidates.size)
    parents[candidates.lines[order]] = candidates.others[order]  # the last written is the likeliest
    best[candidates.lines[order]] = beliefs[order]
    total = np.bincount(candidates.lines, weights=beliefs, minlength=candidates.size)
    return parents, best / np.maximum(total, 1e-9)
