"""Train the simulated user on dialogues between people, or on simulated ones.

train_user(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")))
"""

from pathlib import Path
from random import Random
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.user_scores import UserScore, score_user
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.config import write_config
from crosstalk.users.tree_user import LikeliestTreeUser
from crosstalk.users.tree_user_training import UserTrainingConfig
from crosstalk.users.tree_user_training import train_user as train_trees
from crosstalk.users.user_model import NAME, save_model

WHAT = "simulated user: boosted trees over what is written down, said next, and how"


def train_user(job: Job) -> Path:
    """Train, write the model folder, return it.

    One dialogue in ten is held out to show how the trees do while they grow; the final trees learn
    from all dialogues.
    """
    run, folder = job.start(), job.out / NAME
    schema, pack = run.schema_and_pack
    growth = UserTrainingConfig(patience=job.patience, seed=job.seed)
    with job.reporter.training(folder) as watch:
        stages = run.stages(folder, growth)
        trained = train_trees(run.dialogues, schema, pack, growth, told=watch, stages=stages)
        save_model(trained, folder)
        write_config(folder, growth)
        figures = _cross_validated(run, growth) if job.folds else {}
    run.write_card(
        folder,
        WHAT,
        run.command("user"),
        language=pack.code,
        minutes=watch.minutes,
        figures=figures,
    )
    return folder


def _cross_validated(run: TrainingRun, growth: UserTrainingConfig) -> dict[str, Any]:
    schema, pack = run.schema_and_pack

    def train(learnt: list[Dialogue]) -> LikeliestTreeUser:
        return LikeliestTreeUser(schema, pack, train_trees(learnt, schema, pack, growth))

    def score(user: LikeliestTreeUser, judged: list[Dialogue]) -> UserScore:
        return score_user(user, judged, Random(0)).overall

    total = cross_validate(run.dialogues, run.job.folds, train=train, score=score)
    return {
        "protocol": f"single turn, {run.job.folds}-fold cross-validation by dialogue",
        "state_accuracy": total.states.percent,
        "act_f1": total.acts.f1,
    }
