"""Training the reader on filled templates and on what stands in dialogues."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.database.tables import World
from crosstalk.modules.nlu.filling import Filler, Group, Sample
from crosstalk.modules.nlu.gazetteer import Gazetteer
from crosstalk.modules.nlu.network import Batch, Network, rate_at, weights_of
from crosstalk.modules.nlu.reader import (
    LONGEST,
    Encoder,
    Reader,
    ReaderConfig,
    Vocabulary,
    characters_of,
)

OUTSIDE: Final = 0
IGNORED: Final = -100


@dataclass(frozen=True, slots=True)
class ReaderTraining:
    """How long and how fast; the defaults take about ten minutes on one idle core."""

    passes: int = 3
    batch: int = 64
    rate: float = 2e-3
    label_weight: float = 20.0
    """Of the labels' loss against the tags' loss; labels are many and mostly off."""


def train_reader(
    groups: Sequence[Group],
    said: Sequence[Sample],
    world: World,
    *,
    seed: int,
    config: ReaderConfig | None = None,
    training: ReaderTraining | None = None,
    report: Callable[[int, int, float], None] = lambda step, steps, loss: None,
) -> Reader:
    """A reader trained on templates, filled anew in every pass, and on utterances as they stand."""
    config, training = config or ReaderConfig(), training or ReaderTraining()
    torch.set_num_threads(1)  # sums, and so the weights, would differ with the number of threads
    rng = Random(seed)
    torch.manual_seed(seed)
    gazetteer, filler = Gazetteer.of(world), Filler(world)
    first = [*_filled(groups, filler, rng), *said]
    vocabulary = _vocabulary(first, gazetteer)
    network, encoder = Network(config, vocabulary), Encoder(vocabulary, gazetteer, config)
    optimiser = torch.optim.AdamW(network.parameters(), lr=training.rate, weight_decay=0.01)
    steps = training.passes * -(-len(first) // training.batch)
    step = 0
    for each_pass in range(training.passes):
        samples = [*_filled(groups, filler, rng), *said] if each_pass else first
        for batch in _batches(samples, training.batch, rng):
            for group in optimiser.param_groups:
                group["lr"] = rate_at(step, steps, highest=training.rate)
            codes = [encoder.encode(sample.speaker, sample.text) for sample in batch]
            inward = Batch.of(codes, len(vocabulary.columns))
            loss = _step(network, inward, targets(batch, vocabulary, inward), optimiser, training)
            report(step, steps, loss)
            step += 1
    return Reader(weights_of(network), vocabulary, gazetteer, config)


def _filled(groups: Sequence[Group], filler: Filler, rng: Random) -> Iterator[Sample]:
    for group in groups:
        for template in group.templates:
            yield filler.fill(group, template, rng)


def _vocabulary(samples: Sequence[Sample], gazetteer: Gazetteer) -> Vocabulary:
    return Vocabulary(
        characters_of(sample.text for sample in samples),
        tuple(sorted({span.key for sample in samples for span in sample.spans})),
        tuple(sorted({key for sample in samples for key in sample.keys})),
        gazetteer.columns,
    )


def _batches(samples: list[Sample], size: int, rng: Random) -> Iterator[list[Sample]]:
    """Batches of about equal length, in random order: little is wasted on padding."""
    rng.shuffle(samples)
    pool = size * 50
    for start in range(0, len(samples), pool):
        near = sorted(samples[start : start + pool], key=lambda sample: len(sample.text))
        batches = [near[at : at + size] for at in range(0, len(near), size)]
        rng.shuffle(batches)
        yield from batches


def _step(
    network: Network,
    batch: Batch,
    wanted: tuple[Tensor, Tensor],
    optimiser: torch.optim.Optimizer,
    training: ReaderTraining,
) -> float:
    network.train()
    tags, labels = wanted
    tag_scores, label_scores = network(batch)
    loss: Tensor = nn.functional.cross_entropy(
        tag_scores.flatten(0, 1), tags.flatten(), ignore_index=IGNORED
    ) + training.label_weight * nn.functional.binary_cross_entropy_with_logits(label_scores, labels)
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())


def targets(
    samples: Sequence[Sample], vocabulary: Vocabulary, batch: Batch
) -> tuple[Tensor, Tensor]:
    """The right tag of each character, and which labels hold."""
    spans = {key: number for number, key in enumerate(vocabulary.spans)}
    labels = {key: number for number, key in enumerate(vocabulary.labels)}
    tags = torch.full(batch.characters.shape, IGNORED, dtype=torch.long)
    hold = torch.zeros(len(samples), len(vocabulary.labels))
    for number, sample in enumerate(samples):
        tags[number, : min(len(sample.text), LONGEST)] = OUTSIDE
        for span in sample.spans:
            if span.end <= LONGEST:
                tags[number, span.start : span.end] = 2 + 2 * spans[span.key]
                tags[number, span.start] = 1 + 2 * spans[span.key]
        for key in sample.keys:
            hold[number, labels[key]] = 1.0
    return tags, hold
