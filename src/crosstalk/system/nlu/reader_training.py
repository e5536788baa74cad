"""Training the reader: utterances with marked spans, drawn anew for every pass."""

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
from crosstalk.system.nlu.filling import FilledUtterance
from crosstalk.system.nlu.network import Batch, ReaderNetwork, rate_at, weights_of
from crosstalk.system.nlu.reader import Reader
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.loop import train_epochs
from crosstalk.training.progress import Limits
from crosstalk.training.steps import StepCallback, nobody

OUTSIDE: Final = 0
IGNORED: Final = -100
HELD_OUT: Final = 64
"""One sample in so many judges a pass instead of teaching."""
FEW: Final = 8 * HELD_OUT
KEPT: Final = 20_000
"""Utterances whose numbers are kept for the next pass."""

Supply = Callable[[int], list[FilledUtterance]]
"""Number of the pass, counted from 1 -> what is learnt from; the same number, the same samples."""


@dataclass(frozen=True, slots=True)
class ReaderTraining:
    """How long and how fast; the defaults take about ten minutes on one idle core for CrossWOZ."""

    passes: int = 3
    batch: int = 64
    rate: float = 2e-3
    label_weight: float = 20.0
    """Of the labels' loss against the tags' loss; labels are many and mostly off."""
    unhinted: float = 0.0
    """How often an utterance is read without what the finder finds, to learn from its words."""


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
    torch.set_num_threads(1)  # sums, and so the weights, would differ with the number of threads
    torch.manual_seed(seed)
    lesson = ReaderLesson(supply, finder, config, training, seed)
    limits = Limits(training.passes)
    train_epochs(lesson, limits, seed=seed, checkpoint=checkpoint, told=told, part="reader")
    return Reader(weights_of(lesson.network), lesson.vocabulary, finder, config)


class ReaderLesson:
    """One pass over the samples after the other."""

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
        """How likely the right tags and labels of held-out utterances are, in per cent."""
        batch, wanted = self._encoded(self._judged, None)
        loss = _loss(self.network(batch), wanted, self._training.label_weight)
        return 100 * math.exp(-float(loss))

    def _taught(self, samples: list[FilledUtterance]) -> list[FilledUtterance]:
        """All but those that judge; where there are too few to spare some, all."""
        if len(samples) < FEW:
            return samples
        return [each for number, each in enumerate(samples) if number % HELD_OUT]

    def _step(self, samples: list[FilledUtterance], step: int, rng: Random) -> float:
        steps = self._training.passes * self._steps
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(step, steps, highest=self._training.rate)
        batch, wanted = self._encoded(samples, rng)
        loss = _loss(self.network(batch), wanted, self._training.label_weight)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        return float(loss.detach())

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
    """Batches of about equal length, in random order: little is wasted on padding."""
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
    """The right tag of each character or word, and which labels hold."""
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
