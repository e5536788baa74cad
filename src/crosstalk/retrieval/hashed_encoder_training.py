"""Training of the hashed dual encoder: each response against all others of its batch.

The pairs of one dialogue share their context and are soon memorised. So every pass samples a few
pairs per dialogue, at most one of them in a batch, and drops some terms of each text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from crosstalk.retrieval.hashed_encoder import (
    PARTS,
    HashedEncoder,
    NetworkSizes,
    bags_of,
    term_counts,
)
from crosstalk.retrieval.indexed_pairs import IndexedPairs
from crosstalk.retrieval.scorers import Vectors
from crosstalk.training.loop import train_epochs
from crosstalk.training.progress import Limits
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after loop, which says in words that it is missing
from torch import Tensor, nn  # isort: skip


@dataclass(frozen=True, slots=True)
class HashedTraining:
    """Settings."""

    sizes: NetworkSizes = field(default_factory=NetworkSizes)
    passes: int = 4
    patience: int = 2
    rounds: int = 2
    """Pairs sampled from each dialogue per pass."""
    batch: int = 256
    table_rate: float = 0.003
    rate: float = 0.001
    forgotten: float = 0.3
    """Share of terms dropped at random, in every batch anew."""
    dropout: float = 0.2


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """Training pairs, each a row of the bags."""

    parts: list[csr_matrix]
    responses: csr_matrix
    owners: NDArray[np.intp]
    """The dialogue of each pair."""

    def only(self, chosen: NDArray[np.intp]) -> "TrainingPairs":
        return TrainingPairs(
            [part[chosen] for part in self.parts], self.responses[chosen], self.owners[chosen]
        )


def prepare(
    pairs: IndexedPairs, owners: Sequence[int], sizes: NetworkSizes
) -> tuple[TrainingPairs, Vectors]:
    """Return the bags of all pairs and the inverse document frequencies."""
    seen = np.bincount(term_counts(pairs.texts, sizes.columns).indices, minlength=sizes.columns)
    idf = np.log((len(pairs.texts) + 1) / (seen + 1)).astype(np.float16).astype(np.float32)
    bags = bags_of(pairs, idf)
    parts = [bags.part(number) for number in range(len(PARTS))]
    return TrainingPairs(parts, bags.responses[bags.answers], np.asarray(owners, np.intp)), idf


def train_hashed(
    learnt: TrainingPairs,
    judged: TrainingPairs,
    idf: Vectors,
    training: HashedTraining,
    *,
    seed: int,
    told: StepCallback = nobody,
    part: str = "encoder",
) -> HashedEncoder:
    """Train and keep the pass with the lowest loss on `judged`."""
    torch.manual_seed(seed)
    task = _HashedEncoderTask(learnt, judged, training, seed)
    limits = Limits(training.passes, training.patience)
    train_epochs(task, limits, seed=seed, told=told, part=part)
    kept = {name: each.numpy() for name, each in task.network.state_dict().items()}
    halves = {
        name: kept[name].astype(np.float16) for name in training.sizes.shapes() if name != "rarity"
    }
    halves["rarity"] = idf.astype(np.float16)
    return HashedEncoder({name: each.astype(np.float32) for name, each in halves.items()})


class _Network(nn.Module):
    def __init__(self, training: HashedTraining) -> None:
        super().__init__()
        sizes = training.sizes
        self.table = nn.EmbeddingBag(sizes.columns, sizes.width, mode="sum")
        nn.init.normal_(self.table.weight, std=sizes.width**-0.5)
        self.mix = nn.Parameter(torch.tensor([1.0] + [0.6] * (len(PARTS) - 1)))
        self.context = _correction(len(PARTS) * sizes.width, sizes)
        self.response = _correction(sizes.width, sizes)
        self.scale = nn.Parameter(torch.tensor(2.5))
        self.dropout = nn.Dropout(training.dropout)
        self.forgotten = training.forgotten

    def contexts(self, parts: Sequence[csr_matrix]) -> Tensor:
        sums = [self._sum(part) for part in parts]
        mixed = sum((mix * each for mix, each in zip(self.mix, sums, strict=True)), torch.zeros(()))
        corrected: Tensor = self.context(self.dropout(torch.cat(sums, 1)))
        return nn.functional.normalize(mixed + corrected)

    def responses(self, bags: csr_matrix) -> Tensor:
        sums = self._sum(bags)
        corrected: Tensor = self.response(self.dropout(sums))
        return nn.functional.normalize(sums + corrected)

    def _sum(self, bags: csr_matrix) -> Tensor:
        weights = torch.from_numpy(bags.data)
        if self.training:
            weights = weights * (torch.rand_like(weights) > self.forgotten) / (1 - self.forgotten)
        columns = torch.from_numpy(bags.indices.astype(np.int64))
        starts = torch.from_numpy(bags.indptr[:-1].astype(np.int64))
        found: Tensor = self.table(columns, starts, per_sample_weights=weights)
        return found


def _correction(wide: int, sizes: NetworkSizes) -> nn.Sequential:
    """Build a correction network whose output starts at zero."""
    last = nn.Linear(sizes.hidden, sizes.width)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(wide, sizes.hidden), nn.Tanh(), last)


class _HashedEncoderTask:
    def __init__(
        self, learnt: TrainingPairs, judged: TrainingPairs, training: HashedTraining, seed: int
    ) -> None:
        self.network = _Network(training)
        table = list(self.network.table.parameters())
        others = [each for name, each in self.network.named_parameters() if name != "table.weight"]
        self.optimizer = torch.optim.Adam(
            [{"params": table, "lr": training.table_rate}, {"params": others, "lr": training.rate}],
            fused=True,
        )
        self._learnt, self._judged = learnt, judged
        self._training, self._seed = training, seed

    def learn(self, epoch: int) -> float:
        rng = np.random.default_rng([self._seed, epoch])
        losses = [
            self._step(batch)
            for _ in range(self._training.rounds)
            for batch in _batches(self._learnt.owners, self._training.batch, rng)
        ]
        return float(np.mean(losses)) if losses else 0.0

    def _step(self, chosen: NDArray[np.intp]) -> float:
        loss = _loss(self.network, self._learnt, chosen)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return float(loss.item())

    def judge(self) -> float:
        """Return minus the loss on one pair of each judged dialogue, in fixed batches."""
        rng = np.random.default_rng(self._seed)
        losses = [
            float(_loss(self.network, self._judged, chosen).item())
            for chosen in _batches(self._judged.owners, self._training.batch, rng)
        ]
        return -float(np.mean(losses)) if losses else 0.0


def _loss(network: _Network, lessons: TrainingPairs, chosen: NDArray[np.intp]) -> Tensor:
    contexts = network.contexts([part[chosen] for part in lessons.parts])
    responses = network.responses(lessons.responses[chosen])
    scores = contexts @ responses.T * network.scale.exp()
    right = torch.arange(len(chosen))
    entropy = nn.functional.cross_entropy
    return (entropy(scores, right) + entropy(scores.T, right)) / 2


def _batches(
    owners: NDArray[np.intp], size: int, rng: np.random.Generator
) -> list[NDArray[np.intp]]:
    """Draw one pair per dialogue, in batches of equal size; `owners` must be sorted."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    sizes = np.diff(np.append(starts, len(owners)))
    drawn = starts + (rng.random(len(starts)) * sizes).astype(np.intp)
    rng.shuffle(drawn)
    whole = max(1, len(drawn) // size)
    return [batch for batch in np.array_split(drawn, whole) if len(batch) > 1]
