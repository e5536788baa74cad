"""Train BERTNLU, the NLU of the CrossWOZ paper, with or without context.

train_bert(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")), "bert", BertOptions())
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.errors import InputError
from crosstalk.evaluation.nlu_scores import score_understanding
from crosstalk.system.part_models import bert_folder
from crosstalk.system.parts import CORRECTED, PAPER, PROTOCOLS
from crosstalk.trainers.data import TrainingData, split_off, template_folder, template_groups
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.training.compute import use_single_thread
from crosstalk.training.identity import settings_of

if TYPE_CHECKING:
    from crosstalk.system.nlu.bert import BertNLU
    from crosstalk.system.nlu.bert_data import BertTraining
    from crosstalk.system.nlu.bert_training import BertTrainingData
    from crosstalk.training.progress import Progress

LEAST_CHECKS = 6
"""Minimum number of validations of a short training."""


@dataclass(frozen=True, slots=True)
class BertOptions:
    """Differences from the published training; None: as published."""

    encoder: str = ""
    """Folder or name of a transformers encoder; empty: a small one with random weights."""
    templates: Path | None = None
    steps: int | None = None
    rate: float | None = None
    patience: int | None = None
    protocol: str = CORRECTED
    """`paper`: dialogues alone, all steps, heads that begin as published."""

    def training(self) -> "BertTraining":
        """The published settings with an encoder, else those for random weights."""
        from crosstalk.system.nlu.bert_data import FROM_NOTHING, BertTraining

        if self.protocol not in PROTOCOLS:
            raise InputError(
                f"--protocol {self.protocol}: unknown", remedy=f"Give {' or '.join(PROTOCOLS)}."
            )
        settings = BertTraining() if self.encoder else FROM_NOTHING
        settings = settings.as_published() if self.protocol == PAPER else settings
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

    def command(self, model: str, world: str, data: TrainingData, seed: int) -> str:
        """The command that trains the same model again, without paths of this machine."""
        given = {
            "encoder": Path(self.encoder).name,
            "steps": self.steps,
            "rate": self.rate,
            "patience": self.patience,
            "protocol": PAPER if self.protocol == PAPER else None,
        }
        options = "".join(f" --{name} {value}" for name, value in given.items() if value)
        return data.command(f"nlu --model {model} --world {world}{options}", seed=seed)


def train_bert(job: Job, model: str, options: BertOptions) -> list[Path]:
    """Train, write the model folder, return it.

    Under torchrun several processes share the work; only the first writes, the others return none.
    """
    from crosstalk.system.nlu.bert_training import train_bert as train

    settings = options.training()
    run = job.start()
    folder = job.out / bert_folder(model, run.world_name, run.source.language)
    learnt, held_out = split_off(run.data, run.source, job.reporter)
    data = _training_data(run, options, settings, learnt, has_context=model == "bert")
    identity = settings_of(settings, without=("patience",)) | {
        "model": model,
        "encoder": options.encoder,
        "templates": len(data.templates or ()),
    }
    with run.joined(folder, identity) as training:
        nlu, progress = train(
            data,
            options.encoder,
            lambda trained: _f1(trained, held_out),
            processes=training.processes,
            checkpoint=training.checkpoint,
            told=training.told,
        )
        if not training.processes.is_first:
            return []
        _save(run, model, options, settings, nlu, folder)
        sizes = {"learnt from": len(learnt), "held out": len(held_out)}
        _write_card(run, model, options, folder, sizes, progress)
    return [folder]


def _training_data(
    run: TrainingRun,
    options: BertOptions,
    settings: "BertTraining",
    learnt: list[Dialogue],
    *,
    has_context: bool,
) -> "BertTrainingData":

    from crosstalk.system.nlu.bert_data import Templates, labelled_utterances
    from crosstalk.system.nlu.bert_training import BertTrainingData

    if not options.encoder:  # one order of sums: the same bytes on any number of cores
        use_single_thread()
    heard = [each for dialogue in learnt for each in labelled_utterances(dialogue)]
    templates = None
    if settings.dialogue_share != (1.0, 1.0):
        folder = options.templates or template_folder(run.world_name, run.job.tables)
        templates = Templates(template_groups(folder), run.world, heard) if folder else None
    return BertTrainingData(
        heard, templates, run.schema_and_pack[0], settings, has_context, run.job.seed
    )


def _f1(nlu: "BertNLU", held_out: list[Dialogue]) -> float:
    judged = map(nlu.as_judged, held_out)
    return score_understanding(nlu.understand_all, judged).overall.f1 or 0.0


def _save(
    run: TrainingRun,
    model: str,
    options: BertOptions,
    settings: "BertTraining",
    nlu: "BertNLU",
    folder: Path,
) -> None:
    from crosstalk.system.nlu.bert import BertConfig

    name, code = run.world_name, run.schema_and_pack[1].code
    encoder = Path(options.encoder).name
    nlu.save(folder, BertConfig(model == "bert", name, code, encoder, settings))


def _write_card(
    run: TrainingRun,
    model: str,
    options: BertOptions,
    folder: Path,
    sizes: dict[str, int],
    progress: "Progress",
) -> None:
    context = "with" if model == "bert" else "without"
    encoder = Path(options.encoder).name or "a small encoder with random weights"
    figures = {"dialogues": sizes, "f1 on what was held out": round(progress.best_score, 2)}
    run.write_card(
        folder,
        f"BERTNLU of the CrossWOZ paper, {context} context, from {encoder}",
        options.command(model, run.world_name, run.data, run.job.seed),
        world=run.world_name,
        language=run.schema_and_pack[1].code,
        figures={**figures, "training": asdict(progress)},
        minutes=progress.seconds / 60,
    )
