"""Train a policy: `best` is boosted trees, `sl` the supervised network of the CrossWOZ paper.

train_policy(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "best")
"""

from collections.abc import Sequence
from dataclasses import asdict
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
from crosstalk.trainers.data import validation_beside
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.config import write_config
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import refuse_tableless

FOLDERS: Final = {"sl": "policy-sl", "best": "policy"}
WHAT: Final = {
    "sl": "the supervised policy of the CrossWOZ paper: a network of two hidden layers",
    "best": "our policy: boosted trees over acts about ranked entities",
}


def train_policy(job: Job, model: str = "best") -> Path:
    """Train, write the model folder, return it.

    The validation split beside the data chooses the epoch of sl; where there is none, the last of
    every ten dialogues. For best, these show how the trees do while they grow; the final trees
    learn from all dialogues.
    """
    if job.folds and model != "best":
        raise InputError("--folds goes with --model best only", remedy="Leave one of them out.")
    run, folder = job.start(), job.out / FOLDERS[model]
    refuse_tableless(run.world, "a policy chooses among the rows that it finds")
    train = _train_sl if model == "sl" else _train_best
    with job.reporter.training(folder) as watch:
        figures = train(run, folder, watch)
        if job.folds:
            figures["cross-validation"] = _cross_validated(run)
    run.write_card(
        folder,
        WHAT[model],
        run.command(f"policy --model {model}"),
        language=run.world.language.code,
        minutes=watch.minutes,
        figures=figures,
    )
    return folder


def _train_best(run: TrainingRun, folder: Path, told: StepCallback) -> dict[str, Any]:
    job = run.job
    config = TreePolicyConfig(patience=job.patience, seed=job.seed)
    stages = run.stages(folder, config)
    database = Database(run.world)
    policy = train_tree_policy(run.dialogues, database, config, told=told, stages=stages)
    policy.save(folder)
    write_config(folder, config)
    return {}


def _train_sl(run: TrainingRun, folder: Path, told: StepCallback) -> dict[str, Any]:
    from crosstalk.system.policy.sl_policy_training import SLConfig, save_sl, split

    dialogues, validation = run.dialogues, validation_beside(run.source, run.job.reporter)
    config = SLConfig(patience=run.job.patience, seed=run.job.seed)
    vocabulary, source = _vocabulary(run)
    result = save_sl(
        dialogues, run.world, vocabulary, folder, config, validation=validation, told=told
    )
    write_config(folder, config)
    held_out = validation or split(dialogues)[1]
    return {
        "acts": f"{len(vocabulary.user)} user, {len(vocabulary.system)} system, from {source}",
        "training": asdict(result),
        "held out": {"dialogues": len(held_out), **_judged(held_out, run.world, folder)},
    }


def _cross_validated(run: TrainingRun) -> dict[str, Any]:
    """Of the tree policy; the published one is scored on its held-out dialogues."""
    job, database = run.job, Database(run.world)
    config = TreePolicyConfig(patience=job.patience, seed=job.seed)

    def train(learnt: list[Dialogue]) -> Answer:
        return answers_of(train_tree_policy(learnt, database, config))

    def score(answer: Answer, judged: list[Dialogue]) -> PolicyScore:
        return score_answers(answer, judged).overall

    total = cross_validate(run.dialogues, job.folds, train=train, score=score)
    return {"protocol": f"single turn, {job.folds}-fold by dialogue", **total.figures()}


def _vocabulary(run: TrainingRun) -> tuple[ActVocabulary, str]:
    """The act vocabulary published with the corpus (from its training split), else an own one."""
    published = run.tables / run.world.name if run.tables else None
    if published and (published / PUBLISHED_SYSTEM).exists():
        return read_vocabulary(published), "the files published with the corpus"
    return extract_vocabulary(run.dialogues), "the dialogues"


def _judged(dialogues: Sequence[Dialogue], world: World, folder: Path) -> dict[str, Any]:
    """Scores on the dialogues that chose the epoch, hence slightly optimistic."""
    from crosstalk.system.policy.sl_policy import SLPolicy

    told = {}
    for protocol in ("paper", "corrected"):
        policy = SLPolicy.load(folder, world, protocol=protocol)
        answer = answers_of_sl(policy, published=protocol == "paper")
        told[protocol] = score_answers(answer, dialogues).overall.figures()
    return told
