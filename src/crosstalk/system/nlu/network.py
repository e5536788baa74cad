"""The reader's network, for training; reading itself needs no torch (`reader.py`)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from crosstalk.system.nlu.encoding import Codes, ReaderConfig, ReaderVocabulary
from crosstalk.system.nlu.reader import Weights


@dataclass(frozen=True, slots=True)
class Batch:
    """Utterances as numbers, padded to the longest."""

    characters: Tensor
    pairs: Tensor
    matches: Tensor
    speaker: Tensor

    @classmethod
    def of(cls, utterances: "list[Codes]", columns: int) -> "Batch":
        size = (len(utterances), max(len(each.characters) for each in utterances))
        characters = torch.zeros(size, dtype=torch.long)
        parts = max(each.pairs.shape[1] for each in utterances)
        pairs = torch.zeros(*size, parts, dtype=torch.long)
        matches = torch.zeros(*size, 2 * columns)
        for number, each in enumerate(utterances):
            characters[number, : len(each.characters)] = torch.from_numpy(each.characters)
            rows, here = each.pairs.shape
            pairs[number, :rows, :here] = torch.from_numpy(each.pairs)
            for start, end, column in each.matches:
                matches[number, start, 2 * column] = 1
                matches[number, start:end, 2 * column + 1] = 1
        speaker = torch.tensor([each.speaker for each in utterances])
        return cls(characters, pairs, matches, speaker)


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


class ReaderNetwork(nn.Module):
    """Characters in, tags and labels out."""

    def __init__(self, config: ReaderConfig, vocabulary: ReaderVocabulary) -> None:
        super().__init__()
        width = config.width
        self.characters = nn.Embedding(len(vocabulary.characters) + 2, config.characters)
        self.pairs = nn.Embedding(config.pair_buckets, config.pairs, padding_idx=0)
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
        # What was found speaks for itself where phrases are looked for.
        told = len(vocabulary.columns) if config.words else 0
        self.told = nn.Linear(told, len(vocabulary.labels), bias=False) if told else None

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor]:
        mask = (batch.characters > 0).unsqueeze(-1).float()
        parts = self.pairs(batch.pairs).sum(dim=2)
        seen = torch.cat([self.characters(batch.characters), parts], dim=-1)
        spoken = self.speaker(batch.speaker)
        hidden = self.inward(self.dropout(seen)) + self.matches(batch.matches)
        hidden = hidden + spoken.unsqueeze(1)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        hidden = self.dropout(self.norm(hidden)) * mask
        highest = hidden.masked_fill(mask == 0, -1e4).max(dim=1).values
        mean = hidden.sum(dim=1) / mask.sum(dim=1)
        labels = self.labels(torch.cat([highest, mean, spoken], dim=-1))
        if self.told is not None:
            labels = labels + self.told(batch.matches[:, :, 1::2].amax(dim=1))
        return self.tags(hidden), labels


def weights_of(network: ReaderNetwork) -> Weights:
    """Rounded to half precision, as they are kept: what is trained on is what is used."""
    state = network.state_dict()
    return {name: weight.half().numpy() for name, weight in state.items()}


def rate_at(step: int, steps: int, *, highest: float) -> float:
    """Learning rate: a short rise, then half a cosine down to a fiftieth."""
    warm = min(200, max(1, steps // 10))
    if step < warm:
        return highest * (step + 1) / warm
    done = (step - warm) / max(1, steps - warm)
    return highest * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))
