from hypothesis import given
from hypothesis import strategies as st

from crosstalk.system.nlg.template_nlg import fewest_groups


def known(*sets: str) -> dict[tuple[str, ...], float]:
    return {tuple(each): 1.0 for each in sets}


def test_the_fewest_sets() -> None:
    known_sets = known("a", "b", "c", "d", "abc", "cd", "ab")
    assert fewest_groups("abcd", lambda units: known_sets.get(units, 0)) == [
        ("a", "b"),
        ("c", "d"),
    ] or (
        fewest_groups("abcd", lambda units: known_sets.get(units, 0)) == [("a", "b", "c"), ("d",)]
    )


def test_better_known_sets_win_ties() -> None:
    known_sets = known("a", "b", "c", "ab") | {("b", "c"): 5.0}
    assert fewest_groups("abc", lambda units: known_sets.get(units, 0)) == [
        ("a",),
        ("b", "c"),
    ]


def test_what_nobody_says_stands_alone() -> None:
    assert fewest_groups("ab", lambda units: 0) == [("a",), ("b",)]


@given(st.integers(0, 14), st.sets(st.integers(0, 1023), max_size=40))
def test_every_unit_once(size: int, sets: set[int]) -> None:
    units = list(range(size))
    pieces = fewest_groups(units, lambda some: float(sum(1 << unit for unit in some) in sets))
    assert sorted(unit for piece in pieces for unit in piece) == units
