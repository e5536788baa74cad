"""Dialogues as they were understood: the words kept, the true acts replaced by what was heard.

A tracker that learns from understood acts must meet them as they are on new words. Where the model
of understanding has learned from the very dialogues, its trees are grown anew, fold by fold.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.files import read_text, writing
from crosstalk.language.training_phrases import kept_book
from crosstalk.system.nlu.ranked import RankedNLU, Weighed, likely
from crosstalk.system.nlu.ranked_training import Growing, train_trees
from crosstalk.system.nlu.reader import Reader
from crosstalk.system.nlu.value_linking import lookup_of
from crosstalk.worlds.tables import World

PredictActs = Callable[[Sequence[Turn]], Sequence[Weighed]]
"""A whole dialogue without its acts, to all that each turn may mean."""


@dataclass(frozen=True, slots=True)
class PredictedDialogue:
    """A dialogue with the acts that were understood, and what else each turn might have meant."""

    dialogue: Dialogue
    doubts: tuple[Weighed, ...]

    @classmethod
    def of(cls, dialogue: Dialogue, weigh: PredictActs) -> "PredictedDialogue":
        return cls.with_predictions(
            dialogue, weigh([Turn(turn.speaker, turn.text) for turn in dialogue.turns])
        )

    @classmethod
    def with_predictions(cls, dialogue: Dialogue, doubts: Sequence[Weighed]) -> "PredictedDialogue":
        turns = zip(dialogue.turns, doubts, strict=True)
        heard = tuple(replace(turn, acts=likely(weighed)) for turn, weighed in turns)
        return cls(replace(dialogue, turns=heard), tuple(doubts))


def save_predictions(heard: Iterable[PredictedDialogue], file: Path) -> None:
    """So that a training which is stopped need not understand everything again."""
    with writing(file) as text:
        for each in heard:
            turns = [
                [[*astuple(act), round(likelihood, 4)] for act, likelihood in weighed.items()]
                for weighed in each.doubts
            ]
            text.write(json.dumps(turns, ensure_ascii=False) + "\n")


def load_predictions(dialogues: Sequence[Dialogue], file: Path) -> list[PredictedDialogue]:
    """What `save_predictions` wrote about these dialogues."""
    lines = read_text(file).splitlines()
    return [
        PredictedDialogue.with_predictions(
            dialogue,
            [{Act(*act): likelihood for *act, likelihood in turn} for turn in json.loads(line)],
        )
        for dialogue, line in zip(dialogues, lines, strict=True)
    ]


GROWTH = Growing(folds=3, passes=1)
"""Half the work of the trees that ship, for 0.2 points of F1."""


def predict_held_out(
    folder: Path, world: World, dialogues: Sequence[Dialogue], *, folds: int, seed: int
) -> list[PredictedDialogue]:
    """By the reader of a model and trees that have not seen the dialogue: a minute a fold."""
    lookup = lookup_of(world, kept_book(folder))
    reader = Reader.load(folder, lookup.finder)
    heard: dict[int, PredictedDialogue] = {}
    for fold in range(folds):
        others = [each for at, each in enumerate(dialogues) if at % folds != fold]
        trees = train_trees(lookup, [reader], others, seed=seed, growth=GROWTH)
        weigh = RankedNLU(lookup, reader, trees).weigh_all
        for at in range(fold, len(dialogues), folds):
            heard[at] = PredictedDialogue.of(dialogues[at], weigh)
    return [heard[at] for at in range(len(dialogues))]
