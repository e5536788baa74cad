"""The published retriever: one transformer encodes contexts and responses (a dual encoder).

A context is the last pieces of `[SYS] ... [USR] ...`, a response the first ones of `[SYS] ...`.
Both are encoded as the pooled first state; the score is their dot product. The other responses of a
batch are the negatives.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.training.compute import autocast, device
from crosstalk.training.progress import Progress
from crosstalk.training.small_encoders import NANO, nano_encoder
from crosstalk.training.transformer_encoders import FOLDER, TransformerEncoder, load_masked_lm
from crosstalk.transfer.retrieval_task import RetrievalExchange
from crosstalk.transfer.step_training import Pace, Schedule, TrainingSetup, train_in_steps

import torch  # isort: skip
from safetensors import SafetensorError  # isort: skip
from safetensors.torch import load_file, save_file  # isort: skip
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy  # isort: skip

POOLER: Final = "pooler.safetensors"
READ_AT_ONCE: Final = 64
JUDGED: Final = 1200
"""Development exchanges whose loss is measured, in batches of the training size."""


@dataclass(frozen=True, slots=True)
class DualTraining(Schedule):
    """Settings; those of the published code are `PUBLISHED`."""

    epochs: int = 20
    context: int = 255
    """Maximum word pieces of a context, without the start token."""
    answer: int = 50


PUBLISHED: Final = DualTraining(
    Pace(steps=60_000, check_every=1000, rate=5e-5, batch=24, patience=10, falls=False)
)
FROM_NOTHING: Final = DualTraining(
    Pace(steps=2000, check_every=250, rate=1.5e-3, batch=64, patience=4, warm_up=100),
    epochs=6,
    context=48,
    answer=24,
)
"""For `nano`: some seven minutes of one core."""


class DualEncoder(nn.Module):
    """The network; `forward` returns the loss of a batch of exchanges."""

    def __init__(self, encoder: TransformerEncoder, training: DualTraining) -> None:
        super().__init__()
        self.body = encoder.body
        self.pooler = nn.Linear(encoder.width, encoder.width)
        self._encoder = replace(encoder, slips=training.slips)
        self._training = training
        self._cut = lru_cache(60_000)(lambda text: tuple(encoder.pieces(text)))

    def forward(self, batch: Sequence[RetrievalExchange]) -> Tensor:
        contexts = self.pooled([self.context(each.before) for each in batch])
        answers = self.pooled([self.answer(each.response) for each in batch])
        return cross_entropy(contexts @ answers.T, torch.arange(len(batch)).to(contexts.device))

    def pooled(self, rows: Sequence[Sequence[int]]) -> Tensor:
        first = self._encoder.states(self._encoder.padded(rows))[:, 0]
        return torch.tanh(self.pooler(first))

    def context(self, before: Sequence[str]) -> list[int]:
        pieces: list[int] = []
        for place, text in enumerate(before):
            pieces += [self._encoder.mark("[SYS]" if place % 2 else "[USR]"), *self._cut(text)]
        return [self._start, *pieces[-self._room(self._training.context) :]]

    def answer(self, text: str) -> list[int]:
        room = self._room(self._training.answer) - 1
        return [self._start, self._encoder.mark("[SYS]"), *self._cut(text)[:room]]

    def _room(self, wanted: int) -> int:
        return min(wanted, self._encoder.longest - 1)

    @property
    def _start(self) -> int:
        return int(self._encoder.tokenizer.cls_token_id)


class DualScores:
    """Exchanges encoded by a dual encoder."""

    def __init__(self, contexts: Tensor, answers: Tensor) -> None:
        self._contexts = contexts
        self._answers = answers

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        scores = self._contexts[list(asked)] @ self._answers[list(candidates)].T
        return np.asarray(scores.numpy())


@dataclass(frozen=True, slots=True)
class DualRetriever:
    """A trained dual encoder."""

    network: DualEncoder
    encoder: TransformerEncoder

    def read(self, exchanges: Sequence[RetrievalExchange]) -> DualScores:
        self.network.eval()
        contexts = self._pooled([self.network.context(each.before) for each in exchanges])
        answers = self._pooled([self.network.answer(each.response) for each in exchanges])
        return DualScores(contexts, answers)

    def _pooled(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """Encode rows in batches of similar length; results are in the given order."""
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        found = torch.zeros(len(rows), self.encoder.width)
        self.network.to(device())
        with torch.no_grad(), autocast():
            for start in range(0, len(order), READ_AT_ONCE):
                some = order[start : start + READ_AT_ONCE]
                found[some] = self.network.pooled([rows[place] for place in some]).cpu().float()
        return found

    def save(self, folder: Path) -> None:
        self.encoder.save(folder / FOLDER)
        save_file(self.network.pooler.state_dict(), folder / POOLER)


def load_dual(folder: Path, training: DualTraining) -> DualRetriever:
    encoder = load_masked_lm(str(folder))
    network = DualEncoder(encoder, training)
    try:
        network.pooler.load_state_dict(load_file(folder / POOLER))
    except (OSError, SafetensorError, RuntimeError) as error:
        raise InputError(
            f"{folder}: no dual encoder can be read here: {str(error).splitlines()[0]}",
            remedy="Train it again: remove the folder and give the command once more.",
        ) from error
    return DualRetriever(network, encoder)


def new_dual(
    encoder: str, texts: Sequence[str], training: DualTraining, *, seed: int
) -> DualRetriever:
    """Build from an encoder's name or folder; `nano` learns its vocabulary from `texts`."""
    chosen = nano_encoder(texts, seed=seed) if encoder == NANO else load_masked_lm(encoder)
    torch.manual_seed(seed)
    return DualRetriever(DualEncoder(chosen, training), chosen)


def train_dual(
    retriever: DualRetriever,
    learnt: Sequence[RetrievalExchange],
    judged: Sequence[RetrievalExchange],
    pace: Pace,
    course: TrainingSetup,
) -> Progress:
    """Train; the check with the lowest loss on `judged` is kept, as published."""
    held = Random(course.seed).sample(list(judged), min(JUDGED, len(judged)))

    def judge() -> float:
        batches = [held[start : start + pace.batch] for start in range(0, len(held), pace.batch)]
        return -sum(float(retriever.network(each)) for each in batches) / max(len(batches), 1)

    return train_in_steps(
        retriever.network,
        lambda rng: rng.sample(learnt, min(pace.batch, len(learnt))),
        judge,
        pace,
        replace(course, part="dual encoder"),
    )
