"""Intervals and pass^k."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.evaluation.scores import Rate, Share, bootstrap, rate, weighted_rate, wilson
from crosstalk.evaluation.success_rates import pass_hat


def test_the_interval_of_a_known_case() -> None:
    low, high = wilson(8, 10)  # 49.0 to 94.3 in the literature
    assert (round(low, 1), round(high, 1)) == (49.0, 94.3)


def test_rates_are_weighted_with_their_intervals() -> None:
    sure, split = Rate(100, 90, 100), Rate(50, 40, 60)
    assert weighted_rate([(0.5, sure), (0.5, split)]) == Rate(75, 75 - 50**0.5, 80)
    assert weighted_rate([(1.0, sure)]) == sure
    assert weighted_rate([]) is None
    assert rate(0, 0) is None


@given(st.integers(0, 50), st.integers(1, 50))
def test_an_interval_holds_its_share_and_stays_within_0_and_100(right: int, more: int) -> None:
    total = right + more
    low, high = wilson(right, total)
    assert 0 <= low <= 100 * right / total <= high <= 100


def test_of_nothing_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 100.0)
    assert bootstrap([], lambda share: share.percent) is None
    assert bootstrap([Share()], lambda share: share.percent) is None


def test_the_bootstrap_draws_whole_dialogues() -> None:
    alike = [Share(8, 10)] * 20
    assert bootstrap(alike, lambda share: share.percent) == (80.0, 80.0)
    apart = [Share(10, 10)] * 16 + [Share(0, 10)] * 4  # the same 160 turns of 200, in clusters
    found = bootstrap(apart, lambda share: share.percent)
    assert found is not None
    assert found[0] <= 65 < wilson(160, 200)[0]
    assert bootstrap(apart, lambda share: share.percent) == found


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_pass_hat_is_the_share_of_choices_that_all_succeed(
    tries: list[bool], data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, len(tries)))
    choices = list(combinations(tries, k))
    expected = sum(all(choice) for choice in choices) / len(choices)
    assert pass_hat(sum(tries), len(tries), k) == pytest.approx(expected)


def test_more_tries_than_there_were_are_refused() -> None:
    with pytest.raises(ValueError, match="not between 1 and 4"):
        pass_hat(2, 4, 5)
