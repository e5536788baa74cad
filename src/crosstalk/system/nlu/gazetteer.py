"""Gazetteer: where in a text the values of a world's tables stand."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Protocol

from crosstalk.database.tables import World
from crosstalk.dialogue.schema import SlotKind

SHORTEST: Final = 2
"""Characters of a value worth looking for; single characters are everywhere."""

SAID: Final = frozenset(SlotKind) - {SlotKind.NUMBER, SlotKind.RATING, SlotKind.NEARBY}
"""Numbers are no names, and nearby places stand under their own names."""

_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


_FIRST_CHINESE: Final = 0x2E80


def folded(text: str) -> str:
    """Lower case and half width, character by character: positions stay what they are."""
    narrow = text.translate(_WIDE)
    small = narrow.lower()
    if len(small) == len(narrow):
        return small
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in narrow)


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


class Finder(Protocol):
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
    """The values of a world's columns, for looking up in texts."""

    columns: tuple[tuple[str, str], ...]
    """Domain and slot of each column."""
    values: dict[str, tuple[int, ...]]
    """Folded value -> numbers of the columns that hold it."""

    @classmethod
    def of(cls, world: World) -> "Gazetteer":
        columns: list[tuple[str, str]] = []
        values: dict[str, set[int]] = {}
        for domain in world.schema:
            for slot in domain.slots:
                said = world.texts(domain.key, slot.key)
                if slot.kind not in SAID or not said:
                    continue
                for value in said:
                    if len(value) >= SHORTEST:
                        values.setdefault(folded(value), set()).add(len(columns))
                columns.append((domain.key, slot.key))
        return cls(tuple(columns), {value: tuple(sorted(kinds)) for value, kinds in values.items()})

    @property
    def all_columns(self) -> tuple[tuple[str, str], ...]:
        """What the reader is told about."""
        return self.columns

    def hints(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and column of what stands in a text."""
        for match in self.find(text):
            yield from ((match.start, match.end, kind) for kind in match.kinds)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(value[:end] for value in self.values for end in range(1, len(value) + 1))

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
            if text[start : start + SHORTEST] not in self._beginnings or _inside_word(text, start):
                continue
            end = self._longest(text, start)
            if end > reached:
                found.append(Match(start, end, self.values[text[start:end]]))
                reached = end
        return tuple(found)

    def _longest(self, text: str, start: int) -> int:
        longest, end, size = 0, start + SHORTEST, len(text)
        while end <= size and (part := text[start:end]) in self._beginnings:
            if part in self.values and not _inside_word(text, end):
                longest = end
            end += 1
        return longest


def _inside_word(text: str, at: int) -> bool:
    """Whether a word goes on from the character before; Chinese does not part its words."""
    return 0 < at < len(text) and all(
        each.isalnum() and ord(each) < _FIRST_CHINESE for each in text[at - 1 : at + 1]
    )
