"""`crosstalk train nlu --model bert|bert-no-context`: the understanding of the CrossWOZ paper."""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluation_parts import spoken_world
from crosstalk.cli.training_data import PRACTICE, Material, Source, find_source
from crosstalk.cli.training_progress import watching
from crosstalk.errors import InputError
from crosstalk.system.part_models import bert_folder

if TYPE_CHECKING:
    from crosstalk.database.tables import World
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.nlu.bert import BertUnderstanding
    from crosstalk.system.nlu.bert_samples import Heard, Templates
    from crosstalk.system.nlu.bert_training import Course
    from crosstalk.system.nlu.bert_training_config import BertTraining
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes
    from crosstalk.training.progress import Progress

BertModel = Annotated[
    str,
    typer.Option("--model", help="best | practised | user | bert | bert-no-context (published)"),
]
BertEncoder = Annotated[
    str,
    typer.Option(
        "--encoder",
        help="bert: folder of a transformers encoder, or its name where it lies on this machine; "
        "default: a small one from nothing.",
    ),
]
BertSteps = Annotated[int | None, typer.Option("--steps", help="bert: steps of learning.")]
BertRate = Annotated[float | None, typer.Option("--rate", help="bert: highest learning rate.")]
BertPatience = Annotated[
    int | None, typer.Option("--patience", help="bert: checks without a better F1 that end it.")
]
LEAST_CHECKS = 6
"""So often a short training is judged at the least."""
HELD_OUT = 10
"""Every so-manieth dialogue is held out where there is no validation split beside the data."""


@dataclass(frozen=True, slots=True)
class BertOrder:
    """What the command was given."""

    model: str
    """bert or bert-no-context"""
    data: Path | None
    out: Path
    world: str = "crosswoz"
    language: str | None = None
    encoder: str = ""
    """Empty: a small one from nothing."""
    templates: Path | None = None
    tables: Path | None = None
    steps: int | None = None
    rate: float | None = None
    patience: int | None = None
    seed: int = 1
    practice: int = PRACTICE

    def training(self) -> "BertTraining":
        """The published settings where there is an encoder, else those for one from nothing."""
        from crosstalk.system.nlu.bert_training_config import FROM_NOTHING, BertTraining

        settings = BertTraining() if self.encoder else FROM_NOTHING
        if (self.steps is not None and self.steps < 1) or (
            self.rate is not None and self.rate <= 0
        ):
            raise InputError("nothing would be learned", remedy="Give --steps and --rate above 0.")
        steps = self.steps or settings.steps
        return replace(
            settings,
            steps=steps,
            check_every=min(settings.check_every, -(-steps // LEAST_CHECKS)),
            warm_up=min(settings.warm_up, steps // 10),
            rate=self.rate or settings.rate,
            patience=settings.patience if self.patience is None else self.patience,
        )

    def words(self, material: Material) -> str:
        """The command that trains the same again, without folders of this machine."""
        given = {
            "encoder": Path(self.encoder).name,
            "steps": self.steps,
            "rate": self.rate,
            "patience": self.patience,
        }
        options = "".join(f" --{name} {value}" for name, value in given.items() if value)
        world = Path(self.world).name
        return material.command(
            f"nlu --model {self.model} --world {world}{options}", seed=self.seed
        )


def train_bert(order: BertOrder) -> None:
    """Train, and write the model folder; several processes under torchrun share the work."""
    from crosstalk.training.processes import joined
    from crosstalk.training.steps import nobody

    if order.model not in ("bert", "bert-no-context"):
        raise InputError(
            f"there is no NLU called {order.model!r}", remedy="Known: best, bert, bert-no-context."
        )
    training = order.training()
    source = find_source(order.world, order.language, order.data)
    spoken = spoken_world(order.world, order.language, order.tables or source.folder)
    material = source.material(seed=order.seed, practice=order.practice)
    folder = order.out / bert_folder(order.model, spoken.name, order.language)
    with joined() as processes, ExitStack() as stack:
        learnt, held_out = parted(material, source)
        course = _course(order, training, spoken, learnt)
        checkpoint = _checkpoint(order, course, material, folder, processes)
        told = stack.enter_context(watching(folder)) if processes.is_first else nobody
        from crosstalk.system.nlu.bert_training import train_bert as train

        understanding, progress = train(
            course,
            order.encoder,
            lambda model: _f1(model, held_out),
            processes=processes,
            checkpoint=checkpoint,
            told=told,
        )
        if processes.is_first:
            sizes = {"learnt from": len(learnt), "held out": len(held_out)}
            _write(order, folder, understanding, spoken, material, sizes, progress, training)
            checkpoint.file.unlink(missing_ok=True)
            print(folder)


def parted(material: Material, source: Source) -> "tuple[list[Dialogue], list[Dialogue]]":
    """What is learnt from, and what is held out: the validation split beside a training split."""
    corpus = source.corpus
    if corpus and corpus.name.startswith("train"):
        beside = corpus.with_name("val" + corpus.name.removeprefix("train"))
        if beside.exists():
            return material.dialogues, source.read(beside)
    learnt = [each for number, each in enumerate(material.dialogues, 1) if number % HELD_OUT]
    held_out = material.dialogues[HELD_OUT - 1 :: HELD_OUT]
    if not held_out:
        raise InputError(
            f"{len(material.dialogues)} dialogues are too few: every tenth is held out",
            remedy="Give a corpus of ten dialogues or more.",
        )
    return learnt, held_out


def _course(
    order: BertOrder, training: "BertTraining", spoken: "World", learnt: "list[Dialogue]"
) -> "Course":
    import torch

    from crosstalk.system.nlu.bert_samples import heard_in
    from crosstalk.system.nlu.bert_training import Course

    if not order.encoder:  # sums in one order: the same bytes whatever the number of cores
        torch.set_num_threads(1)
    heard = [each for dialogue in learnt for each in heard_in(dialogue)]
    share = training.dialogue_share
    templates = _templates(order, spoken, heard) if share != (1.0, 1.0) else None
    return Course(heard, templates, spoken.schema, training, order.model == "bert", order.seed)


def _templates(order: BertOrder, spoken: "World", heard: "list[Heard]") -> "Templates | None":
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.system.nlg.crosswoz import read_auto
    from crosstalk.system.nlu.bert_samples import Templates
    from crosstalk.system.nlu.filling import groups_of

    fetched = order.tables / spoken.name / "templates" if order.tables else None
    folder = order.templates or (fetched if fetched and fetched.is_dir() else None)
    if folder is None:
        return None
    groups = [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]
    return Templates(groups, spoken, heard)


def _checkpoint(
    order: BertOrder, course: "Course", material: Material, folder: Path, processes: "Processes"
) -> "Checkpoint":
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
    from crosstalk.training.identity import Identity, settings_of

    settings = settings_of(course.training, without=("patience",))
    settings |= {
        "model": order.model,
        "encoder": order.encoder,
        "templates": len(course.templates or ()),
        "processes": processes.count,
    }
    identity = Identity(settings, material.digest, order.seed)
    return Checkpoint(folder / CHECKPOINT, identity, writes=processes.is_first)


def _f1(understanding: "BertUnderstanding", held_out: "list[Dialogue]") -> float:
    from crosstalk.evaluation.understanding import score_understanding

    judged = map(understanding.as_judged, held_out)
    return score_understanding(understanding.understand_all, judged).overall.f1 or 0.0


def _write(
    order: BertOrder,
    folder: Path,
    understanding: "BertUnderstanding",
    spoken: "World",
    material: Material,
    sizes: dict[str, int],
    progress: "Progress",
    training: "BertTraining",
) -> None:
    from crosstalk.model_folders import Card, write_card
    from crosstalk.system.nlu.bert import BertConfig

    encoder = Path(order.encoder).name
    context = order.model == "bert"
    understanding.save(
        folder, BertConfig(context, spoken.name, spoken.language.code, encoder, training)
    )
    figures = {"dialogues": sizes, "f1 on what was held out": round(progress.best_score, 2)}
    write_card(
        folder,
        Card(
            what=f"BERTNLU of the CrossWOZ paper, {'with' if context else 'without'} context, "
            f"from {encoder or 'a small encoder with random weights'}",
            command=order.words(material),
            data=material.provenance,
            seed=order.seed,
            figures={**figures, "training": asdict(progress)},
            world=spoken.name,
            language=spoken.language.code,
            minutes=progress.seconds / 60,
        ),
    )
