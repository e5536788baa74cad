"""Boosted trees that rank: in every group of rows the first is right, the others are wrong.

    trees = train_ranking_trees(rows, 10, TreeSettings(rounds=300), seed=1)
    trees.predict(rows)

Both second stages use them: that of response selection (`retrieval`) and that of retrieval across
languages (`transfer`).
"""

from dataclasses import dataclass
from typing import Final

import lightgbm
import numpy as np
from lightgbm.callback import CallbackEnv
from numpy.typing import NDArray

from crosstalk.training.steps import Step, StepCallback, nobody

EVERY: Final = 50
"""Progress is reported every so many rounds of boosting."""


@dataclass(frozen=True, slots=True)
class TreeSettings:
    """Settings of the boosting."""

    rounds: int = 300
    rate: float = 0.06
    leaves: int = 15
    fewest: int = 80
    """Rows that a leaf must have."""
    columns: float = 0.5
    """Share of the columns that each tree sees."""
    shrinkage: float = 5.0


def train_ranking_trees(
    rows: NDArray[np.float32],
    size: int,
    settings: TreeSettings,
    *,
    seed: int,
    told: StepCallback = nobody,
    part: str = "trees",
) -> lightgbm.Booster:
    """Train on groups of `size` rows each, the first of which is right."""
    groups = len(rows) // size
    right = np.tile([1] + [0] * (size - 1), groups)

    def tell(env: CallbackEnv) -> None:
        """Report the share of right rows that are not ranked first."""
        number, found = env.iteration + 1, env.evaluation_result_list or ()
        if number % EVERY == 0 or number == settings.rounds:
            [first] = [float(each[2]) for each in found]
            told(Step(number, round(1 - first, 4), part=part, total=settings.rounds))

    options = {
        "objective": "lambdarank",
        "lambdarank_truncation_level": size,
        "metric": "ndcg",
        "eval_at": [1],
        "learning_rate": settings.rate,
        "num_leaves": settings.leaves,
        "min_data_in_leaf": settings.fewest,
        "feature_fraction": settings.columns,
        "lambda_l2": settings.shrinkage,
        "num_threads": 1,
        "deterministic": True,
        "seed": seed,
        "verbose": -1,
    }
    table = lightgbm.Dataset(rows, right, group=[size] * groups)
    return lightgbm.train(options, table, settings.rounds, valid_sets=[table], callbacks=[tell])
