"""A linker from annotated days."""

from collections.abc import Iterable

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.chatlogs.annotated import Annotated
from crosstalk.chatlogs.annotations import annotated_from
from crosstalk.chatlogs.linking.features import Floats
from crosstalk.chatlogs.linking.learned import LearnedLinker, candidates_of
from crosstalk.chatlogs.linking.lines import LineReader, Lines

SETTINGS = {
    "objective": "binary",
    "num_leaves": 31,
    "learning_rate": 0.08,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,
}


def train_linker(days: Iterable[Annotated], *, rounds: int, seed: int) -> LearnedLinker:
    """Trees that tell the line that is answered from other candidates; same seed, same trees."""
    rows = [_rows(day) for day in days]
    table = np.vstack([features for features, _ in rows])
    right = np.concatenate([labels for _, labels in rows])
    data = lightgbm.Dataset(table, right)
    return LearnedLinker(lightgbm.train({**SETTINGS, "seed": seed}, data, rounds))


def _rows(day: Annotated) -> tuple[Floats, NDArray[np.bool_]]:
    """The candidates of annotated lines, and which of them people chose."""
    lines = Lines()
    LineReader().read(day.messages, 0, lines)
    candidates = candidates_of(lines)
    orders = np.array(lines.orders)
    of, others = orders[candidates.lines], orders[candidates.others]
    latest = max((line for line, _ in day.links), default=-1)
    annotated = (of >= annotated_from(day.links)) & (of <= latest)
    pairs = zip(of[annotated].tolist(), others[annotated].tolist(), strict=True)
    return candidates.table[annotated], np.array([pair in day.links for pair in pairs], dtype=bool)
