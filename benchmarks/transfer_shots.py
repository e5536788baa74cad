"""States and retrieval across languages, by shots; tables 3 to 5 and figure 1 of Multi2WOZ.

python -m benchmarks.transfer_shots FOLDER dst|retrieve MODEL SEEDS TARGET:SHOTS,SHOTS ...

python -m benchmarks.transfer_shots results dst published 1 zh:0,10,100 de:0 it:0

Every result is kept in FOLDER as the command printed it, `MODEL-TARGET-SHOTS.json`, and the same
order goes on with those that lack; printed are all of them, target -> shots -> result. Trained
models go where the commands keep them. `FOLDER report FIGURE` prints the tables of all that FOLDER
holds, and draws the figure.

There are no Russian test dialogues here, nor German and Italian ones. Russian is judged without
shots on its development dialogues, and with shots on every fifth of them, which are then no shots;
German and Italian learn from the train files alone and are judged on the validate files.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from typer.testing import CliRunner

from crosstalk.cli.main import app
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.state_transfer import score_labels, score_states
from crosstalk.files import writing
from crosstalk.training.sentence_encoders import cache_folder
from crosstalk.transfer.dst_transfer import Guesses, PicklistOptions, TransferRun, track_with_best
from crosstalk.transfer.states.state_files import read_states
from crosstalk.transfer.states.transfer_tasks import find_task
from crosstalk.transfer.transfer_corpora import DialogueTexts, read_dialogue_texts

DATA = Path(os.environ.get("CROSSTALK_DATA", "data"))
RUSSIAN = "Russian MultiWOZ (machine-translated)"
TESTS = {
    "zh": "multiwoz_zh/test-a.json.zip",
    "en": "multiwoz/test-a.json.zip",
    "ru": "multiwoz_ru/russian_dev.zip",
}


def measure(task: str, model: str, seeds: int, target: str, shots: int) -> dict[str, Any]:
    if target in ("de", "it"):
        return measure_woz2(model, seeds, target, shots)
    chosen = str(seeds) if task == "dst" else ",".join(map(str, range(1, seeds + 1)))
    order = [task, "--model", model, "--target", target, "--shots", str(shots), "--seeds", chosen]
    if target == "ru" and shots:
        with tempfile.TemporaryDirectory() as folder:
            test = without_fifth(Path(folder))
            return _asked(*order, data=Path(folder), test=test) | {"data": f"{RUSSIAN}, a fold"}
    return _asked(*order, data=DATA, test=DATA / TESTS[target])


def _asked(*order: str, data: Path, test: Path) -> dict[str, Any]:
    words = [*order, "--data", str(data), "--test", str(test), "--json"]
    return dict(json.loads(_output("transfer", *words)))


def without_fifth(folder: Path) -> Path:
    """A data folder whose Russian dialogues lack every fifth, and a test file of these."""
    texts = folder / "multiwoz_ru"
    texts.mkdir()
    for name in ("english", "russian"):
        talks = read_dialogue_texts(DATA / "multiwoz_ru" / f"{name}_dev.zip")
        _write_talks(texts / f"{name}_dev", [t for at, t in enumerate(talks) if at % 5 != 2])
        _write_talks(folder / f"{name}.txt", talks[2::5])
    return folder / "russian.txt"


def _write_talks(file: Path, talks: Sequence[DialogueTexts]) -> None:
    file.write_text("\n\n".join("\n".join(talk.texts) for talk in talks) + "\n", encoding="utf-8")


def _output(*words: str) -> str:
    found = CliRunner().invoke(app, list(words))
    if found.exception:
        raise found.exception
    return found.stdout


def measure_woz2(model: str, seeds: int, target: str, shots: int) -> dict[str, Any]:
    whole = find_task(DATA, target)
    first = {name: getattr(whole, name)[:1] for name in ("source_files", "target_files", "words")}
    run = TransferRun(replace(whole, **first), shots, seeds=tuple(range(1, seeds + 1)))
    judged = read_states(whole.target_files[1], target, whole.slots)
    by_seed = [
        {"seed": seed, "joint_goal_accuracy": joint, "slot_accuracy": slots}
        for seed, joint, slots in _woz2_scores(run, model, judged)
    ]
    means = {
        name: round(fmean(each[name] for each in by_seed), 2)
        for name in ("joint_goal_accuracy", "slot_accuracy")
    }
    about = {"task": f"{whole.name}, validate", "model": model, "source": "en", "target": target}
    return {**about, "shots": shots, "protocol": run.protocol, **means, "seeds": by_seed}


def _woz2_scores(
    run: TransferRun, model: str, judged: list[Dialogue]
) -> Iterator[tuple[int, float, float]]:
    for seed, guesses in _tracked(run, model, judged):
        if model == "best":
            score = score_states(guesses, judged, run.ontology)
        else:
            score = score_labels(guesses, judged, run.task.slots)
        yield seed, round(score.joint.percent or 0, 2), round(score.slots.percent or 0, 2)


def _tracked(run: TransferRun, model: str, judged: list[Dialogue]) -> Iterator[tuple[int, Guesses]]:
    kept = cache_folder() / "transfer"
    if model == "best":
        return track_with_best(run, judged, kept=kept)
    from crosstalk.transfer.published_dst_transfer import PublishedTracker

    return PublishedTracker(run, PicklistOptions(), kept).track(judged)


def measured(folder: Path, task: str, orders: list[str]) -> dict[str, dict[str, Any]]:
    """What was ordered, from FOLDER where it is there already."""
    model, seeds, *targets = orders
    table: dict[str, dict[str, Any]] = {}
    for target, _, shares in (each.partition(":") for each in targets):
        for shots in shares.split(","):
            file = folder / task / f"{model}-{target}-{shots}.json"
            if not file.exists():
                result = measure(task, model, int(seeds), target, int(shots))
                with writing(file) as out:
                    json.dump(result, out, ensure_ascii=False, indent=1)
            table.setdefault(target, {})[shots] = json.loads(file.read_text(encoding="utf-8"))
    return table


def reported(folder: Path, figure: str) -> list[dict[str, Any]]:
    """The tables of all results that are there, and the figure."""
    files = [str(file) for file in sorted(folder.glob("*/*.json"))]
    told = _output("transfer", "report", *files, "--figure", figure, "--json")
    return [dict(each) for each in json.loads(told)]


def main() -> None:
    folder, task, *orders = sys.argv[1:]
    place = Path(folder)
    found = reported(place, *orders) if task == "report" else measured(place, task, orders)
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
