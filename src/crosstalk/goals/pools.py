"""Pools: what a draw may give, and how often.

Draws use nothing but `Random.random()`, whose numbers no version of Python may change.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Pool(Generic[Item]):
    """Items with their weights, in table order: that order, not the text, decides a draw.

    Hence one seed draws the same row of the same list in every language of a world.
    """

    items: tuple[Item, ...]
    weights: tuple[float, ...]
    sums: tuple[float, ...]

    @classmethod
    def of(cls, weighted: Iterable[tuple[Item, float]]) -> "Pool[Item]":
        """A pool of the items whose weight is above zero."""
        kept = [(item, weight) for item, weight in weighted if weight > 0]
        weights = tuple(weight for _, weight in kept)
        return cls(tuple(item for item, _ in kept), weights, tuple(accumulate(weights)))

    @classmethod
    def even(cls, items: Iterable[Item]) -> "Pool[Item]":
        return cls.of((item, 1) for item in items)

    def __bool__(self) -> bool:
        return bool(self.items)

    def draw(self, rng: Random) -> Item:
        return self.items[
            bisect_right(self.sums, rng.random() * self.sums[-1], hi=len(self.sums) - 1)
        ]

    def without(self, taken: Collection[Item]) -> "Pool[Item]":
        pairs = zip(self.items, self.weights, strict=True)
        return Pool.of((item, weight) for item, weight in pairs if item not in taken)


def count_pool(weights: tuple[float, ...]) -> Pool[int]:
    """How many to take: the first weight is that of taking one; no weight at all: none."""
    return Pool.of(enumerate(weights, start=1)) or Pool.even([0])


def some(items: Sequence[Item], count: int, rng: Random) -> list[Item]:
    """The first few of the items, shuffled; all of them if there are no more than `count`."""
    left = list(items)
    picks = range(min(count, len(left)))
    return [left.pop(int(rng.random() * len(left))) for _ in picks]
