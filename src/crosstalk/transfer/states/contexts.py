"""Words around a candidate, in one language: a linear scorer over hashed features.

It learns what the cue tables do not say, and only in languages it has dialogues of.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from crosstalk.transfer.states.candidates import SlotCandidate
from crosstalk.transfer.states.scene import TokenizedUtterance, ValueMention
from crosstalk.transfer.states.slots import ANY
from crosstalk.transfer.states.turn_features import TurnFeatures

Matrix = np.ndarray[Any, Any]
SIZE = 1 << 18
WINDOW = 4
STEPS = 40
STRENGTH = 1.0


@dataclass(frozen=True, slots=True)
class Contexts:
    """How likely a candidate is, by the words around it."""

    weights: Matrix

    def of(self, rows: csr_matrix) -> Matrix:
        return np.asarray(rows @ self.weights, np.float32)


def fit(rows: csr_matrix, answers: Matrix) -> Contexts:
    """Logistic regression, a fixed number of steps: the same rows give the same weights."""
    signs = np.where(answers, 1.0, -1.0)

    def loss(weights: Matrix) -> tuple[float, Matrix]:
        margins = signs * (rows @ weights)
        value = np.logaddexp(0, -margins).sum() + STRENGTH / 2 * weights @ weights
        pull = -signs / (1 + np.exp(np.clip(margins, -30, 30)))
        return float(value), np.asarray(rows.T @ pull) + STRENGTH * weights

    found = minimize(loss, np.zeros(SIZE), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return Contexts(found.x.astype(np.float32))


def rows_of(moments: Sequence[TurnFeatures]) -> csr_matrix:
    """One row a candidate, in order."""
    places, ends = list[int](), [0]
    for moment in moments:
        bags = (_bag(moment.user, "user"), _bag(moment.system, "system"))
        for each in moment.found:
            start = f"{moment.language} {each.slot.key} {_kind(each)}"
            seen = {f"{start} {word}" for word in _words(each, moment, bags)}
            seen |= {
                f"{moment.language} {each.slot.topic} {word}" for word in _around(each, moment)
            }
            places += sorted({zlib.crc32(word.encode()) % SIZE for word in seen})
            ends.append(len(places))
    return csr_matrix(
        (np.ones(len(places), np.float32), np.array(places), np.array(ends)),
        shape=(len(ends) - 1, SIZE),
    )


def _kind(each: SlotCandidate) -> str:
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


def _words(
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
