"""Training of the paper's dual encoders on equally many true and false pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import InputError
from crosstalk.retrieval.chat_vocabulary import RankerVocabulary, first_vectors, learn_vocabulary
from crosstalk.retrieval.recurrent_ranker import (
    Ids,
    RecurrentConfig,
    RecurrentEncoder,
    RecurrentScorer,
)
from crosstalk.retrieval.response_sampling import Pair
from crosstalk.retrieval.turn_table import turns_of
from crosstalk.training.checkpoint import Checkpoint
from crosstalk.training.loop import train_epochs
from crosstalk.training.progress import Limits, Progress
from crosstalk.training.steps import StepCallback, nobody

import torch  # isort: skip  # after loop, which says in words that it is missing
from torch import nn  # isort: skip

HELD_OUT = 20
"""One opening turn in so many is held out, with all dialogues that begin with it."""
JUDGED, FALSE = 1_000, 9
POOL = 16
"""Number of batches whose pairs are sorted by length together."""


@dataclass(frozen=True, slots=True)
class WordRows:
    """The pairs of a file as word ids."""

    contexts: list[Ids]
    responses: list[Ids]
    right: NDArray[np.bool_]
    held_out: NDArray[np.bool_]


def train_recurrent(
    pairs: Sequence[Pair],
    config: RecurrentConfig,
    *,
    seed: int,
    vectors: Path | None = None,
    checkpoint: Checkpoint | None = None,
    told: StepCallback = nobody,
) -> tuple[RecurrentScorer, Progress]:
    """Train and keep the best epoch on held-out dialogues."""
    known = {text for context, response, right in pairs if right for text in (context, response)}
    vocabulary = learn_vocabulary(sorted(known))
    rows = _rows(pairs, vocabulary, config)
    torch.manual_seed(seed)
    first = first_vectors(vocabulary, config.width, np.random.default_rng(seed), vectors)
    config = config if vectors else replace(config, frozen=0)
    task = _RecurrentTask(RecurrentEncoder(config, first), rows, config, seed)
    limits = Limits(config.epochs, config.patience)
    progress = train_epochs(task, limits, seed=seed, checkpoint=checkpoint, told=told)
    return RecurrentScorer(config, vocabulary, task.network), progress


def _rows(pairs: Sequence[Pair], vocabulary: RankerVocabulary, config: RecurrentConfig) -> WordRows:
    encoded: dict[str, Ids] = {}

    def ids(text: str) -> Ids:
        if text not in encoded:
            encoded[text] = vocabulary.encode(text, config.tokens)
        return encoded[text]

    held_out = np.array([_is_held_out(context) for context, _, _ in pairs])
    right = np.array([true for _, _, true in pairs])
    if not (right & ~held_out).any() or not (~right & ~held_out).any():
        raise InputError(
            "the file has no true, or no false, responses to learn from",
            remedy="Make one: crosstalk retrieve triples DIR --negatives 1 --out FILE",
        )
    contexts = [ids(context) for context, _, _ in pairs]
    return WordRows(contexts, [ids(response) for _, response, _ in pairs], right, held_out)


def _is_held_out(context: str) -> bool:
    digest = blake2b(turns_of(context)[0].encode(), digest_size=4).digest()
    return int.from_bytes(digest, "little") % HELD_OUT == 0


class _RecurrentTask:
    def __init__(
        self, network: RecurrentEncoder, rows: WordRows, config: RecurrentConfig, seed: int
    ) -> None:
        self.network = network
        self.optimizer = torch.optim.Adam(network.parameters(), lr=config.rate)
        self._rows, self._config, self._seed = rows, config, seed
        self._true = np.flatnonzero(rows.right & ~rows.held_out)
        self._false = np.flatnonzero(~rows.right & ~rows.held_out)

    def learn(self, epoch: int) -> float:
        self.network.words.weight.requires_grad_(epoch > self._config.frozen)
        rng = np.random.default_rng([self._seed, epoch])
        half = self._config.pairs // 2
        drawn = np.concatenate([_drawn(kind, half, rng) for kind in (self._true, self._false)])
        rng.shuffle(drawn)
        losses = [self._step(batch) for batch in self._batches(drawn, rng)]
        return float(np.mean(losses))

    def _batches(self, drawn: NDArray[np.intp], rng: np.random.Generator) -> list[NDArray[np.intp]]:
        """Batch pairs of similar length, which needs less padding."""
        size = self._config.batch
        batches: list[NDArray[np.intp]] = []
        for at in range(0, len(drawn), POOL * size):
            pool = drawn[at : at + POOL * size]
            lengths = [len(self._rows.contexts[row]) for row in pool]
            pool = pool[np.argsort(lengths, kind="stable")]
            batches += [pool[start : start + size] for start in range(0, len(pool), size)]
        order = rng.permutation(len(batches))
        return [batches[at] for at in order]

    def _step(self, batch: NDArray[np.intp]) -> float:
        scores = self._scores(batch, batch)
        right = torch.from_numpy(self._rows.right[batch].astype(np.float32))
        loss = nn.functional.binary_cross_entropy_with_logits(scores, right)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), self._config.clip)
        self.optimizer.step()
        return float(loss.item())

    def _scores(self, contexts: NDArray[np.intp], responses: NDArray[np.intp]) -> torch.Tensor:
        scores: torch.Tensor = self.network(
            [self._rows.contexts[at] for at in contexts],
            [self._rows.responses[at] for at in responses],
        )
        return scores

    def judge(self) -> float:
        """Return R_10@1 in percent on held-out pairs, with fixed candidates."""
        rng = np.random.default_rng(self._seed)
        true = np.flatnonzero(self._rows.right & self._rows.held_out)
        if len(true) < 2:
            return 0.0
        asked = rng.permutation(true)[:JUDGED]
        others = rng.integers(1, len(asked), (len(asked), FALSE))
        candidates = (np.arange(len(asked))[:, None] + others) % len(asked)
        before = self.network.read([self._rows.contexts[at] for at in asked])
        said = self.network.read([self._rows.responses[at] for at in asked])
        scores = (before @ self.network.between @ said.T).numpy()
        false = np.take_along_axis(scores, candidates, axis=1)
        return 100 * float((np.diagonal(scores)[:, None] > false).all(axis=1).mean())


def _drawn(rows: NDArray[np.intp], wanted: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Sample without replacement."""
    return rng.choice(rows, min(wanted, len(rows)), replace=False)
