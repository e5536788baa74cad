"""Train the simulated user on dialogues between people, or on simulated ones.

train_user(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")))
"""

from pathlib import Path
from random import Random
from typing import Any

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.user_scores import UserScore, score_user
from crosstalk.trainers.data import TrainingData
from crosstalk.trainers.job import Job, TrainedModel, stages_of, write_job_card
from crosstalk.training.config import write_config
from crosstalk.users.model import NAME, save_model
from crosstalk.users.predicted import PredictedUser
from crosstalk.users.training import Growth
from crosstalk.users.training import train_user as train_trees
from crosstalk.worlds.world import load_schema

WHAT = "simulated user: boosted trees over what is written down, said next, and how"


def train_user(job: Job, model: str = "best") -> Path:
    """Train, write the model folder, return it.

    One dialogue in ten is held out to show how the trees do while they grow; the trees that remain
    learn from all of them.
    """
    if model != "best":
        raise InputError(
            f"there is no user called {model!r} to train", remedy="Known: best. rule is not learnt."
        )
    source = job.source()
    schema, language = load_schema(source.world, language=source.language)
    material, folder = job.material(source), job.out / NAME
    growth = Growth(patience=job.patience, seed=job.seed)
    with job.reporter.training(folder) as watch:
        stages = stages_of(folder, growth, material, growth.seed)
        trained = train_trees(
            material.dialogues, schema, language, growth, told=watch, stages=stages
        )
        save_model(trained, folder)
        write_config(folder, growth)
        figures = _cross_validated(material, schema, language, growth, job.folds)
    card = TrainedModel(WHAT, "user", material, source.world, language.code, watch.minutes, figures)
    write_job_card(folder, job, card)
    return folder


def _cross_validated(
    material: TrainingData, schema: Schema, language: LanguagePack, growth: Growth, folds: int
) -> dict[str, Any]:
    if not folds:
        return {}

    def train(learnt: list[Dialogue]) -> PredictedUser:
        return PredictedUser(schema, language, train_trees(learnt, schema, language, growth))

    def score(user: PredictedUser, judged: list[Dialogue]) -> UserScore:
        return score_user(user, judged, Random(0)).overall

    total = cross_validate(material.dialogues, folds, train=train, score=score)
    return {
        "protocol": f"single turn, {folds}-fold cross-validation by dialogue",
        "state_accuracy": total.states.percent,
        "act_f1": total.acts.f1,
    }
