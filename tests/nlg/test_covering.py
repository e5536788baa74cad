from hypothesis import given
from hypothesis import strategies as st

from crosstalk.system.nlg.act_cover import cover


def known(*sets: str) -> dict[tuple[str, ...], float]:
    return {tuple(each): 1.0 for each in sets}


def test_the_fewest_sets() -> None:
    sayable = known("a", "b", "c", "d", "abc", "cd", "ab")
    assert cover("abcd", lambda units: sayable.get(units, 0)) == [("a", "b"), ("c", "d")] or (
        cover("abcd", lambda units: sayable.get(units, 0)) == [("a", "b", "c"), ("d",)]
    )


def test_better_known_sets_win_ties() -> None:
    sayable = known("a", "b", "c", "ab") | {("b", "c"): 5.0}
    assert cover("abc", lambda units: sayable.get(units, 0)) == [("a",), ("b", "c")]


def test_what_nobody_says_stands_alone() -> None:
    assert cover("ab", lambda units: 0) == [("a",), ("b",)]


@given(st.integers(0, 14), st.sets(st.integers(0, 1023), max_size=40))
def test_every_unit_once(size: int, sets: set[int]) -> None:
    units = list(range(size))
    pieces = cover(units, lambda some: float(sum(1 << unit for unit in some) in sets))
    assert sorted(unit for piece in pieces for unit in piece) == units
