"""Training BERTNLU: draw batches, score held-out dialogues at every check, keep the best weights.

One process, or several under `torchrun`, each of which draws batches of its own.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.system.nlu.bert import BertModel, BertNLU, new_model
from crosstalk.system.nlu.bert_data import BertTraining, LabelledUtterance, Outputs, Templates
from crosstalk.system.nlu.bert_network import BertEncoder, fresh_encoder, joint_loss, load_encoder
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import autocast
from crosstalk.training.loop import gradient_step, train_epochs
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody
from crosstalk.training.transformer_encoders import EncoderShape

LEAST_WEIGHT: Final = 0.1
"""The published weight of a label is negative where more than half of all utterances have it."""
Judge = Callable[[BertNLU], float]
"""Scores held-out dialogues (F1); only the first process calls it."""


@dataclass(frozen=True, slots=True)
class BertTrainingData:
    """Utterances, templates and settings of one training."""

    heard: Sequence[LabelledUtterance]
    templates: Templates | None
    schema: Schema
    training: BertTraining
    context: bool
    seed: int

    def draw(self, rng: Random, done: float) -> LabelledUtterance:
        """Draw one utterance; `done` is the finished share of the training, from 0 to 1."""
        first, last = self.training.dialogue_share
        if self.templates and rng.random() >= first + (last - first) * done:
            return self.templates.draw(rng)
        return rng.choice(self.heard)

    def example(self) -> list[LabelledUtterance]:
        """All utterances, every template filled once."""
        filled = self.templates.once(Random(self.seed)) if self.templates else ()
        return [*self.heard, *filled]


def train_bert(
    data: BertTrainingData,
    encoder: str,
    judge: Judge,
    *,
    processes: Processes,
    shape: EncoderShape | None = None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> tuple[BertNLU, Progress]:
    """Train and return the model of the check with the best F1.

    `encoder` as in `load_encoder`; empty for a new one of `shape`.
    """
    if not data.heard:
        raise InputError("BERTNLU cannot learn from no utterances", remedy="Give more dialogues.")
    torch.manual_seed(data.seed)
    example = data.example()
    outputs = Outputs.of((act for each in example for act in each.acts), data.schema)
    model = new_model(
        _encoder(encoder, example, shape or EncoderShape()),
        outputs,
        context=data.context,
        training=data.training,
    )
    model.network.to(processes.device)
    task = _BertEpochs(data, model, label_weights(example, outputs), judge, processes)
    training = data.training
    limits = Limits(math.ceil(training.steps / training.check_every), training.patience)
    progress = train_epochs(task, limits, seed=data.seed, checkpoint=checkpoint, told=told)
    return task.nlu, progress


def _encoder(name: str, example: Sequence[LabelledUtterance], shape: EncoderShape) -> BertEncoder:
    return load_encoder(name) if name else fresh_encoder((each.text for each in example), shape)


def label_weights(heard: Sequence[LabelledUtterance], outputs: Outputs) -> Tensor:
    """Weight of each label in the loss where it is true: rare labels weigh more."""
    counts = Counter(outputs.label(act) for each in heard for act in set(each.acts))
    weights = []
    for number in range(len(outputs.labels)):
        odds = (len(heard) - counts[number]) / counts[number]
        weights.append(max(LEAST_WEIGHT, math.log10(odds) if odds else LEAST_WEIGHT))
    return torch.tensor(weights or [LEAST_WEIGHT])


def rate_at(step: int, training: BertTraining) -> float:
    """Learning rate: linear warm-up, if any, then linear decay."""
    if step < training.warm_up:
        return training.rate * (step + 1) / training.warm_up
    return training.rate * (1 - (step - training.warm_up) / (training.steps - training.warm_up))


class _BertEpochs:
    """BERTNLU as an `EpochTask`; an epoch is the steps between two checks."""

    def __init__(
        self,
        data: BertTrainingData,
        model: BertModel,
        weights: Tensor,
        judge: Judge,
        processes: Processes,
    ) -> None:
        self.network: nn.Module = model.network
        self.optimizer: torch.optim.Optimizer = torch.optim.AdamW(
            model.network.parameters(), lr=data.training.rate, weight_decay=0.0
        )
        # Scores, and so the choice of the best, are those of the published spelling of values.
        self.nlu = BertNLU(model, data.schema, values="wordpiece")
        self._data = data
        self._model = model
        self._weights = weights.to(processes.device)
        self._judge = judge
        self._processes = processes

    def learn(self, epoch: int) -> float:
        training, rank = self._data.training, self._processes.rank
        first = (epoch - 1) * training.check_every
        steps = range(first, min(first + training.check_every, training.steps))
        rng = Random(f"{self._data.seed} {epoch} {rank}")
        torch.manual_seed((self._data.seed * 1_000 + epoch) * 1_000 + rank)
        losses = [
            self._step(batch, rate_at(step, training))
            for step, batch in zip(steps, self._batches(len(steps), epoch, rng), strict=True)
        ]
        return sum(losses) / len(losses)

    def judge(self) -> float:
        score = self._judge(self.nlu) if self._processes.is_first else 0.0
        return self._processes.agreed(score)

    def _batches(self, count: int, epoch: int, rng: Random) -> Iterator[list[LabelledUtterance]]:
        """Batches; utterances of several batches are drawn together and sorted by length first."""
        training = self._data.training
        done = (epoch - 1) * training.check_every / training.steps
        while count > 0:
            several = min(count, training.neighbours)
            drawn = [self._data.draw(rng, done) for _ in range(several * training.batch)]
            if several > 1:
                drawn.sort(key=self._size)
            cut = [drawn[at : at + training.batch] for at in range(0, len(drawn), training.batch)]
            rng.shuffle(cut)
            yield from cut
            count -= several

    def _size(self, heard: LabelledUtterance) -> int:
        return sum(map(len, heard.context)) if self._data.context else len(heard.text)

    def _step(self, heard: Sequence[LabelledUtterance], rate: float) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        longest = self._data.training.longest
        coded = [self._model.coded(each, longest) for each in heard]
        batch = self._model.batch(coded, self._processes.device)
        with autocast():
            tags, labels = self._model.network(batch)
            loss = joint_loss(tags, labels, batch, self._weights)
        return gradient_step(loss, self.optimizer, self._data.training.clip, self._processes)
