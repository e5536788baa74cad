"""Known texts in a text: the values of table columns, exactly as the tables write them.

`KnownTexts` is the one index of known texts (characters or tokens); the finders of this package
decide how texts are normalised and where a match may begin and end. `Gazetteer` finds the longest
value at each position, `mentions` tells whether a text contains one given value.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Generic, Protocol, TypeVar

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.normalize import folded, squeezed
from crosstalk.language.numerals import DIGITS
from crosstalk.language.remembered import remembered
from crosstalk.language.scripts import inside_word


@dataclass(frozen=True, slots=True)
class Column:
    """One slot of one domain with all texts of its cells."""

    domain: str
    slot: str
    kind: SlotKind
    texts: tuple[str, ...]
    """Each text once, in the order of the table."""
    tags: frozenset[str] = frozenset()
    """Texts that say what kind of thing another one is."""

    @property
    def key(self) -> tuple[str, str]:
        return self.domain, self.slot


Text = TypeVar("Text", str, tuple[str, ...])

Ends = Callable[[Text, int], bool]
"""Whether a known text may end at a position."""


class KnownTexts(Generic[Text]):
    """An index of known texts by their beginnings."""

    def __init__(self, known: Iterable[Text]) -> None:
        self._known: frozenset[Text] = frozenset(known)
        self._beginnings: frozenset[Text] = frozenset(
            text[:end] for text in self._known for end in range(1, len(text) + 1)
        )

    def __contains__(self, text: Text) -> bool:
        return text in self._known

    def begins(self, part: Text) -> bool:
        """Whether a known text begins with this part."""
        return part in self._beginnings

    def ends(self, text: Text, start: int) -> Iterator[int]:
        """End positions of the known texts that begin at `start`, shortest first."""
        for end in range(start + 1, len(text) + 1):
            part = text[start:end]
            if part not in self._beginnings:
                return
            if part in self._known:
                yield end

    def longest(self, text: Text, start: int, may_end: Ends[Text] | None = None) -> int:
        """End of the longest known text that begins at `start`; 0 if there is none."""
        ends = [end for end in self.ends(text, start) if may_end is None or may_end(text, end)]
        return ends[-1] if ends else 0


def among(
    known: KnownTexts[tuple[str, ...]], choices: Sequence[Collection[str]], start: int
) -> Iterator[tuple[str, ...]]:
    """The known tuples that begin at `start`, where each token may be one of several words."""
    begun: list[tuple[str, ...]] = [()]
    for tokens in choices[start:]:
        begun = [(*each, token) for each in begun for token in tokens]
        begun = [each for each in begun if known.begins(each)]
        if not begun:
            return
        yield from (each for each in begun if each in known)


_NUMBER: Final = re.compile(rf"(?<![\d:]){DIGITS.pattern}(?![\d:])")
"""A number that is not part of a time of day."""


def mentions(text: str, value: str) -> bool:
    """Whether a text contains a value in any case, width and spacing, not inside a word."""
    said, value = squeezed(text), squeezed(value)
    at = said.find(value) if value else -1
    while at >= 0:
        ends = (at, at + len(value))
        if not any(inside_word(said, end, digits=False) for end in ends):
            return True
        at = said.find(value, at + 1)
    return False


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text as they are written, with a point for decimals."""
    return frozenset(each.replace(",", ".") for each in _NUMBER.findall(squeezed(text)))


def mentions_number(text: str, value: str) -> bool:
    """Whether a text contains all numbers of a value, whatever its words."""
    wanted = numbers_in(value)
    return bool(wanted) and wanted <= numbers_in(text)


def mentioned_terms(text: str, terms: Iterable[str]) -> frozenset[str]:
    """The terms that a text contains; "free breakfast" does not count as "breakfast" too."""
    said, found = squeezed(text), set()
    for term in sorted(terms, key=len, reverse=True):
        if mentions(said, term):
            found.add(term)
            said = said.replace(squeezed(term), "\n")
    return frozenset(found)


SHORTEST: Final = 2
"""Minimum length of a value; single characters would match everywhere."""

SAID: Final = frozenset(SlotKind) - {SlotKind.NUMBER, SlotKind.RATING, SlotKind.NEARBY}
"""Kinds of slots to look for: not numbers; nearby places are found by their own names."""


@dataclass(frozen=True, slots=True)
class Match:
    """A value of a table in a text."""

    start: int
    end: int
    kinds: tuple[int, ...]
    """Numbers of the columns that hold it."""
    value: str = ""
    """The value as the tables write it, if the text may differ."""
    share: float = 1.0
    """Share of the value that the text contains."""
    weight: float = 1.0
    """How distinctive the words are."""


class TextFinder(Protocol):
    """Finds table values in texts: `Gazetteer`, `Lexicon`."""

    @property
    def all_columns(self) -> tuple[tuple[str, str], ...]:
        """Everything that it can find, by column number."""
        ...

    def find(self, text: str) -> tuple[Match, ...]:
        """The values of the tables."""
        ...

    def hints(self, text: str) -> Iterable[tuple[int, int, int]]:
        """Start, end and column number of everything found."""
        ...


@dataclass(frozen=True)
class Gazetteer:
    """Finds the values of columns in texts."""

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
        """The columns, which the reader gets as input features."""
        return self.columns

    def hints(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Start, end and column of each match."""
        for match in self.find(text):
            yield from ((match.start, match.end, kind) for kind in match.kinds)

    @cached_property
    def _known(self) -> KnownTexts[str]:
        return KnownTexts(self.values)

    def find(self, text: str) -> tuple[Match, ...]:
        """The longest match at each position, without those inside another."""
        return self._cached(text)

    @cached_property
    def _cached(self) -> Callable[[str], tuple[Match, ...]]:
        return remembered(self._find, 4096)  # each turn is looked up for every later one

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
