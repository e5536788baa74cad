"""What each objective of `specialise` brings an encoder from nothing.

python -m benchmarks.transfer DATA FOLDER TARGET STEPS

Every row starts from the same random weights and the same vocabulary, learns so many steps of its
objectives one after the other, and is asked three things, with what was not learnt from:

- the perplexity of hidden word pieces, in the source, in the target, and in windows of both;
- response selection in the target as the objective itself has it (RS-Mono), after the same short
  lesson of the selecting head for all rows: weighted F1, and how often the right response of a
  context is scored above its wrong ones;
- retrieval through the published dual encoder, which every row learns in the source alone:
  R_100@1 in the source and, zero-shot, in the target.

Every encoder and figure is kept in FOLDER as soon as it is there; the same command goes on with
those that lack.
"""

import copy
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from crosstalk.evaluation.retrieval_transfer import figures, rank_answers
from crosstalk.files import writing
from crosstalk.training.small_encoders import nano_encoder
from crosstalk.training.transformer_encoders import TransformerEncoder, load_masked_lm
from crosstalk.transfer.dual_encoder import DualEncoder, DualRetriever, DualTraining, train_dual
from crosstalk.transfer.retrieval_task import exchanges_of
from crosstalk.transfer.specialisation.instance_sampling import ResponseRow
from crosstalk.transfer.specialisation.objectives import (
    ObjectiveData,
    ResponseClassifier,
    perplexity,
    specialise,
    teach,
)
from crosstalk.transfer.specialisation.training_instances import InstanceRequest, find_instances
from crosstalk.transfer.step_training import Pace, TrainingSetup
from crosstalk.transfer.transfer_corpora import DialogueTexts, find_corpus, read_dialogue_texts

import torch  # isort: skip

ROWS = ("none", "mlm", "tlm", "rs-x", "rs-mono", "tod", "tlm, rs-mono", "tlm, rs-x")
SOURCE = "en"
INSTANCES = 8_000
PROBED = 450
"""Steps of selection, head and encoder, that every row gets before it is asked; the best third."""
JUDGED_ROWS = 2_400
JUDGED_TEXTS = 150
RETRIEVED = 1_500
SEEDS = (1, 2, 3)


def measure(data: Path, folder: Path, target: str, steps: int) -> dict[str, Any]:
    torch.set_num_threads(1)
    return {
        "target": target,
        "steps": steps,
        "rows": {name: _row(name, data, folder, target, steps) for name in ROWS},
    }


@cache
def _start(data: Path, target: str) -> TransformerEncoder:
    texts = find_instances(InstanceRequest("tlm", data, SOURCE, target, wanted=INSTANCES)).texts()
    return nano_encoder(texts, seed=1)


def _row(name: str, data: Path, folder: Path, target: str, steps: int) -> dict[str, Any]:
    """What one encoder does; what was measured before is not measured again."""
    file = folder / f"{name}.json"
    row: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    measures: dict[str, Callable[[TransformerEncoder], dict[str, float]]] = {
        "perplexity": lambda encoder: _perplexities(encoder, data, target),
        "selection": lambda encoder: _selected(encoder, data, target),
        "retrieval": lambda encoder: _retrieved(encoder, data, target, steps),
    }
    for kind in [each for each in measures if each not in row]:
        row[kind] = measures[kind](_encoder(name, data, folder, target, steps))
        with writing(file) as out:
            json.dump(row, out)
    return row


def _encoder(name: str, data: Path, folder: Path, target: str, steps: int) -> TransformerEncoder:
    """The one of this row, learnt once. What stands before the last comma was kept before."""
    if (folder / name).is_dir():
        return load_masked_lm(str(folder / name))
    before, _, objective = name.rpartition(", ")
    encoder = load_masked_lm(str(folder / before)) if before else _copied(_start(data, target))
    if objective != "none":
        _learn(encoder, objective, data, target, steps)
    encoder.save(folder / name / "encoder")
    return encoder


def _copied(encoder: TransformerEncoder) -> TransformerEncoder:
    return TransformerEncoder(copy.deepcopy(encoder.network), encoder.tokenizer)


def _learn(
    encoder: TransformerEncoder, objective: str, data: Path, target: str, steps: int
) -> None:
    instance_set = find_instances(
        InstanceRequest(objective, data, SOURCE, target, wanted=INSTANCES)
    )
    pace = Pace(steps, -(-steps // 3), 1.5e-3, batch=16, warm_up=steps // 10)
    objective_data = ObjectiveData(instance_set.learnt, instance_set.held_out[:200])
    specialise(encoder, objective, objective_data, pace, TrainingSetup(1))


def _perplexities(encoder: TransformerEncoder, data: Path, target: str) -> dict[str, float]:
    talks = {each: _dev(data, each) for each in (SOURCE, target)}
    texts = {each: [" ".join(t.texts[:6]) for t in talks[each]] for each in talks}
    both = [" ".join(pair) for pair in zip(*texts.values(), strict=False)]
    texts["both"] = both
    return {each: round(perplexity(encoder, texts[each][:JUDGED_TEXTS]), 1) for each in texts}


def _dev(data: Path, language: str) -> list[DialogueTexts]:
    return read_dialogue_texts(find_corpus(data, language, "dev").file)


def _selected(encoder: TransformerEncoder, data: Path, target: str) -> dict[str, float]:
    instance_set = find_instances(
        InstanceRequest("rs-mono", data, SOURCE, target, wanted=INSTANCES)
    )
    judged = sorted(instance_set.held_out, key=lambda row: row.context)[:JUDGED_ROWS]
    pace = Pace(PROBED, PROBED // 3, 1e-3, batch=24, warm_up=20)
    torch.manual_seed(1)
    module, objective_data = ResponseClassifier(encoder), ObjectiveData(instance_set.learnt, judged)
    progress = teach(module, "rs-mono", objective_data, pace, TrainingSetup(1))
    return {
        "weighted_f1": round(progress.best_score, 2),
        "right_first": round(right_first(module, judged), 2),
        "chance": round(chance(judged), 2),
    }


def right_first(module: ResponseClassifier, rows: Sequence[ResponseRow]) -> float:
    with torch.no_grad():
        logits = module.logits([(row.context, row.response) for row in rows])
    scores = iter((logits[:, 1] - logits[:, 0]).tolist())
    won = []
    for some in _by_context(rows):
        best = max((next(scores), row.label) for row in some)
        won.append(best[1])
    return 100 * fmean(won)


def chance(rows: Sequence[ResponseRow]) -> float:
    return 100 * fmean(sum(row.label for row in some) / len(some) for some in _by_context(rows))


def _by_context(rows: Sequence[ResponseRow]) -> list[list[ResponseRow]]:
    return [list(some) for _, some in groupby(rows, key=lambda row: row.context)]


def _retrieved(
    encoder: TransformerEncoder, data: Path, target: str, steps: int
) -> dict[str, float]:
    pace = Pace(steps, -(-steps // 4), 1.5e-3, batch=32, warm_up=steps // 10)
    training = DualTraining(pace, context=48, answer=24)
    torch.manual_seed(1)
    dual = DualRetriever(DualEncoder(encoder, training), encoder)
    learnt = exchanges_of(read_dialogue_texts(find_corpus(data, SOURCE, "train").file))
    train_dual(dual, learnt, exchanges_of(_dev(data, SOURCE)), pace, TrainingSetup(1))
    return {each: _recall(dual, _dev(data, each)) for each in (SOURCE, target)}


def _recall(dual: DualRetriever, talks: Sequence[DialogueTexts]) -> float:
    exchanges = exchanges_of(talks)[:RETRIEVED]
    read, answers = dual.read(exchanges), [each.response for each in exchanges]
    found = [figures(rank_answers(read, answers, seed=seed))["r100@1"] for seed in SEEDS]
    return round(fmean(found), 2)


if __name__ == "__main__":
    data, folder, target, steps = sys.argv[1:]
    print(json.dumps(measure(Path(data), Path(folder), target, int(steps)), indent=1))
