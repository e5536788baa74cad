"""Utterances as arrays for the network of the reader: one row per character or per word."""

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
from crosstalk.language.tokenize import Unit, units

UNKNOWN: Final = 1
"""Id of an unknown character; 0 is padding."""
LONGEST: Final = 400
"""Characters of an utterance that are read; the longest of 81,098 has 244."""
MOST_PARTS: Final = 12
"""Maximum number of character n-grams per word."""
MOST_WORDS: Final = 1500
"""Size of the word vocabulary; other words are told apart by their n-grams."""


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
    """Read words with their character n-grams instead of characters."""


@dataclass(frozen=True, slots=True)
class ReaderVocabulary:
    """Names of the network's inputs and outputs."""

    characters: str | tuple[str, ...]
    """Characters or words with an id of their own."""
    spans: tuple[str, ...]
    """Keys of acts whose values are tagged."""
    labels: tuple[str, ...]
    """Keys of all acts."""
    columns: tuple[tuple[str, str], ...]
    """Table columns whose values the finder finds."""


@dataclass(frozen=True, slots=True)
class Codes:
    """An utterance as arrays, one row per character or word."""

    characters: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    """Per row the pair of characters that begins there, or the n-grams of a word; 0 is padding."""
    matches: tuple[tuple[int, int, int], ...]
    """(first row, row after the last, column) of the table values found."""
    speaker: int
    places: tuple[tuple[int, int], ...] = ()
    """Start and end of words in the text; empty for characters."""
    length: int = 0
    """Length of the text in characters."""

    def rows(self, start: int, end: int) -> range:
        """The rows of a range of characters; empty if the range was cut off."""
        if not self.places:
            return range(start, end) if end <= len(self.characters) else range(0)
        inside = [row for row, (at, to) in enumerate(self.places) if at < end and start < to]
        return range(inside[0], inside[-1] + 1) if inside else range(0)

    def unhinted(self, rng: Random, share: float) -> "Codes":
        """With some table matches dropped (as dropout does): sometimes all, else each by chance."""
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
        """Ids of the word, of the bigram with the next word, and of its 3- and 4-grams."""
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
    """Ids of character pairs, hashed into buckets and cached."""

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
    """The characters that occur in at least `least` texts, most frequent first."""
    return "".join(_usual((set(folded(text)) for text in texts), least))


def words_of(texts: Iterable[str], *, least: int = 3) -> tuple[str, ...]:
    """The words that occur in at least `least` texts, most frequent first."""
    said = ({unit.plain for unit in units(text)} for text in texts)
    return tuple(_usual(said, least))[:MOST_WORDS]


def _usual(texts: Iterable[set[str]], least: int) -> Iterator[str]:
    counts: dict[str, int] = {}
    for text in texts:
        for each in text:
            counts[each] = counts.get(each, 0) + 1
    usual = [(-count, each) for each, count in counts.items() if count >= least]
    return (each for _, each in sorted(usual))
