"""Train our NLU: a small CNN that proposes acts, and gradient-boosted trees that choose.

train_nlu(Job(out=Path("models"), world="harbour", language="en"), NLUOptions())
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.nlu_scores import UnderstandingScore, score_understanding
from crosstalk.language.training_phrases import load_book
from crosstalk.model_folders import Card, write_card
from crosstalk.simulation.synthetic_data import practice_dialogues
from crosstalk.system.nlg.corpus_templates import read_auto
from crosstalk.system.nlu.augmentation import FROM_PRACTICE, FROM_TEMPLATES, QUICK, RankedNLUConfig
from crosstalk.system.nlu.augmentation import NLUTrainingData as Lectures
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import Growing, train_ranked_nlu, train_trees
from crosstalk.system.nlu.training_samples import TemplateGroup, groups_of
from crosstalk.trainers.data import DialogueSource, TrainingData
from crosstalk.trainers.job import Job, stages_of
from crosstalk.trainers.weakness import held_out_figures, report_weakness
from crosstalk.training.boosting import Rounds
from crosstalk.training.config import write_config
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, languages_of

TESTED: Final = 30
"""Simulated dialogues that judge what was learned."""
UNUSED: Final = 1_000_000
"""The number of the first of them; no training reaches it."""
WHAT: Final = "understanding: a reader proposes acts, boosted trees choose in context"


@dataclass(frozen=True, slots=True)
class NLUOptions:
    """How much is learnt, and from what besides dialogues."""

    templates: Path | None = None
    """Template files as CrossWOZ has them; None: those in the data folder, where there are any."""
    passes: int = 0
    """Of the reader; 0: as many as usual."""
    quick: bool = False
    """Learn from less: under a minute, a little worse."""


@dataclass(frozen=True, slots=True)
class _Training:
    """A job with its data read."""

    job: Job
    options: NLUOptions
    material: TrainingData
    world: World
    templates: Path | None
    folder: Path
    tested: Callable[[], Iterable[Dialogue]] | None = None
    """Dialogues that are not learnt from; None: the corpus is all there is."""

    def command(self) -> str:
        words = f"nlu --world {self.world.name}" + (" --quick" if self.options.quick else "")
        options = {"passes": self.options.passes, "seed": self.job.seed, "folds": self.job.folds}
        return self.material.command(words, **options)


def all_languages(world: str) -> list[str]:
    """The codes of the languages that a world has."""
    return list(languages_of(find_world(world)))


def train_nlu(job: Job, options: NLUOptions) -> Path:
    """Train, write the model folder, return it.

    A world with templates of its own needs no corpus: dialogues are simulated, and put into more
    words by the world's phrase book where it has one.
    """
    training = _training(job, options, job.source())
    _refuse_folds(training)
    folder = training.folder
    with job.reporter.training(folder) as watch:
        nlu = _train(training, watch)
        figures = _figures(training, nlu)
    write_card(
        folder,
        Card(
            what=WHAT,
            command=training.command(),
            data=training.material.provenance,
            seed=job.seed,
            world=training.world.name,
            language=training.world.language.code,
            figures=figures,
            minutes=watch.minutes,
        ),
    )
    report_weakness(folder, job.reporter)
    return folder


def _training(job: Job, options: NLUOptions, source: DialogueSource) -> _Training:
    world = job.world_of(source)
    templates = options.templates or _default_templates(job, world, source.folder or job.tables)
    folder = job.out / f"nlu-{world.name}-{world.language.code}"
    tested = None if source.corpus else partial(_fresh_dialogues, source, job.seed)
    return _Training(job, options, job.material(source), world, templates, folder, tested)


def _refuse_folds(training: _Training) -> None:
    if training.job.folds and training.templates is None:
        raise InputError(
            "--folds needs template files: without them the reader learns from the dialogues too",
            remedy="Name a folder of template files with --templates, or leave --folds out.",
        )


def _figures(training: _Training, nlu: RankedNLU) -> dict[str, Any]:
    """Of dialogues that were not learnt from; empty where the corpus is all there is."""
    if training.job.folds:
        return {"cross-validation": _cross_validated(training, nlu)}
    return {} if training.tested is None else held_out_figures(nlu, training.tested())


def _cross_validated(training: _Training, nlu: RankedNLU) -> dict[str, Any]:
    """Trees of every fold over the one reader, which learns from template files alone."""
    config = _config(training, from_templates=True)

    def train(learnt: list[Dialogue]) -> RankedNLU:
        growth = Growing(Rounds(config.rounds), config.folds, config.guesses)
        trees = train_trees(nlu.lookup, [nlu.reader], learnt, seed=config.seed, growth=growth)
        return RankedNLU(nlu.lookup, nlu.reader, trees)

    def score(understanding: RankedNLU, judged: list[Dialogue]) -> UnderstandingScore:
        return score_understanding(understanding.understand_all, judged)

    folds = training.job.folds
    total = cross_validate(training.material.dialogues, folds, train=train, score=score)
    return {"protocol": f"from words, {folds}-fold by dialogue", **total.figures()}


def _fresh_dialogues(source: DialogueSource, seed: int) -> Iterator[Dialogue]:
    """Simulated ones, of numbers that no training reaches."""
    world, language = source.world, source.language
    return practice_dialogues(world, language, TESTED, seed, data=source.folder, start=UNUSED)


def template_folder(world: World, tables: Path | None) -> Path | None:
    """The template files of a world in the data folder, where there are any."""
    folder = tables / world.name / "templates" if tables else None
    return folder if folder and folder.is_dir() else None


def _default_templates(job: Job, world: World, tables: Path | None) -> Path | None:
    if folder := template_folder(world, tables):
        return folder
    if world.name == "crosswoz":
        job.reporter.notice(
            "no template files found; the reader will learn from half of the dialogues alone"
        )
    return None


def _train(training: _Training, told: StepCallback) -> RankedNLU:
    material, folder = training.material, training.folder
    groups = _groups(training.templates)
    source = training.world.folder or find_world(training.world.name)
    book = load_book(source, training.world.language.code)
    config = _config(training, from_templates=bool(groups))
    stages = stages_of(folder, config, material, config.seed)
    lectures = Lectures(material.dialogues, groups, book)
    nlu = train_ranked_nlu(training.world, lectures, config, told=told, stages=stages)
    nlu.save(folder)
    write_config(folder, config)
    return nlu


def _config(training: _Training, *, from_templates: bool) -> RankedNLUConfig:
    options = training.options
    config = FROM_TEMPLATES if from_templates else QUICK if options.quick else FROM_PRACTICE
    passes = options.passes or config.training.passes
    reader = replace(config.training, passes=passes)
    least = 0 if options.passes else config.least_steps
    return replace(config, training=reader, least_steps=least, seed=training.job.seed)


def _groups(folder: Path | None) -> list[TemplateGroup]:
    if folder is None:
        return []
    return [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]
