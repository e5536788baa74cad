"""Train BERTNLU, the understanding of the CrossWOZ paper, with or without context.

train_bert(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "bert", BertOptions())
"""

from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.nlu_scores import score_understanding
from crosstalk.model_folders import Card, write_card
from crosstalk.system.nlg.corpus_templates import read_auto
from crosstalk.system.nlu.training_samples import groups_of
from crosstalk.system.part_models import bert_folder
from crosstalk.trainers.data import TrainingData, split_off
from crosstalk.trainers.job import Job
from crosstalk.training.identity import Identity, settings_of
from crosstalk.training.steps import nobody
from crosstalk.worlds.tables import World

if TYPE_CHECKING:
    from crosstalk.system.nlu.bert import BertNLU
    from crosstalk.system.nlu.bert_data import BertTraining, LabelledUtterance, Templates
    from crosstalk.system.nlu.bert_training import BertTrainingData
    from crosstalk.training.checkpoint import Checkpoint
    from crosstalk.training.processes import Processes
    from crosstalk.training.progress import Progress

MODELS = ("bert", "bert-no-context")
LEAST_CHECKS = 6
"""A short training is judged at least this often."""


@dataclass(frozen=True, slots=True)
class BertOptions:
    """What differs from the published training; None: as published."""

    encoder: str = ""
    """Folder of a transformers encoder, or its name; empty: a small one from nothing."""
    templates: Path | None = None
    steps: int | None = None
    rate: float | None = None
    patience: int | None = None

    def training(self) -> "BertTraining":
        """The published settings where there is an encoder, else those for one from nothing."""
        from crosstalk.system.nlu.bert_data import FROM_NOTHING, BertTraining

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

    def command(self, model: str, world: str, material: TrainingData, seed: int) -> str:
        """The command that trains the same again, without folders of this machine."""
        given = {
            "encoder": Path(self.encoder).name,
            "steps": self.steps,
            "rate": self.rate,
            "patience": self.patience,
        }
        options = "".join(f" --{name} {value}" for name, value in given.items() if value)
        return material.command(f"nlu --model {model} --world {world}{options}", seed=seed)


@dataclass(frozen=True, slots=True)
class _Training:
    """A job with its data read."""

    job: Job
    model: str
    options: BertOptions
    material: TrainingData
    world: World
    folder: Path

    @property
    def has_context(self) -> bool:
        return self.model == "bert"


def train_bert(job: Job, model: str, options: BertOptions) -> Path | None:
    """Train, write the model folder, return it.

    Several processes under torchrun share the work; only the first of them writes, the others
    return None.
    """
    from crosstalk.training.processes import joined

    if model not in MODELS:
        raise InputError(
            f"there is no NLU called {model!r}", remedy="Known: best, bert, bert-no-context."
        )
    settings = options.training()
    source = job.source()
    world = job.world_of(source)
    folder = job.out / bert_folder(model, world.name, source.language)
    training = _Training(job, model, options, job.material(source), world, folder)
    with joined() as processes, ExitStack() as stack:
        learnt, held_out = split_off(training.material, source, job.reporter)
        course = _course(training, settings, learnt)
        checkpoint = _checkpoint(training, course, processes)
        first = processes.is_first
        told = stack.enter_context(job.reporter.training(folder)) if first else nobody
        from crosstalk.system.nlu.bert_training import train_bert as train

        understanding, progress = train(
            course,
            options.encoder,
            lambda model: _f1(model, held_out),
            processes=processes,
            checkpoint=checkpoint,
            told=told,
        )
        if not first:
            return None
        sizes = {"learnt from": len(learnt), "held out": len(held_out)}
        _write(training, understanding, sizes, progress, settings)
        checkpoint.file.unlink(missing_ok=True)
    return folder


def _course(
    training: _Training, settings: "BertTraining", learnt: list[Dialogue]
) -> "BertTrainingData":
    import torch

    from crosstalk.system.nlu.bert_data import labelled_utterances
    from crosstalk.system.nlu.bert_training import BertTrainingData

    if not training.options.encoder:  # sums in one order: the same bytes on any number of cores
        torch.set_num_threads(1)
    heard = [each for dialogue in learnt for each in labelled_utterances(dialogue)]
    templates = _templates(training, heard) if settings.dialogue_share != (1.0, 1.0) else None
    schema, seed = training.world.schema, training.job.seed
    return BertTrainingData(heard, templates, schema, settings, training.has_context, seed)


def _templates(training: _Training, heard: "list[LabelledUtterance]") -> "Templates | None":
    from crosstalk.system.nlu.bert_data import Templates

    tables, world = training.job.tables, training.world
    fetched = tables / world.name / "templates" if tables else None
    folder = training.options.templates or (fetched if fetched and fetched.is_dir() else None)
    if folder is None:
        return None
    groups = [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]
    return Templates(groups, world, heard)


def _checkpoint(
    training: _Training, course: "BertTrainingData", processes: "Processes"
) -> "Checkpoint":
    from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint

    settings = settings_of(course.training, without=("patience",))
    settings |= {
        "model": training.model,
        "encoder": training.options.encoder,
        "templates": len(course.templates or ()),
        "processes": processes.count,
    }
    identity = Identity(settings, training.material.digest, training.job.seed)
    return Checkpoint(training.folder / CHECKPOINT, identity, writes=processes.is_first)


def _f1(understanding: "BertNLU", held_out: list[Dialogue]) -> float:
    judged = map(understanding.as_judged, held_out)
    return score_understanding(understanding.understand_all, judged).overall.f1 or 0.0


def _write(
    training: _Training,
    understanding: "BertNLU",
    sizes: dict[str, int],
    progress: "Progress",
    settings: "BertTraining",
) -> None:
    from crosstalk.system.nlu.bert import BertConfig

    world, context = training.world, training.has_context
    name, code = world.name, world.language.code
    encoder = Path(training.options.encoder).name
    understanding.save(training.folder, BertConfig(context, name, code, encoder, settings))
    figures = {"dialogues": sizes, "f1 on what was held out": round(progress.best_score, 2)}
    material, seed = training.material, training.job.seed
    write_card(
        training.folder,
        Card(
            what=f"BERTNLU of the CrossWOZ paper, {'with' if context else 'without'} context, "
            f"from {encoder or 'a small encoder with random weights'}",
            command=training.options.command(training.model, name, material, seed),
            data=material.provenance,
            seed=seed,
            figures={**figures, "training": asdict(progress)},
            world=name,
            language=code,
            minutes=progress.seconds / 60,
        ),
    )
