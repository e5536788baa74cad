"""The retriever `best`: CCA and a trained head over frozen sentence vectors, word overlap, trees.

    zero = load_retriever(folder).for_language("zh", encoder)
    scores = zero.read(exchanges).among(asked, candidates)
    few = zero.with_mapping(fit_ridge_mapping(pairs, zero.plain.rows), 0.9)

The head is trained with in-batch negatives and strong dropout of its input, so that it relies on no
single dimension and serves languages it has not seen.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Final

import lightgbm
import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem
from crosstalk.files import read_text, writing, writing_binary
from crosstalk.training.booster_files import read_booster
from crosstalk.training.config import read_config, write_config
from crosstalk.training.numpy_files import load_arrays_of
from crosstalk.training.progress import Progress
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.cca import CCA, PCA
from crosstalk.transfer.retrieval_task import CandidateList, RetrievalExchange
from crosstalk.transfer.retriever_builder import OTHERS, RetrieverConfig
from crosstalk.transfer.ridge_mapping import RidgeMapping
from crosstalk.transfer.second_stage import TOPICS, Placed, Reading, SecondStage
from crosstalk.transfer.step_training import Judge, Pace, TrainingSetup, train_in_steps
from crosstalk.transfer.turn_vectors import (
    ANSWER_VIEWS,
    CONTEXT_VIEWS,
    PLACES,
    WHOLE_TURNS,
    ExchangeVectoriser,
    ExchangeVectors,
)

import torch  # isort: skip
from torch import Tensor, nn  # isort: skip
from torch.nn.functional import cross_entropy, normalize  # isort: skip
from safetensors.numpy import save  # isort: skip


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
    ) -> list[tuple[Float32Matrix, Float32Matrix]]:
        """Return, for each network, rows whose dot products are its scores."""
        self.eval()
        with torch.no_grad():
            met = [member(contexts, answers) for member in self._each()]
        return [(one.numpy(), other.numpy()) for one, other in met]

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
MEMBER: Final = "first-stage-{}.safetensors"
TREES: Final = "trees.txt"


@dataclass(frozen=True, slots=True)
class CCAProjection:
    """CCA over views reduced by PCA."""

    basis: PCA
    cca: CCA
    centre: tuple[Matrix, Matrix]
    """Mean context and mean response."""

    def placed(self, views: ExchangeVectors) -> Placed:
        parts = [
            self.cca.placed(
                self.basis.narrowed(contexts) - self.centre[0],
                self.basis.narrowed(answers) - self.centre[1],
            )
            for contexts, answers in views.parts()
        ]
        one, other, worth = (np.concatenate(each) for each in zip(*parts, strict=True))
        return one, other, worth


def head_placed(head: RetrievalHead, views: ExchangeVectors) -> list[Placed]:
    parts = [head.placed(contexts, answers) for contexts, answers in views.parts()]
    found = []
    for member in zip(*parts, strict=True):
        one, other = (np.concatenate(each) for each in zip(*member, strict=True))
        found.append((one, other, np.zeros(len(other), np.float32)))
    return found


def head_rows(head: RetrievalHead, views: ExchangeVectors) -> tuple[Matrix, Matrix]:
    """Return rows whose dot products are the summed scores of the head's networks."""
    contexts, answers, _ = zip(*head_placed(head, views), strict=True)
    return np.concatenate(contexts, axis=1), np.concatenate(answers, axis=1)


@dataclass(frozen=True, slots=True)
class FirstStage:
    """CCA and a head, both fitted on the same part of the source's dialogues."""

    directions: CCAProjection
    head: RetrievalHead

    def reading(self, views: ExchangeVectors, share: float = 1.0) -> Reading:
        return Reading(
            share, views, (self.directions.placed(views), *head_placed(self.head, views))
        )

    def tensors(self) -> dict[str, Matrix]:
        directions = self.directions
        state = self.head.state_dict()
        return {
            "canonical.contexts": directions.cca.contexts,
            "canonical.answers": directions.cca.answers,
            "canonical.together": directions.cca.together,
            "centre.context": directions.centre[0],
            "centre.answer": directions.centre[1],
        } | {f"head.{name}": each.numpy() for name, each in state.items()}


@dataclass(frozen=True, slots=True)
class TrainedRetriever:
    """A retriever trained on the source language."""

    config: RetrieverConfig
    mean: NDArray[np.float32]
    basis: PCA
    members: tuple[FirstStage, ...]
    """First stages that saw different dialogues; what the trees say of them is averaged."""
    trees: lightgbm.Booster

    def for_language(self, language: str, encoder: CachedEncoder) -> "CrossLingualRetriever":
        """Build the zero-shot retriever for a language."""
        kind = self.config.source if language == self.config.source else OTHERS
        return CrossLingualRetriever(
            ((1.0, ExchangeVectoriser(encoder, self.mean)),),
            self.members,
            np.array(self.config.weights[kind]),
            SecondStage(self.trees, topics_of(self.basis)),
        )

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, self.config)
        shared = {"mean": self.mean, "basis": self.basis.directions}
        _write_tensors(folder / MODEL, shared)
        for number, member in enumerate(self.members):
            _write_tensors(folder / MEMBER.format(number), member.tensors())
        with writing(folder / TREES) as text:
            text.write(self.trees.model_to_string())


def _write_tensors(file: Path, tensors: Mapping[str, Matrix]) -> None:
    with writing_binary(file) as raw:
        raw.write(save(quantised(tensors)))


def topics_of(basis: PCA) -> Matrix:
    return basis.directions[:, :TOPICS]


def load_retriever(folder: Path) -> TrainedRetriever:
    """Load a model folder; raises `FileProblem` if it cannot be read."""
    config = read_config(folder, RetrieverConfig)
    try:
        trees = read_booster(read_text(folder / TREES))
        shared = dequantised(load_arrays_of(folder / MODEL))
        mean, basis = shared["mean"], PCA(shared["basis"])
        files = sorted(folder.glob(MEMBER.format("*")))
        members = tuple(_member(config, dequantised(load_arrays_of(file)), basis) for file in files)
        if not members:
            raise ValueError(f"there is no {MEMBER.format(0)}")
        return TrainedRetriever(config, mean, basis, members, trees)
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise FileProblem(
            f"{folder}: cannot be read as a retriever: {str(error).splitlines()[0]}",
            remedy="Restore the folder, or train it: crosstalk transfer train-retriever",
        ) from error


def _member(
    config: RetrieverConfig, own: Mapping[str, NDArray[np.float32]], basis: PCA
) -> FirstStage:
    cca = CCA(*(own[f"canonical.{name}"] for name in CCA.__dataclass_fields__))
    head = build_head(config, view=len(basis.directions))
    state = {
        name.removeprefix("head."): torch.from_numpy(each.copy())
        for name, each in own.items()
        if name.startswith("head.")
    }
    head.load_state_dict(state)
    return FirstStage(
        CCAProjection(basis, cca, (own["centre.context"], own["centre.answer"])), head
    )


def build_head(config: RetrieverConfig, *, view: int) -> RetrievalHead:
    return RetrievalHead(HeadShape(view, config.hidden, config.out))


@dataclass(frozen=True, slots=True)
class CrossLingualRetriever:
    """A retriever for one target language."""

    readers: tuple[tuple[float, ExchangeVectoriser], ...]
    """Vectorisers with their weights: unmapped and, if there is a mapping, mapped."""
    members: tuple[FirstStage, ...]
    weights: Matrix
    """Weights of the first stage: CCA, the head's networks and the overlaps."""
    second: SecondStage

    @property
    def plain(self) -> ExchangeVectoriser:
        """The vectoriser without a mapping."""
        return self.readers[0][1]

    def with_mapping(self, mapping: RidgeMapping, share: float) -> "CrossLingualRetriever":
        """Add mapped vectors; `share` is their weight against unmapped ones."""
        mapped = replace(self.plain, mapping=mapping)
        return replace(self, readers=((1 - share, self.plain), (share, mapped)))

    def read(self, exchanges: Sequence[RetrievalExchange]) -> "RetrieverScores":
        read = [(reader.views(exchanges), share) for share, reader in self.readers]
        members = tuple(
            tuple(member.reading(views, share) for views, share in read) for member in self.members
        )
        return RetrieverScores(exchanges, members, self.weights, self.second)


@dataclass(frozen=True, slots=True)
class RetrieverScores:
    """Exchanges encoded by the retriever."""

    exchanges: Sequence[RetrievalExchange]
    members: tuple[tuple[Reading, ...], ...]
    """What each first stage makes of each way of reading the exchanges."""
    weights: Matrix
    second: SecondStage

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        listed = CandidateList(tuple(asked), tuple(candidates))
        return self.second.scores(self.exchanges, self.members, self.weights, listed)
