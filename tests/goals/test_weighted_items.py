from collections import Counter
from random import Random

import pytest

from crosstalk.goals.place_subgoals import WeightedItems, weighted_counts


def test_draws_follow_the_weights() -> None:
    pool = WeightedItems.of([("often", 3), ("never", 0), ("seldom", 1)])
    rng = Random(1)
    drawn = Counter(pool.draw(rng) for _ in range(4000))
    assert drawn["often"] / 4000 == pytest.approx(0.75, abs=0.03)
    assert drawn["never"] == 0


def test_what_is_taken_is_not_drawn_again() -> None:
    assert WeightedItems.even("abc").without({"b"}).items == ("a", "c")
    assert not WeightedItems.even("abc").without("abc")


def test_order_decides_and_not_the_words() -> None:
    german, english = WeightedItems.even(["Zoo", "Anker"]), WeightedItems.even(["zoo", "anchor"])
    draws = [(german.draw(Random(seed)), english.draw(Random(seed))) for seed in range(50)]
    assert set(draws) == {("Zoo", "zoo"), ("Anker", "anchor")}


def test_counts_start_at_one_and_no_weights_mean_none() -> None:
    assert weighted_counts((0, 5)).draw(Random(1)) == 2
    assert weighted_counts(()).draw(Random(1)) == 0
