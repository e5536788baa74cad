"""Training our understanding: the reader first, then the trees that choose among its proposals.

The reader never sees the dialogues that the trees learn from, so that the trees meet it as it is
on new words. The acts of earlier turns, which the trees read as context, are guesses of trees that
have not seen the dialogue either: first the reader's own, then, twice, those of the trees before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.errors import InputError
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.nlu.facts import Facts
from crosstalk.system.nlu.lessons import (
    FROM_PRACTICE,
    FROM_TEMPLATES,
    LessonMaterial,
    Lessons,
    UnderstandingConfig,
    enough_passes,
    lessons_of,
)
from crosstalk.system.nlu.ranked import THRESHOLD, Proposer, RankedUnderstanding
from crosstalk.system.nlu.reader import NetworkOutput, Reader
from crosstalk.system.nlu.reader_training import train_reader
from crosstalk.system.nlu.understanding import Acts
from crosstalk.training.boosting import Rounds
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.tables import World

Guesses = list[list[Acts]]
"""Of each dialogue, what was understood of each turn."""
Taught = Callable[[int, int], bool]
"""Numbers of a dialogue and of a turn in it -> whether the trees learn from this turn."""


def every_turn(dialogue: int, turn: int) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Growing:
    """How the trees grow."""

    rounds: Rounds | None = None
    """None: as many as everywhere."""
    folds: int = 5
    """Trees that guess the acts of earlier turns have not seen one dialogue in so many."""
    passes: int = 2
    """Times the guesses of earlier turns are made anew: +0.3 F1 on CrossWOZ val, then +0.1."""
    taught: Taught = every_turn
    without_context: bool = False
    """Learn each turn by itself, too: for listeners that know nothing of earlier turns."""


def train_understanding(
    world: World,
    material: LessonMaterial,
    config: UnderstandingConfig | None = None,
    *,
    told: StepCallback = nobody,
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
    if config.least_steps:
        training = enough_passes(config, len(lessons.supply(1)))
        config = replace(config, training=training)
    reader = _reader(lessons, config, told, stages)
    rounds = Rounds(config.rounds, told=told, stages=stages)
    growth = Growing(rounds, config.folds, config.guesses)
    trees = train_trees(lessons.facts, [reader], lessons.dialogues, seed=config.seed, growth=growth)
    return RankedUnderstanding(lessons.facts, reader, trees)


def _reader(
    lessons: Lessons, config: UnderstandingConfig, told: StepCallback, stages: Stages | None
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
    readers: Sequence[Reader],
    dialogues: Sequence[Dialogue],
    *,
    seed: int,
    growth: Growing | None = None,
) -> Trees:
    """Of several readers, dialogue `number` is read by `number % len(readers)`."""
    growth = growth or Growing()
    proposers = [Proposer(facts, reader) for reader in readers]
    read = [
        ReadDialogue(dialogue, proposers[number % len(proposers)])
        for number, dialogue in enumerate(dialogues)
    ]
    guesses = [each.first_guesses() for each in read]
    for _ in range(growth.passes):
        guesses = _cross_guesses(_table(read, guesses), dialogues, growth, seed)
    table = _table(read, guesses)
    if growth.without_context:
        table = table.joined(_table(read, None))
    taught = [at for at, place in enumerate(table.places) if growth.taught(*place)]
    return boosted.grow(
        [table.rows[at] for at in taught],
        [table.labels[at] for at in taught],
        seed=seed,
        owners=[table.places[at][0] for at in taught],
        rounds=growth.rounds,
    )


class ReadDialogue:
    """A dialogue as a reader has read it."""

    def __init__(self, dialogue: Dialogue, proposer: Proposer) -> None:
        self.turns, self.proposer = dialogue.turns, proposer
        said = [(turn.speaker, turn.text) for turn in dialogue.turns]
        self.readings: list[NetworkOutput] = proposer.reader.read_all(said)

    def first_guesses(self) -> list[Acts]:
        return [
            self.proposer.guess(turn, reading)
            for turn, reading in zip(self.turns, self.readings, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """Candidates of all turns, and which were said."""

    rows: list[Features]
    labels: list[bool]
    acts: Acts
    places: list[tuple[int, int]]
    """Dialogue and turn of each candidate."""

    def joined(self, other: "CandidateTable") -> "CandidateTable":
        return CandidateTable(
            self.rows + other.rows,
            self.labels + other.labels,
            self.acts + other.acts,
            self.places + other.places,
        )


def _table(dialogues: Sequence[ReadDialogue], guesses: Guesses | None) -> CandidateTable:
    """Without guesses, every turn stands by itself."""
    rows: list[Features] = []
    labels, acts, places = [], [], []
    for number, dialogue in enumerate(dialogues):
        history: list[Turn] = []
        for at, (turn, reading) in enumerate(zip(dialogue.turns, dialogue.readings, strict=True)):
            candidates, features = dialogue.proposer.propose(turn, history, reading)
            rows += features
            labels += [act in turn.acts for act in candidates]
            acts += list(candidates)
            places += [(number, at)] * len(candidates)
            if guesses is not None:
                history.append(replace(turn, acts=guesses[number][at]))
    return CandidateTable(rows, labels, tuple(acts), places)


def _cross_guesses(
    table: CandidateTable, dialogues: Sequence[Dialogue], growth: Growing, seed: int
) -> Guesses:
    """What trees that have not seen a dialogue understand of it."""
    found: list[list[list[int]]] = [[[] for _ in dialogue.turns] for dialogue in dialogues]
    for fold in range(growth.folds):
        seen = [
            at
            for at, place in enumerate(table.places)
            if place[0] % growth.folds != fold and growth.taught(*place)
        ]
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
