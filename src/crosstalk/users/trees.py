"""Boosted trees as plain data: read from JSON, evaluated without the library that grew them.

A turn needs some twenty rows; walking the trees here takes less time than one call into a library.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Row = Sequence[float]


@dataclass(frozen=True, slots=True)
class Tree:
    """One binary tree as parallel lists; node 0 is the root, -1 the first leaf, -2 the second."""

    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    left: tuple[int, ...]
    """Where to go when the feature is at most the threshold."""
    right: tuple[int, ...]
    leaves: tuple[float, ...]

    def value(self, row: Row) -> float:
        if not self.features:
            return self.leaves[0]
        features, thresholds, left, right = self.features, self.thresholds, self.left, self.right
        node = 0
        while node >= 0:
            below = row[features[node]] <= thresholds[node]
            node = left[node] if below else right[node]
        return self.leaves[~node]


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees whose sum is the log odds of a yes."""

    trees: tuple[Tree, ...]
    width: int
    """How many features a row has."""

    def probability(self, row: Row) -> float:
        total = 0.0
        for tree in self.trees:
            total += tree.value(row)
        return 1 / (1 + math.exp(-total))

    def to_json(self) -> dict[str, Any]:
        trees = [
            [list(t.features), list(t.thresholds), list(t.left), list(t.right), list(t.leaves)]
            for t in self.trees
        ]
        return {"width": self.width, "trees": trees}

    @classmethod
    def from_json(cls, raw: Any) -> "Forest":
        """Raises ValueError, TypeError or KeyError for what is no forest."""
        forest = cls(tuple(Tree(*map(tuple, each)) for each in raw["trees"]), int(raw["width"]))
        for tree in forest.trees:
            _refuse_broken(tree, forest.width)
        return forest


def _refuse_broken(tree: Tree, width: int) -> None:
    """A walk through the tree must end, and ask only for features there are."""
    nodes, leaves = len(tree.features), len(tree.leaves)
    if (
        leaves != nodes + 1
        or not len(tree.thresholds) == len(tree.left) == len(tree.right) == nodes
    ):
        raise ValueError("a tree whose lists do not fit together")
    if any(not 0 <= feature < width for feature in tree.features):
        raise ValueError("a tree that asks for a feature there is not")
    for node, children in enumerate(zip(tree.left, tree.right, strict=True)):
        if any(not (node < child < nodes or 0 > child >= -leaves) for child in children):
            raise ValueError("a tree with a branch that leads nowhere")
