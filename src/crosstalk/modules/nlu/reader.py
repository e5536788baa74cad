"""The reader: a small convolutional network that tags characters and names the acts said.

It sees one utterance, its speaker and what the gazetteer finds there. Context is not its business.
Needs numpy and safetensors; only training needs torch (`network.py`).
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Final
from zlib import crc32

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary
from crosstalk.modules.nlu.gazetteer import Finder, folded
from crosstalk.modules.nlu.layers import (
    FloatArray,
    blocks,
    gated,
    neighbours,
    normal,
    product,
    sigmoid,
    softmax,
)
from crosstalk.modules.nlu.units import Unit, units

try:
    import numpy as np
    import numpy.typing as npt
    from safetensors import SafetensorError
    from safetensors.numpy import load, save
except ModuleNotFoundError as error:
    raise InputError(
        f"our understanding needs {error.name}, which is not installed",
        remedy='Install the extras: pip install "crosstalk-dialogue[learn,neural]"',
    ) from error

Weights = dict[str, npt.NDArray[np.float16]]

UNKNOWN: Final = 1
"""Number of a character never seen; 0 pads."""
LONGEST: Final = 400
"""Characters of an utterance that are read; the longest of 81,098 has 244."""
MOST_PARTS: Final = 12
"""Stretches of letters of a word that are looked at."""
MOST_WORDS: Final = 1500
"""Words with a number of their own; the parts of a word tell the others apart."""
_WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What files that are not a model make of themselves."""


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
class Vocabulary:
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


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network makes of one utterance."""

    tags: FloatArray
    """Characters x (outside, then beginning and inside of each span key): probabilities."""
    labels: FloatArray
    """Probability of each label."""


class Encoder:
    """Texts to numbers, character by character."""

    def __init__(self, vocabulary: Vocabulary, finder: Finder, config: ReaderConfig) -> None:
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


class WordEncoder(Encoder):
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


class Reader:
    """The network with its words, ready to read."""

    def __init__(
        self, weights: Weights, vocabulary: Vocabulary, finder: Finder, config: ReaderConfig
    ) -> None:
        self.vocabulary = vocabulary
        self.config = config
        self._finder = finder
        self._weights = weights
        full = {name: weight.astype(np.float32) for name, weight in weights.items()}
        inward = full["inward.weight"].T
        # What a character and a pair bring into the first layer, worked out beforehand.
        self._characters = full["characters.weight"] @ inward[: config.characters]
        self._pairs = full["pairs.weight"] @ inward[config.characters :]
        self._pairs[0] = 0
        self._speakers = full["speaker.weight"]
        self._start = self._speakers + full["inward.bias"] + full["matches.bias"]
        self._matches = full["matches.weight"].T
        self._layers = [
            (
                dilation,
                full[f"layers.{number}.norm.weight"],
                full[f"layers.{number}.norm.bias"],
                blocks(full[f"layers.{number}.convolution.weight"], config.width),
                full[f"layers.{number}.convolution.bias"].reshape(2, 1, -1),
            )
            for number, dilation in enumerate(config.dilations)
        ]
        self._norm = full["norm.weight"], full["norm.bias"]
        self._tags = full["tags.weight"].T, full["tags.bias"]
        self._labels = full["labels.weight"].T, full["labels.bias"]
        self._told = full["told.weight"].T if "told.weight" in full else None

    @cached_property
    def encoder(self) -> Encoder:
        return encoder_of(self.vocabulary, self._finder, self.config)

    def read(self, speaker: Speaker, text: str) -> Reading:
        return self.read_all([(speaker, text)])[0]

    def read_all(self, utterances: Sequence[tuple[Speaker, str]]) -> list[Reading]:
        """Several utterances, one after the other in one array: twice as quick as one by one."""
        if not utterances:
            return []
        codes = [self.encoder.encode(speaker, text) for speaker, text in utterances]
        starts = [0, *accumulate(len(each.characters) for each in codes)]
        hidden = np.concatenate([self._inward(each) for each in codes])
        around = {each[0]: neighbours(starts, each[0]) for each in self._layers}
        for dilation, scale, shift, weight, bias in self._layers:
            hidden += gated(normal(hidden, scale, shift), around[dilation], weight, bias)
        hidden = normal(hidden, *self._norm)
        tags = softmax(product(hidden, self._tags[0]) + self._tags[1])
        labels = self._label(hidden, starts, codes)
        ends = pairwise(starts)
        return [
            Reading(spread(tags[at:end], each), row)
            for (at, end), row, each in zip(ends, labels, codes, strict=True)
        ]

    def _inward(self, codes: Codes) -> FloatArray:
        parts: FloatArray = self._pairs[codes.pairs].sum(axis=1)
        hidden: FloatArray = self._characters[codes.characters] + parts
        hidden += self._start[codes.speaker]
        for start, end, column in codes.matches:
            hidden[start] += self._matches[2 * column]
            hidden[start:end] += self._matches[2 * column + 1]
        return hidden

    def _label(self, hidden: FloatArray, starts: list[int], codes: Sequence[Codes]) -> FloatArray:
        sizes = np.diff(starts).astype(np.float32)[:, None]
        highest = np.maximum.reduceat(hidden, starts[:-1])
        mean = np.add.reduceat(hidden, starts[:-1]) / sizes
        speakers = self._speakers[[each.speaker for each in codes]]
        pooled = np.concatenate([highest, mean, speakers], axis=1)
        odds = product(pooled, self._labels[0]) + self._labels[1]
        if self._told is not None:
            for row, each in enumerate(codes):
                odds[row] += self._told[sorted({column for _, _, column in each.matches})].sum(
                    axis=0
                )
        return sigmoid(odds)

    def save(self, folder: Path) -> None:
        """`reader.safetensors` in half precision, and `reader.json`."""
        with writing_binary(folder / "reader.safetensors") as raw:
            raw.write(save(self._weights))
        told = {"config": asdict(self.config), "vocabulary": asdict(self.vocabulary)}
        with writing(folder / "reader.json") as text:
            json.dump(told, text, ensure_ascii=False, indent=1)

    @classmethod
    def load(cls, folder: Path, finder: Finder) -> "Reader":
        """Refuses a damaged folder, and one made for other tables, in words."""
        try:
            reader = cls._load(folder, finder)
        except (CrosstalkError, SafetensorError, *_WRONG) as error:
            raise InputError(
                f"{folder}: not a whole model of this kind: {error}",
                remedy="Train it anew: crosstalk train nlu --help",
            ) from error
        if not set(finder.all_columns) <= set(reader.vocabulary.columns):
            raise InputError(
                f"{folder}: the model knows other tables than this world has",
                remedy="Train a model for this world: crosstalk train nlu --help",
            )
        return reader

    @classmethod
    def _load(cls, folder: Path, finder: Finder) -> "Reader":
        told = read_json(folder / "reader.json")
        shape, names = told["config"], told["vocabulary"]
        config = ReaderConfig(**{**shape, "dilations": tuple(shape["dilations"])})
        columns = tuple((domain, slot) for domain, slot in names["columns"])
        known = names["characters"]
        vocabulary = Vocabulary(
            known if isinstance(known, str) else tuple(known),
            tuple(names["spans"]),
            tuple(names["labels"]),
            columns,
        )
        with open_binary(folder / "reader.safetensors") as raw:
            reader = cls(load(raw.read()), vocabulary, finder, config)
        reader.check()
        return reader

    def check(self) -> None:
        """Raises where weights and vocabulary do not fit each other."""
        wanted = {
            "characters": (len(self._characters), len(self.vocabulary.characters) + 2),
            "tags": (len(self._tags[1]), 1 + 2 * len(self.vocabulary.spans)),
            "labels": (len(self._labels[1]), len(self.vocabulary.labels)),
            "columns": (len(self._matches), 2 * len(self.vocabulary.columns)),
        }
        for name, (there, expected) in wanted.items():
            if there != expected:
                raise ValueError(f"{there} {name} in the weights, {expected} in the vocabulary")


def encoder_of(vocabulary: Vocabulary, finder: Finder, config: ReaderConfig) -> Encoder:
    return (WordEncoder if config.words else Encoder)(vocabulary, finder, config)


def spread(tags: FloatArray, codes: Codes) -> FloatArray:
    """Tags of words as tags of their characters; what stands between words of a span is inside."""
    if not codes.places:
        return tags
    wide = np.zeros((codes.length, tags.shape[1]), dtype=np.float32)
    wide[:, 0] = 1
    inside = tags.copy()
    inside[:, 2::2] += inside[:, 1::2]
    inside[:, 1::2] = 0
    reached = 0
    for row, (start, end) in enumerate(codes.places):
        wide[start] = tags[row]
        wide[start + 1 : end] = inside[row]
        if row:
            goes_on = np.minimum(tags[row, 2::2], 1 - tags[row - 1, 0])
            wide[reached:start, 2::2] = goes_on
            wide[reached:start, 0] = 1 - goes_on.sum()
        reached = end
    return wide


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
