"""Table values in what people type, for the rules: whole terms, everyday names, single words."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.schema import SlotKind
from crosstalk.language.gazetteer import Column, KnownTexts
from crosstalk.language.normalize import plain
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.spelling import WordIndex
from crosstalk.language.writing import writing_of

TERMS: Final = frozenset({SlotKind.LIST, SlotKind.SERVICES, SlotKind.CATEGORY})
SHORTEST_WORD: Final = 4
"""Letters of a word of a dish that is worth looking for; Chinese needs two characters."""
SHORTEST_STRETCH: Final = 2
"""Characters of a value where words are not parted."""
SAFE: Final = 7
"""Letters of a word in which a slip of the keyboard is forgiven: `close` is no `clove`."""

PARTICLE: Final = "的"
"""Stands between a dish and what is said of it, and begins neither."""

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Spotted:
    """Something known, and where it stands in a plain text."""

    domain: str
    slot: str
    value: str
    start: int
    end: int
    alone: bool = True
    """Whether it means its domain even where nothing else speaks for that."""

    def is_all(self, text: str) -> bool:
        """Whether nothing else stands in the text."""
        return self.end - self.start == len(text)


class Vocabularies:
    """The values of several columns."""

    def __init__(self, columns: Iterable[Column], book: Phrasebook) -> None:
        self._columns = [ColumnValues(column, book) for column in columns]

    def find(self, text: str) -> Iterator[Spotted]:
        """Values in a plain text, column by column."""
        for column in self._columns:
            yield from column.find(text)


class ColumnValues:
    """The values of one column."""

    def __init__(self, column: Column, book: Phrasebook) -> None:
        self.kind = column.kind
        self._domain, self._slot = column.key
        self._book = book
        self._writing = writing_of(book.language)
        said = {plain(text): text for text in column.texts}
        self._terms = {
            words: text for words, text in said.items() if words and not _is_taken(words, book)
        }
        self._called = book.values.get(column.slot, {})
        tags = {plain(tag) for tag in column.tags}
        things = [term for term in self._terms if term not in tags]
        parts = _words(things) if self._writing.spaced else _endings(things)
        parts = {self._writing.bare(part) for part in parts}
        known = {part for part in parts if not book.knows(part)}
        self._parts = tuple(sorted(known)) if column.kind is SlotKind.LIST else ()
        self._endings = frozenset(self._parts)
        self._index = WordIndex(self._parts, self._writing)
        self._known = KnownTexts((*self._terms, *(() if self._writing.spaced else self._parts)))

    def find(self, text: str) -> list[Spotted]:
        """Values in a text, the longest at each place."""
        found = sorted(self._all(text), key=self._rank)
        kept: list[Spotted] = []
        for each in found:
            if all(each.end <= other.start or other.end <= each.start for other in kept):
                kept.append(each)
        return sorted(kept, key=lambda each: each.start)

    def _rank(self, each: Spotted) -> tuple[bool, int, bool]:
        """Whole terms and everyday names before single words, the longest first."""
        exact = plain(each.value) in self._terms and each.alone
        return not each.alone, each.start - each.end, not exact

    def _all(self, text: str) -> Iterator[Spotted]:
        words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
        if self._writing.spaced:
            yield from self._whole(text, words)
        for value, called in self._called.items():
            for match in called.finditer(text):
                yield self._spotted(value, match.start(), match.end())
        yield from self._single(words) if self._writing.spaced else self._stretches(text)

    def _spotted(self, value: str, start: int, end: int, alone: bool = True) -> Spotted:
        return Spotted(self._domain, self._slot, value, start, end, alone)

    def _whole(self, text: str, words: list[tuple[str, int, int]]) -> Iterator[Spotted]:
        may_end = {end for _, _, end in words}
        for word, start, _ in words:
            insets = {0, len(word) - len(self._writing.bare(word)), *self._joined_to(word)}
            for begin in (start + inset for inset in insets):
                for end in self._known.ends(text, begin):
                    if end in may_end:
                        yield self._spotted(self._terms[text[begin:end]], start, end)

    def _joined_to(self, word: str) -> Iterator[int]:
        """Letters of an *and* that is written together with a word."""
        for joint in self._book.grammar.joined_and:
            if word.startswith(joint):
                yield len(joint)

    def _single(self, words: list[tuple[str, int, int]]) -> Iterator[Spotted]:
        for word, start, end in words if self._parts else ():
            if len(word) < SHORTEST_WORD or (word not in self._endings and self._book.knows(word)):
                continue
            bare = self._writing.bare(word)
            like = {
                each: how
                for each, how in self._index.like(bare).items()
                if how > 0.9 or self._forgives(each)
            }
            if like:
                best = max(like, key=lambda each: (like[each] > 0.9, self._count(each), like[each]))
                yield self._spotted(best, start, end, False)

    def _forgives(self, word: str) -> bool:
        """Whether a slip is forgiven in a word."""
        return len(word) >= SAFE and self._writing.forgiving

    def _stretches(self, text: str) -> Iterator[Spotted]:
        for start in range(len(text)):
            for end in self._known.ends(text, start):
                part = text[start:end]
                if len(part) >= SHORTEST_STRETCH:
                    whole = self._terms.get(part)
                    yield self._spotted(whole or part, start, end, whole is not None)

    def _count(self, word: str) -> int:
        return sum(word in term for term in self._terms)


def _is_taken(words: str, book: Phrasebook) -> bool:
    """Whether a term means something else; several words do only all together."""
    return words in book.words if " " in words else book.knows(words)


def _words(terms: Iterable[str]) -> set[str]:
    return {word for term in terms for word in term.split() if len(word) >= SHORTEST_WORD}


def _endings(terms: Iterable[str]) -> set[str]:
    """What Chinese dishes are is said at their end: 北京烤鸭 is a 烤鸭."""
    endings = {term[at:] for term in terms for at in range(1, len(term) - 1)}
    return {each for each in endings if PARTICLE not in (each[0], each[-1])}
