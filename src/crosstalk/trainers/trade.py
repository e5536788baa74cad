"""Train TRADE, the neural tracker of the CrossWOZ paper.

train_trade(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), TradeOptions(epochs=3))
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.system.part_models import trade_folder
from crosstalk.trainers.data import TrainingData, split_off
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import settings_of

if TYPE_CHECKING:
    from crosstalk.system.dst.trade_data import TradeTraining
    from crosstalk.system.dst.trade_tracker import TradeTracker
    from crosstalk.training.progress import Progress


@dataclass(frozen=True, slots=True)
class TradeOptions:
    """Differences from the published training."""

    epochs: int | None = None
    """None: as published."""
    quick: bool = False
    """Larger batches; only filled fields train the value generator."""
    vectors: Path | None = None
    """Word vectors to start from."""

    def training(self, patience: int) -> "TradeTraining":
        from crosstalk.system.dst.trade_data import QUICK, TradeTraining

        settings = QUICK if self.quick else TradeTraining()
        epochs, patience = self.epochs or settings.epochs, patience or settings.patience
        return replace(settings, epochs=epochs, patience=patience)

    def command(self, job: Job, world: str, data: TrainingData) -> str:
        """The command that trains the same model again."""
        options = " --quick" if self.quick else ""
        options += f" --vectors {self.vectors.name}" if self.vectors else ""
        return data.command(
            f"dst --model trade --world {world}{options}",
            epochs=self.epochs or 0,
            patience=job.patience,
            seed=job.seed,
        )


def train_trade(job: Job, options: TradeOptions) -> list[Path]:
    """Train, write the model folder, return it.

    Under torchrun several processes share the work; only the first writes, the others return none.
    """
    from crosstalk.system.dst.trade_data import trade_samples
    from crosstalk.system.dst.trade_tracker import TradeConfig
    from crosstalk.system.dst.trade_training import train_trade as train

    use_single_thread()
    run = job.start(needs_acts=False)
    schema, pack = run.schema_and_pack
    learnt, held_out = split_off(run.data, run.source, job.reporter)
    config = TradeConfig(pack.code, run.world_name, options.training(job.patience))
    folder = job.out / trade_folder(run.world_name, run.source.language)
    identity = settings_of(config.training, without=("epochs", "patience"))
    with run.joined(folder, {**identity, "language": config.language}) as training:
        tracker, progress = train(
            [sample for dialogue in learnt for sample in trade_samples(dialogue, pack.code)],
            schema,
            config,
            lambda model: _joint(model, held_out),
            seed=job.seed,
            processes=training.processes,
            vectors=_vectors(options.vectors) if options.vectors else None,
            checkpoint=training.checkpoint,
            told=training.told,
        )
        if not training.processes.is_first:
            return []
        tracker.save(folder)
        sizes = {"learnt from": len(learnt), "held out": len(held_out)}
        _write_card(run, options, folder, sizes, progress)
    return [folder]


def _vectors(file: Path) -> dict[str, list[float]]:
    from crosstalk.training.word_vectors import read_word_vectors

    return {word: vector.tolist() for word, vector in read_word_vectors(file)}


def _joint(tracker: "TradeTracker", held_out: list[Dialogue]) -> float:
    from crosstalk.evaluation.dst_scores import score_words

    return score_words(tracker.read, held_out).joint.percent or 0.0


def _write_card(
    run: TrainingRun,
    options: TradeOptions,
    folder: Path,
    sizes: dict[str, int],
    progress: "Progress",
) -> None:
    score = {"joint accuracy on what was held out": round(progress.best_score, 2)}
    run.write_card(
        folder,
        "TRADE of the CrossWOZ paper" + (", trained in larger steps" if options.quick else ""),
        options.command(run.job, run.world_name, run.data),
        language=run.schema_and_pack[1].code,
        figures={"dialogues": sizes, **score, "training": asdict(progress)},
        minutes=progress.seconds / 60,
    )
