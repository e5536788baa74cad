"""Boosted trees over candidates: growing, keeping and asking them (LightGBM).

A model folder holds `model.txt` (the library's own text) and `knowledge.json` (columns and whatever
else was learned). Nothing is ever unpickled.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import read_json, read_text, writing
from crosstalk.training.boosting import Matrix, Rounds, boost

Features = dict[str, float]

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
    """How likely each candidate is the right one."""

    booster: lightgbm.Booster
    columns: tuple[str, ...]

    def likelihoods(self, rows: Sequence[Features]) -> list[float]:
        if not rows:
            return []
        return self.of_matrix(matrix_of(rows, self.columns))

    def of_matrix(self, rows: Matrix) -> list[float]:
        """The same for rows that `matrix_of` has made with these columns."""
        scores = np.asarray(self.booster.predict(rows, num_threads=1)) if len(rows) else rows
        return [float(score) for score in scores]


def grow(
    rows: Sequence[Features],
    labels: Sequence[bool],
    *,
    seed: int,
    owners: Sequence[int] = (),
    rounds: Rounds | None = None,
) -> Trees:
    """Trees that tell right candidates from wrong ones; the same seed grows the same trees.

    `owners`: the number of the dialogue each row comes from; needed where `rounds` has patience.
    """
    if not rows:
        raise InputError(
            "there is nothing to learn from: no system turn has a query form",
            remedy="Give a corpus with acts and states, such as CrossWOZ val.",
        )
    columns = tuple(rows[0])
    settings = {**SETTINGS, "seed": seed}
    watched = owners or [0] * len(rows)
    return Trees(
        boost(settings, matrix_of(rows, columns), labels, watched, rounds or Rounds(ROUNDS)),
        columns,
    )


def save(trees: Trees, knowledge: Mapping[str, Any], folder: Path) -> None:
    with writing(folder / "model.txt") as text:
        text.write(trees.booster.model_to_string())
    with writing(folder / "knowledge.json") as text:
        json.dump({"features": trees.columns, **knowledge}, text, ensure_ascii=False, indent=1)


def load(folder: Path) -> tuple[Trees, dict[str, Any]]:
    """The trees of a model folder and what was learned besides; refuses a damaged one in words."""
    try:
        knowledge = read_json(folder / "knowledge.json")
        columns = tuple(knowledge["features"])
        booster = lightgbm.Booster(model_str=read_text(folder / "model.txt"))
        if booster.num_feature() != len(columns):
            raise ValueError(
                f"{booster.num_feature()} columns in one file, {len(columns)} in the other"
            )
    except (CrosstalkError, lightgbm.basic.LightGBMError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{folder}: not a whole model of this kind: {error}",
            remedy="Train it anew: `crosstalk train --help`.",
        ) from error
    return Trees(booster, columns), knowledge


def matrix_of(rows: Sequence[Features], columns: Sequence[str]) -> Matrix:
    return np.array([[row[name] for name in columns] for row in rows], dtype=np.float32)
