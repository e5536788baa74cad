"""The order of lists in user states.

People's lists are stored neither as spoken nor alphabetically: longer names come first (they were
searched for longest first), names of one length in a fixed order of their own, which is learned.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter


@dataclass(frozen=True, slots=True)
class ListOrder:
    """A total order of texts: by length, then as learned, then alphabetically."""

    ranks: dict[str, int] = field(default_factory=dict)

    def sort(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Each text once."""
        last = len(self.ranks)
        return tuple(sorted(set(texts), key=lambda t: (-len(t), self.ranks.get(t, last), t)))


def learn_order(lists: Iterable[tuple[str, ...]]) -> ListOrder:
    """From lists as they were stored; where they contradict each other nothing is learned."""
    before: dict[str, set[str]] = defaultdict(set)
    for texts in lists:
        for position, text in enumerate(texts):
            before[text] |= {other for other in texts[:position] if len(other) == len(text)}
    predecessors = {text: sorted(others - {text}) for text, others in sorted(before.items())}
    try:
        ordered = list(TopologicalSorter(predecessors).static_order())
    except CycleError:
        return ListOrder()
    return ListOrder({text: rank for rank, text in enumerate(ordered)})
