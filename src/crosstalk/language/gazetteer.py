"""Gazetteer: where in a text the values of some columns stand, as the columns write them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Protocol

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.columns import Column
from crosstalk.language.known_texts import KnownTexts
from crosstalk.language.normalize import folded
from crosstalk.language.scripts import inside_word

SHORTEST: Final = 2
"""Characters of a value worth looking for; single characters are everywhere."""

SAID: Final = frozenset(SlotKind) - {SlotKind.NUMBER, SlotKind.RATING, SlotKind.NEARBY}
"""Numbers are no names, and nearby places stand under their own names."""


@dataclass(frozen=True, slots=True)
class Match:
    """A value of a table in a text."""

    start: int
    end: int
    kinds: tuple[int, ...]
    """Numbers of the columns that hold it."""
    value: str = ""
    """As the tables write it, where the text may do otherwise."""
    share: float = 1.0
    """How much of it the text says."""
    weight: float = 1.0
    """How telling the words are."""


class TextFinder(Protocol):
    """Anything that tells what stands in a text: `Gazetteer`, `Lexicon`."""

    @property
    def all_columns(self) -> tuple[tuple[str, str], ...]:
        """What it can tell."""
        ...

    def find(self, text: str) -> tuple[Match, ...]:
        """The values of the tables."""
        ...

    def hints(self, text: str) -> Iterable[tuple[int, int, int]]:
        """Start, end and column number of everything."""
        ...


@dataclass(frozen=True)
class Gazetteer:
    """The values of columns, for looking up in texts."""

    columns: tuple[tuple[str, str], ...]
    """Domain and slot of each column."""
    values: dict[str, tuple[int, ...]]
    """Folded value -> numbers of the columns that hold it."""

    @classmethod
    def of(cls, columns: Iterable[Column]) -> "Gazetteer":
        """Columns without texts are left out, as are values of one character."""
        told = [column for column in columns if column.texts]
        values: dict[str, set[int]] = {}
        for number, column in enumerate(told):
            for value in column.texts:
                if len(value) >= SHORTEST:
                    values.setdefault(folded(value), set()).add(number)
        keys = tuple(column.key for column in told)
        return cls(keys, {value: tuple(sorted(kinds)) for value, kinds in values.items()})

    @property
    def all_columns(self) -> tuple[tuple[str, str], ...]:
        """What the reader is told about."""
        return self.columns

    def hints(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and column of what stands in a text."""
        for match in self.find(text):
            yield from ((match.start, match.end, kind) for kind in match.kinds)

    @cached_property
    def _known(self) -> KnownTexts[str]:
        return KnownTexts(self.values)

    def find(self, text: str) -> tuple[Match, ...]:
        """The longest match at each place, without those that lie inside another."""
        return self._cached(text)

    @cached_property
    def _cached(self) -> Callable[[str], tuple[Match, ...]]:
        return lru_cache(maxsize=4096)(self._find)  # each turn is asked for by every later one

    def _find(self, text: str) -> tuple[Match, ...]:
        text = folded(text)
        found: list[Match] = []
        reached = 0
        for start in range(len(text)):
            end = 0 if inside_word(text, start) else self._known.longest(text, start, _may_end)
            if end > reached:
                found.append(Match(start, end, self.values[text[start:end]]))
                reached = end
        return tuple(found)


def _may_end(text: str, at: int) -> bool:
    return not inside_word(text, at)
