"""Kappas and alpha against independent computations and published examples."""

import random
import warnings
from importlib import import_module

import numpy as np
import pytest

from crosstalk.evaluation.kappa import cohen_kappa, fleiss_kappa, krippendorff_alpha
from crosstalk.evaluation.scores import percentiles, resampled

METRICS = import_module("sklearn.metrics")  # it has no types

# Ten subjects, fourteen raters, five categories: the usual worked example of Fleiss' kappa.
FLEISS = """
0 0 0 0 14
0 2 6 4 2
0 0 3 5 6
0 3 9 2 0
2 2 8 1 1
7 7 0 0 0
3 2 6 3 0
2 5 3 2 2
6 5 2 1 0
0 2 2 3 7
"""

# Four observers, twelve units, some left out ("."): Krippendorff's own example of nominal data.
KRIPPENDORFF = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


@pytest.mark.parametrize("seed", range(5))
def test_cohen_is_what_scikit_learn_computes(seed: int) -> None:
    rng = random.Random(seed)
    first = [rng.choice("abcd") for _ in range(60)]
    second = [each if rng.random() < 0.6 else rng.choice("abce") for each in first]
    expected = METRICS.cohen_kappa_score(first, second)
    assert cohen_kappa(zip(first, second, strict=True)) == pytest.approx(expected)


def test_fleiss_published_example() -> None:
    counts = [list(map(int, line.split())) for line in FLEISS.strip().splitlines()]
    units = [
        [category for category, count in enumerate(row) for _ in range(count)] for row in counts
    ]
    assert fleiss_kappa(units) == pytest.approx(0.210, abs=0.0005)


def test_alpha_published_example() -> None:
    observers = [line.split() for line in KRIPPENDORFF.strip().splitlines()]
    units = [
        [None if each == "." else each for each in unit] for unit in zip(*observers, strict=True)
    ]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=0.0005)


def test_alpha_of_two_observers_by_hand() -> None:
    """Krippendorff's binary example: ten units, four disagreements, 14 zeros and 6 ones."""
    units = list(zip("0100000010", "1110010000", strict=True))
    assert krippendorff_alpha(units) == pytest.approx(1 - 19 * 4 / (14 * 6))


class TestConstantRaters:
    def test_the_same_everywhere_is_undefined(self) -> None:
        units = [("a", "a")] * 9
        assert cohen_kappa(units) is fleiss_kappa(units) is krippendorff_alpha(units) is None

    def test_constant_and_different_is_chance(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert METRICS.cohen_kappa_score(["a"] * 9, ["b"] * 9) == 0
        assert cohen_kappa([("a", "b")] * 9) == 0
        assert fleiss_kappa([("a", "b")] * 9) == -1

    def test_one_constant_rater_is_chance(self) -> None:
        assert cohen_kappa([("a", "a"), ("a", "b"), ("a", "a"), ("a", "b")]) == 0

    def test_nothing_rated_is_undefined(self) -> None:
        assert cohen_kappa([]) is fleiss_kappa([]) is krippendorff_alpha([]) is None
        assert krippendorff_alpha([("a", None), (None, "b")]) is None


def test_complete_agreement_is_one() -> None:
    units = [("a", "a"), ("b", "b"), ("c", "c")]
    assert cohen_kappa(units) == fleiss_kappa(units) == krippendorff_alpha(units) == 1


def test_samples_draw_as_many_dialogues_as_there_are() -> None:
    drawn = resampled(7, 50, seed=1)
    assert (drawn.sum(axis=1) == 7).all()
    assert (drawn == resampled(7, 50, seed=1)).all()
    assert (drawn != resampled(7, 50, seed=2)).any()


def test_intervals_pass_over_what_is_undefined() -> None:
    assert percentiles(np.array([np.nan, 1.0, 1.0])) == (1.0, 1.0)
    assert percentiles(np.array([np.nan])) is None
