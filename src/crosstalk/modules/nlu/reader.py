"""The reader: a small convolutional network that tags characters and names the acts said.

It sees one utterance, its speaker and what the gazetteer finds there. Context is not its business.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Final
from zlib import crc32

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary
from crosstalk.modules.nlu.gazetteer import Gazetteer, folded

FloatArray = npt.NDArray[np.float32]

UNKNOWN: Final = 1
"""Number of a character never seen; 0 pads."""
_WRONG: Final = (KeyError, TypeError, ValueError, AttributeError, RuntimeError)
"""What files that are not a model make of themselves."""
TOGETHER: Final = 8
"""Utterances read at once, of about equal length: more would pad more."""
LONGEST: Final = 400
"""Characters of an utterance that are read; the longest of 81,098 has 244."""


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
class Batch:
    """Utterances as numbers, padded to the longest."""

    characters: Tensor
    pairs: Tensor
    matches: Tensor
    speaker: Tensor


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
        self._width = 2 * len(vocabulary.columns)
        self._gazetteer = gazetteer
        self._buckets = config.pair_buckets
        self._pair_numbers: dict[str, int] = {}

    def encode(self, utterances: Sequence[tuple[Speaker, str]]) -> Batch:
        texts = [folded(text[:LONGEST]) or " " for _, text in utterances]
        size = (len(texts), max(map(len, texts)))
        characters = np.zeros(size, dtype=np.int64)
        pairs = np.zeros(size, dtype=np.int64)
        matches = np.zeros((*size, self._width), dtype=np.float32)
        for number, text in enumerate(texts):
            characters[number, : len(text)] = [self._numbers.get(each, UNKNOWN) for each in text]
            pairs[number, : len(text)] = [self._pair(text[i : i + 2]) for i in range(len(text))]
            for match in self._gazetteer.find(text):
                for kind in match.kinds:
                    column = 2 * self._columns[kind]
                    matches[number, match.start, column] = 1
                    matches[number, match.start : match.end, column + 1] = 1
        speaker = torch.tensor([int(who is Speaker.SYSTEM) for who, _ in utterances])
        return Batch(
            torch.from_numpy(characters),
            torch.from_numpy(pairs),
            torch.from_numpy(matches),
            speaker,
        )

    def _pair(self, pair: str) -> int:
        if pair not in self._pair_numbers:
            self._pair_numbers[pair] = 1 + crc32(pair.encode()) % (self._buckets - 1)
        return self._pair_numbers[pair]


class ChannelDropout(nn.Module):
    """Drops whole channels of an utterance: as good as single numbers, and nearly free."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, hidden: Tensor) -> Tensor:
        if not self.training:
            return hidden
        kept = torch.rand(hidden.shape[0], 1, hidden.shape[2]) >= self.share
        return hidden * kept / (1 - self.share)


class Gated(nn.Module):
    """One dilated convolution with a gate, added to its input.

    Written as one matrix product, which is four times as quick on a processor as `Conv1d`.
    """

    def __init__(self, width: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.dilation = dilation
        self.convolution = nn.Linear(3 * width, 2 * width)
        self.norm = nn.LayerNorm(width)
        self.dropout = ChannelDropout(dropout)

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        apart, size = self.dilation, hidden.shape[1]
        padded = nn.functional.pad(self.norm(hidden) * mask, (0, 0, apart, apart))
        three = [padded[:, at : at + size] for at in (0, apart, 2 * apart)]
        value, gate = self.convolution(torch.cat(three, dim=-1)).chunk(2, dim=-1)
        added: Tensor = self.dropout(value * torch.sigmoid(gate))
        return hidden + added


class Network(nn.Module):
    """Characters in, tags and labels out."""

    def __init__(self, config: ReaderConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        width = config.width
        self.characters = nn.Embedding(len(vocabulary.characters) + 2, config.characters)
        self.pairs = nn.Embedding(config.pair_buckets, config.pairs)
        self.matches = nn.Linear(2 * len(vocabulary.columns), width)
        self.speaker = nn.Embedding(2, width)
        self.inward = nn.Linear(config.characters + config.pairs, width)
        self.layers = nn.ModuleList(
            Gated(width, dilation, config.dropout) for dilation in config.dilations
        )
        self.norm = nn.LayerNorm(width)
        self.dropout = ChannelDropout(config.dropout)
        self.tags = nn.Linear(width, 1 + 2 * len(vocabulary.spans))
        self.labels = nn.Linear(3 * width, len(vocabulary.labels))

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        mask = (batch.characters > 0).unsqueeze(-1).float()
        seen = torch.cat([self.characters(batch.characters), self.pairs(batch.pairs)], dim=-1)
        spoken = self.speaker(batch.speaker)
        hidden = self.inward(self.dropout(seen)) + self.matches(batch.matches)
        hidden = hidden + spoken.unsqueeze(1)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        hidden = self.dropout(self.norm(hidden)) * mask
        highest = hidden.masked_fill(mask == 0, -1e4).max(dim=1).values
        mean = hidden.sum(dim=1) / mask.sum(dim=1)
        pooled = torch.cat([highest, mean, spoken], dim=-1)
        return self.tags(hidden), self.labels(pooled)


class Reader:
    """The network with its words, ready to read."""

    def __init__(
        self,
        network: Network,
        vocabulary: Vocabulary,
        gazetteer: Gazetteer,
        config: ReaderConfig,
    ) -> None:
        self.vocabulary = vocabulary
        self._gazetteer = gazetteer
        self.network = network
        self.config = config

    @cached_property
    def encoder(self) -> Encoder:
        return Encoder(self.vocabulary, self._gazetteer, self.config)

    def read(self, utterances: Sequence[tuple[Speaker, str]]) -> list[Reading]:
        """What the network makes of each; several at once are quicker."""
        self.network.eval()
        by_length = sorted(range(len(utterances)), key=lambda at: len(utterances[at][1]))
        readings: dict[int, Reading] = {}
        for start in range(0, len(by_length), TOGETHER):
            chunk = by_length[start : start + TOGETHER]
            some = self._read_together([utterances[at] for at in chunk])
            readings |= zip(chunk, some, strict=True)
        return [readings[at] for at in range(len(utterances))]

    def _read_together(self, utterances: Sequence[tuple[Speaker, str]]) -> list[Reading]:
        with torch.inference_mode():
            tags, labels = self.network(self.encoder.encode(utterances))
            tag_odds = torch.softmax(tags, dim=-1).numpy()
            label_odds = torch.sigmoid(labels).numpy()
        lengths = [max(1, min(len(text), LONGEST)) for _, text in utterances]
        return [
            Reading(tag_odds[number, :length], label_odds[number])
            for number, length in enumerate(lengths)
        ]

    def save(self, folder: Path) -> None:
        """`reader.safetensors` in half precision, and `reader.json`."""
        weights = {
            name: weight.half().contiguous() for name, weight in self.network.state_dict().items()
        }
        with writing_binary(folder / "reader.safetensors") as raw:
            raw.write(save(weights))
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
        network = Network(config, vocabulary)
        with open_binary(folder / "reader.safetensors") as raw:
            weights = load(raw.read())
        network.load_state_dict({name: weight.float() for name, weight in weights.items()})
        return cls(network, vocabulary, gazetteer, config)


def characters_of(texts: Iterable[str], *, least: int = 2) -> str:
    """The characters that stand in at least so many texts, from the commonest on."""
    counts: dict[str, int] = {}
    for text in texts:
        for each in set(folded(text)):
            counts[each] = counts.get(each, 0) + 1
    usual = [(-count, each) for each, count in counts.items() if count >= least]
    return "".join(each for _, each in sorted(usual))


def rate_at(step: int, steps: int, *, highest: float, warm: int = 200) -> float:
    """Learning rate: a short rise, then half a cosine down to a fiftieth."""
    if step < warm:
        return highest * (step + 1) / warm
    done = (step - warm) / max(1, steps - warm)
    return highest * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
