"""Measures of agreement, against numbers computed by hand."""

import pytest

from crosstalk.evaluation.alpha_distances import interval_alpha, masi_alpha, masi_distances
from crosstalk.evaluation.kappa import (
    Unit,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    pabak_of,
)
from crosstalk.evaluation.scores import wilson

KRIPPENDORFF = (
    "1 2 3 3 2 1 4 1 2 - - -",
    "1 2 3 3 2 2 4 1 2 5 - 3",
    "- 3 3 3 2 3 4 2 2 5 1 -",
    "1 2 3 3 2 4 4 1 2 5 1 -",
)
"""Four annotators, twelve units (Krippendorff 2011)."""


def table(*rows: tuple[int, int]) -> list[Unit]:
    """The units of a table of two raters, who say yes or no."""
    names = ("yes", "no")
    return [
        (names[first], names[second])
        for first, row in enumerate(rows)
        for second, times in enumerate(row)
        for _ in range(times)
    ]


def rated() -> list[Unit]:
    columns = zip(*(row.split() for row in KRIPPENDORFF), strict=True)
    return [tuple(None if each == "-" else int(each) for each in column) for column in columns]


def test_cohen() -> None:
    assert cohen_kappa(table((20, 5), (10, 15))) == pytest.approx(0.4)
    assert cohen_kappa(table((95, 2), (3, 0))) == pytest.approx(-0.0246, abs=5e-5)


def test_pabak_and_ac1_where_nearly_all_say_yes() -> None:
    units = table((95, 2), (3, 0))
    assert pabak_of(units) == pytest.approx(0.9)
    assert gwet_ac1(units) == pytest.approx(0.9474, abs=5e-5)


def test_alpha_with_missing_ratings() -> None:
    assert krippendorff_alpha(rated()) == pytest.approx(0.7434, abs=5e-5)
    assert interval_alpha(rated()) == pytest.approx(0.8491, abs=5e-5)


def test_alpha_of_sets() -> None:
    units = [("ab", "ab"), ("a", "ab"), ("c", "d"), ("ac", "bc")]
    between = [float(masi_distances(pair)[0, 1]) for pair in units]
    assert between == pytest.approx([0, 0.6667, 1, 0.8889], abs=5e-5)
    assert masi_alpha(units) == pytest.approx(0.195, abs=5e-4)
    assert krippendorff_alpha(units) == pytest.approx(0.160, abs=5e-4)


def test_empty_sets_are_equal_and_far_from_others() -> None:
    assert masi_distances(["", "a"]).tolist() == [[0, 1], [1, 0]]


def test_alpha_of_ratings_that_are_all_the_same_is_undefined() -> None:
    assert interval_alpha([(3, 3), (3, 3)]) is None
    assert interval_alpha([(3, None)]) is None


def test_wilson() -> None:
    assert wilson(39, 50) == pytest.approx((64.8, 87.2), abs=0.05)
