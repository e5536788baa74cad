"""The reader: a small convolutional network that tags values and predicts the acts of an utterance.

It reads one utterance, its speaker and the table values found in it, without context. It needs
numpy and safetensors; only training needs torch (`reader_training.py`).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary
from crosstalk.language.gazetteer import TextFinder

try:
    import numpy as np
    import numpy.typing as npt
    from safetensors import SafetensorError
    from safetensors.numpy import load, save

    from crosstalk.system.nlu.encoding import (
        CharacterEncoder,
        Codes,
        ReaderConfig,
        ReaderVocabulary,
        encoder_of,
    )
except ModuleNotFoundError as error:
    raise InputError(
        f"the trained NLU needs {error.name}, which is not installed",
        remedy='Install the extras: pip install "crosstalk-dialogue[learn,neural]"',
    ) from error

FloatArray = npt.NDArray[np.float32]

MOST: Final = 500_000
"""Maximum number of multiplications in one product. From 2^19 OpenBLAS uses several threads, which
on a busy machine wait for each other a hundred times as long as the product takes."""


def blocks(weight: FloatArray, width: int) -> FloatArray:
    """Convolution weights as (value, gate) x three characters x width x width."""
    return np.ascontiguousarray(weight.reshape(2, width, 3, width).transpose(0, 2, 3, 1))


Neighbours = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]


def neighbours(starts: list[int], dilation: int) -> Neighbours:
    """Row of the character before and after each; the padding row if there is none."""
    total = starts[-1]
    at = np.arange(total)
    first = np.repeat(starts[:-1], np.diff(starts))
    last = np.repeat(starts[1:], np.diff(starts))
    before, after = at - dilation, at + dilation
    return np.where(before >= first, before, total), np.where(after < last, after, total)


def gated(
    hidden: FloatArray, around: Neighbours, weight: FloatArray, bias: FloatArray
) -> FloatArray:
    """A gated dilated convolution over three characters."""
    size, width = hidden.shape
    padded = np.concatenate([hidden, np.zeros((1, width), dtype=np.float32)])
    three = [padded[around[0]], hidden, padded[around[1]]]
    both = np.empty((2, size, width), dtype=np.float32)
    for start, end in _evenly(size, MOST // (width * width)):
        rows = [each[start:end] for each in three]
        for number in (0, 1):
            out = np.matmul(rows[0], weight[number, 0], out=both[number, start:end])
            out += rows[1] @ weight[number, 1]
            out += rows[2] @ weight[number, 2]
    both += bias
    passed: FloatArray = both[0] * sigmoid(both[1])
    return passed


def product(rows: FloatArray, weight: FloatArray) -> FloatArray:
    parts = [rows[start:end] @ weight for start, end in _evenly(len(rows), MOST // weight.size)]
    return np.concatenate(parts)


def _evenly(size: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most `most` rows, about equally long."""
    count = -(-size // max(1, most))
    bounds = [size * number // count for number in range(count + 1)]
    return pairwise(bounds)


def normal(hidden: FloatArray, scale: FloatArray, shift: FloatArray) -> FloatArray:
    width = np.float32(hidden.shape[1])
    centred: FloatArray = hidden - (hidden.sum(axis=1) / width)[:, None]
    squares: FloatArray = np.einsum("ij,ij->i", centred, centred)
    centred /= np.sqrt(squares / width + np.float32(1e-5))[:, None]
    centred *= scale
    centred += shift
    return centred


def sigmoid(values: FloatArray) -> FloatArray:
    powers = np.exp(-np.maximum(values, np.float32(-60)))
    powers += 1
    odds: FloatArray = np.reciprocal(powers)
    return odds


def softmax(values: FloatArray) -> FloatArray:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    odds: FloatArray = powers / powers.sum(axis=1, keepdims=True)
    return odds


Weights = dict[str, npt.NDArray[np.float16]]

_WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError)
"""Errors that reading a damaged or foreign model file may raise."""


@dataclass(frozen=True, slots=True)
class NetworkOutput:
    """Probabilities that the network assigns to one utterance."""

    tags: FloatArray
    """Characters x (outside, then begin and inside of each span key)."""
    labels: FloatArray
    """One per label."""


class Reader:
    """The network with its vocabulary, in numpy."""

    def __init__(
        self,
        weights: Weights,
        vocabulary: ReaderVocabulary,
        finder: TextFinder,
        config: ReaderConfig,
    ) -> None:
        self.vocabulary = vocabulary
        self.config = config
        self._finder = finder
        self._weights = weights
        full = {name: weight.astype(np.float32) for name, weight in weights.items()}
        inward = full["inward.weight"].T
        # Embeddings multiplied with the first layer once, instead of for every character.
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
    def encoder(self) -> CharacterEncoder:
        return encoder_of(self.vocabulary, self._finder, self.config)

    def read(self, speaker: Speaker, text: str) -> NetworkOutput:
        return self.read_all([(speaker, text)])[0]

    def read_all(self, utterances: Sequence[tuple[Speaker, str]]) -> list[NetworkOutput]:
        """Several utterances in one array: twice as fast as one by one."""
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
            NetworkOutput(spread(tags[at:end], each), row)
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
        """Write `reader.safetensors` in half precision, and `reader.json`."""
        with writing_binary(folder / "reader.safetensors") as raw:
            raw.write(save(self._weights))
        told = {"config": asdict(self.config), "vocabulary": asdict(self.vocabulary)}
        with writing(folder / "reader.json") as text:
            json.dump(told, text, ensure_ascii=False, indent=1)

    @classmethod
    def load(cls, folder: Path, finder: TextFinder) -> "Reader":
        """Load a model; raise `InputError` if it is damaged or made for other tables."""
        try:
            reader = cls._load(folder, finder)
        except (CrosstalkError, SafetensorError, *_WRONG) as error:
            raise InputError(
                f"{folder}: not a whole model of this kind: {error}",
                remedy="Train it anew: crosstalk train nlu --help",
            ) from error
        if not set(finder.all_columns) <= set(reader.vocabulary.columns):
            raise InputError(
                f"{folder}: the model was trained for other tables than this world has",
                remedy="Train a model for this world: crosstalk train nlu --help",
            )
        return reader

    @classmethod
    def _load(cls, folder: Path, finder: TextFinder) -> "Reader":
        told = read_json(folder / "reader.json")
        shape, names = told["config"], told["vocabulary"]
        config = ReaderConfig(**{**shape, "dilations": tuple(shape["dilations"])})
        columns = tuple((domain, slot) for domain, slot in names["columns"])
        known = names["characters"]
        vocabulary = ReaderVocabulary(
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
        """Raise `ValueError` if weights and vocabulary do not match."""
        wanted = {
            "characters": (len(self._characters), len(self.vocabulary.characters) + 2),
            "tags": (len(self._tags[1]), 1 + 2 * len(self.vocabulary.spans)),
            "labels": (len(self._labels[1]), len(self.vocabulary.labels)),
            "columns": (len(self._matches), 2 * len(self.vocabulary.columns)),
        }
        for name, (there, expected) in wanted.items():
            if there != expected:
                raise ValueError(f"{there} {name} in the weights, {expected} in the vocabulary")


def spread(tags: FloatArray, codes: Codes) -> FloatArray:
    """Tags of words as tags of their characters; spaces between words of a span are inside it."""
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
