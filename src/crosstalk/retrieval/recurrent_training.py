"""Training of the paper's dual encoders: passes over all pairs of a file, true and false alike."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.retrieval.chat_vocabulary import first_vectors, learn_vocabulary
from crosstalk.retrieval.encoded_pairs import EncodedPairs, Ids, different_texts, encode_pairs
from crosstalk.retrieval.recurrent_ranker import (
    RecurrentConfig,
    RecurrentEncoder,
    RecurrentScorer,
)
from crosstalk.retrieval.response_sampling import Pair, ResponseGroup
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.compute import autocast
from crosstalk.training.loop import gradient_step, train_epochs
from crosstalk.training.processes import Processes
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after loop, which says in words that it is missing
from torch import nn  # isort: skip

JUDGED, FALSE = 1_000, 9
POOL = 16
"""Number of batches whose pairs are sorted by length together."""


def train_recurrent(
    pairs: Iterable[Pair],
    config: RecurrentConfig,
    *,
    seed: int,
    vectors: Path | None = None,
    validation: Sequence[ResponseGroup] = (),
    folder: Path | None = None,
    processes: Processes | None = None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> tuple[RecurrentScorer, Progress]:
    """Train and keep the best epoch on `validation`, or on held-out dialogues without it.

    `pairs` are read several times, never all at once; their ids go to a file in `folder`.
    """
    vocabulary = learn_vocabulary(different_texts(pairs))
    rows = encode_pairs(pairs, lambda text: config.encoded(text, vocabulary), folder)
    torch.manual_seed(seed)
    first = first_vectors(vocabulary, config.width, np.random.default_rng(seed), vectors)
    config = config if vectors else replace(config, frozen=0)
    processes = processes or Processes()
    network = RecurrentEncoder(config, first).to(processes.device)
    scorer = RecurrentScorer(config, vocabulary, network)
    task = _RecurrentTask(scorer, rows, validation, seed, processes)
    limits = Limits(config.epochs, config.patience)
    progress = train_epochs(task, limits, seed=seed, checkpoint=checkpoint, told=told)
    return scorer, progress


class _RecurrentTask:
    def __init__(
        self,
        scorer: RecurrentScorer,
        rows: EncodedPairs,
        validation: Sequence[ResponseGroup],
        seed: int,
        processes: Processes,
    ) -> None:
        self.network = scorer.network
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=scorer.config.rate)
        self._scorer, self._rows, self._seed = scorer, rows, seed
        self._config, self._processes = scorer.config, processes
        self._validation = validation[:JUDGED]
        learnt = np.ones(len(rows.right), bool) if validation else ~rows.held_out
        self._learnt = np.flatnonzero(learnt)

    def learn(self, epoch: int) -> float:
        self.network.words.weight.requires_grad_(epoch > self._config.frozen)
        rng = np.random.default_rng([self._seed, epoch])
        batches = self._batches(rng.permutation(self._learnt), rng)
        losses = [self._step(batch) for batch in self._processes.own(batches)]
        return float(np.mean(losses))

    def _batches(self, drawn: NDArray[np.intp], rng: np.random.Generator) -> list[NDArray[np.intp]]:
        """Batch pairs of similar length, which needs less padding."""
        size = self._config.batch
        batches: list[NDArray[np.intp]] = []
        for at in range(0, len(drawn), POOL * size):
            pool = drawn[at : at + POOL * size]
            pool = pool[np.argsort(self._rows.lengths(pool), kind="stable")]
            batches += [pool[start : start + size] for start in range(0, len(pool), size)]
        order = rng.permutation(len(batches))
        return [batches[at] for at in order]

    def _step(self, batch: NDArray[np.intp]) -> float:
        right = torch.from_numpy(self._rows.right[batch].astype(np.float32))
        with autocast():
            scores = self.network(self._contexts(batch), self._responses(batch))
            loss = nn.functional.binary_cross_entropy_with_logits(scores, right.to(scores.device))
        return gradient_step(loss, self.optimizer, self._config.clip, self._processes)

    def _contexts(self, rows: NDArray[np.intp]) -> list[Ids]:
        return [self._rows.context(row) for row in rows]

    def _responses(self, rows: NDArray[np.intp]) -> list[Ids]:
        return [self._rows.response(row) for row in rows]

    def judge(self) -> float:
        score = self._score() if self._processes.is_first else 0.0
        return self._processes.agreed(score)

    def _score(self) -> float:
        """Return R_10@1 in percent on held-out pairs, with fixed candidates, or on a file's."""
        if self._validation:
            return self._score_of_groups(self._validation)
        rng = np.random.default_rng(self._seed)
        true = np.flatnonzero(self._rows.right & self._rows.held_out)
        if len(true) < 2:
            return 0.0
        asked = rng.permutation(true)[:JUDGED]
        others = rng.integers(1, len(asked), (len(asked), FALSE))
        candidates = (np.arange(len(asked))[:, None] + others) % len(asked)
        before = self.network.read(self._contexts(asked))
        said = self.network.read(self._responses(asked))
        scores = (before @ self.network.between @ said.T).cpu().numpy()
        false = np.take_along_axis(scores, candidates, axis=1)
        return 100 * float((np.diagonal(scores)[:, None] > false).all(axis=1).mean())

    def _score_of_groups(self, groups: Sequence[ResponseGroup]) -> float:
        contexts = [group.context for group in groups for _ in (group.response, *group.false)]
        answers = [text for group in groups for text in (group.response, *group.false)]
        ends = np.cumsum([1 + len(group.false) for group in groups])[:-1]
        parts = np.split(self._scorer.score(contexts, answers), ends)
        return 100 * float(np.mean([(scores[0] > scores[1:]).all() for scores in parts]))
