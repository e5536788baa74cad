"""Train TRADE, the neural tracker of the CrossWOZ paper.

train_trade(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), TradeOptions(epochs=3))
"""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import FileProblem
from crosstalk.files import open_text
from crosstalk.model_folders import Card, write_card
from crosstalk.system.part_models import trade_folder
from crosstalk.trainers.data import TrainingData, split_off
from crosstalk.trainers.job import Job
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.steps import nobody
from crosstalk.worlds.world import find_world, load_schema

if TYPE_CHECKING:
    from crosstalk.system.dst.trade_data import TradeTraining
    from crosstalk.system.dst.trade_tracker import TradeConfig, TradeTracker
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes
    from crosstalk.training.progress import Progress


@dataclass(frozen=True, slots=True)
class TradeOptions:
    """What differs from the published training."""

    epochs: int | None = None
    """None: as published."""
    quick: bool = False
    """Larger batches, and only filled fields learn to say words."""
    vectors: Path | None = None
    """Word vectors to start from."""

    def training(self, patience: int) -> "TradeTraining":
        from crosstalk.system.dst.trade_data import QUICK, TradeTraining

        settings = QUICK if self.quick else TradeTraining()
        epochs, patience = self.epochs or settings.epochs, patience or settings.patience
        return replace(settings, epochs=epochs, patience=patience)

    def command(self, job: Job, world: str, material: TrainingData) -> str:
        """The command that trains the same again."""
        options = " --quick" if self.quick else ""
        options += f" --vectors {self.vectors.name}" if self.vectors else ""
        return material.command(
            f"dst --model trade --world {world}{options}",
            epochs=self.epochs or 0,
            patience=job.patience,
            seed=job.seed,
        )


def train_trade(job: Job, options: TradeOptions) -> Path | None:
    """Train, write the model folder, return it.

    Several processes under torchrun share the work; only the first of them writes, the others
    return None.
    """
    import torch

    from crosstalk.system.dst.trade_data import trade_samples
    from crosstalk.system.dst.trade_tracker import TradeConfig
    from crosstalk.system.dst.trade_training import train_trade as train
    from crosstalk.training.processes import joined

    torch.set_num_threads(1)  # sums in one order: the same bytes whatever the number of cores
    source = job.source()
    schema, pack = load_schema(source.world, language=source.language)
    world = find_world(source.world).name
    material = job.material(source)
    learnt, held_out = split_off(material, source, job.reporter)
    config = TradeConfig(pack.code, world, options.training(job.patience))
    folder = job.out / trade_folder(world, source.language)
    with joined() as processes, ExitStack() as stack:
        first = processes.is_first
        told = stack.enter_context(job.reporter.training(folder)) if first else nobody
        checkpoint = _checkpoint(config, material, folder, job.seed, processes)
        tracker, progress = train(
            [sample for dialogue in learnt for sample in trade_samples(dialogue, pack.code)],
            schema,
            config,
            lambda model: _joint(model, held_out),
            seed=job.seed,
            processes=processes,
            vectors=read_vectors(options.vectors) if options.vectors else None,
            checkpoint=checkpoint,
            told=told,
        )
        if not first:
            return None
        tracker.save(folder)
        sizes = {"learnt from": len(learnt), "held out": len(held_out)}
        _write_card(job, options, folder, config, material, sizes, progress)
        checkpoint.file.unlink(missing_ok=True)
    return folder


def read_vectors(file: Path) -> dict[str, list[float]]:
    """A word and its numbers a line; a first line of two numbers, as word2vec has, is no vector."""
    vectors = {}
    with open_text(file) as lines:
        for number, line in enumerate(lines, 1):
            word, *numbers = line.rstrip().split(" ")
            try:
                vectors[word] = [float(each) for each in numbers]
            except ValueError as error:
                raise FileProblem(
                    f"{file}, line {number}: not a word and its numbers",
                    remedy="Write each word on a line of its own, then its numbers, one space "
                    "between any two.",
                ) from error
    return vectors


def _checkpoint(
    config: "TradeConfig", material: TrainingData, folder: Path, seed: int, processes: "Processes"
) -> "Checkpoint":
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint

    settings = settings_of(config.training, without=("epochs", "patience"))
    settings |= {"language": config.language, "processes": processes.count}
    identity = Identity(settings, material.digest, seed)
    return Checkpoint(folder / CHECKPOINT, identity, writes=processes.is_first)


def _joint(tracker: "TradeTracker", held_out: list[Dialogue]) -> float:
    from crosstalk.evaluation.dst_scores import score_words

    return score_words(tracker.read, held_out).joint.percent or 0.0


def _write_card(
    job: Job,
    options: TradeOptions,
    folder: Path,
    config: "TradeConfig",
    material: TrainingData,
    sizes: dict[str, int],
    progress: "Progress",
) -> None:
    score = {"joint accuracy on what was held out": round(progress.best_score, 2)}
    write_card(
        folder,
        Card(
            what="TRADE of the CrossWOZ paper"
            + (", trained in larger steps" if options.quick else ""),
            command=options.command(job, config.world, material),
            data=material.provenance,
            seed=job.seed,
            figures={"dialogues": sizes, **score, "training": asdict(progress)},
            world=config.world,
            language=config.language,
            minutes=progress.seconds / 60,
        ),
    )
