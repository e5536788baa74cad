"""The reader: a small convolutional network that tags characters and names the acts said.

It sees one utterance, its speaker and what the gazetteer finds there. Context is not its business.
Needs numpy and safetensors; only training needs torch (`network.py`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final
from zlib import crc32

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary
from crosstalk.modules.nlu.gazetteer import Gazetteer, folded
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


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the network's inputs and outputs are called."""

    characters: str
    spans: tuple[str, ...]
    """Keys of acts whose values are tagged."""
    labels: tuple[str, ...]
    """Keys of all acts."""
    columns: tuple[tuple[str, str], ...]
    """The gazetteer's columns."""


@dataclass(frozen=True, slots=True)
class Codes:
    """An utterance as numbers."""

    characters: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    matches: tuple[tuple[int, int, int], ...]
    """Start, end and column of each value of the tables."""
    speaker: int


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network makes of one utterance."""

    tags: FloatArray
    """Characters x (outside, then beginning and inside of each span key): probabilities."""
    labels: FloatArray
    """Probability of each label."""


class Encoder:
    """Texts to numbers."""

    def __init__(self, vocabulary: Vocabulary, gazetteer: Gazetteer, config: ReaderConfig) -> None:
        self._numbers = {each: number + 2 for number, each in enumerate(vocabulary.characters)}
        self._columns = [vocabulary.columns.index(each) for each in gazetteer.columns]
        self._gazetteer = gazetteer
        self._pairs = PairNumbers(config.pair_buckets)

    def encode(self, speaker: Speaker, text: str) -> Codes:
        text = text[:LONGEST] or " "
        matches = tuple(
            (match.start, match.end, self._columns[kind])
            for match in self._gazetteer.find(text)
            for kind in match.kinds
        )
        text = folded(text)
        numbers, pairs = self._numbers, self._pairs
        return Codes(
            np.array([numbers.get(each, UNKNOWN) for each in text], dtype=np.int64),
            np.array([pairs[text[at : at + 2]] for at in range(len(text))], dtype=np.int64),
            matches,
            int(speaker is Speaker.SYSTEM),
        )


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
        self, weights: Weights, vocabulary: Vocabulary, gazetteer: Gazetteer, config: ReaderConfig
    ) -> None:
        self.vocabulary = vocabulary
        self.config = config
        self.gazetteer = gazetteer
        self._weights = weights
        full = {name: weight.astype(np.float32) for name, weight in weights.items()}
        inward = full["inward.weight"].T
        # What a character and a pair bring into the first layer, worked out beforehand.
        self._characters = full["characters.weight"] @ inward[: config.characters]
        self._pairs = full["pairs.weight"] @ inward[config.characters :]
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

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.vocabulary, self.gazetteer, self.config)

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
        labels = self._label(hidden, starts, [each.speaker for each in codes])
        ends = pairwise(starts)
        return [Reading(tags[at:end], row) for (at, end), row in zip(ends, labels, strict=True)]

    def _inward(self, codes: Codes) -> FloatArray:
        hidden: FloatArray = self._characters[codes.characters] + self._pairs[codes.pairs]
        hidden += self._start[codes.speaker]
        for start, end, column in codes.matches:
            hidden[start] += self._matches[2 * column]
            hidden[start:end] += self._matches[2 * column + 1]
        return hidden

    def _label(self, hidden: FloatArray, starts: list[int], speakers: list[int]) -> FloatArray:
        sizes = np.diff(starts).astype(np.float32)[:, None]
        highest = np.maximum.reduceat(hidden, starts[:-1])
        mean = np.add.reduceat(hidden, starts[:-1]) / sizes
        pooled = np.concatenate([highest, mean, self._speakers[speakers]], axis=1)
        return sigmoid(product(pooled, self._labels[0]) + self._labels[1])

    def save(self, folder: Path) -> None:
        """`reader.safetensors` in half precision, and `reader.json`."""
        with writing_binary(folder / "reader.safetensors") as raw:
            raw.write(save(self._weights))
        told = {"config": asdict(self.config), "vocabulary": asdict(self.vocabulary)}
        with writing(folder / "reader.json") as text:
            json.dump(told, text, ensure_ascii=False, indent=1)

    @classmethod
    def load(cls, folder: Path, gazetteer: Gazetteer) -> "Reader":
        """Refuses a damaged folder, and one made for other tables, in words."""
        try:
            reader = cls._load(folder, gazetteer)
        except (CrosstalkError, SafetensorError, *_WRONG) as error:
            raise InputError(
                f"{folder}: not a whole model of this kind: {error}",
                remedy="Train it anew: crosstalk train nlu --help",
            ) from error
        if not set(gazetteer.columns) <= set(reader.vocabulary.columns):
            raise InputError(
                f"{folder}: the model knows other tables than this world has",
                remedy="Train a model for this world: crosstalk train nlu --help",
            )
        return reader

    @classmethod
    def _load(cls, folder: Path, gazetteer: Gazetteer) -> "Reader":
        told = read_json(folder / "reader.json")
        shape, names = told["config"], told["vocabulary"]
        config = ReaderConfig(**{**shape, "dilations": tuple(shape["dilations"])})
        columns = tuple((domain, slot) for domain, slot in names["columns"])
        vocabulary = Vocabulary(
            names["characters"], tuple(names["spans"]), tuple(names["labels"]), columns
        )
        with open_binary(folder / "reader.safetensors") as raw:
            reader = cls(load(raw.read()), vocabulary, gazetteer, config)
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


def characters_of(texts: Iterable[str], *, least: int = 2) -> str:
    """The characters that stand in at least so many texts, from the commonest on."""
    counts: dict[str, int] = {}
    for text in texts:
        for each in set(folded(text)):
            counts[each] = counts.get(each, 0) + 1
    usual = [(-count, each) for each, count in counts.items() if count >= least]
    return "".join(each for _, each in sorted(usual))
