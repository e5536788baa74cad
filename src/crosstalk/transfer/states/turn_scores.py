"""Which slots a turn sets, read off sentence vectors: ridge regression, the same in every language.

A frozen multilingual encoder puts translations near each other, so what English turns teach about
a slot holds for turns in another language. Vectors are centred by language, which needs no labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosstalk.transfer.states.slots import ANY, StateSlot
from crosstalk.transfer.states.turn_features import TurnFeatures

Matrix = np.ndarray[Any, Any]
STRENGTH = 3.0
"""Of the ridge; 1 to 10 differ by a fifth of a point on English dialogues held out."""


@dataclass(frozen=True, slots=True)
class TurnScores:
    """For every slot: is it set in this turn, is it set to `any`."""

    weights: Matrix

    def of(self, inputs: Matrix) -> Matrix:
        return with_one(inputs) @ self.weights


def with_one(inputs: Matrix) -> Matrix:
    return np.hstack([inputs, np.ones((len(inputs), 1), np.float32)])


def fit(inputs: Matrix, targets: Matrix) -> TurnScores:
    rows = with_one(inputs)
    gram = rows.T @ rows + STRENGTH * np.eye(rows.shape[1], dtype=rows.dtype)
    return TurnScores(np.linalg.solve(gram, rows.T @ targets).astype(np.float32))


def targets(
    moments: Sequence[TurnFeatures],
    states: Sequence[Mapping[str, str]],
    slots: tuple[StateSlot, ...],
) -> Matrix:
    """Two columns a slot, and one a domain."""
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


def columns(scores: Matrix, moment: TurnFeatures, slots: tuple[StateSlot, ...]) -> Matrix:
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
