"""Few-shot draws are nested, by dialogue, and the same for the same seed."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosstalk.errors import InputError
from crosstalk.transfer.transfer_corpora import SHARES, draw_shots


@given(st.integers(1, 300), st.integers(0, 5))
def test_smaller_shares_lie_inside_larger_ones(dialogues: int, seed: int) -> None:
    drawn = [set(draw_shots(range(dialogues), share, seed=seed)) for share in SHARES]
    assert all(small <= large for small, large in pairwise(drawn))
    assert not drawn[0]
    assert drawn[-1] == set(range(dialogues))


def test_one_percent_of_999_dialogues_is_ten_as_in_the_paper() -> None:
    assert len(draw_shots(range(999), 1, seed=1)) == 10


def test_seeds_draw_differently_and_repeatably() -> None:
    assert draw_shots(range(100), 10, seed=1) == draw_shots(range(100), 10, seed=1)
    assert draw_shots(range(100), 10, seed=1) != draw_shots(range(100), 10, seed=2)


def test_other_shares_are_refused() -> None:
    with pytest.raises(InputError, match="--shots 7"):
        draw_shots(range(100), 7, seed=1)
