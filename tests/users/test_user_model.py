"""Forests as data."""

import math

import pytest

from crosstalk.users.user_model import Forest, Tree

STUMP = Tree((1,), (0.5,), (-1,), (-2,), (-2.0, 3.0))


def test_a_row_goes_left_up_to_the_threshold_and_right_above_it() -> None:
    assert STUMP.value([9, 0.5]) == -2.0
    assert STUMP.value([9, 0.6]) == 3.0


def test_trees_add_up_to_log_odds() -> None:
    forest = Forest((STUMP, Tree((), (), (), (), (1.0,))), 2)
    assert forest.probability([0, 1]) == pytest.approx(1 / (1 + math.exp(-4)))


def test_a_forest_survives_json() -> None:
    forest = Forest((STUMP,), 2)
    assert Forest.from_json(forest.to_json()) == forest


@pytest.mark.parametrize(
    "tree",
    [
        [[5], [0.5], [-1], [-2], [0, 1]],
        [[0], [0.5], [0], [-2], [0, 1]],
        [[0], [0.5], [-1], [-3], [0, 1]],
        [[0], [0.5], [-1], [-2], [0]],
    ],
    ids=["unknown feature", "endless", "no such leaf", "too few leaves"],
)
def test_broken_trees_are_refused(tree: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="a tree"):
        Forest.from_json({"width": 2, "trees": [tree]})
