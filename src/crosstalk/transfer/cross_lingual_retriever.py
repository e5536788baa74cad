"""The retriever `best`: CCA and a trained head over frozen sentence vectors, plus word overlap.

    zero = load_retriever(folder).for_language("zh", encoder)
    scores = zero.read(exchanges).among(asked, candidates)
    few = zero.with_mapping(fit_ridge_mapping(pairs, zero.plain.rows), 0.9)

The head is trained with in-batch negatives and strong dropout of its input, so that it relies on no
single dimension and serves languages it has not seen.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.training.progress import Progress
from crosstalk.transfer.step_training import Judge, Pace, TrainingSetup, train_in_steps
from crosstalk.transfer.turn_vectors import (
    ANSWER_VIEWS,
    CONTEXT_VIEWS,
    PLACES,
    WHOLE_TURNS,
    ExchangeVectors,
)

import torch  # isort: skip
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy, normalize  # isort: skip
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary
from crosstalk.training.config import read_config, write_config
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.cca import CCA, PCA
from crosstalk.transfer.overlap_scores import overlaps, stack_scores
from crosstalk.transfer.retrieval_task import RetrievalExchange
from crosstalk.transfer.retriever_builder import OTHERS, RetrieverConfig
from crosstalk.transfer.ridge_mapping import RidgeMapping
from crosstalk.transfer.turn_vectors import ExchangeVectoriser

from safetensors import SafetensorError  # isort: skip
from safetensors.numpy import load_file, save  # isort: skip


Float32Matrix = NDArray[np.float32]
Matrix = NDArray[np.floating]
Batch = tuple[Float32Matrix, Float32Matrix, NDArray[np.int64]]
"""Context rows, response rows, and an id for each response text."""
BACKWARDS: Final = 0.3
"""Weight of the reverse loss (finding the context of a response)."""


@dataclass(frozen=True, slots=True)
class HeadShape:
    """The size of a head."""

    view: int
    """Width of a view."""
    hidden: int
    out: int
    left_out: float = 0.3
    """Dropout of the input and of the hidden layer."""


class HeadMember(nn.Module):
    """One network of a head; it sees some of the views."""

    def __init__(self, shape: HeadShape, contexts: Sequence[int], answers: Sequence[int]) -> None:
        super().__init__()
        places = shape.view * CONTEXT_VIEWS + np.arange(PLACES)
        self.seen = np.concatenate([_columns(contexts, shape.view), places])
        self.seen_answers = _columns(answers, shape.view)
        self.context = _side(len(self.seen), shape)
        self.answer = _side(len(self.seen_answers), shape)
        self.scale = nn.Parameter(torch.tensor([math.log(14.0)]))

    def forward(self, contexts: Float32Matrix, answers: Float32Matrix) -> tuple[Tensor, Tensor]:
        """Return unit rows whose dot products are the scores."""
        one = self.context(torch.from_numpy(contexts[:, self.seen]))
        other = self.answer(torch.from_numpy(answers[:, self.seen_answers]))
        return normalize(one, dim=-1), normalize(other, dim=-1)

    def loss(self, batch: Batch) -> Tensor:
        contexts, answers, texts = batch
        one, other = self(contexts, answers)
        scores = self.scale.exp() * one @ other.T
        twins = torch.from_numpy(texts[:, None] == texts[None, :])
        scores = scores.masked_fill(twins & ~torch.eye(len(texts), dtype=torch.bool), -1e4)
        right = torch.arange(len(texts))
        return cross_entropy(scores, right) + BACKWARDS * cross_entropy(scores.T, right)


class RetrievalHead(nn.Module):
    """Two networks, one of which sees whole turns only; `forward` returns the batch loss.

    Their errors differ: together they gain a point or more over one network of the same size.
    """

    def __init__(self, shape: HeadShape) -> None:
        super().__init__()
        every = HeadMember(shape, range(CONTEXT_VIEWS), range(ANSWER_VIEWS))
        whole = HeadMember(shape, [*WHOLE_TURNS, CONTEXT_VIEWS - 1], [0])
        self.members = nn.ModuleList([every, whole])

    def forward(self, batch: Batch) -> Tensor:
        losses = [member.loss(batch) for member in self._each()]
        return torch.stack(losses).mean()

    def placed(
        self, contexts: Float32Matrix, answers: Float32Matrix
    ) -> tuple[Float32Matrix, Float32Matrix]:
        """Return rows whose dot products are the summed scores of both networks."""
        self.eval()
        with torch.no_grad():
            met = [member(contexts, answers) for member in self._each()]
        one, other = (torch.cat(rows, dim=1).numpy() for rows in zip(*met, strict=True))
        return one, other

    def _each(self) -> list[HeadMember]:
        return [each for each in self.members if isinstance(each, HeadMember)]


def _columns(views: Sequence[int], width: int) -> NDArray[np.int64]:
    return np.concatenate([np.arange(view * width, (view + 1) * width) for view in views])


def _side(width: int, shape: HeadShape) -> nn.Sequential:
    return nn.Sequential(
        nn.Dropout(shape.left_out),
        nn.Linear(width, shape.hidden),
        nn.GELU(),
        nn.Dropout(shape.left_out),
        nn.Linear(shape.hidden, shape.out),
    )


def train_head(
    head: RetrievalHead, views: ExchangeVectors, judge: Judge, pace: Pace, course: TrainingSetup
) -> Progress:
    """Train with in-batch negatives; the weights of the best check are kept."""
    return train_in_steps(head, lambda rng: _draw(views, pace.batch, rng), judge, pace, course)


def _draw(views: ExchangeVectors, size: int, rng: Random) -> Batch:
    rows = np.array(rng.sample(range(len(views)), min(size, len(views))))
    return views.contexts(rows), views.responses(rows), views.texts[rows]


def first_of_hundred(contexts: Float32Matrix, answers: Float32Matrix) -> float:
    """Return R_100@1 in percent over consecutive hundreds of rows."""
    size = min(100, len(contexts))
    starts = range(0, len(contexts) - size + 1, size)
    hits = 0
    for start in starts:
        rows = slice(start, start + size)
        best = (contexts[rows] @ answers[rows].T).argmax(1)
        hits += int((best == np.arange(size)).sum())
    return 100 * hits / (len(starts) * size)


StoredArray = NDArray[np.generic]
COLUMN_SCALE: Final = ":scale"
QUANTISATION_STEPS: Final = 127


def quantised(tensors: Mapping[str, Matrix]) -> dict[str, StoredArray]:
    """Quantise matrices to 8 bits with one scale per column; vectors stay as they are.

    Rounding moves a score by some thousandths; a model is a quarter of its size.
    """
    found: dict[str, StoredArray] = {}
    for name, each in tensors.items():
        if each.ndim < 2:
            found[name] = np.ascontiguousarray(each, np.float32)
            continue
        scale = np.maximum(np.abs(each).max(0), 1e-12) / QUANTISATION_STEPS
        found[name] = np.rint(each / scale).astype(np.int8)
        found[name + COLUMN_SCALE] = scale.astype(np.float32)
    return found


def dequantised(tensors: Mapping[str, StoredArray]) -> dict[str, NDArray[np.float32]]:
    whole = {name: np.asarray(each, np.float32) for name, each in tensors.items()}
    return {
        name: each * whole[name + COLUMN_SCALE] if name + COLUMN_SCALE in whole else each
        for name, each in whole.items()
        if not name.endswith(COLUMN_SCALE)
    }


MODEL: Final = "model.safetensors"
LEARNT: Final = 2
"""Number of learnt scores per pair: CCA and head."""
Placed = tuple[Matrix, Matrix, Matrix]
"""Contexts, responses and response offsets; score = context @ response - offset."""


class EncodedRows(Protocol):
    """Yields context and response rows in batches."""

    def parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]: ...


@dataclass(frozen=True, slots=True)
class CCAProjection:
    """CCA over views reduced by PCA."""

    basis: PCA
    cca: CCA
    centre: tuple[Matrix, Matrix]
    """Mean context and mean response."""

    def placed(self, views: EncodedRows) -> Placed:
        parts = [
            self.cca.placed(
                self.basis.narrowed(contexts) - self.centre[0],
                self.basis.narrowed(answers) - self.centre[1],
            )
            for contexts, answers in views.parts()
        ]
        one, other, worth = (np.concatenate(each) for each in zip(*parts, strict=True))
        return one, other, worth


def head_placed(head: RetrievalHead, views: EncodedRows) -> Placed:
    parts = [head.placed(contexts, answers) for contexts, answers in views.parts()]
    one, other = (np.concatenate(each) for each in zip(*parts, strict=True))
    return one, other, np.zeros(len(other), np.float32)


@dataclass(frozen=True, slots=True)
class TrainedRetriever:
    """A retriever trained on the source language."""

    config: RetrieverConfig
    mean: NDArray[np.float32]
    directions: CCAProjection
    head: RetrievalHead

    def for_language(self, language: str, encoder: CachedEncoder) -> "CrossLingualRetriever":
        """Build the zero-shot retriever for a language."""
        weights = self.config.weights
        own = weights[self.config.source if language == self.config.source else OTHERS]
        reader = ExchangeVectoriser(encoder, self.mean)
        return CrossLingualRetriever(((1.0, reader),), self.directions, self.head, np.array(own))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, self.config)
        with writing_binary(folder / MODEL) as raw:
            raw.write(save(quantised(self._tensors())))

    def _tensors(self) -> dict[str, Matrix]:
        directions = self.directions
        state = self.head.state_dict()
        return {
            "mean": self.mean,
            "basis": directions.basis.directions,
            "canonical.contexts": directions.cca.contexts,
            "canonical.answers": directions.cca.answers,
            "canonical.together": directions.cca.together,
            "centre.context": directions.centre[0],
            "centre.answer": directions.centre[1],
        } | {f"head.{name}": each.numpy() for name, each in state.items()}


def load_retriever(folder: Path) -> TrainedRetriever:
    """Load a model folder; raises `FileProblem` if it cannot be read."""
    config = read_config(folder, RetrieverConfig)
    try:
        return _learnt(config, dequantised(load_file(folder / MODEL)))
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise FileProblem(
            f"{folder / MODEL}: cannot be read as a retriever: {str(error).splitlines()[0]}",
            remedy="Restore the folder, or train it: crosstalk transfer train-retriever",
        ) from error


def _learnt(config: RetrieverConfig, raw: dict[str, NDArray[np.float32]]) -> TrainedRetriever:
    cca = CCA(*(raw[f"canonical.{name}"] for name in CCA.__dataclass_fields__))
    centre = (raw["centre.context"], raw["centre.answer"])
    directions = CCAProjection(PCA(raw["basis"]), cca, centre)
    return TrainedRetriever(config, raw["mean"], directions, _head(config, raw))


def _head(config: RetrieverConfig, raw: dict[str, NDArray[np.float32]]) -> RetrievalHead:
    head = build_head(config, view=len(raw["mean"]))
    state = {
        name.removeprefix("head."): torch.from_numpy(each.copy())
        for name, each in raw.items()
        if name.startswith("head.")
    }
    head.load_state_dict(state)
    return head


def build_head(config: RetrieverConfig, *, view: int) -> RetrievalHead:
    return RetrievalHead(HeadShape(view, config.hidden, config.out))


@dataclass(frozen=True, slots=True)
class CrossLingualRetriever:
    """A retriever for one target language."""

    readers: tuple[tuple[float, ExchangeVectoriser], ...]
    """Vectorisers with their weights: unmapped and, if there is a mapping, mapped."""
    directions: CCAProjection
    head: RetrievalHead
    weights: Matrix
    """Weights of the CCA score, the head's score and the overlaps."""

    @property
    def plain(self) -> ExchangeVectoriser:
        """The vectoriser without a mapping."""
        return self.readers[0][1]

    def with_mapping(self, mapping: RidgeMapping, share: float) -> "CrossLingualRetriever":
        """Add mapped vectors; `share` is their weight against unmapped ones."""
        mapped = replace(self.plain, mapping=mapping)
        return replace(self, readers=((1 - share, self.plain), (share, mapped)))

    def read(self, exchanges: Sequence[RetrievalExchange]) -> "RetrieverScores":
        placed, weights = list[Placed](), list[Matrix]()
        for share, reader in self.readers:
            views = reader.views(exchanges)
            placed += [self.directions.placed(views), head_placed(self.head, views)]
            weights.append(share * self.weights[:LEARNT])
        every = np.concatenate([*weights, self.weights[LEARNT:]])
        return RetrieverScores(exchanges, tuple(placed), every)


@dataclass(frozen=True, slots=True)
class RetrieverScores:
    """Exchanges encoded by the retriever."""

    exchanges: Sequence[RetrievalExchange]
    placed: tuple[Placed, ...]
    weights: Matrix

    def marks(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.float64]:
        """Return all scores: exchanges x candidates x kinds."""
        rows, columns = list(asked), list(candidates)
        scores = [one[rows] @ other[columns].T - off[columns] for one, other, off in self.placed]
        found = overlaps(
            [self.exchanges[each] for each in rows],
            [self.exchanges[each].response for each in columns],
        )
        return stack_scores(scores, found)

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        return np.asarray(self.marks(asked, candidates) @ self.weights)
