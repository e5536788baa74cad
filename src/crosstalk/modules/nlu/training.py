"""Training our understanding: the reader from templates, the trees from dialogues.

The reader never sees the dialogues that the trees learn from, so that the trees meet it as it is
on new words. The acts of earlier turns, which the trees read as context, are guesses of trees that
have not seen the dialogue either: first the reader's own, then, twice, those of the trees before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crosstalk.database.tables import World
from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.errors import InputError
from crosstalk.modules import boosted
from crosstalk.modules.boosted import Features, Trees
from crosstalk.modules.nlg.keys import ActKeys
from crosstalk.modules.nlu.filling import Group
from crosstalk.modules.nlu.ranked import THRESHOLD, Proposer, RankedUnderstanding
from crosstalk.modules.nlu.reader import Reader, Reading
from crosstalk.modules.nlu.reader_training import ReaderTraining, train_reader
from crosstalk.modules.nlu.samples import samples_of
from crosstalk.modules.nlu.understanding import Acts

FOLDS: Final = 5
ROUNDS: Final = 2
"""Times the guesses of earlier turns are made anew: +0.3 F1, then +0.1."""

Report = Callable[[int, int, float], None]
Guesses = list[list[Acts]]
"""Of each dialogue, what was understood of each turn."""


def _silent(step: int, steps: int, loss: float) -> None:
    pass


def train_understanding(
    world: World,
    groups: Sequence[Group],
    dialogues: Sequence[Dialogue],
    *,
    seed: int,
    training: ReaderTraining | None = None,
    report: Report = _silent,
) -> RankedUnderstanding:
    """Without templates, the reader learns from every other dialogue, the trees from the rest."""
    if not any(turn.acts for dialogue in dialogues for turn in dialogue.turns):
        raise InputError(
            "there is nothing to learn from: no turn has an act",
            remedy="Give a corpus with acts of both sides, such as CrossWOZ val.",
        )
    keys = {side: ActKeys.of(world.schema, world.language, side) for side in Speaker}
    said = [] if groups else list(samples_of(dialogues[::2], keys))
    reader = train_reader(groups, said, world, seed=seed, training=training, report=report)
    heard = dialogues if groups else dialogues[1::2] or dialogues
    return RankedUnderstanding(world, reader, train_trees(world, reader, heard, seed=seed))


def train_trees(world: World, reader: Reader, dialogues: Sequence[Dialogue], *, seed: int) -> Trees:
    proposer = Proposer(world, reader)
    readings = [
        reader.read_all([(turn.speaker, turn.text) for turn in dialogue.turns])
        for dialogue in dialogues
    ]
    guesses = [
        [proposer.guess(turn, reading) for turn, reading in zip(dialogue.turns, read, strict=True)]
        for dialogue, read in zip(dialogues, readings, strict=True)
    ]
    for _ in range(ROUNDS):
        table = _table(proposer, dialogues, readings, guesses)
        guesses = _cross_guesses(table, dialogues, seed)
    table = _table(proposer, dialogues, readings, guesses)
    return boosted.grow(table.rows, table.labels, seed=seed)


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


def _cross_guesses(table: Table, dialogues: Sequence[Dialogue], seed: int) -> Guesses:
    """What trees that have not seen a dialogue understand of it."""
    found: list[list[list[int]]] = [[[] for _ in dialogue.turns] for dialogue in dialogues]
    for fold in range(FOLDS):
        seen = [at for at, (number, _) in enumerate(table.places) if number % FOLDS != fold]
        new = [at for at, (number, _) in enumerate(table.places) if number % FOLDS == fold]
        if not seen or not new:
            continue
        trees = boosted.grow(
            [table.rows[at] for at in seen], [table.labels[at] for at in seen], seed=seed
        )
        for at, score in zip(new, trees.likelihoods([table.rows[at] for at in new]), strict=True):
            if score > THRESHOLD:
                number, turn = table.places[at]
                found[number][turn].append(at)
    return [[tuple(sorted(table.acts[at] for at in turn)) for turn in turns] for turns in found]
