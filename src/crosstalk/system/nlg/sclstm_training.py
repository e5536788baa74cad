"""Training the SC-LSTM as the CrossWOZ paper did, from utterances with their acts.

An interrupted training resumes at its last whole epoch and ends with the same weights: every epoch
draws its order and dropout from the seed and its own number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from crosstalk.errors import InputError
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.sclstm_data import (
    PAD,
    SPECIAL,
    DelexicalisedUtterance,
    SclstmConditions,
    SclstmTrainingConfig,
    SclstmVocabulary,
    condition_features,
)
from crosstalk.system.nlg.sclstm_nlg import SCLSTM, SclstmShape, TrainedSclstm, ones
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import autocast, use_single_thread
from crosstalk.training.identity import Identity, digest_of, settings_of
from crosstalk.training.loop import gradient_step, train_epochs
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after the network, which says in words that it is missing
from torch import Tensor, nn  # isort: skip

NEIGHBOURS: Final = 20
"""Batches sorted by length at a time; utterances of similar length need less padding."""


@dataclass(frozen=True, slots=True)
class _Example:
    lit: tuple[int, ...]
    words: tuple[int, ...]


def split(
    said: Sequence[DelexicalisedUtterance], *, every: int = 10
) -> tuple[list[DelexicalisedUtterance], list[DelexicalisedUtterance]]:
    """Training utterances, and every n-th held out, for every seed."""
    learnt = [each for number, each in enumerate(said, 1) if number % every]
    return learnt, list(said[every - 1 :: every])


def train(
    learnt: Sequence[DelexicalisedUtterance],
    held_out: Sequence[DelexicalisedUtterance],
    keys: ActKeys,
    config: SclstmTrainingConfig,
    *,
    seed: int,
    processes: Processes | None = None,
    checkpoint: Path | None = None,
    told: StepCallback = nobody,
) -> TrainedSclstm:
    """The network of the epoch with the lowest loss on what was held out.

    `checkpoint`: a file to go on from where it is there, and to write after every epoch; it fits
    only the same utterances, seed and settings. `told` is called for every epoch.
    """
    if not learnt or not held_out:
        raise InputError(
            f"an SC-LSTM cannot learn from {len(learnt)} turns and validate on {len(held_out)}",
            remedy="Give a corpus whose turns of this side have texts and acts; ten at the least.",
        )
    use_single_thread()
    torch.manual_seed(seed)
    vocabulary, conditions = SclstmVocabulary.of(learnt), conditions_of(learnt, keys)
    shape = SclstmShape(
        len(vocabulary.words), len(conditions.features), config.hidden, config.dropout
    )
    learnable, judged = (_coded(each, vocabulary, conditions, keys) for each in (learnt, held_out))
    processes = processes or Processes()
    network = SCLSTM(shape).to(processes.device)
    lesson = _SclstmTrainer(network, config, learnable, judged, seed, processes)
    settings = settings_of(config, without=("epochs", "patience"))
    settings |= {"processes": processes.count} if processes.count > 1 else {}
    identity = Identity(settings, digest_of((*learnt, *held_out)), seed)
    progress = train_epochs(
        lesson,
        Limits(config.epochs, config.patience),
        seed=seed,
        checkpoint=Checkpoint(checkpoint, identity, processes.is_first) if checkpoint else None,
        told=told,
    )
    return TrainedSclstm(lesson.network, conditions, vocabulary, progress)


def conditions_of(said: Sequence[DelexicalisedUtterance], keys: ActKeys) -> SclstmConditions:
    groups = {each.group for each in said}
    return SclstmConditions(
        tuple(sorted({f for group in groups for f in condition_features(group, keys)}))
    )


def _coded(
    said: Sequence[DelexicalisedUtterance],
    vocabulary: SclstmVocabulary,
    conditions: SclstmConditions,
    keys: ActKeys,
) -> list[_Example]:
    groups = {each.group for each in said}
    lit = {group: tuple(conditions.lit(condition_features(group, keys))) for group in groups}
    return [_Example(lit[each.group], tuple(vocabulary.numbers(each.words))) for each in said]


class _SclstmTrainer:
    """Trains on utterances; the score is the negative loss on held-out ones."""

    def __init__(
        self,
        network: SCLSTM,
        config: SclstmTrainingConfig,
        learnt: Sequence[_Example],
        held_out: Sequence[_Example],
        seed: int,
        processes: Processes,
    ) -> None:
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
        self._config = config
        self._learnt = learnt
        self._held_out = held_out
        self._seed = seed
        self._processes = processes

    def learn(self, epoch: int) -> float:
        total, words = 0.0, 0
        batches = list(_batches(self._learnt, self._config.batch, Random(f"{self._seed} {epoch}")))
        for batch in self._processes.own(batches):
            with autocast():
                loss, count = _loss(self.network, batch)
            mean = gradient_step(loss / count, self.optimizer, self._config.clip, self._processes)
            total, words = total + mean * count, words + count
        return total / words

    def judge(self) -> float:
        """Minus the mean loss per word."""
        score = self._held_out_score() if self._processes.is_first else 0.0
        return self._processes.agreed(score)

    def _held_out_score(self) -> float:
        total, words = 0.0, 0
        for batch in _batches(self._held_out, self._config.batch, Random(0)):
            loss, count = _loss(self.network, batch)
            total, words = total + float(loss), words + count
        return -total / words


def _batches(examples: Sequence[_Example], size: int, rng: Random) -> Iterator[list[_Example]]:
    """All examples in random order, in batches of similar length."""
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
    device = network.embedding.weight.device
    words, condition = words.to(device), condition.to(device)
    logits = network(words[:, :-1], condition)
    wanted = words[:, 1:]
    loss = nn.functional.cross_entropy(
        logits.flatten(0, 1), wanted.flatten(), ignore_index=pad, reduction="sum"
    )
    return loss, int((wanted != pad).sum())
