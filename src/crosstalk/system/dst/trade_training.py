"""Training TRADE: epochs over all user turns, judged by joint accuracy on what is held out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Final

import torch
from torch import Tensor, nn

from crosstalk.dialogue.schema import Schema
from crosstalk.errors import InputError
from crosstalk.system.dst.trade_data import (
    END,
    NONE,
    PADDING,
    SPECIAL,
    TERM,
    FormField,
    TradeSample,
    TradeTraining,
    TradeVocabulary,
)
from crosstalk.system.dst.trade_tracker import (
    EMPTY,
    FILLED,
    FieldRows,
    TradeConfig,
    TradeModel,
    TradeTracker,
    all_rows,
    new_model,
    trade_loss,
)
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import autocast
from crosstalk.training.loop import gradient_step, train_epochs
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody

NEIGHBOURS: Final = 20
"""Batches sorted by length at a time; dialogues of similar length need less padding."""
Judge = Callable[[TradeTracker], float]
"""Joint accuracy on what is held out; only the first process asks."""
Vectors = Mapping[str, Sequence[float]]


def train_trade(
    samples: Sequence[TradeSample],
    schema: Schema,
    config: TradeConfig,
    judge: Judge,
    *,
    seed: int,
    processes: Processes,
    vectors: Vectors | None = None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> tuple[TradeTracker, Progress]:
    """The network of the best epoch. `vectors`: what words start from, where given."""
    if not samples:
        raise InputError(
            "TRADE cannot learn from dialogues without query forms",
            remedy="Give a corpus with states, such as CrossWOZ.",
        )
    torch.manual_seed(seed)
    model = new_model(TradeVocabulary.of(samples), schema, _several(samples), config)
    if vectors:
        _start_from(vectors, model)
    model.network.to(processes.device)
    trainer = _TradeTrainer(samples, model, TradeTracker(model, schema), judge, seed, processes)
    limits = Limits(config.training.epochs, config.training.patience)
    progress = train_epochs(trainer, limits, seed=seed, checkpoint=checkpoint, told=told)
    return trainer.tracker, progress


def _several(samples: Sequence[TradeSample]) -> frozenset[FormField]:
    """Fields that keep terms apart, as values of two terms show."""
    return frozenset(
        field for sample in samples for field, said in sample.values.items() if TERM in said
    )


def _start_from(vectors: Vectors, model: TradeModel) -> None:
    hidden = model.config.training.hidden
    with torch.no_grad():
        for number, word in enumerate(model.vocabulary.words):
            if len(found := vectors.get(word, ())) == hidden:
                model.network.vectors.weight[number] = torch.tensor(found)


class _TradeTrainer:
    """The rate's halving is kept with the optimizer, which a checkpoint holds."""

    def __init__(
        self,
        samples: Sequence[TradeSample],
        model: TradeModel,
        tracker: TradeTracker,
        judge: Judge,
        seed: int,
        processes: Processes,
    ) -> None:
        self.network: nn.Module = model.network
        self.tracker = tracker
        self.optimizer: torch.optim.Optimizer = torch.optim.Adam(
            model.network.parameters(), lr=model.config.training.rate
        )
        self._samples = samples
        self._model = model
        self._judge = judge
        self._seed = seed
        self._processes = processes

    @property
    def _training(self) -> TradeTraining:
        return self._model.config.training

    def learn(self, epoch: int) -> float:
        rank = self._processes.rank
        batches = list(self._batches(Random(f"{self._seed} {epoch}")))
        mine = self._processes.own(batches)
        torch.manual_seed((self._seed * 1_000 + epoch) * 1_000 + rank)
        rng = Random(f"{self._seed} {epoch} {rank}")
        losses = [self._step(batch, teach=rng.random() < self._training.teach) for batch in mine]
        return sum(losses) / len(losses)

    def judge(self) -> float:
        score = self._judge(self.tracker) if self._processes.is_first else 0.0
        agreed = self._processes.agreed(score)
        for group in self.optimizer.param_groups:
            slow_down(group, agreed, self._training)
        return agreed

    def _batches(self, rng: Random) -> Iterator[list[TradeSample]]:
        size = self._training.batch
        shuffled = rng.sample(self._samples, len(self._samples))
        batches = []
        for start in range(0, len(shuffled), size * NEIGHBOURS):
            near = sorted(shuffled[start : start + size * NEIGHBOURS], key=lambda s: len(s.words))
            batches += [near[first : first + size] for first in range(0, len(near), size)]
        rng.shuffle(batches)
        yield from batches

    def _step(self, samples: Sequence[TradeSample], *, teach: bool) -> float:
        device = self._processes.device
        batch, _ = self._model.batch([sample.words for sample in samples], device)
        filled = _filled(samples, self._model.fields).to(device)
        rows = self._rows(filled)
        wanted, weights = (each.to(device) for each in self._wanted(samples, rows))
        with autocast():
            gates, odds = self.network(batch, rows, wanted, teach=teach)
            loss = trade_loss(gates, odds, filled, weights)
        return gradient_step(loss, self.optimizer, self._training.clip, self._processes)

    def _rows(self, filled: Tensor) -> FieldRows:
        if self._training.say_none or not bool(filled.any()):
            samples, fields = filled.shape
            return all_rows(samples, fields, filled.device)
        sample, field = (filled == FILLED).nonzero(as_tuple=True)
        return FieldRows(sample, field)

    def _wanted(self, samples: Sequence[TradeSample], rows: FieldRows) -> tuple[Tensor, Tensor]:
        """The words of each row with the end after them, as many as can be said; which count."""
        vocabulary, fields = self._model.vocabulary, self._model.fields
        pairs = zip(rows.sample.tolist(), rows.field.tolist(), strict=True)
        said = [samples[sample].values.get(fields[field], (NONE,)) for sample, field in pairs]
        size = self._training.longest
        numbers = [torch.tensor(vocabulary.numbers((*each, END))[:size]) for each in said]
        padding = SPECIAL.index(PADDING)
        wanted = nn.utils.rnn.pad_sequence(numbers, batch_first=True, padding_value=padding)
        return wanted, (wanted != padding).float()


def _filled(samples: Sequence[TradeSample], fields: Sequence[FormField]) -> Tensor:
    return torch.tensor(
        [[FILLED if field in sample.values else EMPTY for field in fields] for sample in samples]
    )


def slow_down(group: dict[str, float], score: float, training: TradeTraining) -> None:
    """Halve the rate when the score has not risen for more than `halve_after` epochs."""
    if score > group.get("best", -1.0):
        group["best"], group["stale"] = score, 0
        return
    group["stale"] = group.get("stale", 0) + 1
    if group["stale"] > training.halve_after:
        group["lr"] = max(training.lowest_rate, group["lr"] / 2)
        group["stale"] = 0
