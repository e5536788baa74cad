"""Training the SC-LSTM as the CrossWOZ paper did, from what people said for which acts.

A training that was stopped goes on from its last whole epoch and ends with the same weights: every
epoch draws its order and its dropout from the seed and its own number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.errors import InputError
from crosstalk.system.nlg.keys import ActKeys
from crosstalk.system.nlg.sclstm_conditions import Conditions, features_of
from crosstalk.system.nlg.sclstm_network import SCLSTM, SclstmShape, ones
from crosstalk.system.nlg.sclstm_words import PAD, SPECIAL, DelexicalisedUtterance, SclstmVocabulary
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.loop import train_epochs
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after the network, which says in words that it is missing
from torch import Tensor, nn  # isort: skip

NEIGHBOURS: Final = 20
"""Batches of utterances alike in length are cut from so many at a time, which spares padding."""


@dataclass(frozen=True, slots=True)
class TrainingConfig:
    """The published settings."""

    hidden: int = 100
    dropout: float = 0.25
    clip: float = 0.5
    batch: int = 256
    learning_rate: float = 0.005
    epochs: int = 75
    patience: int = 6
    """So many epochs in a row without a lower loss in validation end the training."""


@dataclass(frozen=True, slots=True)
class TrainedGenerator:
    """A network and what it needs to speak."""

    network: SCLSTM
    conditions: Conditions
    vocabulary: SclstmVocabulary
    progress: Progress


@dataclass(frozen=True, slots=True)
class _Example:
    lit: tuple[int, ...]
    words: tuple[int, ...]


def split(
    said: Sequence[DelexicalisedUtterance], *, every: int = 10
) -> tuple[list[DelexicalisedUtterance], list[DelexicalisedUtterance]]:
    """Sayings to learn from, and one in so many held out, whatever the seed."""
    learnt = [each for number, each in enumerate(said, 1) if number % every]
    return learnt, list(said[every - 1 :: every])


def train(
    learnt: Sequence[DelexicalisedUtterance],
    held_out: Sequence[DelexicalisedUtterance],
    keys: ActKeys,
    config: TrainingConfig,
    *,
    seed: int,
    checkpoint: Path | None = None,
    told: StepCallback = nobody,
) -> TrainedGenerator:
    """The network of the epoch with the lowest loss on what was held out.

    `checkpoint`: a file to go on from where it is there, and to write after every epoch; it fits
    only the same sayings, seed and settings. `told` hears of every epoch.
    """
    if not learnt or not held_out:
        raise InputError(
            f"an SC-LSTM cannot learn from {len(learnt)} turns and validate on {len(held_out)}",
            remedy="Give a corpus whose turns of this side have texts and acts; ten at the least.",
        )
    torch.set_num_threads(1)  # sums in one order: the same bytes whatever the number of cores
    torch.manual_seed(seed)
    vocabulary, conditions = SclstmVocabulary.of(learnt), conditions_of(learnt, keys)
    shape = SclstmShape(
        len(vocabulary.words), len(conditions.features), config.hidden, config.dropout
    )
    learnable, judged = (_coded(each, vocabulary, conditions, keys) for each in (learnt, held_out))
    lesson = _Lesson(SCLSTM(shape), config, learnable, judged, seed)
    settings = settings_of(config, without=("epochs", "patience"))
    identity = Identity(settings, digest_of((*learnt, *held_out)), seed)
    progress = train_epochs(
        lesson,
        Limits(config.epochs, config.patience),
        seed=seed,
        checkpoint=Checkpoint(checkpoint, identity) if checkpoint else None,
        told=told,
    )
    return TrainedGenerator(lesson.network, conditions, vocabulary, progress)


def conditions_of(said: Sequence[DelexicalisedUtterance], keys: ActKeys) -> Conditions:
    groups = {each.group for each in said}
    return Conditions(tuple(sorted({f for group in groups for f in features_of(group, keys)})))


def _coded(
    said: Sequence[DelexicalisedUtterance],
    vocabulary: SclstmVocabulary,
    conditions: Conditions,
    keys: ActKeys,
) -> list[_Example]:
    groups = {each.group for each in said}
    lit = {group: tuple(conditions.lit(features_of(group, keys))) for group in groups}
    return [_Example(lit[each.group], tuple(vocabulary.numbers(each.words))) for each in said]


class _Lesson:
    """Learns to say what people said; judged by how little others' words surprise it."""

    def __init__(
        self,
        network: SCLSTM,
        config: TrainingConfig,
        learnt: Sequence[_Example],
        held_out: Sequence[_Example],
        seed: int,
    ) -> None:
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        self._config = config
        self._learnt = learnt
        self._held_out = held_out
        self._seed = seed

    def learn(self, epoch: int) -> float:
        total, words = 0.0, 0
        rng = Random(f"{self._seed} {epoch}")
        for batch in _batches(self._learnt, self._config.batch, rng):
            self.optimizer.zero_grad()
            loss, count = _loss(self.network, batch)
            (loss / count).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.network.parameters(), self._config.clip)
            self.optimizer.step()
            total, words = total + float(loss.detach()), words + count
        return total / words

    def judge(self) -> float:
        """Minus the loss of a word, on average."""
        total, words = 0.0, 0
        for batch in _batches(self._held_out, self._config.batch, Random(0)):
            loss, count = _loss(self.network, batch)
            total, words = total + float(loss), words + count
        return -total / words


def _batches(examples: Sequence[_Example], size: int, rng: Random) -> Iterator[list[_Example]]:
    """All examples in any order, those of a batch alike in length."""
    shuffled = rng.sample(examples, len(examples))
    batches = []
    for start in range(0, len(shuffled), size * NEIGHBOURS):
        near = sorted(shuffled[start : start + size * NEIGHBOURS], key=lambda each: len(each.words))
        batches += [near[first : first + size] for first in range(0, len(near), size)]
    rng.shuffle(batches)
    yield from batches


def _loss(network: SCLSTM, batch: Sequence[_Example]) -> tuple[Tensor, int]:
    """The cross-entropy of all words after the start, and how many they are."""
    pad = SPECIAL.index(PAD)
    rows = [torch.tensor(each.words) for each in batch]
    words = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    condition = torch.stack([ones(each.lit, network.shape.features) for each in batch])
    logits = network(words[:, :-1], condition)
    wanted = words[:, 1:]
    loss = nn.functional.cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=pad, reduction="sum"
    )
    return loss, int((wanted != pad).sum())
