"""The model of the learned user: three forests and an order of lists, stored as JSON.

Lists in user states are ordered neither as spoken nor alphabetically: longer names come first (the
annotators searched for the longest first), names of one length in a fixed order, which is learned.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from crosstalk.errors import FileProblem
from crosstalk.files import read_json, writing


@dataclass(frozen=True, slots=True)
class ListOrder:
    """A total order of texts: by length, then as learned, then alphabetically."""

    ranks: dict[str, int] = field(default_factory=dict)

    def sort(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Each text once."""
        last = len(self.ranks)
        return tuple(sorted(set(texts), key=lambda t: (-len(t), self.ranks.get(t, last), t)))


def learn_order(lists: Iterable[tuple[str, ...]]) -> ListOrder:
    """Learn the order from stored lists; empty if they contradict each other."""
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
        """Raises ValueError, TypeError or KeyError for anything but a forest."""
        forest = cls(tuple(Tree(*map(tuple, each)) for each in raw["trees"]), int(raw["width"]))
        for tree in forest.trees:
            _refuse_broken(tree, forest.width)
        return forest


def _refuse_broken(tree: Tree, width: int) -> None:
    """Raise ValueError unless every path ends in a leaf and all features exist."""
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
"""Name of the model folder."""


@dataclass(frozen=True, slots=True)
class UserModel:
    """The trained forests and the order of lists."""

    values: Forest
    """Probability that a candidate value is written down."""
    telling: Forest
    """Probability that a tuple is said next."""
    wording: Forest
    """Probability that an act is said."""
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
