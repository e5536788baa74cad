"""Published values of the tests that comparisons rest on, and their properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.evaluation.comparison import (
    Trial,
    breakdown,
    compare,
    holm,
    mcnemar,
    mcnemar_mid_p,
    pass_rate,
)

A = ["1111", "1101", "0100", "0000", "1110", "1011"]
B = ["1111", "1000", "0000", "0001", "1100", "1001"]


def trials(rows: list[str], **groups: str) -> list[Trial]:
    """Goals in rows, their trials in columns."""
    return [
        Trial(f"goal {goal}", number, each == "1", groups=groups)
        for goal, row in enumerate(rows)
        for number, each in enumerate(row)
    ]


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid"),
    [
        (12, 4, 0.076813, 0.049042),
        (10, 2, 0.038574, 0.022461),
        (6, 0, 0.03125, 0.015625),
        (21, 5, 0.002494, 0.001514),
        (3, 3, 1, 1),
        (0, 0, 1, 1),
    ],
)
def test_mcnemar(b: int, c: int, exact: float, mid: float) -> None:
    assert mcnemar(b, c) == pytest.approx(exact, abs=1e-6)
    if b + c:
        assert mcnemar_mid_p(b, c) == pytest.approx(mid, abs=1e-6)


def test_several_trials_of_a_goal_belong_together() -> None:
    compared = compare(trials(B), trials(A))
    assert compared.rate_b == pytest.approx(0.583333, abs=1e-6)
    assert compared.rate_a == pytest.approx(0.416667, abs=1e-6)
    assert compared.difference == pytest.approx(0.166667, abs=1e-6)
    assert compared.standard_error == pytest.approx(0.105409, abs=1e-6)
    assert compared.p == pytest.approx(0.3125)
    assert compared.interval == pytest.approx((-0.041667, 0.333333), abs=0.02)


def test_goals_that_are_all_alike_leave_doubt() -> None:
    half = pass_rate(trials(["10", "01"]), 1)
    assert half and half.value == 0.5
    assert half.interval == pytest.approx((0.0945, 0.9055), abs=1e-3)  # Wilson's of 1 of 2


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_pass_rates() -> None:
    run = trials(["1111", "1110", "1100", "0000"])
    found = [pass_rate(run, k) for k in (1, 2, 3, 4)]
    values = [each.value for each in found if each]
    assert values == pytest.approx([0.5625, 0.416667, 0.3125, 0.25], abs=1e-6)
    assert all(each and each.interval[0] <= each.value <= each.interval[1] for each in found)


def test_goals_with_too_few_trials_are_left_out_and_counted() -> None:
    found = pass_rate(trials(["11", "1"]), 2)
    assert found and (found.value, found.goals, found.left_out) == (1.0, 1, 1)


def test_undecided_trials_count_for_neither_side() -> None:
    decided = Trial("goal", 0, True)
    undecided = Trial("goal", 1, None)
    assert compare([decided, undecided], [decided]).rate_a == 1.0


rows = st.lists(st.text("01", min_size=2, max_size=2), min_size=1, max_size=12)


@given(rows)
def test_a_run_compared_with_itself_does_not_differ(given_rows: list[str]) -> None:
    compared = compare(trials(given_rows), trials(given_rows))
    assert (compared.p, compared.difference, compared.lost, compared.won) == (1.0, 0.0, [], [])


@given(rows, rows)
def test_swapped_runs_swap_the_sign(first: list[str], second: list[str]) -> None:
    one, other = compare(trials(first), trials(second)), compare(trials(second), trials(first))
    assert math.isclose(one.difference, -other.difference, abs_tol=1e-12)
    assert math.isclose(one.p, other.p)
    assert (one.lost, one.won) == (other.won, other.lost)


def test_six_goals_lost_are_a_regression_five_are_not() -> None:
    six = compare(trials(["1"] * 6), trials(["0"] * 6))
    five = compare(trials(["1"] * 5), trials(["0"] * 5))
    assert six.is_regression and not five.is_regression


def test_groups_are_compared_apart() -> None:
    a = [*trials(["1", "1"], language="en"), *trials(["0"], language="de")]
    b = [*trials(["1", "0"], language="en"), *trials(["1"], language="de")]
    found = breakdown(a, b, "language")
    assert {key: each.difference for key, (each, _) in found.items()} == {"en": -0.5, "de": 1.0}
