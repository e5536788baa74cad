"""The reader: a small convolutional network that tags characters and names the acts said.

It sees one utterance, its speaker and what the gazetteer finds there. Context is not its business.
Needs numpy and safetensors; only training needs torch (`network.py`).
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from zlib import crc32

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary
from crosstalk.modules.nlu.gazetteer import Gazetteer, folded

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

FloatArray = npt.NDArray[np.float32]
Weights = dict[str, npt.NDArray[np.float16]]

UNKNOWN: Final = 1
"""Number of a character never seen; 0 pads."""
LONGEST: Final = 400
"""Characters of an utterance that are read; the longest of 81,098 has 244."""
_WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""What files that are not a model make of themselves."""


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """The shape of the network; the defaults make 0.9 million weights."""

    width: int = 128
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
        self._buckets = config.pair_buckets
        self._pair_numbers: dict[str, int] = {}

    def encode(self, speaker: Speaker, text: str) -> Codes:
        text = folded(text[:LONGEST]) or " "
        matches = tuple(
            (match.start, match.end, self._columns[kind])
            for match in self._gazetteer.find(text)
            for kind in match.kinds
        )
        return Codes(
            np.array([self._numbers.get(each, UNKNOWN) for each in text], dtype=np.int64),
            np.array([self._pair(text[at : at + 2]) for at in range(len(text))], dtype=np.int64),
            matches,
            int(speaker is Speaker.SYSTEM),
        )

    def _pair(self, pair: str) -> int:
        if pair not in self._pair_numbers:
            code = crc32(pair.encode(errors="replace"))
            self._pair_numbers[pair] = 1 + code % (self._buckets - 1)
        return self._pair_numbers[pair]


class Reader:
    """The network with its words, ready to read."""

    def __init__(
        self, weights: Weights, vocabulary: Vocabulary, gazetteer: Gazetteer, config: ReaderConfig
    ) -> None:
        self.vocabulary = vocabulary
        self.config = config
        self._gazetteer = gazetteer
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
                np.ascontiguousarray(full[f"layers.{number}.convolution.weight"].T),
                full[f"layers.{number}.convolution.bias"],
            )
            for number, dilation in enumerate(config.dilations)
        ]
        self._norm = full["norm.weight"], full["norm.bias"]
        self._tags = full["tags.weight"].T, full["tags.bias"]
        self._labels = full["labels.weight"].T, full["labels.bias"]

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.vocabulary, self._gazetteer, self.config)

    def read(self, speaker: Speaker, text: str) -> Reading:
        codes = self.encoder.encode(speaker, text)
        hidden = self._characters[codes.characters] + self._pairs[codes.pairs]
        hidden += self._start[codes.speaker]
        for start, end, column in codes.matches:
            hidden[start] += self._matches[2 * column]
            hidden[start:end] += self._matches[2 * column + 1]
        for dilation, scale, shift, weight, bias in self._layers:
            hidden += _gated(_normal(hidden, scale, shift), dilation, weight, bias)
        hidden = _normal(hidden, *self._norm)
        pooled = np.concatenate(
            [hidden.max(axis=0), hidden.mean(axis=0), self._speakers[codes.speaker]]
        )
        tags = hidden @ self._tags[0] + self._tags[1]
        return Reading(_softmax(tags), _sigmoid(pooled @ self._labels[0] + self._labels[1]))

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


def _gated(hidden: FloatArray, dilation: int, weight: FloatArray, bias: FloatArray) -> FloatArray:
    """A dilated convolution over three characters, as one matrix product, with a gate."""
    size, width = hidden.shape
    three = np.zeros((size, 3 * width), dtype=np.float32)
    three[dilation:, :width] = hidden[: max(0, size - dilation)]
    three[:, width : 2 * width] = hidden
    three[: max(0, size - dilation), 2 * width :] = hidden[dilation:]
    both = three @ weight + bias
    gated: FloatArray = both[:, :width] * _sigmoid(both[:, width:])
    return gated


def _normal(hidden: FloatArray, scale: FloatArray, shift: FloatArray) -> FloatArray:
    centred: FloatArray = hidden - hidden.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", centred, centred) / np.float32(hidden.shape[1])
    centred /= np.sqrt(spread + np.float32(1e-5))[:, None]
    return centred * scale + shift


def _sigmoid(values: FloatArray) -> FloatArray:
    odds: FloatArray = 1 / (1 + np.exp(-np.clip(values, -60, 60)))
    return odds


def _softmax(values: FloatArray) -> FloatArray:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    odds: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return odds


def characters_of(texts: Iterable[str], *, least: int = 2) -> str:
    """The characters that stand in at least so many texts, from the commonest on."""
    counts: dict[str, int] = {}
    for text in texts:
        for each in set(folded(text)):
            counts[each] = counts.get(each, 0) + 1
    usual = [(-count, each) for each, count in counts.items() if count >= least]
    return "".join(each for _, each in sorted(usual))
