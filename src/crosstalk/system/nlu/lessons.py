"""Lessons: what the reader and the trees learn from, and how much of it.

With template files, as CrossWOZ has them, the reader learns from these and reads characters.
Without, it reads words and learns from every other dialogue and from what a phrase book makes up;
the trees learn from the other half, in other words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.language.training_phrases import TrainingPhrases
from crosstalk.system.nlu.encoding import ReaderConfig
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.filling import FilledUtterance, Filler, TemplateGroup
from crosstalk.system.nlu.meanings import LooseFacts, facts_of
from crosstalk.system.nlu.reader_training import ReaderTraining, Supply
from crosstalk.system.nlu.rehearsing import Rehearsal
from crosstalk.worlds.tables import World


@dataclass(frozen=True, slots=True)
class UnderstandingConfig:
    """How much is learnt, and by what."""

    reader: ReaderConfig = field(default_factory=ReaderConfig)
    training: ReaderTraining = field(default_factory=ReaderTraining)
    improvised: int = 0
    """Utterances made up from the phrase book."""
    echoes: int = 1
    """Variants of each dialogue that the trees see."""
    rounds: int = 300
    """Trees."""
    folds: int = 5
    """Trees that guess the acts of earlier turns have not seen one dialogue in so many."""
    guesses: int = 2
    """Times these guesses are made anew: +0.3 F1 on CrossWOZ val, then +0.1."""
    seed: int = 1
    least_steps: int = 0
    """Where there is little text the reader makes more passes, until it has made so many steps."""


FROM_TEMPLATES: Final = UnderstandingConfig()
"""Ten minutes for CrossWOZ on one idle core."""

FROM_PRACTICE: Final = UnderstandingConfig(
    ReaderConfig(
        width=64, characters=32, pairs=48, pair_buckets=6144, dilations=(1, 2, 4, 1), words=True
    ),
    ReaderTraining(passes=5, batch=32, rate=3e-3, unhinted=0.3),
    improvised=14_000,
    echoes=2,
    rounds=120,
    folds=3,
    guesses=1,
    least_steps=800,
)
"""A minute or two for a language of harbour."""

QUICK: Final = replace(
    FROM_PRACTICE,
    training=replace(FROM_PRACTICE.training, passes=4),
    improvised=6000,
    echoes=1,
    rounds=80,
)
"""Under a minute, and some points of F1 less on what people type."""


@dataclass(frozen=True, slots=True)
class LessonMaterial:
    """What there is to learn from."""

    dialogues: Sequence[Dialogue]
    groups: Sequence[TemplateGroup] = ()
    """Template files."""
    book: TrainingPhrases = field(default_factory=TrainingPhrases)
    """How people say things; not asked for where there are template files."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """The material, ready to be learnt."""

    facts: Facts
    supply: Supply
    """For the reader."""
    dialogues: Sequence[Dialogue]
    """For the trees."""


def enough_passes(config: UnderstandingConfig, samples: int) -> ReaderTraining:
    """The reader's training, with more passes where so few samples make few steps."""
    training = config.training
    a_pass = max(1, samples // training.batch)
    return replace(training, passes=max(training.passes, -(-config.least_steps // a_pass)))


def lessons_of(world: World, material: LessonMaterial, config: UnderstandingConfig) -> Lessons:
    make = _from_templates if material.groups else _from_practice
    return make(world, material, config)


def _from_templates(world: World, material: LessonMaterial, config: UnderstandingConfig) -> Lessons:
    """Templates filled anew in every pass."""
    filler = Filler(world)

    def supply(number: int) -> list[FilledUtterance]:
        rng = Random(f"filling {config.seed} {number}")
        return [
            filler.fill(group, template, rng)
            for group in material.groups
            for template in group.templates
        ]

    return Lessons(facts_of(world, None), supply, material.dialogues)


def _from_practice(world: World, material: LessonMaterial, config: UnderstandingConfig) -> Lessons:
    facts = LooseFacts(world, material.book)
    rehearsal = Rehearsal(facts, material.book)
    rng = Random(f"rehearsing {config.seed}")
    samples = rehearsal.samples(material.dialogues[::2], config.improvised, rng)
    others = material.dialogues[1::2] or material.dialogues
    dialogues = [each for _ in range(config.echoes) for each in rehearsal.dialogues(others, rng)]

    def supply(number: int) -> list[FilledUtterance]:
        """The same in every pass: to make and to encode them takes longer than to learn."""
        return list(samples)

    return Lessons(facts, supply, dialogues)
