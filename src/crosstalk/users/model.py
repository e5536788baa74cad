"""A trained user: three forests and an order of lists, kept as JSON."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing
from crosstalk.users.list_order import ListOrder

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


FILE = "model.json"
FORMAT = 1
NAME = "user"
"""Of the model among the trained models."""


@dataclass(frozen=True, slots=True)
class UserModel:
    """What was learned from people."""

    values: Forest
    """That a candidate is what a person writes down."""
    telling: Forest
    """That a tuple is said next."""
    wording: Forest
    """That an act is said."""
    order: ListOrder


def save_model(model: UserModel, folder: Path) -> None:
    document = {
        "format": FORMAT,
        "values": model.values.to_json(),
        "telling": model.telling.to_json(),
        "wording": model.wording.to_json(),
        "order": sorted(model.order.ranks, key=lambda text: model.order.ranks[text]),
    }
    with writing(folder / FILE) as file:
        json.dump(document, file, ensure_ascii=False, separators=(",", ":"))


def load_model(folder: Path) -> UserModel:
    file = folder / FILE
    raw = read_json(file)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']!r}, expected {FORMAT}")
        return UserModel(
            values=Forest.from_json(raw["values"]),
            telling=Forest.from_json(raw["telling"]),
            wording=Forest.from_json(raw["wording"]),
            order=ListOrder({str(text): rank for rank, text in enumerate(raw["order"])}),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileProblem(
            f"{file}: not a user model: {error}",
            remedy="Train it again: crosstalk train user --data FILE --out DIR.",
        ) from error
