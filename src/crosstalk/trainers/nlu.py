"""Train `RankedNLU`: a small CNN proposes acts, gradient-boosted trees choose among them.

train_nlu(Job(out=Path("models"), world="harbour", language="en"), NLUOptions())

`train_practised` trains new trees for the same reader, on the corpus and on simulated dialogues.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError
from crosstalk.evaluation.cross_validation import cross_validate
from crosstalk.evaluation.nlu_scores import UnderstandingScore, score_understanding
from crosstalk.language.training_phrases import kept_book, load_book
from crosstalk.model_folders import Provenance, find_model
from crosstalk.simulation.synthetic_data import misheard_dialogues, practice_dialogues
from crosstalk.system.nlg.corpus_templates import read_auto
from crosstalk.system.nlg.world_templates import has_templates
from crosstalk.system.nlu.augmentation import (
    FROM_PRACTICE,
    FROM_TEMPLATES,
    QUICK,
    NLUTrainingData,
    RankedNLUConfig,
)
from crosstalk.system.nlu.hybrid import Familiarity
from crosstalk.system.nlu.ranked import RankedNLU
from crosstalk.system.nlu.ranked_training import Growing, train_ranked_nlu, train_trees
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.system.part_models import plain_model, practised_model
from crosstalk.trainers.data import DialogueSource, template_folder, template_groups
from crosstalk.trainers.job import Job, TrainingRun
from crosstalk.trainers.model_quality import held_out_figures, report_weakness
from crosstalk.training.boosting import Rounds
from crosstalk.training.config import write_config
from crosstalk.training.steps import StepCallback
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world, languages_of, load_world

TESTED: Final = 30
"""Simulated dialogues for the held-out figure."""
UNUSED: Final = 1_000_000
"""Number of the first of them; no training reaches it."""
WHAT: Final = "understanding: a reader proposes acts, boosted trees choose in context"
USERS: Final = ("rule", "trees")
GENERATORS: Final = ("template", "best")
PROTOCOLS: Final = ("corrected", "paper")
"""Protocols of the users whose simulated dialogues are held in words."""


@dataclass(frozen=True, slots=True)
class NLUOptions:
    """Options of `train_nlu`."""

    templates: Path | None = None
    """Template files in the format of CrossWOZ; None: those in the data folder, if any."""
    passes: int = 0
    """Training passes of the reader; 0: the default."""
    quick: bool = False
    """Train on less data: under a minute, slightly worse."""


def all_languages(world: str) -> list[str]:
    """The language codes of a world."""
    return list(languages_of(find_world(world)))


def train_nlu(job: Job, options: NLUOptions) -> Path:
    """Train, write the model folder, return it.

    A world with templates of its own needs no corpus: dialogues are simulated, and reworded with
    the world's phrase book if it has one.
    """
    run = job.start()
    world = run.world
    templates = options.templates or _default_templates(run)
    if job.folds and templates is None:
        raise InputError(
            "--folds needs template files: without them the reader learns from the dialogues too",
            remedy="Name a folder of template files with --templates, or leave --folds out.",
        )
    folder = job.out / f"nlu-{world.name}-{world.language.code}"
    with job.reporter.training(folder) as watch:
        nlu = _train_ranked(run, options, templates, folder, watch)
        figures = _figures(run, options, nlu)
    words = "nlu --world " + world.name + (" --quick" if options.quick else "")
    given = {"passes": options.passes, "seed": job.seed, "folds": job.folds}
    run.write_card(
        folder,
        WHAT,
        run.data.command(words, **given),
        world=world.name,
        language=world.language.code,
        figures=figures,
        minutes=watch.minutes,
    )
    report_weakness(folder, job.reporter)
    return folder


def _default_templates(run: TrainingRun) -> Path | None:
    world = run.world
    folder = template_folder(world.name, run.tables)
    brings_own = world.folder and has_templates(world.folder, world.language.code)
    if folder is None and not brings_own and not world.tableless:
        run.job.reporter.notice(
            "no template files found; the reader will learn from half of the dialogues alone"
        )
    return folder


def _train_ranked(
    run: TrainingRun,
    options: NLUOptions,
    templates: Path | None,
    folder: Path,
    told: StepCallback,
) -> RankedNLU:
    world = run.world
    book = load_book(world.folder or find_world(world.name), world.language.code)
    data = NLUTrainingData(run.dialogues, template_groups(templates), book)
    config = _config(run.job, options, from_templates=bool(data.groups))
    stages = run.stages(folder, config)
    nlu = train_ranked_nlu(world, data, config, told=told, stages=stages)
    nlu.save(folder)
    write_config(folder, config)
    return nlu


def _config(job: Job, options: NLUOptions, *, from_templates: bool) -> RankedNLUConfig:
    config = FROM_TEMPLATES if from_templates else QUICK if options.quick else FROM_PRACTICE
    reader = replace(config.training, passes=options.passes or config.training.passes)
    least = 0 if options.passes else config.least_steps
    return replace(config, training=reader, least_steps=least, seed=job.seed)


def _figures(run: TrainingRun, options: NLUOptions, nlu: RankedNLU) -> dict[str, Any]:
    """Scores on dialogues that were not learnt from; empty if there are none."""
    if run.job.folds:
        return {"cross-validation": _cross_validated(run, options, nlu)}
    if run.source.corpus:
        return {}
    return held_out_figures(nlu, _held_out_dialogues(run.source, run.job.seed))


def _cross_validated(run: TrainingRun, options: NLUOptions, nlu: RankedNLU) -> dict[str, Any]:
    """Trains trees in every fold; the reader learns from template files and stays the same."""
    config, folds = _config(run.job, options, from_templates=True), run.job.folds

    def train(learnt: list[Dialogue]) -> RankedNLU:
        growth = Growing(Rounds(config.rounds), config.folds, config.guesses)
        trees = train_trees(nlu.lookup, [nlu.reader], learnt, seed=config.seed, growth=growth)
        return RankedNLU(nlu.lookup, nlu.reader, trees)

    def score(trained: RankedNLU, judged: list[Dialogue]) -> UnderstandingScore:
        return score_understanding(trained.understand_all, judged)

    total = cross_validate(run.dialogues, folds, train=train, score=score)
    return {"protocol": f"from words, {folds}-fold by dialogue", **total.figures()}


def _held_out_dialogues(source: DialogueSource, seed: int) -> Iterator[Dialogue]:
    """Simulated dialogues that no training reaches."""
    world, language = source.world, source.language
    return practice_dialogues(world, language, TESTED, seed, data=source.folder, start=UNUSED)


def train_practised(job: Job) -> Path:
    """Train an NLU whose trees also learn from simulated dialogues; return the model folder.

    Simulated users lead dialogues to states that no corpus contains, and conversations in words
    spend much of their time there. Some of the dialogues are held in words, with a system that
    makes the errors of our NLU.
    """
    run = job.start()
    simulated = list(_simulated(job, run.source))
    mixed = [each for pair in zip_longest(run.dialogues, simulated) for each in pair if each]
    world = load_world(run.source.world, language=run.source.language, data=run.source.folder)
    folder = job.out / practised_model(world)
    with job.reporter.training(folder) as watch:
        _train_practised(job, world, mixed, folder, watch)
    templates = template_folder(world.name, run.source.folder)
    Familiarity.of(_user_texts(mixed, templates)).save(folder)
    words = f"nlu --model practised --world {world.name}"
    run.write_card(
        folder,
        "understanding whose trees have also learnt from simulated dialogues",
        run.data.command(words, practice=job.practice, seed=job.seed),
        data=Provenance(
            f"{run.data.learnt_from} and {len(simulated)} simulated dialogues",
            run.data.digest,
            len(mixed),
        ),
        kind="nlu",
        world=world.name,
        language=world.language.code,
        minutes=watch.minutes,
    )
    return folder


def _simulated(job: Job, source: DialogueSource) -> Iterator[Dialogue]:
    """An equal share by each user and generator in acts, and by each protocol in words."""
    ways = list(product(USERS, GENERATORS))
    share = job.practice // (len(ways) + len(PROTOCOLS))
    talked = (source.world, source.language, share, job.seed)
    for number, (user, words) in enumerate(ways):
        yield from practice_dialogues(
            *talked, user=user, nlg=words, data=source.folder, start=number * share
        )
    for number, protocol in enumerate(PROTOCOLS, start=len(ways)):
        yield from misheard_dialogues(
            *talked,
            nlu="trees",
            protocol=protocol,
            data=source.folder,
            models=job.out,
            start=number * share,
        )


def _user_texts(dialogues: Iterable[Dialogue], templates: Path | None) -> Iterator[str]:
    """User utterances of the dialogues and of the template files that the reader learns from."""
    for dialogue in dialogues:
        yield from (turn.text for turn in dialogue.turns if turn.speaker is Speaker.USER)
    if templates:
        for texts in read_auto(templates, Speaker.USER).values():
            yield from texts


def _train_practised(
    job: Job, world: World, dialogues: list[Dialogue], folder: Path, told: StepCallback
) -> None:
    before = find_model(plain_model(world), job.out)
    lookup = lookup_of(world, kept_book(before))
    reader = Reader.load(before, lookup.finder)
    growth = Growing(Rounds(FROM_TEMPLATES.rounds, told=told), folds=2, passes=1)
    trees = train_trees(lookup, [reader], dialogues, seed=job.seed, growth=growth)
    RankedNLU(lookup, reader, trees).save(folder)
