"""`crosstalk train nlu`: our understanding from an annotated corpus, or from practice."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosstalk.cli.evaluation_parts import Tables, spoken_world
from crosstalk.cli.options import CorpusWorld, Seed
from crosstalk.cli.output import warn
from crosstalk.cli.train_bert import (
    BertEncoder,
    BertModel,
    BertOrder,
    BertPatience,
    BertRate,
    BertSteps,
    train_bert,
)
from crosstalk.cli.train_practised import PRACTISED, PractisedOrder, train_practised
from crosstalk.cli.train_user_nlu import USER, ApartFrom, UserOrder, train_user
from crosstalk.cli.training_data import (
    PRACTICE,
    Material,
    Practice,
    Source,
    TrainingData,
    find_source,
    training_world,
)
from crosstalk.cli.training_progress import watching
from crosstalk.cli.weak_models import held_out_figures, warn_of_weakness

if TYPE_CHECKING:
    from crosstalk.database.tables import World as LiveWorld
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.system.nlu.filling import Group
    from crosstalk.system.nlu.lessons import UnderstandingConfig
    from crosstalk.system.nlu.ranked import RankedUnderstanding
    from crosstalk.training.steps import Told

ALL = "all"
TESTED = 30
"""Simulated dialogues that judge what was learned."""
UNUSED = 1_000_000
"""The number of the first of them."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the command was given, whatever the language."""

    world: str
    out: Path
    templates: Path | None
    tables: Path | None
    practice: int
    passes: int
    quick: bool
    seed: int


@dataclass(frozen=True, slots=True)
class _Order:
    """What is trained, from what, and where to."""

    wish: _Wish
    material: Material
    world: "LiveWorld"
    templates: Path | None
    folder: Path
    tested: "Callable[[], Iterable[Dialogue]] | None" = None
    """Dialogues that are not learnt from; None: the corpus is all there is."""

    def command(self) -> str:
        words = f"nlu --world {self.world.name}" + (" --quick" if self.wish.quick else "")
        return self.material.command(words, passes=self.wish.passes, seed=self.wish.seed)


def train_nlu(
    out: Annotated[
        Path,
        typer.Option("--out", help="The models folder; the model goes to OUT/nlu-WORLD-LANGUAGE."),
    ],
    data: TrainingData = None,
    world: CorpusWorld = None,
    language: Annotated[
        str | None,
        typer.Option("--language", help="Language code, or all; default: the world's own."),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates",
            help="Folder of template files as CrossWOZ has them; default: crosswoz/templates in "
            "the data folder for the world crosswoz, none for others.",
        ),
    ] = None,
    tables: Tables = None,
    practice: Practice = PRACTICE,
    passes: Annotated[
        int, typer.Option("--passes", min=0, help="Passes of the reader; 0: as many as usual.")
    ] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Learn from less: under a minute, a little worse.")
    ] = False,
    seed: Seed = 1,
    apart_from: ApartFrom = None,
    model: BertModel = "best",
    encoder: BertEncoder = "",
    steps: BertSteps = None,
    rate: BertRate = None,
    patience: BertPatience = None,
) -> None:
    """Train the reader and the trees that choose: ten minutes for CrossWOZ on one core.

    A world with templates of its own needs no corpus: dialogues are simulated, and put into more
    words by the world's phrase book where it has one; that takes a minute or two a language.
    """
    world, spoken = training_world(world, None if language == ALL else language, data)
    language = ALL if language == ALL else spoken
    if model == PRACTISED:
        train_practised(PractisedOrder(world, language, data, out, practice, seed))
        return
    if model == USER:
        apart = apart_from or []
        train_user(UserOrder(world, language, data, out, tables, apart, passes, practice, seed))
        return
    if model != "best":
        given = (steps, rate, patience, seed, practice)
        train_bert(BertOrder(model, data, out, world, language, encoder, templates, tables, *given))
        return
    wish = _Wish(world, out, templates, tables, practice, passes, quick, seed)
    for code in _languages(world, language):
        order = _order(wish, find_source(world, code, data))
        _train(order)
        print(order.folder)


def _languages(world: str, language: str | None) -> list[str | None]:
    from crosstalk.database.worlds import find_world, languages_of

    return list(languages_of(find_world(world))) if language == ALL else [language]


def _order(wish: _Wish, source: Source) -> _Order:
    place = source.folder or wish.tables
    spoken = spoken_world(wish.world, source.language, place)
    material = source.material(seed=wish.seed, practice=wish.practice)
    templates = wish.templates or _default_templates(spoken.name, place)
    folder = wish.out / f"nlu-{spoken.name}-{spoken.language.code}"
    tested = None if source.corpus else partial(_fresh_dialogues, source, wish.seed)
    return _Order(wish, material, spoken, templates, folder, tested)


def _fresh_dialogues(source: Source, seed: int) -> "Iterator[Dialogue]":
    """Simulated ones, of numbers that no practice reaches."""
    from crosstalk.simulation.synthetic_data import practice_dialogues

    world, language = source.world, source.language
    data = source.folder
    return practice_dialogues(world, language, TESTED, seed, data=data, start=UNUSED)


def _default_templates(world: str, tables: Path | None) -> Path | None:
    folder = tables / world / "templates" if tables else None
    if folder and folder.is_dir():
        return folder
    if world == "crosswoz":
        warn("no template files found; the reader will learn from half of the dialogues alone")
    return None


def _train(order: _Order) -> None:
    from crosstalk.model_folders import Card, write_card

    with watching(order.folder) as told:
        understanding = _learn(order, told)
        found = {} if order.tested is None else held_out_figures(understanding, order.tested())
    write_card(
        order.folder,
        Card(
            what="understanding: a reader proposes acts, boosted trees choose in context",
            command=order.command(),
            data=order.material.provenance,
            seed=order.wish.seed,
            world=order.world.name,
            language=order.world.language.code,
            figures=found,
            minutes=told.minutes,
        ),
    )
    warn_of_weakness(order.folder)


def _learn(order: _Order, told: "Told") -> "RankedUnderstanding":
    from crosstalk.database.worlds import find_world
    from crosstalk.system.nlu.lessons import Material as Lectures
    from crosstalk.system.nlu.phrases import load_book
    from crosstalk.system.nlu.training import train_understanding
    from crosstalk.training.config import write_config
    from crosstalk.training.identity import Identity, settings_of
    from crosstalk.training.stages import STAGES, Stages

    groups = _groups(order.templates)
    book = load_book(find_world(order.wish.world), order.world.language.code)
    config = _config(order.wish, from_templates=bool(groups))
    identity = Identity(settings_of(config), order.material.digest, config.seed)
    stages = Stages(order.folder / STAGES, identity)
    lectures = Lectures(order.material.dialogues, groups, book)
    understanding = train_understanding(order.world, lectures, config, told=told, stages=stages)
    understanding.save(order.folder)
    write_config(order.folder, config)
    return understanding


def _config(wish: _Wish, *, from_templates: bool) -> "UnderstandingConfig":
    from crosstalk.system.nlu.lessons import FROM_PRACTICE, FROM_TEMPLATES, QUICK

    config = FROM_TEMPLATES if from_templates else QUICK if wish.quick else FROM_PRACTICE
    passes = wish.passes or config.training.passes
    training = replace(config.training, passes=passes)
    least = 0 if wish.passes else config.least_steps
    return replace(config, training=training, least_steps=least, seed=wish.seed)


def _groups(folder: Path | None) -> "list[Group]":
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.system.nlg.crosswoz import read_auto
    from crosstalk.system.nlu.filling import groups_of

    if folder is None:
        return []
    return [group for side in Speaker for group in groups_of(read_auto(folder, side), side)]
