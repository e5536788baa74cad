"""Lengths of dialogues by goal type: the data of Figure 2 of the CrossWOZ paper."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.goals import GoalType
from crosstalk.statistics.corpus_counts import CorpusCounts

_MAX_BINS: Final = 30
"""Of two turns each: enough for CrossWOZ, whose longest val dialogue has 46 turns."""


@dataclass(frozen=True, slots=True)
class LengthCurve:
    """The lengths of one group of dialogues."""

    kind: GoalType | None
    """None: all dialogues."""
    lengths: Mapping[int, int]
    """Turns -> dialogues."""

    @property
    def size(self) -> int:
        return sum(self.lengths.values())

    @property
    def label(self) -> str:
        return f"{self.kind or 'all'} ({self.size:,})"


def length_curves(counts: CorpusCounts) -> Iterator[LengthCurve]:
    """One curve per goal type, or one for all if the corpus has no types."""
    groups: dict[GoalType | None, Counter[int]] = {}
    for (kind, turns), number in counts.lengths.items():
        groups.setdefault(kind if counts.types else None, Counter())[turns] += number
    for kind in (*GoalType, None):
        if kind in groups and (kind or not counts.types):
            yield LengthCurve(kind, groups[kind])


def bin_width(longest: int) -> int:
    """Turns per bin: 2 (an exchange), or more if there would be too many bins."""
    return 2 * max(1, -(-longest // (2 * _MAX_BINS)))


def binned(lengths: Mapping[int, int], width: int) -> tuple[list[int], list[float]]:
    """The upper end of each bin and its share, with an empty bin before and after.

    A dialogue of 7 or 8 turns lies in the bin 8 when the width is 2.
    """
    bins: Counter[int] = Counter()
    for turns, number in lengths.items():
        bins[-(-turns // width) * width] += number
    ends = list(range(max(0, min(bins) - width), max(bins) + width + 1, width))
    total = sum(bins.values())
    return ends, [bins[end] / total for end in ends]
