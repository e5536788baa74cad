"""Training the text tracker on its own predictions, in several passes.

Dialogues come with predicted acts, not with the annotated ones. The first trees learn from the true
forms. In each pass, trees that have not seen a dialogue track it, and new trees learn from the
states so reached; so they learn to live with earlier mistakes and to correct them. Rewordings,
relaxations and the typing style are held out in the same way: a dialogue is only described with
those of other dialogues.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crosstalk.dialogue.dialogues import Dialogue, Speaker, exchanges
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.errors import InputError
from crosstalk.system.boosted import Trees, grow_matrix, matrix_of
from crosstalk.system.dst.candidate_scoring import all_rows
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.predicted_acts import PredictedDialogue
from crosstalk.system.dst.slot_candidates import Rewordings
from crosstalk.system.dst.text_tracker import (
    TextDialogueState,
    TextTracker,
    TextTrackerKnowledge,
    TurnCandidateMaker,
    TurnCandidates,
    next_state,
)
from crosstalk.system.dst.tracker import DialogueState, empty_form
from crosstalk.system.dst.tree_tracker import common_words, learn_rewordings
from crosstalk.system.dst.wizard_behaviour import fit_typing_style, name_typing
from crosstalk.training.boosting import Matrix, Rounds
from crosstalk.training.stages import Stages
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.worlds.queries import Database

FrequentWords = tuple[tuple[str, ...], tuple[str, ...]]
"""Of users, and of answers."""


def learn_knowledge(
    dialogues: Sequence[Dialogue], schema: Schema, language: LanguagePack, words: FrequentWords
) -> TextTrackerKnowledge:
    """`words`: as `frequent_words` finds them; all trees of a training must have the same."""
    samples = [
        each for dialogue in dialogues for each in style_samples(dialogue, schema, language.yes)
    ]
    return TextTrackerKnowledge(
        words[0],
        learn_rewordings(dialogues, schema),
        words[1],
        learn_relaxations(dialogues, schema, language.yes),
        fit_typing_style(samples),
    )


def frequent_words(dialogues: Sequence[Dialogue], language: LanguagePack) -> FrequentWords:
    said = (turn.text for dialogue in dialogues for turn in dialogue.user_turns)
    answered = (turn.text for dialogue in dialogues for turn in dialogue.system_turns)
    return common_words(said, language.code), common_words(answered, language.code, most=40)


def learn_relaxations(
    dialogues: Iterable[Dialogue], schema: Schema, yes: str, *, least: int = 2
) -> Rewordings:
    """What wizards change a slot to without a word of the user, where seen `least` times."""
    typed: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for dialogue in dialogues:
        before: SystemState | None = None
        for user, system in exchanges(dialogue.turns):
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
    """For every known name that the wizard could type: the answers before, and whether it was."""
    discourse = Discourse(schema, yes)
    answers: list[str] = []
    for user, system in exchanges(dialogue.turns):
        heard = UserActs(user, schema, yes)
        for domain in schema.places if system.first_query and answers else ():
            assert system.first_query is not None
            for typing in name_typing(discourse, heard, domain.key, system.first_query):
                yield tuple(answers), typing.startswith("types")
        discourse.add(user, system)
        answers.append(system.text)


Forms = list[SystemState]
"""The predicted form after each user turn that a system turn answers."""
NextState = Callable[[TurnCandidates, Matrix, DialogueState, SystemState], TextDialogueState]
"""Candidates of a turn, their rows, the state before, the form that was typed -> the new state."""


@dataclass(frozen=True, slots=True)
class TextTrackerConfig:
    """Training of the tracker."""

    rounds: int = 300
    """Number of trees."""
    passes: int = 3
    """Times the dialogues are tracked by trees that have not seen them: +1.4 points in all."""
    folds: int = 5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class TrackedDialogue:
    """One dialogue after tracking: the candidates of all its turns, and the predicted forms."""

    rows: Matrix
    labels: list[bool]
    forms: Forms


@dataclass(frozen=True, slots=True)
class TrainedTextTracker:
    """A tracker, and the forms that held-out trackers predicted for the training dialogues."""

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
    """Train on dialogues whose acts were predicted by models that had not seen them."""
    config = config or TextTrackerConfig()
    folds = _Folds(dialogues, database, config, told, stages)
    tracked = [folds.track(number, _true_state) for number in range(len(dialogues))]
    for number in range(config.passes):
        tracked = folds.track_held_out(tracked, f"pass {number + 1}")
    tracker = TextTracker(database, folds.grow(tracked, "trees"), folds.knowledge)
    return TrainedTextTracker(tracker, [each.forms for each in tracked])


class _Folds:
    """Dialogues in folds; each fold is described with the knowledge of the others."""

    def __init__(
        self,
        predicted: Sequence[PredictedDialogue],
        database: Database,
        config: TextTrackerConfig,
        told: StepCallback,
        stages: Stages | None,
    ) -> None:
        dialogues = [each.dialogue for each in predicted]
        self._predicted, self._dialogues, self._config = predicted, dialogues, config
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

    def track_held_out(
        self, tracked: Sequence[TrackedDialogue], part: str
    ) -> list[TrackedDialogue]:
        """All dialogues, each tracked by trees that learned from the other folds."""
        folds, new = self._config.folds, list(tracked)
        for fold in range(folds):
            others = [each for at, each in enumerate(tracked) if at % folds != fold]
            trees = self.grow(others, f"{part}, {fold + 1} of {folds}")
            for at in range(fold, len(tracked), folds):
                new[at] = self.track(at, _predicted_state(trees))
        return new

    def track(self, number: int, decide: NextState) -> TrackedDialogue:
        dialogue, predicted = self._dialogues[number], self._predicted[number].probabilities
        maker = self._makers[number % self._config.folds]
        state = DialogueState(empty_form(self._schema))
        blocks, labels, forms = [], [], []
        for position, turn in enumerate(dialogue.turns):
            if turn.speaker is not Speaker.SYSTEM or turn.first_query is None:
                continue
            found = maker.candidates(state, dialogue.turns[:position], predicted[position - 1])
            rows = self._matrix(found)
            state = decide(found, rows, state, turn.first_query)
            blocks.append(rows)
            labels += _labels(found, turn.first_query)
            forms.append(state.form)
        return TrackedDialogue(np.concatenate(blocks) if blocks else self._nothing(), labels, forms)

    def _matrix(self, turn: TurnCandidates) -> Matrix:
        rows = all_rows(turn.slots)
        if rows and not self._columns:
            self._columns = tuple(rows[0])
        return matrix_of(rows, self._columns) if rows else self._nothing()

    def _nothing(self) -> Matrix:
        return np.zeros((0, len(self._columns)), dtype=np.float32)

    def grow(self, tracked: Sequence[TrackedDialogue], part: str) -> Trees:
        labels = [label for each in tracked for label in each.labels]
        if not any(labels):
            raise InputError(
                "there is nothing to learn from: no system turn has a query form",
                remedy="Give a corpus with states, such as CrossWOZ val.",
            )
        rows = np.concatenate([each.rows for each in tracked if len(each.rows)])
        rounds = Rounds(self._config.rounds, 0, self._told, part, self._stages)
        return grow_matrix(rows, labels, self._columns, seed=self._config.seed, rounds=rounds)


def _labels(turn: TurnCandidates, typed: SystemState) -> list[bool]:
    """Which candidates the wizard typed."""
    return [label for each in turn.slots for label in each.labels(typed)]


def _true_state(
    turn: TurnCandidates, rows: Matrix, before: DialogueState, typed: SystemState
) -> TextDialogueState:
    """The state with the form that the wizard typed."""
    scores = [float(label) for label in _labels(turn, typed)]
    return replace(next_state(turn, before, scores), form=typed)


def _predicted_state(trees: Trees) -> NextState:
    def decide(
        turn: TurnCandidates, rows: Matrix, before: DialogueState, typed: SystemState
    ) -> TextDialogueState:
        return next_state(turn, before, trees.of_matrix(rows))

    return decide
