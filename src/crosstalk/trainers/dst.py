"""Train a tracker: `edits` learns from gold forms and acts, `words` from texts alone.

train_tracker(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "edits")
"""

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
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.config import write_config
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.queries import Database

FOLDERS: Final = {"edits": "dst", "words": "dst-words"}
WHAT: Final = {
    "edits": "edit tracker: boosted trees over candidate values of each field",
    "words": "tracker from words: boosted trees over all values that came up for each field",
}
FOLDS: Final = 5
"""Default number of folds of the tracker from words."""


def train_tracker(
    job: Job, model: str = "edits", *, models: Path | None = None, share: float = 1.0
) -> Path:
    """Train on a share of the dialogues, write the model folder, return it.

    `models` is where the NLU lies that the tracker from words learns with; default: `job.out`.
    """
    run, folder = job.start(share), job.out / FOLDERS[model]
    with job.reporter.training(folder) as watch:
        if model == "edits":
            figures = _train_edits(run, folder, share, watch)
        else:
            figures = _train_words(run, folder, share, models or job.out, watch)
    run.write_card(
        folder,
        WHAT[model],
        run.command(f"dst --model {model}"),
        language=run.world.language.code,
        minutes=watch.minutes,
        figures=figures,
    )
    return folder


def _train_edits(
    run: TrainingRun, folder: Path, share: float, told: StepCallback
) -> dict[str, Any]:
    job, database = run.job, Database(run.world)
    config = TreeTrackerConfig(patience=job.patience, seed=job.seed)
    stages = run.stages(folder, config, share=share)
    tracker = train_tree_tracker(run.dialogues, database, config, told=told, stages=stages)
    tracker.save(folder)
    write_config(folder, config)
    return _cross_validated(run, database, config) if job.folds else {}


def _cross_validated(
    run: TrainingRun, database: Database, config: TreeTrackerConfig
) -> dict[str, Any]:
    def train(learnt: list[Dialogue]) -> TreeTracker:
        return train_tree_tracker(learnt, database, config)

    def score(tracker: TreeTracker, judged: list[Dialogue]) -> TrackingScore:
        return score_tracking(tracker, judged, run.world.schema, hide_system_acts=False)

    folds = run.job.folds
    total = cross_validate(run.dialogues, folds, train=train, score=score)
    return {
        "protocol": f"single turn, {folds}-fold cross-validation by dialogue",
        "joint_accuracy": total.overall.percent,
        "select": total.select.percent,
        "turns": total.overall.total,
        "select_turns": total.select.total,
    }


def _train_words(
    run: TrainingRun, folder: Path, share: float, models: Path, told: StepCallback
) -> dict[str, Any]:
    job = run.job
    if job.patience:
        raise InputError("--patience goes with --model edits only", remedy="Leave it out.")
    config = TextTrackerConfig(folds=job.folds or FOLDS, seed=job.seed)
    stages = run.stages(folder, config, share=share)
    predicted = _predicted(run, models, stages)
    database = Database(run.world)
    trained = train_text_tracker(predicted, database, config, told=told, stages=stages)
    trained.tracker.save(folder)
    write_config(folder, config)
    score = WordsScore()
    for dialogue, forms in zip(run.dialogues, trained.held_out, strict=True):
        score += score_forms(dialogue, forms)
    protocol = f"from words, {config.folds}-fold cross-validation by dialogue"
    return {"protocol": protocol, **score.figures()}


def _predicted(run: TrainingRun, models: Path, stages: Stages) -> list[PredictedDialogue]:
    """The dialogues with acts predicted by an NLU that has not learned from them."""

    def write(place: Path) -> None:
        save_predictions(_predict(run, models), place / "doubts.jsonl")

    place = stages.folder("understood", write)
    return load_predictions(run.dialogues, place / "doubts.jsonl")


def _predict(run: TrainingRun, models: Path) -> list[PredictedDialogue]:
    world, job = run.world, run.job
    nlu = find_model(f"nlu-{world.name}-{world.language.code}", models)
    if read_card(nlu).get("sha256") == run.data.digest:
        job.reporter.notice(
            "the NLU has learned from these dialogues; its trees are trained again in folds"
        )
        return predict_held_out(nlu, world, run.dialogues, folds=FOLDS, seed=job.seed)
    weigh = RankedNLU.load(nlu, world).weigh_all
    tracked = job.reporter.track(run.dialogues, doing="understanding")
    return [PredictedDialogue.of(each, weigh) for each in tracked]
