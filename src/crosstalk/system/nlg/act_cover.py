"""Saying together what no template says at once: the fewest groups that say it all."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

Unit = TypeVar("Unit")

Weight = Callable[[tuple[Unit, ...]], float]
"""How well a set of units can be said at once; 0: not at all."""

AT_ONCE: Final = 10
"""Units that are considered together: all 1,024 subsets of them are looked at."""


def cover(units: Sequence[Unit], weight: Weight[Unit]) -> list[tuple[Unit, ...]]:
    """A division of the units into the fewest sets that can be said; better known sets win ties.

    A unit that cannot be said even alone stands alone. Sets come in the order of their first units.
    """
    if len(units) > AT_ONCE:
        return [*cover(units[:AT_ONCE], weight), *cover(units[AT_ONCE:], weight)]
    weights = {subset: weight(_members(units, subset)) for subset in range(1, 1 << len(units))}
    best: dict[int, tuple[int, float, int]] = {0: (0, 0.0, 0)}
    for done in range(1, 1 << len(units)):
        best[done] = min(_ways(done, weights, best))
    pieces, left = [], (1 << len(units)) - 1
    while left:
        piece = best[left][2]
        pieces.append(piece)
        left &= ~piece
    return [_members(units, piece) for piece in sorted(pieces, key=lambda piece: piece & -piece)]


def _ways(
    done: int, weights: dict[int, float], best: dict[int, tuple[int, float, int]]
) -> list[tuple[int, float, int]]:
    """How to say the units of `done`: sets, their weights (negative: less is better), last set."""
    ways, lowest, subset = [], done & -done, done
    while subset:
        alone = subset == lowest
        if subset & lowest and (weights[subset] or alone):
            sets, worth, _ = best[done & ~subset]
            ways.append((sets + 1, worth - weights[subset], subset))
        subset = (subset - 1) & done
    return ways


def _members(units: Sequence[Unit], subset: int) -> tuple[Unit, ...]:
    return tuple(unit for at, unit in enumerate(units) if subset >> at & 1)
