"""Tables indexed by their texts and numbers, so that conditions are met without reading rows."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import accumulate, compress
from operator import or_

from crosstalk.language.number_forms import Bounds
from crosstalk.worlds.conditions import (
    AnyOf,
    Condition,
    Contains,
    Equals,
    Excludes,
    InTime,
    Lacks,
    Lasts,
    Like,
    NoneOfKind,
    OfKind,
    Open,
    OrUnknown,
    Same,
    Within,
)
from crosstalk.worlds.tables import Cell, Row, Table, texts

_BETWEEN = "\0"
"""Between texts in the long one that is searched; no text of a table has it."""
_FEW = 24
"""Up to this many rows are picked bit by bit; for more, walking all bits at once is quicker."""
_AS_FLAGS = bytes.maketrans(b"01", b"\0\1")


class TextIndex:
    """Finds texts by their words: one search through all distinct texts, joined into one."""

    def __init__(self, cells: Iterable[Cell], *, folds: bool = True) -> None:
        """`folds`: capital and small letters count as the same."""
        self._folds = folds
        self._rows_of: dict[str, int] = {}
        for number, cell in enumerate(cells):
            for text in texts(cell):
                self._rows_of[text] = self._rows_of.get(text, 0) | 1 << number
        self._rows = list(self._rows_of.values())
        searched = [self._folded(text) for text in self._rows_of]
        self._all_texts = _BETWEEN.join(searched)
        lengths = (len(text) + len(_BETWEEN) for text in searched)
        self._starts = list(accumulate(lengths, initial=0))

    def _folded(self, text: str) -> str:
        return text.lower() if self._folds else text

    def equal(self, text: str) -> int:
        return self._rows_of.get(text, 0)

    def meeting(self, condition: Condition) -> int:
        """The rows with a text that meets a condition, tried text by text."""
        rows = 0
        for text, those in self._rows_of.items():
            rows |= those if condition.holds(text) else 0
        return rows

    def containing(self, words: str) -> int:
        """The rows with a text that has the words in it."""
        words = self._folded(words)
        if _BETWEEN in words:
            return 0
        rows = 0
        at = self._all_texts.find(words)
        while at >= 0:
            number = bisect_right(self._starts, at) - 1
            rows |= self._rows[number]
            at = self._all_texts.find(words, self._starts[number + 1])
        return rows


class NumberIndex:
    """Finds numbers by bounds: for each number, the rows that have it or less, and it or more."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        rows_of: dict[float, int] = {}
        for row, cell in enumerate(cells):
            if isinstance(cell, int | float):
                rows_of[cell] = rows_of.get(cell, 0) | 1 << row
        self._numbers = sorted(rows_of)
        rows = [rows_of[number] for number in self._numbers]
        self._at_most = list(accumulate(rows, or_, initial=0))
        self._at_least = list(accumulate(reversed(rows), or_, initial=0))[::-1]

    def within(self, bounds: Bounds) -> int:
        rows = self._at_most[-1]
        if bounds.low is not None:
            rows &= self._at_least[bisect_left(self._numbers, bounds.low)]
        if bounds.high is not None:
            rows &= self._at_most[bisect_right(self._numbers, bounds.high)]
        return rows


class IndexedTable:
    """A table that answers conditions without looking at its rows."""

    def __init__(self, table: Table, *, folds: bool = True) -> None:
        """`folds`: texts are searched without regard to case."""
        self.domain = table.domain
        self._rows = table.rows
        self._everything = (1 << len(table)) - 1
        self._numbers: dict[str, NumberIndex] = {}
        self._texts: dict[str, TextIndex] = {}
        for slot in table.domain.slots:
            cells = (row.get(slot.key) for row in table)
            if slot.kind.is_number:
                self._numbers[slot.key] = NumberIndex(cells)
            else:
                self._texts[slot.key] = TextIndex(cells, folds=folds)

    def where(self, conditions: Iterable[tuple[str, Condition]]) -> tuple[Row, ...]:
        """The rows that meet all conditions, in file order."""
        found = self._everything
        for slot, condition in conditions:
            found &= self._meeting(slot, condition)
        return _picked(self._rows, found)

    def _meeting(self, slot: str, condition: Condition) -> int:
        match condition:
            case Within(bounds):
                return self._numbers[slot].within(bounds)
            case Equals(text):
                return self._texts[slot].equal(text)
            case Contains(words):
                return self._texts[slot].containing(words)
            case Excludes(words):
                return self._everything & ~self._texts[slot].containing(words)
            case Lasts() | Open() | OfKind() | Same() | Like() | InTime():
                return self._texts[slot].meeting(condition)
            case NoneOfKind(kind, read):
                return self._everything & ~self._texts[slot].meeting(OfKind(kind, read))
            case OrUnknown(inner):
                return self._meeting(slot, inner) | self._unknown(slot)
            case AnyOf(conditions):
                return reduce(or_, (self._meeting(slot, each) for each in conditions))
            case Lacks(service):
                return self._everything & ~self._texts[slot].equal(service)

    def _unknown(self, slot: str) -> int:
        known = [row.get(slot) is not None for row in self._rows]
        return sum(1 << number for number, is_known in enumerate(known) if not is_known)


def _picked(rows: Sequence[Row], bits: int) -> tuple[Row, ...]:
    if bits.bit_count() > _FEW:
        flags = f"{bits:b}"[::-1].encode().translate(_AS_FLAGS)
        return tuple(compress(rows, flags))
    picked = []
    while bits:
        lowest = bits & -bits
        picked.append(rows[lowest.bit_length() - 1])
        bits ^= lowest
    return tuple(picked)
