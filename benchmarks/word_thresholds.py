"""States without tables by how sure a derived word has to be: to choose it on one language.

python -m benchmarks.word_thresholds DATA it MODELS

WOZ 2.0 validate, one seed, learnt from English train alone. What is chosen here is for other
languages than the one named. Printed: joint goal accuracy of each setting, one changed at a time.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from crosstalk.evaluation.state_transfer import score_states
from crosstalk.transfer.dst_transfer import TransferRun, identity, track_with_best
from crosstalk.transfer.states.derived_words import THRESHOLDS, Explains, Thresholds
from crosstalk.transfer.states.state_files import read_states
from crosstalk.transfer.states.transfer_tasks import find_task

NEAR, SHARES, TEXTS = (0.5, 0.7), (0.4, 0.6), (3, 10)


def settings() -> Iterator[tuple[str, Thresholds]]:
    yield "as it is", THRESHOLDS
    for near in NEAR:
        yield f"near {near}", replace(THRESHOLDS, near=near)
    raw = THRESHOLDS.raw
    for explains in (
        *(Explains(x, raw.texts) for x in SHARES),
        *(Explains(raw.share, x) for x in TEXTS),
    ):
        yield f"{explains}", replace(THRESHOLDS, raw=explains)


def main() -> None:
    data, target, models = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    task = find_task(data, target)
    dialogues = read_states(task.target_files[-1], target, task.slots)
    judged = frozenset(map(identity, dialogues))
    run = TransferRun(task, seeds=(1,), judged=judged, tables=False)
    for name, limits in settings():
        asked = replace(run, thresholds=limits)
        for _, guesses in track_with_best(asked, dialogues, kept=models):
            joint = score_states(guesses, dialogues, asked.ontology).joint.percent
            print(json.dumps({"setting": name, "joint_goal_accuracy": joint}), flush=True)


if __name__ == "__main__":
    main()
