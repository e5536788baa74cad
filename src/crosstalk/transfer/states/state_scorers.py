"""Scorers that turn texts into columns for the trees: by sentence vectors, and by context words.

`TurnScorer` predicts from sentence vectors which slots a turn sets (ridge regression). A frozen
multilingual encoder places translations near each other, so what English turns teach about a slot
holds in other languages; vectors are centred by language, which needs no labels. Without the
encoder the tracker works from what it reads in the texts alone. `ContextScorer` scores the words
around a candidate by hashed features, in languages with training dialogues only. `cross_fit_...`
give columns from scorers that have not seen the fold they score.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crosstalk.corpora.multiwoz_labels import ANY
from crosstalk.dialogue.dialogues import Dialogue
from crosstalk.training.boosting import Matrix
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states.state_candidates import (
    CandidateTurn,
    SlotCandidate,
    TokenizedUtterance,
    ValueMention,
)
from crosstalk.transfer.states.state_dialogues import state_turns
from crosstalk.transfer.states.state_features import SlotPriors, StateFeatureMaker
from crosstalk.transfer.states.state_slots import StateSlot
from crosstalk.transfer.transfer_corpora import SOURCE


@dataclass(slots=True)
class SentenceVectors:
    """Sentence vectors of a frozen encoder, centred by language."""

    encoder: CachedEncoder
    means: dict[str, Matrix] = field(default_factory=dict)
    """Language -> the mean vector of users' texts, then that of systems' texts."""

    def meet(self, language: str, dialogues: Iterable[Dialogue]) -> None:
        """Take the mean of a language from unlabelled texts, unless it is known already."""
        if language in self.means:
            return
        turns = [turn for dialogue in dialogues for turn in state_turns(dialogue)]
        self.meet_texts(language, {turn.user for turn in turns}, {turn.system for turn in turns})

    def meet_texts(self, language: str, users: Iterable[str], systems: Iterable[str]) -> None:
        """The same from what users and systems say."""
        if language in self.means:
            return
        user, system = (self.encoder.vectors(sorted(each)) for each in (users, systems))
        self.means[language] = np.concatenate([user.mean(axis=0), system.mean(axis=0)])

    def inputs(self, turns: Sequence[CandidateTurn]) -> Matrix:
        user = self.encoder.vectors([turn.turn.user for turn in turns])
        system = self.encoder.vectors([turn.turn.system for turn in turns])
        centres = np.stack([self.means[turn.language] for turn in turns])
        return np.asarray(np.hstack([user, system]) - centres, np.float32)


RIDGE_PENALTY = 3.0
"""L2 penalty; 1 to 10 differ by a fifth of a point on held-out English dialogues."""
TURN_COLUMNS: Final = (
    "slot set",
    "slot set to any",
    "domain touched",
    "same topic elsewhere",
    "ahead of elsewhere",
)


@dataclass(frozen=True, slots=True)
class TurnScorer:
    """Predicts for every slot whether a turn sets it, and whether to `dontcare`."""

    weights: Matrix

    def of(self, inputs: Matrix) -> Matrix:
        return with_bias(inputs) @ self.weights


def with_bias(inputs: Matrix) -> Matrix:
    return np.hstack([inputs, np.ones((len(inputs), 1), np.float32)])


def fit_turn_scorer(inputs: Matrix, turn_targets: Matrix) -> TurnScorer:
    rows = with_bias(inputs)
    gram = rows.T @ rows + RIDGE_PENALTY * np.eye(rows.shape[1], dtype=rows.dtype)
    return TurnScorer(np.linalg.solve(gram, rows.T @ turn_targets).astype(np.float32))


def turn_targets(
    turns: Sequence[CandidateTurn],
    states: Sequence[Mapping[str, str]],
    slots: tuple[StateSlot, ...],
) -> Matrix:
    """The true values: two columns per slot, one per domain."""
    domains = list(dict.fromkeys(slot.domain for slot in slots))
    table = np.zeros((len(turns), 2 * len(slots) + len(domains)), np.float32)
    for row, (turn, state) in enumerate(zip(turns, states, strict=True)):
        for number, slot in enumerate(slots):
            value = state.get(slot.key)
            if value is not None and value != turn.history.state.get(slot.key):
                table[row, 2 * number] = 1
                table[row, 2 * number + 1] = value == ANY
                table[row, 2 * len(slots) + domains.index(slot.domain)] = 1
    return table


def turn_columns(scores: Matrix, turn: CandidateTurn, slots: tuple[StateSlot, ...]) -> Matrix:
    """One row per candidate, with the columns of `TURN_COLUMNS`."""
    keys = [slot.key for slot in slots]
    domains = list(dict.fromkeys(slot.domain for slot in slots))
    rows = np.zeros((len(turn.candidates), 5), np.float32)
    for number, each in enumerate(turn.candidates):
        place = keys.index(each.slot.key)
        kin = [
            scores[2 * other]
            for other, slot in enumerate(slots)
            if slot.topic == each.slot.topic and slot.domain != each.slot.domain
        ]
        domain = scores[2 * len(slots) + domains.index(each.slot.domain)]
        rivals = max(kin, default=0.0)
        rows[number] = (
            scores[2 * place], scores[2 * place + 1], domain, rivals, scores[2 * place] - rivals
        )  # fmt: skip
    return rows


HASHED_FEATURES = 1 << 18
WINDOW = 4
CONTEXT_STEPS = 40
CONTEXT_PENALTY = 1.0
CONTEXT_COLUMN: Final = "words around"


@dataclass(frozen=True, slots=True)
class ContextScorer:
    """A linear model of how likely a candidate is, by the words around it."""

    weights: Matrix

    def of(self, rows: csr_matrix) -> Matrix:
        return np.asarray(rows @ self.weights, np.float32)


def fit_contexts(rows: csr_matrix, answers: Matrix) -> ContextScorer:
    """Logistic regression with a fixed number of steps: the same rows give the same weights."""
    signs = np.where(answers, 1.0, -1.0)

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        margins = signs * (rows @ weights)
        value = np.logaddexp(0, -margins).sum() + CONTEXT_PENALTY / 2 * weights @ weights
        pull = -signs / (1 + np.exp(np.clip(margins, -30, 30)))
        return float(value), np.asarray(rows.T @ pull) + CONTEXT_PENALTY * weights

    found = minimize(
        loss,
        np.zeros(HASHED_FEATURES),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": CONTEXT_STEPS},
    )
    return ContextScorer(found.x.astype(np.float32))


def context_rows(turns: Sequence[CandidateTurn]) -> csr_matrix:
    """One row of hashed features per candidate."""
    places, ends = list[int](), [0]
    for turn in turns:
        bags = (_bag(turn.user, "user"), _bag(turn.system, "system"))
        for each in turn.candidates:
            start = f"{turn.language} {each.slot.key} {_candidate_source(each)}"
            seen = {f"{start} {word}" for word in _context_words(each, turn, bags)}
            seen |= {f"{turn.language} {each.slot.topic} {word}" for word in _around(each, turn)}
            places += sorted({zlib.crc32(word.encode()) % HASHED_FEATURES for word in seen})
            ends.append(len(places))
    return csr_matrix(
        (np.ones(len(places), np.float32), np.array(places), np.array(ends)),
        shape=(len(ends) - 1, HASHED_FEATURES),
    )


def _candidate_source(each: SlotCandidate) -> str:
    if each.value in (ANY, "yes", "no"):
        return each.value
    if each.said:
        return "said"
    return "offered" if each.offered else "kept"


def _bag(text: TokenizedUtterance, who: str) -> list[str]:
    """Words and pairs of words; of the system only the last twenty words."""
    tokens = text.tokens[-20:] if who == "system" else text.tokens
    pairs = [f"{one} {two}" for one, two in pairwise(tokens)]
    return [f"{who} {word}" for word in dict.fromkeys([*tokens, *pairs])]


def _context_words(
    each: SlotCandidate, turn: CandidateTurn, bags: tuple[list[str], list[str]]
) -> Iterator[str]:
    yield ""
    yield from bags[0]
    yield from bags[1]
    yield from _around(each, turn)
    yield f"value {each.value}"


def _around(each: SlotCandidate, turn: CandidateTurn) -> Iterator[str]:
    for spot, text, who in ((each.said, turn.user, "u"), (each.offered, turn.system, "s")):
        if spot is not None:
            yield from _window(spot, text, who)


def _window(spot: ValueMention, text: TokenizedUtterance, who: str) -> Iterator[str]:
    before = ["<", *text.tokens[: spot.start]][-WINDOW:]
    after = [*text.tokens[spot.end :], ">"][:WINDOW]
    for gap, word in enumerate(reversed(before)):
        yield f"{who} before {word}"
        yield f"{who} -{gap} {word}"
    for gap, word in enumerate(after):
        yield f"{who} after {word}"
        yield f"{who} +{gap} {word}"
    yield f"{who} -- {' '.join(before[-2:])}"
    yield f"{who} ++ {' '.join(after[:2])}"


FOLDS = 5


@dataclass(frozen=True, slots=True)
class Scorers:
    """The scorers whose output the trees read; each may be missing."""

    turns: TurnScorer | None = None
    words: ContextScorer | None = None

    @property
    def column_names(self) -> tuple[str, ...]:
        return (*(TURN_COLUMNS if self.turns else ()), *((CONTEXT_COLUMN,) if self.words else ()))

    def columns(
        self,
        turns: Sequence[CandidateTurn],
        slots: tuple[StateSlot, ...],
        sentences: SentenceVectors | None,
    ) -> list[Matrix]:
        found = []
        if self.turns is not None and sentences is not None:
            scores = self.turns.of(sentences.inputs(turns))
            found.append(_by_candidate(scores, turns, slots))
        if self.words is not None:
            found.append(self.words.of(context_rows(turns))[:, None])
        return found


@dataclass(frozen=True, slots=True)
class LabelledTurns:
    """Turns with their true states, in folds by dialogue; translations share their fold."""

    turns: Sequence[CandidateTurn]
    states: Sequence[Mapping[str, str]]
    parts: Matrix
    """The fold of each turn."""

    @property
    def labels(self) -> Matrix:
        pairs = zip(self.turns, self.states, strict=True)
        return np.array([right for turn, state in pairs for right in turn.labels(state)])

    @property
    def row_parts(self) -> Matrix:
        return np.repeat(self.parts, [len(turn.candidates) for turn in self.turns])


def labelled_rows(
    features: StateFeatureMaker, labelled: LabelledTurns, priors: Sequence[SlotPriors]
) -> Matrix:
    """Features of all candidates, with the priors of the other folds."""
    rows = [
        turn_rows(features, turn, priors[part])
        for turn, part in zip(labelled.turns, labelled.parts, strict=True)
        if turn.candidates
    ]
    return np.vstack(rows)


def turn_rows(features: StateFeatureMaker, turn: CandidateTurn, priors: SlotPriors) -> Matrix:
    """Features of the candidates of one turn."""
    foreign = turn.language != SOURCE
    return features.rows(
        turn.candidates, turn.system, turn.user, turn.history, priors, foreign=foreign
    )


def cross_fit_turns(
    labelled: LabelledTurns, slots: tuple[StateSlot, ...], sentences: SentenceVectors
) -> tuple[Matrix, TurnScorer]:
    """Columns from scorers that have not seen the fold, and a scorer trained on all folds."""
    inputs = sentences.inputs(labelled.turns)
    wanted = turn_targets(labelled.turns, labelled.states, slots)
    scores = np.zeros_like(wanted)
    for part in range(FOLDS):
        mine = labelled.parts == part
        if mine.any() and not mine.all():
            scores[mine] = fit_turn_scorer(inputs[~mine], wanted[~mine]).of(inputs[mine])
    return _by_candidate(scores, labelled.turns, slots), fit_turn_scorer(inputs, wanted)


def cross_fit_contexts(labelled: LabelledTurns) -> tuple[Matrix, ContextScorer]:
    """The same for the words around candidates."""
    rows, answers = context_rows(labelled.turns), labelled.labels
    scores = np.zeros((len(answers), 1), np.float32)
    for part in range(FOLDS):
        mine = labelled.row_parts == part
        if mine.any() and not mine.all():
            scores[mine, 0] = fit_contexts(rows[~mine], answers[~mine]).of(rows[mine])
    return scores, fit_contexts(rows, answers)


def _by_candidate(
    scores: Matrix, turns: Sequence[CandidateTurn], slots: tuple[StateSlot, ...]
) -> Matrix:
    found = [turn_columns(scores[number], turn, slots) for number, turn in enumerate(turns)]
    return np.vstack(found)
