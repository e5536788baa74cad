"""Training `RankedNLU`: first the reader, then the trees that choose among its candidates.

The reader never sees the dialogues that the trees learn from, so that the trees learn how it reads
new text. The acts of earlier turns, which the trees use as context, are predictions too: first the
reader's own, then (twice) those of trees that have not seen the dialogue.

`train_on_small_corpus` needs no template files: each turn becomes a template whose values are drawn
anew in every pass, and two readers each read the half of the dialogues that they have not seen.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.system import boosted
from crosstalk.system.boosted import Features, Trees
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import open_holes
from crosstalk.system.nlg.template_bank import parse
from crosstalk.system.nlu.augmentation import (
    FROM_PRACTICE,
    FROM_TEMPLATES,
    NLUTrainingData,
    PreparedData,
    RankedNLUConfig,
    prepare,
    with_enough_passes,
)
from crosstalk.system.nlu.entity_lookup import EntityLookup
from crosstalk.system.nlu.ranked import THRESHOLD, Proposer, RankedNLU
from crosstalk.system.nlu.reader import NetworkOutput, Reader
from crosstalk.system.nlu.reader_training import ReaderTraining, Supply, train_reader
from crosstalk.system.nlu.training_samples import FilledUtterance, Filler, TemplateGroup, sample_of
from crosstalk.system.nlu.understanding import Acts
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.training.boosting import Rounds
from crosstalk.training.checkpoint import CHECKPOINT, Checkpoint
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.tables import World

Guesses = list[list[Acts]]
"""Dialogue -> turn -> predicted acts."""
Taught = Callable[[int, int], bool]
"""(number of a dialogue, number of a turn) -> whether the trees learn from this turn."""


def every_turn(dialogue: int, turn: int) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Growing:
    """Settings of the trees."""

    rounds: Rounds | None = None
    """None: the default of `boosted`."""
    folds: int = 5
    """Number of folds when the acts of earlier turns are predicted by cross-validation."""
    passes: int = 2
    """How often these predictions are repeated: +0.3 F1 on CrossWOZ val, then +0.1."""
    taught: Taught = every_turn
    without_context: bool = False
    """Also learn each turn without context, for uses without a history."""


def train_ranked_nlu(
    world: World,
    material: NLUTrainingData,
    config: RankedNLUConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> RankedNLU:
    """Train reader and trees; with stages, an interrupted training resumes."""
    if not any(turn.acts for dialogue in material.dialogues for turn in dialogue.turns):
        raise InputError(
            "there is nothing to learn from: no turn has an act",
            remedy="Give a corpus with acts of both sides, such as CrossWOZ val.",
        )
    config = config or (FROM_TEMPLATES if material.groups else FROM_PRACTICE)
    prepared = prepare(world, material, config)
    if config.least_steps:
        training = with_enough_passes(config, len(prepared.supply(1)))
        config = replace(config, training=training)
    reader = _reader(prepared, config, told, stages)
    rounds = Rounds(config.rounds, told=told, stages=stages)
    growth = Growing(rounds, config.folds, config.guesses)
    trees = train_trees(
        prepared.lookup, [reader], prepared.dialogues, seed=config.seed, growth=growth
    )
    return RankedNLU(prepared.lookup, reader, trees)


def _reader(
    prepared: PreparedData, config: RankedNLUConfig, told: StepCallback, stages: Stages | None
) -> Reader:
    def train(checkpoint: Checkpoint | None) -> Reader:
        return train_reader(
            prepared.supply,
            prepared.lookup.finder,
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
    return Reader.load(place, prepared.lookup.finder)


def train_trees(
    lookup: EntityLookup,
    readers: Sequence[Reader],
    dialogues: Sequence[Dialogue],
    *,
    seed: int,
    growth: Growing | None = None,
) -> Trees:
    """Train the trees; with several readers, reader `n % len(readers)` reads dialogue `n`."""
    growth = growth or Growing()
    proposers = [Proposer(lookup, reader) for reader in readers]
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
    """A dialogue with the reader's output for each turn."""

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
    """Candidates of all turns, and which of them are true."""

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
    """Candidates of all turns; without guesses, every turn is read without context."""
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
    """Acts predicted by trees that have not seen the dialogue."""
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


SMALL_CORPUS: Final = RankedNLUConfig(training=ReaderTraining(passes=10, batch=32), guesses=1)
READERS: Final = 2
"""Number of readers; each has not seen one dialogue in so many."""


@dataclass(frozen=True, slots=True)
class SmallCorpus:
    """Dialogues to learn from, and which of their turns."""

    dialogues: Sequence[Dialogue]
    taught: Taught = every_turn
    """Which turns are learnt from; the others are context."""

    def turns(self, *, without: int | None = None) -> Iterator[Turn]:
        """The turns that are learnt from, without one part of the dialogues."""
        for number, dialogue in enumerate(self.dialogues):
            if number % READERS != without:
                for at, turn in enumerate(dialogue.turns):
                    if self.taught(number, at):
                        yield turn


def train_on_small_corpus(
    world: World,
    corpus: SmallCorpus,
    config: RankedNLUConfig = SMALL_CORPUS,
    *,
    told: StepCallback = nobody,
) -> RankedNLU:
    """Train reader and trees; the trees learn each turn with and without context."""
    lookup = lookup_of(world, None)

    def reader(without: int | None) -> Reader:
        turns = list(corpus.turns(without=without))
        return train_reader(
            refilled(world, turns, config.seed),
            lookup.finder,
            seed=config.seed,
            config=config.reader,
            training=config.training,
            told=told,
        )

    growth = Growing(
        Rounds(config.rounds, told=told),
        config.folds,
        config.guesses,
        corpus.taught,
        without_context=True,
    )
    readers = [reader(part) for part in range(READERS)]
    trees = train_trees(lookup, readers, corpus.dialogues, seed=config.seed, growth=growth)
    return RankedNLU(lookup, reader(None), trees)


def refilled(world: World, turns: Sequence[Turn], seed: int) -> Supply:
    """The turns with new values in every pass; unchanged if a value is said in other words."""
    keys = {side: ActKeys.of(world.schema, world.language, side) for side in Speaker}
    filler = Filler(world)
    groups = [(turn, _group(turn, keys[turn.speaker])) for turn in turns if turn.text]

    def supply(number: int) -> list[FilledUtterance]:
        rng = Random(f"filling {seed} {number}")
        return [
            filler.fill(group, group.templates[0], rng)
            if group
            else sample_of(turn, keys[turn.speaker])
            for turn, group in groups
        ]

    return supply


def _group(turn: Turn, keys: ActKeys) -> TemplateGroup | None:
    spoken = keys.in_order(turn.acts)
    text = open_holes(turn.text, spoken)
    if text is None:
        return None
    held = tuple(each.key for each in spoken)
    return TemplateGroup(turn.speaker, held, (parse(text, held),))


def seeded(seed: int, passes: int = 0) -> RankedNLUConfig:
    """The default settings with another seed and, if given, number of passes."""
    passes = passes or SMALL_CORPUS.training.passes
    training = replace(SMALL_CORPUS.training, passes=passes)
    return replace(SMALL_CORPUS, training=training, seed=seed)
