"""Learning.

Training the tracker from words: on its own beliefs, pass after pass.

Dialogues come with the acts that were understood, not the true ones. First the trees learn from the
forms as they were; then trees that have not seen a dialogue track it, and new ones learn from the
beliefs they got to. What was wrong before must be borne or mended, and that is learned too.

What is learned besides the trees is held back in the same way: a dialogue is only ever looked at
with rewordings, relaxations and a style that stem from other dialogues.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.system.boosted import SETTINGS, Trees, matrix_of
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.predicted_acts import PredictedDialogue
from crosstalk.system.dst.slot_candidates import Rewordings
from crosstalk.system.dst.text_tracker import (
    TextDialogueState,
    TextTracker,
    TextTrackerKnowledge,
    TurnCandidateMaker,
    TurnCandidates,
    believed,
)
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.tree_tracker import common_words, learn_rewordings
from crosstalk.system.dst.wizard_behaviour import fit_typing_style, naming
from crosstalk.training.boosting import Matrix, Rounds, boost
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database

UsualWords = tuple[tuple[str, ...], tuple[str, ...]]


def learn_knowledge(
    dialogues: Sequence[Dialogue], schema: Schema, language: LanguagePack, words: UsualWords
) -> TextTrackerKnowledge:
    """`words`: as `frequent_words` finds them; all trees of a training must have the same."""
    samples = [
        each for dialogue in dialogues for each in style_samples(dialogue, schema, language.yes)
    ]
    return TextTrackerKnowledge(
        *words,
        learn_rewordings(dialogues, schema),
        learn_relaxations(dialogues, schema, language.yes),
        fit_typing_style(samples),
    )


def frequent_words(dialogues: Sequence[Dialogue], language: LanguagePack) -> UsualWords:
    """Of users, of answers."""
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    answered = (turn.text for dialogue in dialogues for turn in dialogue.system_turns)
    return common_words(said, language.code), common_words(answered, language.code, most=40)


def learn_relaxations(
    dialogues: Iterable[Dialogue], schema: Schema, yes: str, *, least: int = 2
) -> Rewordings:
    """What wizards change a field to, at least twice, when users have said nothing about it."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        before: SystemState | None = None
        for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
            if before and system.first_query:
                heard = UserActs(user, schema, yes)
                for domain, slot, old, new in _changes(before, system.first_query, schema):
                    if not heard.informed.get((domain, slot)):
                        typed[domain, slot, old][new] += 1
            before = system.first_query
    kept = {old: tuple(v for v, n in found.items() if n >= least) for old, found in typed.items()}
    return {old: values for old, values in kept.items() if values}


def _changes(
    before: SystemState, after: SystemState, schema: Schema
) -> Iterator[tuple[str, str, str, str]]:
    """Domain, slot, old and new value of fields, other than names, that hold something else now."""
    for domain in schema.places:
        for slot in domain.form:
            old, new = (str(form.get(domain.key).get(slot.key)) for form in (before, after))
            if old and new and old != new and slot is not domain.name_slot:
                yield domain.key, slot.key, old, new


def style_samples(
    dialogue: Dialogue, schema: Schema, yes: str
) -> Iterator[tuple[Sequence[str], bool]]:
    """Wherever a name on the table might be typed: the answers before, and whether it was."""
    discourse = Discourse(schema, yes)
    answers: list[str] = []
    for user, system in zip(dialogue.turns[0::2], dialogue.turns[1::2], strict=False):
        heard = UserActs(user, schema, yes)
        for domain in schema.places if system.first_query and answers else ():
            assert system.first_query is not None
            for habit in naming(discourse, heard, domain.key, system.first_query):
                yield tuple(answers), habit.startswith("types")
        discourse.add(user, system)
        answers.append(system.text)


Forms = list[SystemState]
"""What is believed after each user turn of a dialogue that a system turn answers."""
Decide = Callable[[TurnCandidates, Matrix, DialogueState, SystemState], TextDialogueState]
"""A scene, its rows, the belief before, the form the wizard typed -> what is believed now."""


@dataclass(frozen=True, slots=True)
class TextTrackerConfig:
    """How the tracker learns."""

    rounds: int = 300
    """Trees."""
    passes: int = 3
    """Times the dialogues are tracked by trees that have not seen them: +1.4 points in all."""
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class TrackedDialogue:
    """One dialogue tracked: the candidates of all its turns, and what came to be believed."""

    rows: Matrix
    labels: list[bool]
    forms: Forms


@dataclass(frozen=True, slots=True)
class TrainedTextTracker:
    """A tracker, and what trackers that had not seen a dialogue believed of it."""

    tracker: TextTracker
    held_out: list[Forms]


def train_text_tracker(
    dialogues: Sequence[PredictedDialogue],
    database: Database,
    config: TextTrackerConfig | None = None,
    *,
    told: StepCallback = nobody,
    stages: Stages | None = None,
) -> TrainedTextTracker:
    """From dialogues that were understood no better than new ones will be."""
    config = config or TextTrackerConfig()
    school = _School(dialogues, database, config, told, stages)
    walks = [school.walk(number, _teacher) for number in range(len(dialogues))]
    for number in range(config.passes):
        walks = school.rehearse(walks, f"pass {number + 1}")
    tracker = TextTracker(database, school.grow(walks, "trees"), school.knowledge)
    return TrainedTextTracker(tracker, [walk.forms for walk in walks])


class _School:
    """Dialogues in folds, each fold with the knowledge of the others."""

    def __init__(
        self,
        heard: Sequence[PredictedDialogue],
        database: Database,
        config: TextTrackerConfig,
        told: StepCallback,
        stages: Stages | None,
    ) -> None:
        dialogues = [each.dialogue for each in heard]
        self._heard, self._dialogues, self._config = heard, dialogues, config
        self._told, self._stages = told, stages
        self._schema, self._language = database.world.schema, database.world.language
        self._columns: tuple[str, ...] = ()
        words = frequent_words(dialogues, self._language)
        self.knowledge = learn_knowledge(dialogues, self._schema, self._language, words)
        self._makers = [
            TurnCandidateMaker(
                database,
                learn_knowledge(self._without(fold), self._schema, self._language, words),
            )
            for fold in range(config.folds)
        ]

    def _without(self, fold: int) -> list[Dialogue]:
        return [each for at, each in enumerate(self._dialogues) if at % self._config.folds != fold]

    def rehearse(self, walks: Sequence[TrackedDialogue], part: str) -> list[TrackedDialogue]:
        """All dialogues tracked by trees that learned from the walks through the others."""
        folds, new = self._config.folds, list(walks)
        for fold in range(folds):
            others = [walk for at, walk in enumerate(walks) if at % folds != fold]
            trees = self.grow(others, f"{part}, {fold + 1} of {folds}")
            for at in range(fold, len(walks), folds):
                new[at] = self.walk(at, _tracking(trees))
        return new

    def walk(self, number: int, decide: Decide) -> TrackedDialogue:
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
        return TrackedDialogue(np.concatenate(blocks) if blocks else self._nothing(), labels, forms)

    def _matrix(self, scene: TurnCandidates) -> Matrix:
        rows = [row for each in scene.fields for row in each.rows]
        if rows and not self._columns:
            self._columns = tuple(rows[0])
        return matrix_of(rows, self._columns) if rows else self._nothing()

    def _nothing(self) -> Matrix:
        return np.zeros((0, len(self._columns)), dtype=np.float32)

    def grow(self, walks: Sequence[TrackedDialogue], part: str) -> Trees:
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
) -> TextDialogueState:
    """Believes what the wizard typed."""
    belief = believed(scene, before, [float(answer) for answer in _answers(scene, typed)])
    return replace(belief, form=typed)


def _tracking(trees: Trees) -> Decide:
    def decide(
        scene: TurnCandidates, rows: Matrix, before: DialogueState, typed: SystemState
    ) -> TextDialogueState:
        return believed(scene, before, trees.of_matrix(rows))

    return decide
