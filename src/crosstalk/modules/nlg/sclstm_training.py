"""Training the SC-LSTM as the CrossWOZ paper did, from what people said for which acts.

A training that was stopped goes on from its last whole epoch and ends with the same weights: every
epoch draws its order and its dropout from the seed and its own number.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.errors import InputError
from crosstalk.modules.nlg.keys import ActKeys
from crosstalk.modules.nlg.sclstm_checkpoint import Progress, load_checkpoint, save_checkpoint
from crosstalk.modules.nlg.sclstm_conditions import Conditions, features_of
from crosstalk.modules.nlg.sclstm_network import SCLSTM, Shape, ones
from crosstalk.modules.nlg.sclstm_words import PAD, SPECIAL, Saying, Vocabulary

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise InputError(
        f"training the SC-LSTM needs {error.name}, which is not installed",
        remedy='Install the extra: pip install "crosstalk-dialogue[neural]"',
    ) from error

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
class Trained:
    """A network and what it needs to speak."""

    network: SCLSTM
    conditions: Conditions
    vocabulary: Vocabulary
    progress: Progress


@dataclass(frozen=True, slots=True)
class _Example:
    lit: tuple[int, ...]
    words: tuple[int, ...]


Told = Callable[[Progress], None]


def split(said: Sequence[Saying], *, every: int = 10) -> tuple[list[Saying], list[Saying]]:
    """Sayings to learn from, and one in so many held out, whatever the seed."""
    learnt = [each for number, each in enumerate(said, 1) if number % every]
    return learnt, list(said[every - 1 :: every])


def train(
    learnt: Sequence[Saying],
    held_out: Sequence[Saying],
    keys: ActKeys,
    config: TrainingConfig,
    *,
    seed: int,
    checkpoint: Path | None = None,
    told: Told = lambda progress: None,
) -> Trained:
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
    vocabulary, conditions = Vocabulary.of(learnt), conditions_of(learnt, keys)
    shape = Shape(len(vocabulary.words), len(conditions.features), config.hidden, config.dropout)
    coded = [_coded(said, vocabulary, conditions, keys) for said in (learnt, held_out)]
    run = _Run(SCLSTM(shape), config, seed, checkpoint)
    for progress in run.epochs(*coded):
        told(progress)
    run.network.load_state_dict(run.best)
    return Trained(run.network.eval(), conditions, vocabulary, run.progress)


def conditions_of(said: Sequence[Saying], keys: ActKeys) -> Conditions:
    groups = {each.group for each in said}
    return Conditions(tuple(sorted({f for group in groups for f in features_of(group, keys)})))


def _coded(
    said: Sequence[Saying], vocabulary: Vocabulary, conditions: Conditions, keys: ActKeys
) -> list[_Example]:
    groups = {each.group for each in said}
    lit = {group: tuple(conditions.lit(features_of(group, keys))) for group in groups}
    return [_Example(lit[each.group], tuple(vocabulary.numbers(each.words))) for each in said]


class _Run:
    """One training, from its start or from a checkpoint."""

    def __init__(
        self, network: SCLSTM, config: TrainingConfig, seed: int, checkpoint: Path | None
    ) -> None:
        self.network = network
        self.progress = Progress()
        self.best = _copied(network)
        self._config = config
        self._seed = seed
        self._optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        self._checkpoint = checkpoint
        self._identity = ""

    def epochs(
        self, learnt: Sequence[_Example], held_out: Sequence[_Example]
    ) -> Iterator[Progress]:
        unlimited = replace(self._config, epochs=0, patience=0)  # may change when it goes on
        self._identity = repr((unlimited, self._seed, self.network.shape, len(learnt)))
        self._resume()
        while not self._ended():
            started = time.monotonic()
            self._learn(learnt)
            self._judge(self._loss(held_out), started)
            self._save()
            yield self.progress

    def _ended(self) -> bool:
        done = self.progress
        return done.epoch >= self._config.epochs or done.stale >= self._config.patience

    def _learn(self, learnt: Sequence[_Example]) -> None:
        epoch = self.progress.epoch + 1
        torch.manual_seed(self._seed * 1_000 + epoch)
        self.network.train()
        for batch in _batches(learnt, self._config.batch, Random(f"{self._seed} {epoch}")):
            self._optimizer.zero_grad()
            loss, words = _loss(self.network, batch)
            (loss / words).backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self.network.parameters(), self._config.clip)
            self._optimizer.step()

    @torch.no_grad()
    def _loss(self, held_out: Sequence[_Example]) -> float:
        """Of a word, on average."""
        self.network.eval()
        total, words = 0.0, 0
        for batch in _batches(held_out, self._config.batch, Random(0)):
            loss, count = _loss(self.network, batch)
            total, words = total + float(loss), words + count
        return total / words

    def _judge(self, loss: float, started: float) -> None:
        better = loss < self.progress.best_loss
        self.progress = self.progress.after(loss, time.monotonic() - started)
        if better:
            self.best = _copied(self.network)

    def _save(self) -> None:
        if self._checkpoint:
            save_checkpoint(
                self._checkpoint,
                self._identity,
                self.progress,
                (self.network, self._optimizer, self.best),
            )

    def _resume(self) -> None:
        if self._checkpoint and self._checkpoint.exists():
            self.progress = load_checkpoint(
                self._checkpoint, self._identity, (self.network, self._optimizer, self.best)
            )


def _copied(network: SCLSTM) -> dict[str, Tensor]:
    return {name: each.detach().clone() for name, each in network.state_dict().items()}


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
