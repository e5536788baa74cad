"""Train a tracker: `trees` is given gold forms and acts, `words` reads the words alone.

train_tracker(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "edits")
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.dst_scores import (
    TrackingScore,
    WordsScore,
    score_forms,
    score_tracking,
)
from crosstalk.model_folders import find_model, read_card
from crosstalk.system.dst.predicted_acts import (
    PredictedDialogue,
    load_predictions,
    predict_held_out,
    save_predictions,
)
from crosstalk.system.dst.text_tracker_training import TextTrackerConfig, train_text_tracker
from crosstalk.system.dst.tree_tracker import TreeTracker, TreeTrackerConfig, train_tree_tracker
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.trainers.data import DialogueSource, TrainingData, share_of
from crosstalk.trainers.job import Job, TrainedModel, stages_of, write_job_card
from crosstalk.training.config import write_config
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World

FOLDERS: Final = {"edits": "dst", "words": "dst-words"}
WHAT: Final = {
    "edits": "edit tracker: boosted trees over candidate values of each field",
    "words": "tracker from words: boosted trees over all values that came up for each field",
}
FOLDS: Final = 5
"""Of the tracker from words, which learns from dialogues that its trees have not seen."""


@dataclass(frozen=True, slots=True)
class _Training:
    """A job with its data read."""

    job: Job
    material: TrainingData
    database: Database
    folder: Path
    models: Path
    """Where the NLU is looked for that the tracker from words learns with."""
    share: float

    @property
    def world(self) -> World:
        return self.database.world

    def stages(self, config: Any) -> Stages:
        return stages_of(self.folder, config, self.material, self.job.seed, share=self.share)


def train_tracker(
    job: Job, model: str = "edits", *, models: Path | None = None, share: float = 1.0
) -> Path:
    """Train on a share of the dialogues, write the model folder, return it."""
    if model not in FOLDERS:
        known = ", ".join((*FOLDERS, "trade"))
        raise InputError(
            f"there is no tracker called {model!r} to train", remedy=f"Known: {known}."
        )
    source = job.source()
    training = _training(job, source, model, models, share)
    train = _train_edits if model == "edits" else _train_words
    with job.reporter.training(training.folder) as watch:
        figures = train(training, watch)
    trained = TrainedModel(
        WHAT[model],
        f"dst --model {model}",
        training.material,
        source.world,
        training.world.language.code,
        watch.minutes,
        figures,
    )
    write_job_card(training.folder, job, trained)
    return training.folder


def _training(
    job: Job, source: DialogueSource, model: str, models: Path | None, share: float
) -> _Training:
    material = share_of(job.material(source), share)
    database = Database(job.world_of(source))
    return _Training(job, material, database, job.out / FOLDERS[model], models or job.out, share)


def _train_edits(training: _Training, told: StepCallback) -> dict[str, Any]:
    job, dialogues = training.job, training.material.dialogues
    config = TreeTrackerConfig(patience=job.patience, seed=job.seed)
    stages = training.stages(config)
    tracker = train_tree_tracker(dialogues, training.database, config, told=told, stages=stages)
    tracker.save(training.folder)
    write_config(training.folder, config)
    return _cross_validated(training, config) if job.folds else {}


def _cross_validated(training: _Training, config: TreeTrackerConfig) -> dict[str, Any]:
    def train(learnt: list[Dialogue]) -> TreeTracker:
        return train_tree_tracker(learnt, training.database, config)

    def score(tracker: TreeTracker, judged: list[Dialogue]) -> TrackingScore:
        return score_tracking(tracker, judged, training.world.schema, hide_system_acts=False)

    folds = training.job.folds
    total = cross_validate(training.material.dialogues, folds, train=train, score=score)
    return {
        "protocol": f"single turn, {folds}-fold cross-validation by dialogue",
        "joint_accuracy": total.overall.percent,
        "select": total.select.percent,
        "turns": total.overall.total,
        "select_turns": total.select.total,
    }


def _train_words(training: _Training, told: StepCallback) -> dict[str, Any]:
    job = training.job
    if job.patience:
        raise InputError("--patience goes with --model edits only", remedy="Leave it out.")
    config = TextTrackerConfig(folds=job.folds or FOLDS, seed=job.seed)
    stages = training.stages(config)
    understood = _understood(training, stages)
    trained = train_text_tracker(understood, training.database, config, told=told, stages=stages)
    trained.tracker.save(training.folder)
    write_config(training.folder, config)
    score = WordsScore()
    for dialogue, forms in zip(training.material.dialogues, trained.held_out, strict=True):
        score += score_forms(dialogue, forms)
    protocol = f"from words, {config.folds}-fold cross-validation by dialogue"
    return {"protocol": protocol, **score.figures()}


def _understood(training: _Training, stages: Stages) -> list[PredictedDialogue]:
    """The dialogues as an NLU understands them that has not learned from them."""

    def write(place: Path) -> None:
        save_predictions(_understand(training), place / "doubts.jsonl")

    place = stages.folder("understood", write)
    return load_predictions(training.material.dialogues, place / "doubts.jsonl")


def _understand(training: _Training) -> list[PredictedDialogue]:
    world, job, dialogues = training.world, training.job, training.material.dialogues
    nlu = find_model(f"nlu-{world.name}-{world.language.code}", training.models)
    if read_card(nlu).get("sha256") == training.material.digest:
        job.reporter.notice(
            "the NLU has learned from these dialogues; its trees are trained again in folds"
        )
        return predict_held_out(nlu, world, dialogues, folds=FOLDS, seed=job.seed)
    weigh = RankedNLU.load(nlu, world).weigh_all
    tracked = job.reporter.track(dialogues, doing="understanding")
    return [PredictedDialogue.of(each, weigh) for each in tracked]
