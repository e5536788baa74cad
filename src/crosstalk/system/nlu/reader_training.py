"""The network of the reader in torch, and its training on utterances with marked values."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.language.gazetteer import TextFinder
from crosstalk.system.nlu.encoding import (
    Codes,
    ReaderConfig,
    ReaderVocabulary,
    characters_of,
    encoder_of,
    words_of,
)
from crosstalk.system.nlu.reader import Reader, Weights
from crosstalk.system.nlu.training_samples import FilledUtterance
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import use_single_thread
from crosstalk.training.loop import gradient_step, train_epochs
from crosstalk.training.progress import Limits
from crosstalk.training.steps import StepCallback, nobody


@dataclass(frozen=True, slots=True)
class Batch:
    """Utterances as tensors, padded to the longest."""

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
    """Drops whole channels of an utterance: as good as dropping numbers, and much cheaper."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, hidden: Tensor) -> Tensor:
        if not self.training:
            return hidden
        kept = torch.rand(hidden.shape[0], 1, hidden.shape[2]) >= self.share
        return hidden * kept / (1 - self.share)


class Gated(nn.Module):
    """A gated dilated convolution with a residual connection.

    Written as one matrix product, which is four times as fast on a CPU as `Conv1d`.
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
        # Phrases found by the lexicon predict labels directly.
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
    """The weights in half precision, as they are stored."""
    state = network.state_dict()
    return {name: weight.half().numpy() for name, weight in state.items()}


def rate_at(step: int, steps: int, *, highest: float) -> float:
    """Learning rate: short linear warm-up, then cosine decay to 2 %."""
    warm = min(200, max(1, steps // 10))
    if step < warm:
        return highest * (step + 1) / warm
    done = (step - warm) / max(1, steps - warm)
    return highest * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, done))))


OUTSIDE: Final = 0
IGNORED: Final = -100
HELD_OUT: Final = 64
"""One sample in this many is held out for validation."""
FEW: Final = 8 * HELD_OUT
KEPT: Final = 20_000
"""Encoded utterances that are cached between passes."""

Supply = Callable[[int], list[FilledUtterance]]
"""Number of the pass, from 1 -> its samples; the same number always gives the same samples."""


@dataclass(frozen=True, slots=True)
class ReaderTraining:
    """Settings; the defaults take about ten minutes on one idle core for CrossWOZ."""

    passes: int = 3
    batch: int = 64
    rate: float = 2e-3
    label_weight: float = 20.0
    """Weight of the label loss relative to the tag loss; labels are many and mostly false."""
    unhinted: float = 0.0
    """Dropout of table matches, so that the network also learns from the words."""


def train_reader(
    supply: Supply,
    finder: TextFinder,
    *,
    seed: int,
    config: ReaderConfig | None = None,
    training: ReaderTraining | None = None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> Reader:
    config, training = config or ReaderConfig(), training or ReaderTraining()
    use_single_thread()
    torch.manual_seed(seed)
    task = _ReaderEpochs(supply, finder, config, training, seed)
    limits = Limits(training.passes)
    train_epochs(task, limits, seed=seed, checkpoint=checkpoint, told=told, part="reader")
    return Reader(weights_of(task.network), task.vocabulary, finder, config)


class _ReaderEpochs:
    """Training of the reader as an `EpochTask`."""

    def __init__(
        self,
        supply: Supply,
        finder: TextFinder,
        config: ReaderConfig,
        training: ReaderTraining,
        seed: int,
    ) -> None:
        self._supply, self._training, self._seed = supply, training, seed
        first = supply(1)
        self.vocabulary = vocabulary_of(first, finder, words=config.words)
        self.network = ReaderNetwork(config, self.vocabulary)
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=training.rate, weight_decay=0.01
        )
        encoder = encoder_of(self.vocabulary, finder, config)
        self._encode = lru_cache(maxsize=KEPT)(encoder.encode)
        self._judged = first if len(first) < FEW else first[::HELD_OUT]
        self._steps = len(list(_batches(self._taught(first), training.batch, Random(0))))

    def learn(self, epoch: int) -> float:
        rng = Random(f"pass {self._seed} {epoch}")
        samples = self._taught(self._supply(epoch))
        losses = [
            self._step(batch, step, rng)
            for step, batch in enumerate(
                _batches(samples, self._training.batch, rng), start=(epoch - 1) * self._steps
            )
        ]
        return sum(losses) / len(losses)

    def judge(self) -> float:
        """Probability of the correct tags and labels of held-out utterances, in per cent."""
        batch, wanted = self._encoded(self._judged, None)
        loss = _loss(self.network(batch), wanted, self._training.label_weight)
        return 100 * math.exp(-float(loss))

    def _taught(self, samples: list[FilledUtterance]) -> list[FilledUtterance]:
        """All samples but the held-out ones; all if there are too few."""
        if len(samples) < FEW:
            return samples
        return [each for number, each in enumerate(samples) if number % HELD_OUT]

    def _step(self, samples: list[FilledUtterance], step: int, rng: Random) -> float:
        steps = self._training.passes * self._steps
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(step, steps, highest=self._training.rate)
        batch, wanted = self._encoded(samples, rng)
        loss = _loss(self.network(batch), wanted, self._training.label_weight)
        return gradient_step(loss, self.optimizer, clip=1.0)

    def _encoded(
        self, samples: Sequence[FilledUtterance], rng: Random | None
    ) -> tuple[Batch, tuple[Tensor, Tensor]]:
        codes = [self._encode(sample.speaker, sample.text) for sample in samples]
        wanted = targets(samples, codes, self.vocabulary)
        if rng and self._training.unhinted:
            codes = [each.unhinted(rng, self._training.unhinted) for each in codes]
        return Batch.of(codes, len(self.vocabulary.columns)), wanted


def _loss(
    said: tuple[Tensor, Tensor], wanted: tuple[Tensor, Tensor], label_weight: float
) -> Tensor:
    tags: Tensor = nn.functional.cross_entropy(
        said[0].flatten(0, 1), wanted[0].flatten(), ignore_index=IGNORED
    )
    labels = nn.functional.binary_cross_entropy_with_logits(said[1], wanted[1])
    return tags + label_weight * labels


def vocabulary_of(
    samples: Sequence[FilledUtterance], finder: TextFinder, *, words: bool
) -> ReaderVocabulary:
    texts = [sample.text for sample in samples]
    return ReaderVocabulary(
        words_of(texts) if words else characters_of(texts),
        tuple(sorted({span.key for sample in samples for span in sample.spans})),
        tuple(sorted({key for sample in samples for key in sample.keys})),
        finder.all_columns,
    )


def _batches(
    samples: list[FilledUtterance], size: int, rng: Random
) -> Iterator[list[FilledUtterance]]:
    """Batches of utterances of similar length (little padding), in random order."""
    rng.shuffle(samples)
    pool = size * 50
    for start in range(0, len(samples), pool):
        near = sorted(samples[start : start + pool], key=lambda sample: len(sample.text))
        batches = [near[at : at + size] for at in range(0, len(near), size)]
        rng.shuffle(batches)
        yield from batches


def targets(
    samples: Sequence[FilledUtterance], codes: Sequence[Codes], vocabulary: ReaderVocabulary
) -> tuple[Tensor, Tensor]:
    """The gold tag of each character or word, and the gold labels."""
    spans = {key: number for number, key in enumerate(vocabulary.spans)}
    labels = {key: number for number, key in enumerate(vocabulary.labels)}
    longest = max(len(each.characters) for each in codes)
    tags = torch.full((len(samples), longest), IGNORED, dtype=torch.long)
    hold = torch.zeros(len(samples), len(vocabulary.labels))
    for number, (sample, each) in enumerate(zip(samples, codes, strict=True)):
        tags[number, : len(each.characters)] = OUTSIDE
        for span in sample.spans:
            rows = each.rows(span.start, span.end)
            if rows and span.key in spans:
                tags[number, rows.start : rows.stop] = 2 + 2 * spans[span.key]
                tags[number, rows.start] = 1 + 2 * spans[span.key]
        for key in sample.keys:
            if key in labels:
                hold[number, labels[key]] = 1.0
    return tags, hold
