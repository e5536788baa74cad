"""Learning our retriever: from dialogues of the source language and sentences in translation.

Nothing of the target's dialogues is used, nor asked: what is held out is the development split of
the source, made harder by the noise of translation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.steps import Told, nobody
from crosstalk.transfer.best_config import BestConfig
from crosstalk.transfer.best_retriever import (
    BestRetriever,
    Learnt,
    Noise,
    head_shape,
)
from crosstalk.transfer.candidates import candidate_lists
from crosstalk.transfer.canonical import moments_of
from crosstalk.transfer.corpora import find_corpus, read_talks, without_known
from crosstalk.transfer.embeddings import CachedEncoder
from crosstalk.transfer.exchanges import Exchange, exchanges_of
from crosstalk.transfer.heads import Head, Pairs, Source, add_noise, train_head
from crosstalk.transfer.learning import Pace
from crosstalk.transfer.mixing import fit_weights
from crosstalk.transfer.overlap import OverlapReading
from crosstalk.transfer.translations import read_translations, translated_from
from crosstalk.transfer.views import TurnReader, basis_of

import torch  # isort: skip

Matrix = NDArray[np.float32]
TRANSLATIONS: Final = 8_000
"""Pairs of sentences a language: half a minute of one core."""
BASIS_TEXTS: Final = 8_000
WEIGHED: Final = 2_000
"""Exchanges of the development split that weights are fitted on."""


@dataclass(frozen=True, slots=True)
class Split:
    """Exchanges and their rows."""

    exchanges: Sequence[Exchange]
    contexts: Matrix
    answers: Matrix

    def pairs(self) -> Pairs:
        numbers: dict[str, int] = {}
        texts = [numbers.setdefault(each.response, len(numbers)) for each in self.exchanges]
        return Pairs(self.contexts, self.answers, np.array(texts))

    def some(self, count: int, seed: int) -> "Split":
        """So many of them, shuffled."""
        order = Random(seed).sample(range(len(self.exchanges)), min(count, len(self.exchanges)))
        chosen = [self.exchanges[each] for each in order]
        return Split(chosen, self.contexts[order], self.answers[order])


def read_split(reader: TurnReader, exchanges: Sequence[Exchange]) -> Split:
    return Split(exchanges, *reader.views(exchanges))


def source_exchanges(data: Path, source: str) -> tuple[list[Exchange], list[Exchange]]:
    """To learn from and to judge by; dialogues that both splits hold are learnt from in neither."""
    train = read_talks(find_corpus(data, source, "train").file)
    dev = read_talks(find_corpus(data, source, "dev").file)
    return exchanges_of(without_known(train, dev)), exchanges_of(dev)


def train_best(
    data: Path,
    encoder: CachedEncoder,
    config: BestConfig,
    *,
    checkpoint: Checkpoint | None = None,
    told: Told = nobody,
) -> Learnt:
    """Some five minutes of one core, most of it reading."""
    exchanges, held = source_exchanges(data, config.source)
    texts = sorted({text for each in exchanges for text in (each.before[-1], each.response)})
    if len(texts) < config.width:
        raise InputError(
            f"{len(texts)} different turns are too few to learn a retriever from",
            remedy="Give more dialogues.",
        )
    sample = Random(config.seed).sample(texts, min(BASIS_TEXTS, len(texts)))
    reader = TurnReader(encoder, basis_of(encoder.vectors(sample), config.width))
    learnt_from, judged = read_split(reader, exchanges), read_split(reader, held)
    noises = translation_noises(data, reader, config)
    config = replace(config, languages=tuple(sorted(noises)))
    centre = (learnt_from.contexts.mean(0), learnt_from.answers.mean(0))
    moments = moments_of(learnt_from.contexts - centre[0], learnt_from.answers - centre[1])
    shaped = {name: _shape(rows) for name, rows in noises.items()}
    learnt = Learnt(config, reader.basis, moments, centre, shaped, None)
    if config.has_head:
        head = _head(config, learnt_from, judged, noises, checkpoint, told)
        learnt = replace(learnt, head=head)
    return _weighed(learnt, reader, judged, noises)


def translation_noises(data: Path, reader: TurnReader, config: BestConfig) -> dict[str, Matrix]:
    """For each language, differences between sentences and their translations."""
    found: dict[str, Matrix] = {}
    for language in translated_from(config.source):
        pairs = read_translations(
            data, config.source, language, most=TRANSLATIONS, seed=config.seed
        )
        if pairs:
            rows = reader.rows(text for pair in pairs for text in pair)
            found[language] = np.stack([rows[two] - rows[one] for one, two in pairs])
    return found


def _shape(rows: Matrix) -> Noise:
    return Noise(rows.mean(0), np.cov((rows - rows.mean(0)).T))


def _head(
    config: BestConfig,
    learnt_from: Split,
    judged: Split,
    noises: dict[str, Matrix],
    checkpoint: Checkpoint | None,
    told: Told,
) -> Head:
    torch.manual_seed(config.seed)
    head = Head(head_shape(config))
    source = Source(learnt_from.pairs(), noises=[noises[name] for name in sorted(noises)])
    held = judged.some(WEIGHED, config.seed)
    for name in sorted(noises)[:1]:
        held = noised(held, noises[name], seed=config.seed)
    train_head(
        head,
        [source],
        held.pairs(),
        head_pace(config),
        seed=config.seed,
        checkpoint=checkpoint,
        told=told,
    )
    return head


def head_pace(config: BestConfig) -> Pace:
    return Pace(
        steps=config.steps,
        check_every=max(config.steps // 6, 1),
        rate=1e-3,
        batch=256,
        warm_up=min(80, config.steps // 10),
        decay=0.05,
    )


def noised(split: Split, noise: Matrix, *, seed: int) -> Split:
    """As if every turn had been translated."""
    contexts, answers = split.contexts.copy(), split.answers.copy()
    numbers = np.random.default_rng(seed)
    add_noise(contexts, answers, np.arange(len(answers)), noise, numbers)
    return Split(split.exchanges, contexts, answers)


def _weighed(
    learnt: Learnt, reader: TurnReader, judged: Split, noises: dict[str, Matrix]
) -> Learnt:
    """Weights for the source, and for each language on the source made as noisy as that one."""
    held = judged.some(WEIGHED, learnt.config.seed)
    weights = {}
    for language in [learnt.config.source, *sorted(noises)]:
        split = noised(held, noises[language], seed=2) if language in noises else held
        kinds = 2 if learnt.head else 1
        retriever = BestRetriever(
            reader, learnt.canonical(language), learnt.centre, learnt.head, np.ones(kinds)
        )
        weights[language] = [round(float(each), 4) for each in weights_on(retriever, split)]
    plain = [round(float(each), 4) for each in plain_weights(held.exchanges)]
    return replace(learnt, config=replace(learnt.config, weights=weights, plain=plain))


def plain_weights(exchanges: Sequence[Exchange], *, seed: int = 9) -> NDArray[np.float64]:
    """Weights of the overlaps alone."""
    size = min(100, len(exchanges))
    lists = candidate_lists(len(exchanges), seed=seed, size=size)
    reading = OverlapReading(exchanges, np.ones(1))
    return fit_weights([reading.marks(each.asked, each.candidates) for each in lists])


def weights_on(retriever: BestRetriever, split: Split, *, seed: int = 9) -> NDArray[np.float64]:
    """What serves these exchanges best."""
    reading = retriever.reading(split.exchanges, split.contexts, split.answers)
    size = min(100, len(split.exchanges))
    lists = candidate_lists(len(split.exchanges), seed=seed, size=size)
    return fit_weights([reading.marks(each.asked, each.candidates) for each in lists])
