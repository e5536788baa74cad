"""Training the tracker from words: on its own beliefs, pass after pass.

Dialogues come with the acts that were understood, not the true ones. First the trees learn from the
forms as they were; then trees that have not seen a dialogue track it, and new ones learn from the
beliefs they got to. What was wrong before must be borne or mended, and that is learned too.

What is learned besides the trees is held back in the same way: a dialogue is only ever looked at
with rewordings, relaxations and a style that stem from other dialogues.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.system.boosted import SETTINGS, Trees, matrix_of
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.understood import Understood
from crosstalk.system.dst.words import (
    SceneMaker,
    TurnCandidates,
    WordsBelief,
    WordsTracker,
    believed,
)
from crosstalk.system.dst.words_knowledge import learn_knowledge, usual_words
from crosstalk.training.boosting import Matrix, Rounds, boost
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database

Forms = list[SystemState]
"""What is believed after each user turn of a dialogue that a system turn answers."""
Decide = Callable[[TurnCandidates, Matrix, DialogueState, SystemState], WordsBelief]
"""A scene, its rows, the belief before, the form the wizard typed -> what is believed now."""


@dataclass(frozen=True, slots=True)
class WordsConfig:
    """How the tracker learns."""

    rounds: int = 300
    """Trees."""
    passes: int = 3
    """Times the dialogues are tracked by trees that have not seen them: +1.4 points in all."""
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class DialogueWalk:
    """One dialogue tracked: the candidates of all its turns, and what came to be believed."""

    rows: Matrix
    labels: list[bool]
    forms: Forms


@dataclass(frozen=True, slots=True)
class TrainedTracker:
    """A tracker, and what trackers that had not seen a dialogue believed of it."""

    tracker: WordsTracker
    held_out: list[Forms]


def train_words(
    dialogues: Sequence[Understood],
    database: Database,
    config: WordsConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TrainedTracker:
    """From dialogues that were understood no better than new ones will be."""
    config = config or WordsConfig()
    school = _School(dialogues, database, config, told, stages)
    walks = [school.walk(number, _teacher) for number in range(len(dialogues))]
    for number in range(config.passes):
        walks = school.rehearse(walks, f"pass {number + 1}")
    tracker = WordsTracker(database, school.grow(walks, "trees"), school.knowledge)
    return TrainedTracker(tracker, [walk.forms for walk in walks])


class _School:
    """Dialogues in folds, each fold with the knowledge of the others."""

    def __init__(
        self,
        heard: Sequence[Understood],
        database: Database,
        config: WordsConfig,
        told: StepCallback,
        stages: Stages | None,
    ) -> None:
        dialogues = [each.dialogue for each in heard]
        self._heard, self._dialogues, self._config = heard, dialogues, config
        self._told, self._stages = told, stages
        self._schema, self._language = database.world.schema, database.world.language
        self._columns: tuple[str, ...] = ()
        words = usual_words(dialogues, self._language)
        self.knowledge = learn_knowledge(dialogues, self._schema, self._language, words)
        self._makers = [
            SceneMaker(
                database,
                learn_knowledge(self._without(fold), self._schema, self._language, words),
            )
            for fold in range(config.folds)
        ]

    def _without(self, fold: int) -> list[Dialogue]:
        return [each for at, each in enumerate(self._dialogues) if at % self._config.folds != fold]

    def rehearse(self, walks: Sequence[DialogueWalk], part: str) -> list[DialogueWalk]:
        """All dialogues tracked by trees that learned from the walks through the others."""
        folds, new = self._config.folds, list(walks)
        for fold in range(folds):
            others = [walk for at, walk in enumerate(walks) if at % folds != fold]
            trees = self.grow(others, f"{part}, {fold + 1} of {folds}")
            for at in range(fold, len(walks), folds):
                new[at] = self.walk(at, _tracking(trees))
        return new

    def walk(self, number: int, decide: Decide) -> DialogueWalk:
        dialogue, doubts = self._dialogues[number], self._heard[number].doubts
        maker = self._makers[number % self._config.folds]
        belief = DialogueState(empty_form(self._schema))
        blocks, labels, forms = [], [], []
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.first_query is None:
                continue
            scene = maker.scene(belief, dialogue.turns[:position], doubts[position - 1])
            rows = self._matrix(scene)
            belief = decide(scene, rows, belief, turn.first_query)
            blocks.append(rows)
            labels += _answers(scene, turn.first_query)
            forms.append(belief.form)
        return DialogueWalk(np.concatenate(blocks) if blocks else self._nothing(), labels, forms)

    def _matrix(self, scene: TurnCandidates) -> Matrix:
        rows = [row for each in scene.fields for row in each.rows]
        if rows and not self._columns:
            self._columns = tuple(rows[0])
        return matrix_of(rows, self._columns) if rows else self._nothing()

    def _nothing(self) -> Matrix:
        return np.zeros((0, len(self._columns)), dtype=np.float32)

    def grow(self, walks: Sequence[DialogueWalk], part: str) -> Trees:
        labels = [label for walk in walks for label in walk.labels]
        if not any(labels):
            raise InputError(
                "there is nothing to learn from: no system turn has a query form",
                remedy="Give a corpus with states, such as CrossWOZ val.",
            )
        rows = np.concatenate([walk.rows for walk in walks if len(walk.rows)])
        rounds = Rounds(self._config.rounds, 0, self._told, part, self._stages)
        settings = {**SETTINGS, "seed": self._config.seed}
        return Trees(boost(settings, rows, labels, [0] * len(labels), rounds), self._columns)


def _answers(scene: TurnCandidates, typed: SystemState) -> list[bool]:
    """Of each candidate, whether the wizard typed it."""
    return [
        value == typed.get(each.domain.key).get(each.slot.key)
        for each in scene.fields
        for value in each.values
    ]


def _teacher(
    scene: TurnCandidates, rows: Matrix, before: DialogueState, typed: SystemState
) -> WordsBelief:
    """Believes what the wizard typed."""
    belief = believed(scene, before, [float(answer) for answer in _answers(scene, typed)])
    return replace(belief, form=typed)


def _tracking(trees: Trees) -> Decide:
    def decide(
        scene: TurnCandidates, rows: Matrix, before: DialogueState, typed: SystemState
    ) -> WordsBelief:
        return believed(scene, before, trees.of_matrix(rows))

    return decide
