"""Sentence vectors of both sides of a turn, centred by language; or none, where there are none.

The mean of a language is taken over texts without labels. Without the encoder's package a tracker
learns and works all the same, from what it reads alone.

Which slots a turn sets, read off sentence vectors: ridge regression, the same in every language.

A frozen multilingual encoder puts translations near each other, so what English turns teach about
a slot holds for turns in another language. Vectors are centred by language, which needs no labels.

Words around a candidate, in one language: a linear scorer over hashed features.

It learns what the cue tables do not say, and only in languages it has dialogues of.

From turns to rows: what was read, and what the two scorers make of it, side by side.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crosstalk.training.boosting import Matrix
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.states.state_candidates import (
    SlotCandidate,
    TokenizedUtterance,
    TurnFeatures,
    ValueMention,
)
from crosstalk.transfer.states.state_features import Featurer, SlotPriors
from crosstalk.transfer.states.state_slots import ANY, StateSlot
from crosstalk.transfer.states.turns import StateDialogue
from crosstalk.transfer.transfer_corpora import SOURCE


@dataclass(slots=True)
class Sentences:
    """Vectors by a frozen encoder, and the means of the languages met so far."""

    encoder: CachedEncoder
    means: dict[str, Matrix] = field(default_factory=dict)
    """Language -> the mean vector of users' texts, then that of systems' texts."""

    def meet(self, language: str, dialogues: Iterable[StateDialogue]) -> None:
        """Learn how a language lies among the others; what is known already stays."""
        if language in self.means:
            return
        turns = [turn for dialogue in dialogues for turn in dialogue.turns]
        user = self.encoder.vectors(sorted({turn.user for turn in turns}))
        system = self.encoder.vectors(sorted({turn.system for turn in turns}))
        self.means[language] = np.concatenate([user.mean(axis=0), system.mean(axis=0)])

    def inputs(self, moments: Sequence[TurnFeatures]) -> Matrix:
        user = self.encoder.vectors([moment.turn.user for moment in moments])
        system = self.encoder.vectors([moment.turn.system for moment in moments])
        centres = np.stack([self.means[moment.language] for moment in moments])
        return np.asarray(np.hstack([user, system]) - centres, np.float32)


RIDGE_PENALTY = 3.0
"""Of the ridge; 1 to 10 differ by a fifth of a point on English dialogues held out."""


@dataclass(frozen=True, slots=True)
class TurnScorer:
    """For every slot: is it set in this turn, is it set to `any`."""

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
    moments: Sequence[TurnFeatures],
    states: Sequence[Mapping[str, str]],
    slots: tuple[StateSlot, ...],
) -> Matrix:
    """Two turn_columns a slot, and one a domain."""
    domains = list(dict.fromkeys(slot.domain for slot in slots))
    table = np.zeros((len(moments), 2 * len(slots) + len(domains)), np.float32)
    for row, (moment, state) in enumerate(zip(moments, states, strict=True)):
        for number, slot in enumerate(slots):
            value = state.get(slot.key)
            if value is not None and value != moment.memory.state.get(slot.key):
                table[row, 2 * number] = 1
                table[row, 2 * number + 1] = value == ANY
                table[row, 2 * len(slots) + domains.index(slot.domain)] = 1
    return table


def turn_columns(scores: Matrix, moment: TurnFeatures, slots: tuple[StateSlot, ...]) -> Matrix:
    """Per candidate: its slot set, set to `any`, its domain touched, and the best of its rivals."""
    keys = [slot.key for slot in slots]
    domains = list(dict.fromkeys(slot.domain for slot in slots))
    rows = np.zeros((len(moment.found), 5), np.float32)
    for number, each in enumerate(moment.found):
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


@dataclass(frozen=True, slots=True)
class ContextScorer:
    """How likely a candidate is, by the words around it."""

    weights: Matrix

    def of(self, rows: csr_matrix) -> Matrix:
        return np.asarray(rows @ self.weights, np.float32)


def fit_contexts(rows: csr_matrix, answers: Matrix) -> ContextScorer:
    """Logistic regression, a fixed number of steps: the same rows give the same weights."""
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


def context_rows(moments: Sequence[TurnFeatures]) -> csr_matrix:
    """One row a candidate, in order."""
    places, ends = list[int](), [0]
    for moment in moments:
        bags = (_bag(moment.user, "user"), _bag(moment.system, "system"))
        for each in moment.found:
            start = f"{moment.language} {each.slot.key} {_candidate_source(each)}"
            seen = {f"{start} {word}" for word in _context_words(each, moment, bags)}
            seen |= {
                f"{moment.language} {each.slot.topic} {word}" for word in _around(each, moment)
            }
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
    """Words and pairs of words; of the system only the last twenty."""
    tokens = text.tokens[-20:] if who == "system" else text.tokens
    pairs = [f"{one} {two}" for one, two in pairwise(tokens)]
    return [f"{who} {word}" for word in dict.fromkeys([*tokens, *pairs])]


def _context_words(
    each: SlotCandidate, moment: TurnFeatures, bags: tuple[list[str], list[str]]
) -> Iterator[str]:
    yield ""
    yield from bags[0]
    yield from bags[1]
    yield from _around(each, moment)
    yield f"value {each.value}"


def _around(each: SlotCandidate, moment: TurnFeatures) -> Iterator[str]:
    for spot, text, who in ((each.said, moment.user, "u"), (each.offered, moment.system, "s")):
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
    """What was learnt before the trees; each may be missing."""

    turns: TurnScorer | None = None
    words: ContextScorer | None = None

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
            found.append(self.words.of(context_rows(moments))[:, None])
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
) -> tuple[Matrix, TurnScorer]:
    """Columns from scorers that did not see the part they score; and one that saw all."""
    inputs = sentences.inputs(taught.moments)
    wanted = turn_targets(taught.moments, taught.states, slots)
    scores = np.zeros_like(wanted)
    for part in range(FOLDS):
        mine = taught.parts == part
        if mine.any() and not mine.all():
            scores[mine] = fit_turn_scorer(inputs[~mine], wanted[~mine]).of(inputs[mine])
    return _by_candidate(scores, taught.moments, slots), fit_turn_scorer(inputs, wanted)


def crossed_words(taught: TaughtTurns) -> tuple[Matrix, ContextScorer]:
    """The same for the words around candidates."""
    rows, answers = context_rows(taught.moments), taught.answers
    scores = np.zeros((len(answers), 1), np.float32)
    for part in range(FOLDS):
        mine = taught.row_parts == part
        if mine.any() and not mine.all():
            scores[mine, 0] = fit_contexts(rows[~mine], answers[~mine]).of(rows[mine])
    return scores, fit_contexts(rows, answers)


def _by_candidate(
    scores: Matrix, moments: Sequence[TurnFeatures], slots: tuple[StateSlot, ...]
) -> Matrix:
    found = [turn_columns(scores[number], moment, slots) for number, moment in enumerate(moments)]
    return np.vstack(found)
