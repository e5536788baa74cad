"""From turns to rows: what was read, and what the two scorers make of it, side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosstalk.transfer.languages import SOURCE
from crosstalk.transfer.states import contexts, turn_scores
from crosstalk.transfer.states.contexts import Contexts
from crosstalk.transfer.states.features import Featurer, SlotPriors
from crosstalk.transfer.states.sentences import Sentences
from crosstalk.transfer.states.slots import StateSlot
from crosstalk.transfer.states.turn_features import TurnFeatures
from crosstalk.transfer.states.turn_scores import TurnScores

Matrix = np.ndarray[Any, Any]
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Scorers:
    """What was learnt before the trees; each may be missing."""

    turns: TurnScores | None = None
    words: Contexts | None = None

    def columns(
        self,
        moments: Sequence[TurnFeatures],
        slots: tuple[StateSlot, ...],
        sentences: Sentences | None,
    ) -> list[Matrix]:
        found = []
        if self.turns is not None and sentences is not None:
            scores = self.turns.of(sentences.inputs(moments))
            found.append(_by_candidate(scores, moments, slots))
        if self.words is not None:
            found.append(self.words.of(contexts.rows_of(moments))[:, None])
        return found


@dataclass(frozen=True, slots=True)
class TaughtTurns:
    """Turns with their outcome, in parts by dialogue: a translation is in its original's part."""

    moments: Sequence[TurnFeatures]
    states: Sequence[Mapping[str, str]]
    parts: Matrix
    """One number a moment, below `FOLDS`."""

    @property
    def answers(self) -> Matrix:
        pairs = zip(self.moments, self.states, strict=True)
        return np.array([right for moment, state in pairs for right in moment.answers(state)])

    @property
    def row_parts(self) -> Matrix:
        return np.repeat(self.parts, [len(moment.found) for moment in self.moments])


def read_rows(featurer: Featurer, taught: TaughtTurns, habits: Sequence[SlotPriors]) -> Matrix:
    """Habits of the other parts for each part: its own would give the answers away."""
    rows = [
        featurer_rows(featurer, moment, habits[part])
        for moment, part in zip(taught.moments, taught.parts, strict=True)
        if moment.found
    ]
    return np.vstack(rows)


def featurer_rows(featurer: Featurer, moment: TurnFeatures, habits: SlotPriors) -> Matrix:
    """The rows of one turn's candidates."""
    foreign = moment.language != SOURCE
    return featurer.rows(
        moment.found, moment.system, moment.user, moment.memory, habits, foreign=foreign
    )


def crossed_turns(
    taught: TaughtTurns, slots: tuple[StateSlot, ...], sentences: Sentences
) -> tuple[Matrix, TurnScores]:
    """Columns from scorers that did not see the part they score; and one that saw all."""
    inputs = sentences.inputs(taught.moments)
    wanted = turn_scores.targets(taught.moments, taught.states, slots)
    scores = np.zeros_like(wanted)
    for part in range(FOLDS):
        mine = taught.parts == part
        if mine.any() and not mine.all():
            scores[mine] = turn_scores.fit(inputs[~mine], wanted[~mine]).of(inputs[mine])
    return _by_candidate(scores, taught.moments, slots), turn_scores.fit(inputs, wanted)


def crossed_words(taught: TaughtTurns) -> tuple[Matrix, Contexts]:
    """The same for the words around candidates."""
    rows, answers = contexts.rows_of(taught.moments), taught.answers
    scores = np.zeros((len(answers), 1), np.float32)
    for part in range(FOLDS):
        mine = taught.row_parts == part
        if mine.any() and not mine.all():
            scores[mine, 0] = contexts.fit(rows[~mine], answers[~mine]).of(rows[mine])
    return scores, contexts.fit(rows, answers)


def _by_candidate(
    scores: Matrix, moments: Sequence[TurnFeatures], slots: tuple[StateSlot, ...]
) -> Matrix:
    found = [
        turn_scores.columns(scores[number], moment, slots) for number, moment in enumerate(moments)
    ]
    return np.vstack(found)
