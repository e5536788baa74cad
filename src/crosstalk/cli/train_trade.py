"""`crosstalk train dst --model trade`: the neural tracker of the CrossWOZ paper."""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.train_bert import parted
from crosstalk.cli.training_data import Material, find_source
from crosstalk.cli.training_progress import watching
from crosstalk.errors import FileProblem
from crosstalk.system.part_models import trade_folder

if TYPE_CHECKING:
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.dst.trade import TradeConfig, TradeTracker
    from crosstalk.system.dst.trade_config import TradeTraining
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes
    from crosstalk.training.progress import Progress

TradeEpochs = Annotated[
    int | None, typer.Option("--epochs", min=1, help="trade: passes over all dialogues.")
]
TradeQuick = Annotated[
    bool,
    typer.Option(
        "--quick", help="trade: larger batches, and only filled fields learn to say words."
    ),
]
TradeVectors = Annotated[
    Path | None,
    typer.Option(
        "--vectors", help="trade: word vectors to start from, a word and its numbers a line."
    ),
]


@dataclass(frozen=True, slots=True)
class TradeOrder:
    """What the command was given."""

    data: Path | None
    out: Path
    world: str = "crosswoz"
    language: str | None = None
    practice: int = 300
    epochs: int | None = None
    patience: int = 0
    """0: as published."""
    quick: bool = False
    vectors: Path | None = None
    seed: int = 1

    def training(self) -> "TradeTraining":
        from crosstalk.system.dst.trade_config import QUICK, TradeTraining

        settings = QUICK if self.quick else TradeTraining()
        epochs, patience = self.epochs or settings.epochs, self.patience or settings.patience
        return replace(settings, epochs=epochs, patience=patience)

    def words(self, material: Material) -> str:
        """The command that trains the same again."""
        options = " --quick" if self.quick else ""
        options += f" --vectors {self.vectors.name}" if self.vectors else ""
        return material.command(
            f"dst --model trade --world {Path(self.world).name}{options}",
            epochs=self.epochs or 0,
            patience=self.patience,
            seed=self.seed,
        )


def train_trade(order: TradeOrder) -> None:
    """Train, and write the model folder; several processes under torchrun share the work."""
    import torch

    from crosstalk.database.worlds import find_world, load_schema
    from crosstalk.system.dst.trade import TradeConfig
    from crosstalk.system.dst.trade_training import train_trade as train
    from crosstalk.system.dst.trade_words import stories
    from crosstalk.training.processes import joined
    from crosstalk.training.steps import nobody

    torch.set_num_threads(1)  # sums in one order: the same bytes whatever the number of cores
    schema, pack = load_schema(order.world, language=order.language)
    world = find_world(order.world).name
    source = find_source(order.world, order.language, order.data)
    material = source.material(seed=order.seed, practice=order.practice)
    learnt, held_out = parted(material, source)
    config = TradeConfig(pack.code, world, order.training())
    folder = order.out / trade_folder(world, order.language)
    with joined() as processes, ExitStack() as stack:
        told = stack.enter_context(watching(folder)) if processes.is_first else nobody
        checkpoint = _checkpoint(config, material, folder, order.seed, processes)
        tracker, progress = train(
            [story for dialogue in learnt for story in stories(dialogue, pack.code)],
            schema,
            config,
            lambda model: _joint(model, held_out),
            seed=order.seed,
            processes=processes,
            vectors=read_vectors(order.vectors) if order.vectors else None,
            checkpoint=checkpoint,
            told=told,
        )
        if processes.is_first:
            tracker.save(folder)
            sizes = {"learnt from": len(learnt), "held out": len(held_out)}
            _write_card(order, folder, config, material, sizes, progress)
            checkpoint.file.unlink(missing_ok=True)
            print(folder)


def read_vectors(file: Path) -> dict[str, list[float]]:
    """A word and its numbers a line; a first line of two numbers, as word2vec has, is no vector."""
    from crosstalk.files import open_text

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
    config: "TradeConfig", material: Material, folder: Path, seed: int, processes: "Processes"
) -> "Checkpoint":
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
    from crosstalk.training.identity import Identity, settings_of

    settings = settings_of(config.training, without=("epochs", "patience"))
    settings |= {"language": config.language, "processes": processes.count}
    identity = Identity(settings, material.digest, seed)
    return Checkpoint(folder / CHECKPOINT, identity, writes=processes.is_first)


def _joint(tracker: "TradeTracker", held_out: "list[Dialogue]") -> float:
    from crosstalk.evaluation.tracking_words import score_words

    return score_words(tracker.read, held_out).joint.percent or 0.0


def _write_card(
    order: TradeOrder,
    folder: Path,
    config: "TradeConfig",
    material: Material,
    sizes: dict[str, int],
    progress: "Progress",
) -> None:
    from crosstalk.model_folders import Card, write_card

    score = {"joint accuracy on what was held out": round(progress.best_score, 2)}
    write_card(
        folder,
        Card(
            what="TRADE of the CrossWOZ paper"
            + (", trained in larger steps" if order.quick else ""),
            command=order.words(material),
            data=material.provenance,
            seed=order.seed,
            figures={"dialogues": sizes, **score, "training": asdict(progress)},
            world=config.world,
            language=config.language,
            minutes=progress.seconds / 60,
        ),
    )
