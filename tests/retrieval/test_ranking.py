"""Recall at k, ties and intervals."""

import numpy as np
import pytest

from crosstalk.errors import InputError
from crosstalk.evaluation.response_selection import Ranking, rank, rank_all, select
from crosstalk.retrieval.response_sampling import ResponseGroup
from crosstalk.retrieval.scorers import Chance, LengthOnly


def test_ties_count_as_chance() -> None:
    everything_tied = sum((rank([0.0] * 10) for _ in range(3)), Ranking())
    assert everything_tied.recall(1) == pytest.approx(10)
    assert everything_tied.recall(5) == pytest.approx(50)


def test_recall_and_reciprocal_rank() -> None:
    assert rank([1.0, 0.5, 2.0]).recall(1) == 0
    assert rank([1.0, 0.5, 2.0]).recall(2) == 100
    assert rank([1.0, 0.5, 2.0]).reciprocal_rank == 50
    assert rank([float("nan"), 0.0]).recall(1) == 0


def test_the_interval_covers_the_value_and_is_the_same_each_time() -> None:
    ranking = rank_all(np.random.default_rng(1).random((200, 10)))
    low, high = ranking.interval(1) or (0.0, 0.0)
    assert low < (ranking.recall(1) or 0) < high
    assert ranking.interval(1) == (low, high)
    assert Ranking().interval(1) is None


def test_one_in_two_looks_at_the_first_false_response_only() -> None:
    group = ResponseGroup("c", "longer", ("short", "the longest of all"))
    selection = select(LengthOnly(), [group])
    assert selection.record() == {"r2@1": 100, "r3@1": 0, "r3@2": 100, "r3@5": 100, "mrr": 50}
    assert select(Chance(), [group]).record()["r2@1"] == 50


def test_groups_of_different_sizes_do_not_compare() -> None:
    with pytest.raises(InputError, match="groups of 2, 3 responses"):
        select(Chance(), [ResponseGroup("c", "a", ("b",)), ResponseGroup("c", "a", ("b", "d"))])
