"""Candidates scored by boosted trees: what all tree trackers share.

A tree tracker lists, for every slot, the values that it may hold after the user's turn, describes
each candidate by one row of features, scores the rows with boosted trees (`system.boosted`) and
takes the best value of each slot. Training labels the same candidates by the true state. Which
candidates there are and what their features say differs: `tree_tracker` reads acts and forms,
`text_tracker` predicted acts, `transfer.states.state_tracker` texts in any language.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeVar

from crosstalk.dialogue.schema import Domain, Slot
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def best_values(
    candidates: Iterable[tuple[Key, Value]], scores: Iterable[float], *, threshold: float = -inf
) -> dict[Key, Value]:
    """The value with the highest score of each slot; of equal scores, the first.

    Slots without a score above the threshold are left out: they stay as they are.
    """
    best: dict[Key, tuple[float, Value]] = {}
    for (key, value), score in zip(candidates, scores, strict=True):
        if score > threshold and (key not in best or score > best[key][0]):
            best[key] = score, value
    return {key: value for key, (_, value) in best.items()}


@dataclass(frozen=True, slots=True)
class SlotCandidates:
    """One slot of the form, its candidate values and one row of features per value."""

    domain: Domain
    slot: Slot
    values: tuple[SlotValue, ...]
    rows: tuple[Features, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.domain.key, self.slot.key

    def labels(self, form: SystemState) -> list[bool]:
        """Which of the values the form holds."""
        domain, slot = self.key
        true = form.get(domain).get(slot)
        return [value == true for value in self.values]


def all_rows(slots: Iterable[SlotCandidates]) -> list[Features]:
    return [row for each in slots for row in each.rows]


def scores_by_slot(
    slots: Iterable[SlotCandidates], scores: Sequence[float]
) -> Iterator[tuple[SlotCandidates, Sequence[float]]]:
    """Each slot with the scores of its own values, out of the scores of all rows."""
    start = 0
    for each in slots:
        yield each, scores[start : start + len(each.values)]
        start += len(each.values)


def with_best_values(
    form: SystemState, slots: Sequence[SlotCandidates], scores: Sequence[float]
) -> SystemState:
    """The form with the best value of each slot."""
    candidates = ((each.key, value) for each in slots for value in each.values)
    for (domain, slot), value in best_values(candidates, scores).items():
        form = form.with_domain(form.get(domain).with_slot(slot, value))
    return form
