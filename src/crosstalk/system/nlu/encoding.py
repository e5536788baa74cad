"""Encoding: utterances as numbers, for the reader's network. One row a character, or a word."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.language.gazetteer import TextFinder
from crosstalk.language.normalize import folded
from crosstalk.language.units import Unit, units

UNKNOWN: Final = 1
"""Number of a character never seen; 0 pads."""
LONGEST: Final = 400
"""Characters of an utterance that are read; the longest of 81,098 has 244."""
MOST_PARTS: Final = 12
"""Stretches of letters of a word that are looked at."""
MOST_WORDS: Final = 1500
"""Words with a number of their own; the parts of a word tell the others apart."""


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """The shape of the network; the defaults make 0.7 million weights."""

    width: int = 96
    characters: int = 64
    pairs: int = 32
    pair_buckets: int = 8192
    dilations: tuple[int, ...] = (1, 2, 4, 8, 1)
    dropout: float = 0.15
    words: bool = False
    """Reads word by word, with the parts of words, instead of character by character."""


@dataclass(frozen=True, slots=True)
class ReaderVocabulary:
    """What the network's inputs and outputs are called."""

    characters: str | tuple[str, ...]
    """The characters, or words, that have a number of their own."""
    spans: tuple[str, ...]
    """Keys of acts whose values are tagged."""
    labels: tuple[str, ...]
    """Keys of all acts."""
    columns: tuple[tuple[str, str], ...]
    """What the gazetteer finds."""


@dataclass(frozen=True, slots=True)
class Codes:
    """An utterance as numbers, one row a character or word."""

    characters: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    """Several a row: the pair that begins with a character, or all parts of a word; 0 pads."""
    matches: tuple[tuple[int, int, int], ...]
    """First row, row after the last, and column of what was found."""
    speaker: int
    places: tuple[tuple[int, int], ...] = ()
    """Of words, where they stand in the text."""
    length: int = 0
    """Of the text, in characters."""

    def rows(self, start: int, end: int) -> range:
        """The rows of a stretch of characters; empty where not all of it was read."""
        if not self.places:
            return range(start, end) if end <= len(self.characters) else range(0)
        inside = [row for row, (at, to) in enumerate(self.places) if at < end and start < to]
        return range(inside[0], inside[-1] + 1) if inside else range(0)

    def unhinted(self, rng: Random, share: float) -> "Codes":
        """Without some of what was found: all of it now and then, else each by itself."""
        if rng.random() < share / 2:
            return replace(self, matches=())
        return replace(self, matches=tuple(m for m in self.matches if rng.random() > share / 2))


class CharacterEncoder:
    """Texts to numbers, character by character."""

    def __init__(
        self, vocabulary: ReaderVocabulary, finder: TextFinder, config: ReaderConfig
    ) -> None:
        self._numbers = {each: number + 2 for number, each in enumerate(vocabulary.characters)}
        self._columns = [vocabulary.columns.index(each) for each in finder.all_columns]
        self._finder = finder
        self._pairs = PairNumbers(config.pair_buckets)

    def encode(self, speaker: Speaker, text: str) -> Codes:
        text = text[:LONGEST] or " "
        matches = tuple(
            (start, end, self._columns[kind]) for start, end, kind in self._finder.hints(text)
        )
        text = folded(text)
        numbers, pairs = self._numbers, self._pairs
        return Codes(
            np.array([numbers.get(each, UNKNOWN) for each in text], dtype=np.int64),
            np.array([[pairs[text[at : at + 2]]] for at in range(len(text))], dtype=np.int64),
            matches,
            int(speaker is Speaker.SYSTEM),
            length=len(text),
        )


class WordEncoder(CharacterEncoder):
    """Texts to numbers, word by word."""

    def encode(self, speaker: Speaker, text: str) -> Codes:
        text = text[:LONGEST]
        there = units(text) or [Unit(0, max(1, len(text)), "")]
        numbers, parts = self._numbers, [self._parts(at, there) for at in range(len(there))]
        pairs = np.zeros((len(there), max(map(len, parts))), dtype=np.int64)
        for at, each in enumerate(parts):
            pairs[at, : len(each)] = each
        return Codes(
            np.array([numbers.get(unit.plain, UNKNOWN) for unit in there], dtype=np.int64),
            pairs,
            tuple(self._found(text, there)),
            int(speaker is Speaker.SYSTEM),
            tuple((unit.start, unit.end) for unit in there),
            max(1, len(text)),
        )

    def _parts(self, at: int, there: Sequence[Unit]) -> list[int]:
        """The word, it with the next one, and its stretches of three and four letters."""
        word = there[at].plain
        after = there[at + 1].plain if at + 1 < len(there) else ""
        marked = f"<{word}>"
        sizes = (3, 4) if len(word) > 1 else ()
        parts = [marked[s : s + size] for size in sizes for s in range(len(marked) - size + 1)]
        return [self._pairs[part] for part in (f"{word} {after}", word, *parts[:MOST_PARTS])]

    def _found(self, text: str, there: Sequence[Unit]) -> Iterator[tuple[int, int, int]]:
        rows = {unit.start: at for at, unit in enumerate(there)}
        ends = {unit.end: at + 1 for at, unit in enumerate(there)}
        for start, end, kind in self._finder.hints(text):
            if start in rows and end in ends:
                yield rows[start], ends[end], self._columns[kind]


class PairNumbers(dict[str, int]):
    """Pairs of characters by number, hashed into buckets; remembers those it was asked for."""

    def __init__(self, buckets: int) -> None:
        super().__init__()
        self._buckets = buckets

    def __missing__(self, pair: str) -> int:
        self[pair] = 1 + crc32(pair.encode(errors="replace")) % (self._buckets - 1)
        return self[pair]


def encoder_of(
    vocabulary: ReaderVocabulary, finder: TextFinder, config: ReaderConfig
) -> CharacterEncoder:
    return (WordEncoder if config.words else CharacterEncoder)(vocabulary, finder, config)


def characters_of(texts: Iterable[str], *, least: int = 2) -> str:
    """The characters that stand in at least so many texts, from the commonest on."""
    return "".join(_usual((set(folded(text)) for text in texts), least))


def words_of(texts: Iterable[str], *, least: int = 3) -> tuple[str, ...]:
    """The words that stand in at least so many texts, from the commonest on."""
    said = ({unit.plain for unit in units(text)} for text in texts)
    return tuple(_usual(said, least))[:MOST_WORDS]


def _usual(texts: Iterable[set[str]], least: int) -> Iterator[str]:
    counts: dict[str, int] = {}
    for text in texts:
        for each in text:
            counts[each] = counts.get(each, 0) + 1
    usual = [(-count, each) for each, count in counts.items() if count >= least]
    return (each for _, each in sorted(usual))
