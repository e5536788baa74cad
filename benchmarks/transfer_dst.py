"""States across languages, by shots: `python -m benchmarks.transfer_dst FOLDER [TARGET ...]`.

Runs `crosstalk transfer dst --model best` and prints one JSON object, target -> shots -> result.
German and Italian learn from the train files alone here and are judged on the validate files, whose
dialogues the command itself learns from in English. FOLDER is where trained models go.
Three seeds; some four minutes of one core a row of zh.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.evaluation.transfer_states import score_states
from crosstalk.transfer.dst import Run, track_with_best
from crosstalk.transfer.states.reading import read_states
from crosstalk.transfer.states.sources import find_task

TESTS = {"zh": "multiwoz_zh/test-a.json.zip", "en": "multiwoz/test-a.json.zip"}
SHOTS = {"zh": (0, 1, 5, 10, 50, 100), "en": (0,), "de": (0, 10, 100), "it": (0, 10, 100)}


def measure(data: Path, models: Path, target: str, shots: int) -> dict[str, Any]:
    if target in ("de", "it"):
        return measure_woz2(data, models, target, shots)
    test = data / TESTS[target]
    order = ["--target", target, "--shots", str(shots), "--data", str(data), "--test", str(test)]
    found = CliRunner().invoke(app, ["transfer", "dst", *order, "--out", str(models), "--json"])
    if found.exception:
        raise found.exception
    return dict(json.loads(found.stdout))


def measure_woz2(data: Path, models: Path, target: str, shots: int) -> dict[str, Any]:
    whole = find_task(data, target)
    first = {name: getattr(whole, name)[:1] for name in ("source_files", "target_files", "words")}
    run = Run(replace(whole, **first), shots)
    judged = read_states(whole.target_files[1], target, whole.slots)
    scores = [
        score_states(guesses, judged, run.ontology)
        for _, guesses in track_with_best(run, judged, kept=models)
    ]
    return {
        "joint_goal_accuracy": round(fmean(each.joint.percent or 0 for each in scores), 2),
        "slot_accuracy": round(fmean(each.slots.percent or 0 for each in scores), 2),
    }


def main() -> None:
    models, targets = Path(sys.argv[1]), sys.argv[2:] or list(SHOTS)
    data = Path(os.environ["CROSSTALK_DATA"])
    table = {
        target: {str(shots): measure(data, models, target, shots) for shots in SHOTS[target]}
        for target in targets
    }
    print(json.dumps(table, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
