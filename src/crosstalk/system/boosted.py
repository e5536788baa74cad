"""Gradient-boosted trees that score candidates (LightGBM): training, saving, loading, scoring.

    trees = grow(rows, labels, seed=1)
    trees.likelihoods(rows)

A model folder holds `model.txt` (LightGBM's text format) and `knowledge.json` (the names of the
columns and whatever else the part has learned). Nothing is ever unpickled.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, read_text, writing
from crosstalk.training.booster_files import read_booster
from crosstalk.training.boosting import Matrix, Rounds, boost

Features = dict[str, float]
"""One row: feature name -> value. All rows of a model have the same names in the same order."""

ROUNDS = 300
SETTINGS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 31,
    "min_data_in_leaf": 20,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}
"""Chosen by five-fold cross-validation on CrossWOZ val; 15 to 63 leaves differ by half a point."""


@dataclass(frozen=True, slots=True)
class Trees:
    """A trained model: the likelihood that a candidate is right, from its row of features."""

    booster: lightgbm.Booster
    columns: tuple[str, ...]

    def likelihoods(self, rows: Sequence[Features]) -> list[float]:
        if not rows:
            return []
        return self.of_matrix(matrix_of(rows, self.columns))

    def of_matrix(self, rows: Matrix) -> list[float]:
        """The same for a matrix with these columns, as `matrix_of` makes it."""
        scores = np.asarray(self.booster.predict(rows, num_threads=1)) if len(rows) else rows
        return [float(score) for score in scores]


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """Rows of candidates with their labels and the number of the dialogue each comes from."""

    rows: list[Features] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)

    def add(self, owner: int, rows: Sequence[Features], labels: Sequence[bool]) -> None:
        self.rows.extend(rows)
        self.labels.extend(labels)
        self.owners.extend([owner] * len(rows))


def grow(
    rows: Sequence[Features],
    labels: Sequence[bool],
    *,
    seed: int,
    owners: Sequence[int] = (),
    rounds: Rounds | None = None,
) -> Trees:
    """Train trees that tell right candidates from wrong ones; one seed gives one model.

    `owners`: the number of the dialogue each row comes from; needed where `rounds` has patience.
    """
    if not rows:
        raise InputError(
            "there is nothing to learn from: no system turn has a query form",
            remedy="Give a corpus with acts and states, such as CrossWOZ val.",
        )
    columns = tuple(rows[0])
    return grow_matrix(
        matrix_of(rows, columns), labels, columns, seed=seed, owners=owners, rounds=rounds
    )


def grow_matrix(
    rows: Matrix,
    labels: Sequence[bool],
    columns: tuple[str, ...],
    *,
    seed: int,
    owners: Sequence[int] = (),
    rounds: Rounds | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Trees:
    """The same for a matrix with these columns; `settings` replace those of `SETTINGS`."""
    chosen = {**SETTINGS, **(settings or {}), "seed": seed}
    known = owners or [0] * len(rows)
    return Trees(boost(chosen, rows, labels, known, rounds or Rounds(ROUNDS)), columns)


def save(trees: Trees, knowledge: Mapping[str, Any], folder: Path) -> None:
    """Write a model folder; `knowledge` is what was learned besides the trees."""
    save_booster(trees, folder / "model.txt")
    with writing(folder / "knowledge.json") as text:
        json.dump({"features": trees.columns, **knowledge}, text, ensure_ascii=False, indent=1)


def load(folder: Path) -> tuple[Trees, dict[str, Any]]:
    """The trees of a model folder and what was learned besides; refuses a damaged folder."""
    try:
        knowledge = read_json(folder / "knowledge.json")
        trees = load_booster(folder / "model.txt", tuple(knowledge["features"]))
    except (CrosstalkError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder}: not a whole model of this kind: {error}",
            remedy="Train it anew: `crosstalk train --help`.",
        ) from error
    return trees, knowledge


def save_booster(trees: Trees, file: Path) -> None:
    with writing(file) as text:
        text.write(trees.booster.model_to_string())


def load_booster(file: Path, columns: tuple[str, ...]) -> Trees:
    """The trees of one file; raises ValueError for a damaged one or other columns."""
    booster = read_booster(read_text(file))
    if booster.num_feature() != len(columns):
        raise ValueError(
            f"{booster.num_feature()} columns in {file.name}, {len(columns)} were expected"
        )
    return Trees(booster, columns)


def matrix_of(rows: Sequence[Features], columns: Sequence[str]) -> Matrix:
    return np.array([[row[name] for name in columns] for row in rows], dtype=np.float32)
