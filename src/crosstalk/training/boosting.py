"""Gradient-boosted trees; the number of rounds is chosen on held-out dialogues.

The trees that remain are grown from all dialogues, as many as served those that were held out.
With stages, both the number and the trees outlive a kill.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from lightgbm.callback import CallbackEnv

from crosstalk.files import read_text, writing
from crosstalk.training.stages import Stages
from crosstalk.training.steps import Step, StepCallback, nobody

Matrix = np.ndarray[Any, Any]
EVERY = 10
"""One dialogue in this many is held out, and one round in this many is reported."""
KEPT = "kept.txt"
LOSS, SCORE = "binary_logloss", "average_precision"


@dataclass(frozen=True, slots=True)
class Rounds:
    """Number of rounds, early stopping, progress reports and stages."""

    limit: int
    patience: int = 0
    """Stop after this number of rounds without a lower held-out loss; 0: never."""
    told: StepCallback = nobody
    """Receives the training loss and the held-out average precision, in percent."""
    part: str = "trees"
    """Name of the trees in the metrics and stages."""
    stages: Stages | None = None

    def kept(self, name: str, make: Callable[[], str]) -> str:
        """The text of a finished stage, else made and stored."""
        if self.stages is None:
            return make()

        def write(place: Path) -> None:
            with writing(place / KEPT) as text:
                text.write(make())

        return read_text(self.stages.folder(f"{self.part} {name}", write) / KEPT)


def boost(
    settings: dict[str, Any],
    rows: Matrix,
    answers: Sequence[bool],
    owners: Sequence[int],
    rounds: Rounds,
) -> lightgbm.Booster:
    """Train binary classification trees. `owners`: the number of the dialogue of each row.

    With too few dialogues to hold any out, all rounds are grown.
    """
    labels = np.asarray(answers, dtype=np.float32)
    held_out = np.asarray(owners) % EVERY == EVERY - 1
    number = rounds.limit
    watched = rounds.patience or rounds.told is not nobody
    if watched and 0 < labels[held_out].sum() < held_out.sum():
        number = int(
            rounds.kept("number", lambda: str(_helpful(settings, rows, labels, held_out, rounds)))
        )

    def grow() -> str:
        grown = lightgbm.train(settings, lightgbm.Dataset(rows, labels), number)
        return grown.model_to_string()

    return lightgbm.Booster(model_str=rounds.kept("trees", grow))


def _helpful(
    settings: dict[str, Any], rows: Matrix, labels: Matrix, held_out: Matrix, rounds: Rounds
) -> int:
    learnt = lightgbm.Dataset(rows[~held_out], labels[~held_out])
    judged = lightgbm.Dataset(rows[held_out], labels[held_out], reference=learnt)
    watched = lightgbm.train(
        {**settings, "metric": [LOSS, SCORE]},
        learnt,
        rounds.limit,
        valid_sets=[learnt, judged],
        valid_names=["learnt", "held out"],
        callbacks=[_teller(rounds), _stopper(rounds.patience)],
    )
    return max(watched.best_iteration, 1) if rounds.patience else rounds.limit


def _stopper(patience: int) -> Callable[[CallbackEnv], None]:
    """Early stopping on the held-out loss alone."""
    best: list[tuple[float, int]] = [(float("inf"), 0)]

    def stop(env: CallbackEnv) -> None:
        loss = _figures(env)["held out", LOSS]
        if loss < best[0][0]:
            best[0] = (loss, env.iteration)
        last = env.iteration == env.end_iteration - 1
        if last or 0 < patience <= env.iteration - best[0][1]:
            raise lightgbm.callback.EarlyStopException(best[0][1], [])

    return stop


def _teller(rounds: Rounds) -> Callable[[CallbackEnv], None]:
    started = time.monotonic()

    def tell(env: CallbackEnv) -> None:
        number = env.iteration + 1
        if number % EVERY and number != rounds.limit:
            return
        found = _figures(env)
        seconds = round(time.monotonic() - started, 1)
        score = round(100 * found["held out", SCORE], 3)
        loss = round(found["learnt", LOSS], 6)
        rounds.told(Step(number, loss, score, seconds, rounds.part, rounds.limit))

    return tell


def _figures(env: CallbackEnv) -> dict[tuple[str, str], float]:
    return {(each[0], each[1]): float(each[2]) for each in env.evaluation_result_list or ()}
