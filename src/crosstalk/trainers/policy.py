"""Train a policy: `best` is ours (boosted trees), `sl` the supervised network of the paper.

train_policy(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "best")
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.policy_scores import (
    Answer,
    PolicyScore,
    answers_of,
    answers_of_sl,
    score_answers,
)
from crosstalk.system.policy.delexicalised_acts import (
    PUBLISHED_SYSTEM,
    ActVocabulary,
    extract_vocabulary,
    read_vocabulary,
)
from crosstalk.system.policy.tree_policy import TreePolicyConfig, train_tree_policy
from crosstalk.trainers.data import TrainingData
from crosstalk.trainers.job import Job, TrainedModel, stages_of, write_job_card
from crosstalk.training.config import write_config
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World

FOLDERS: Final = {"sl": "policy-sl", "best": "policy"}
WHAT: Final = {
    "sl": "the supervised policy of the CrossWOZ paper: a network of two hidden layers",
    "best": "our policy: boosted trees over acts about ranked entities",
}


@dataclass(frozen=True, slots=True)
class _Training:
    """A job with its data read."""

    job: Job
    material: TrainingData
    world: World
    tables: Path | None
    folder: Path


def train_policy(job: Job, model: str = "best") -> Path:
    """Train, write the model folder, return it.

    The last of every ten dialogues is held out: it chooses the epoch of sl, and for best shows how
    the trees do while they grow; the trees that remain learn from all dialogues.
    """
    if model not in FOLDERS:
        raise InputError(f"there is no policy called {model!r} to train", remedy="Known: sl, best.")
    if job.folds and model != "best":
        raise InputError("--folds goes with --model best only", remedy="Leave one of them out.")
    source = job.source()
    world, tables = job.world_of(source), source.folder or job.tables
    training = _Training(job, job.material(source), world, tables, job.out / FOLDERS[model])
    train = _train_sl if model == "sl" else _train_best
    with job.reporter.training(training.folder) as watch:
        figures = train(training, watch)
        if job.folds:
            figures["cross-validation"] = _cross_validated(training)
    words, minutes = f"policy --model {model}", watch.minutes
    code = world.language.code
    trained = TrainedModel(
        WHAT[model], words, training.material, source.world, code, minutes, figures
    )
    write_job_card(training.folder, job, trained)
    return training.folder


def _train_best(training: _Training, told: StepCallback) -> dict[str, Any]:
    job, material = training.job, training.material
    config = TreePolicyConfig(patience=job.patience, seed=job.seed)
    stages = stages_of(training.folder, config, material, job.seed)
    database = Database(training.world)
    policy = train_tree_policy(material.dialogues, database, config, told=told, stages=stages)
    policy.save(training.folder)
    write_config(training.folder, config)
    return {}


def _train_sl(training: _Training, told: StepCallback) -> dict[str, Any]:
    from crosstalk.system.policy.sl_policy_training import SLConfig, save_sl, split

    dialogues, folder = training.material.dialogues, training.folder
    config = SLConfig(patience=training.job.patience, seed=training.job.seed)
    vocabulary, source = _vocabulary(training)
    result = save_sl(dialogues, training.world, vocabulary, folder, config, told=told)
    write_config(folder, config)
    _, held_out = split(dialogues)
    return {
        "acts": f"{len(vocabulary.user)} user, {len(vocabulary.system)} system, from {source}",
        "training": asdict(result),
        "held out": {"dialogues": len(held_out), **_judged(held_out, training.world, folder)},
    }


def _cross_validated(training: _Training) -> dict[str, Any]:
    """Of our policy; the published one is judged on what it held out."""
    job, database = training.job, Database(training.world)
    config = TreePolicyConfig(patience=job.patience, seed=job.seed)

    def train(learnt: list[Dialogue]) -> Answer:
        return answers_of(train_tree_policy(learnt, database, config))

    def score(answer: Answer, judged: list[Dialogue]) -> PolicyScore:
        return score_answers(answer, judged).overall

    total = cross_validate(training.material.dialogues, job.folds, train=train, score=score)
    return {"protocol": f"single turn, {job.folds}-fold by dialogue", **total.figures()}


def _vocabulary(training: _Training) -> tuple[ActVocabulary, str]:
    """The acts that were published with the corpus, which stem from its training split."""
    published = training.tables / training.world.name if training.tables else None
    if published and (published / PUBLISHED_SYSTEM).exists():
        return read_vocabulary(published), "the files published with the corpus"
    return extract_vocabulary(training.material.dialogues), "the dialogues"


def _judged(dialogues: Sequence[Dialogue], world: World, folder: Path) -> dict[str, Any]:
    """On the dialogues that chose the epoch, hence a little too good."""
    from crosstalk.system.policy.sl_policy import SLPolicy

    told = {}
    for protocol in ("paper", "corrected"):
        policy = SLPolicy.load(folder, world, protocol=protocol)
        answer = answers_of_sl(policy, published=protocol == "paper")
        told[protocol] = score_answers(answer, dialogues).overall.figures()
    return told
