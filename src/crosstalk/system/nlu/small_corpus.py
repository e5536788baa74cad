"""Training our understanding on a small corpus alone, without template files.

Each turn becomes a template whose values are drawn anew in every pass. Reader and trees learn from
the same dialogues: the trees meet each dialogue as a reader has read it that has not seen it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from crosstalk.dialogue.dialogues import Dialogue, Speaker, Turn
from crosstalk.system.nlg.extraction import open_holes
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.templates import parse
from crosstalk.system.nlu.filling import FilledUtterance, Filler, TemplateGroup
from crosstalk.system.nlu.lessons import UnderstandingConfig
from crosstalk.system.nlu.meanings import facts_of
from crosstalk.system.nlu.ranked import RankedUnderstanding
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.reader_training import ReaderTraining, Supply, train_reader
from crosstalk.system.nlu.samples import sample_of
from crosstalk.system.nlu.training import Growing, Taught, every_turn, train_trees
from crosstalk.training.boosting import Rounds
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.tables import World

SMALL_CORPUS: Final = UnderstandingConfig(training=ReaderTraining(passes=10, batch=32), guesses=1)
READERS: Final = 2
"""Readers that have each not seen one dialogue in so many."""


@dataclass(frozen=True, slots=True)
class SmallCorpus:
    """Dialogues to learn from."""

    dialogues: Sequence[Dialogue]
    taught: Taught = every_turn
    """Turns that are learnt from; the others are context."""

    def turns(self, *, without: int | None = None) -> Iterator[Turn]:
        """Those that are learnt from, without one part of the dialogues."""
        for number, dialogue in enumerate(self.dialogues):
            if number % READERS != without:
                for at, turn in enumerate(dialogue.turns):
                    if self.taught(number, at):
                        yield turn


def train_on_small_corpus(
    world: World,
    corpus: SmallCorpus,
    config: UnderstandingConfig = SMALL_CORPUS,
    *,
    told: StepCallback = nobody,
) -> RankedUnderstanding:
    """The trees learn each turn with and without what went before it."""
    facts = facts_of(world, None)

    def reader(without: int | None) -> Reader:
        turns = list(corpus.turns(without=without))
        return train_reader(
            refilled(world, turns, config.seed),
            facts.finder,
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
    trees = train_trees(facts, readers, corpus.dialogues, seed=config.seed, growth=growth)
    return RankedUnderstanding(facts, reader(None), trees)


def refilled(world: World, turns: Sequence[Turn], seed: int) -> Supply:
    """The turns with other values in every pass; as they stand where a value is not said so."""
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


def seeded(seed: int, passes: int = 0) -> UnderstandingConfig:
    """The usual settings with another seed, and so many passes where they are given."""
    passes = passes or SMALL_CORPUS.training.passes
    training = replace(SMALL_CORPUS.training, passes=passes)
    return replace(SMALL_CORPUS, training=training, seed=seed)
