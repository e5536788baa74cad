"""Training our understanding: the reader first, then the trees that choose among its proposals.

The reader never sees the dialogues that the trees learn from, so that the trees meet it as it is
on new words. The acts of earlier turns, which the trees read as context, are guesses of trees that
have not seen the dialogue either: first the reader's own, then, twice, those of the trees before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.errors import InputError
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.lessons import (
    FROM_PRACTICE,
    FROM_TEMPLATES,
    Lessons,
    Material,
    UnderstandingConfig,
    lessons_of,
)
from crosstalk.system.nlu.ranked import THRESHOLD, Proposer, RankedUnderstanding
from crosstalk.system.nlu.reader import Reader, Reading
from crosstalk.system.nlu.reader_training import train_reader
from crosstalk.system.nlu.understanding import Acts
from crosstalk.training.boosting import Rounds
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.stages import Stages
from crosstalk.training.steps import Told, nobody

Guesses = list[list[Acts]]
"""Of each dialogue, what was understood of each turn."""


@dataclass(frozen=True, slots=True)
class Growing:
    """How the trees grow."""

    rounds: Rounds | None = None
    """None: as many as everywhere."""
    folds: int = 5
    """Trees that guess the acts of earlier turns have not seen one dialogue in so many."""
    passes: int = 2
    """Times the guesses of earlier turns are made anew: +0.3 F1 on CrossWOZ val, then +0.1."""


def train_understanding(
    world: World,
    material: Material,
    config: UnderstandingConfig | None = None,
    *,
    told: Told = nobody,
    stages: Stages | None = None,
) -> RankedUnderstanding:
    """With stages, a training that was killed goes on where it was."""
    if not any(turn.acts for dialogue in material.dialogues for turn in dialogue.turns):
        raise InputError(
            "there is nothing to learn from: no turn has an act",
            remedy="Give a corpus with acts of both sides, such as CrossWOZ val.",
        )
    config = config or (FROM_TEMPLATES if material.groups else FROM_PRACTICE)
    lessons = lessons_of(world, material, config)
    reader = _reader(lessons, config, told, stages)
    rounds = Rounds(config.rounds, told=told, stages=stages)
    growth = Growing(rounds, config.folds, config.guesses)
    trees = train_trees(lessons.facts, reader, lessons.dialogues, seed=config.seed, growth=growth)
    return RankedUnderstanding(lessons.facts, reader, trees)


def _reader(
    lessons: Lessons, config: UnderstandingConfig, told: Told, stages: Stages | None
) -> Reader:
    def train(checkpoint: Checkpoint | None) -> Reader:
        return train_reader(
            lessons.supply,
            lessons.facts.finder,
            seed=config.seed,
            config=config.reader,
            training=config.training,
            checkpoint=checkpoint,
            told=told,
        )

    if stages is None:
        return train(None)
    identity = stages.identity
    place = stages.folder(
        "reader", lambda place: train(Checkpoint(place / CHECKPOINT, identity)).save(place)
    )
    return Reader.load(place, lessons.facts.finder)


def train_trees(
    facts: Facts,
    reader: Reader,
    dialogues: Sequence[Dialogue],
    *,
    seed: int,
    growth: Growing | None = None,
) -> Trees:
    growth = growth or Growing()
    proposer = Proposer(facts, reader)
    readings = [
        reader.read_all([(turn.speaker, turn.text) for turn in dialogue.turns])
        for dialogue in dialogues
    ]
    guesses = [
        [proposer.guess(turn, reading) for turn, reading in zip(dialogue.turns, read, strict=True)]
        for dialogue, read in zip(dialogues, readings, strict=True)
    ]
    for _ in range(growth.passes):
        table = _table(proposer, dialogues, readings, guesses)
        guesses = _cross_guesses(table, dialogues, growth, seed)
    table = _table(proposer, dialogues, readings, guesses)
    return boosted.grow(
        table.rows,
        table.labels,
        seed=seed,
        owners=[number for number, _ in table.places],
        rounds=growth.rounds,
    )


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates of all turns, and which were said."""

    rows: list[Features]
    labels: list[bool]
    acts: Acts
    places: list[tuple[int, int]]
    """Dialogue and turn of each candidate."""


def _table(
    proposer: Proposer,
    dialogues: Sequence[Dialogue],
    readings: Sequence[Sequence[Reading]],
    guesses: Guesses,
) -> Table:
    rows: list[Features] = []
    labels, acts, places = [], [], []
    for number, (dialogue, read, guessed) in enumerate(
        zip(dialogues, readings, guesses, strict=True)
    ):
        history: list[Turn] = []
        for turn, reading, its in zip(dialogue.turns, read, guessed, strict=True):
            candidates, features = proposer.propose(turn, history, reading)
            rows += features
            labels += [act in turn.acts for act in candidates]
            acts += list(candidates)
            places += [(number, len(history))] * len(candidates)
            history.append(replace(turn, acts=its))
    return Table(rows, labels, tuple(acts), places)


def _cross_guesses(
    table: Table, dialogues: Sequence[Dialogue], growth: Growing, seed: int
) -> Guesses:
    """What trees that have not seen a dialogue understand of it."""
    found: list[list[list[int]]] = [[[] for _ in dialogue.turns] for dialogue in dialogues]
    for fold in range(growth.folds):
        seen = [at for at, (number, _) in enumerate(table.places) if number % growth.folds != fold]
        new = [at for at, (number, _) in enumerate(table.places) if number % growth.folds == fold]
        if not seen or not new:
            continue
        trees = boosted.grow(
            [table.rows[at] for at in seen],
            [table.labels[at] for at in seen],
            seed=seed,
            rounds=Rounds(growth.rounds.limit) if growth.rounds else None,
        )
        for at, score in zip(new, trees.likelihoods([table.rows[at] for at in new]), strict=True):
            if score > THRESHOLD:
                number, turn = table.places[at]
                found[number][turn].append(at)
    return [[tuple(sorted(table.acts[at] for at in turn)) for turn in turns] for turns in found]
