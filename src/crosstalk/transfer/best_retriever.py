"""Our own retriever: a frozen encoder, canonical correlations, a head, and words taken over.

zero = load_best(folder).for_language("zh", encoder)
reading = zero.read(exchanges)
few = zero.interpreting(learn_interpreter(pairs, zero.plain.rows), 0.9)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary
from crosstalk.training.config import read_config, write_config
from crosstalk.training.sentence_encoders import CachedEncoder
from crosstalk.transfer.best_config import OTHERS, BestConfig
from crosstalk.transfer.canonical import Canonical
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.heads import HeadShape, RetrievalHead
from crosstalk.transfer.interpreter import Interpreter
from crosstalk.transfer.overlap import overlaps
from crosstalk.transfer.pca import PCA
from crosstalk.transfer.score_weights import stacked
from crosstalk.transfer.small_tensors import packed, unpacked
from crosstalk.transfer.views import ViewReader

import torch  # isort: skip
from safetensors import SafetensorError  # isort: skip
from safetensors.numpy import load_file, save  # isort: skip

MODEL: Final = "model.safetensors"
LEARNT: Final = 2
"""Scores of a pair that were learnt: the canonical one and the head's."""
Matrix = NDArray[np.floating]
Placed = tuple[Matrix, Matrix, Matrix]
"""Contexts and answers whose products are scores, and what is taken off for each answer."""


class EncodedRows(Protocol):
    """Contexts and answers, some at a time."""

    def parts(self) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]: ...


@dataclass(frozen=True, slots=True)
class Directions:
    """Canonical correlations over views made narrow."""

    basis: PCA
    canonical: Canonical
    centre: tuple[Matrix, Matrix]
    """The mean context and the mean answer."""

    def placed(self, views: EncodedRows) -> Placed:
        parts = [
            self.canonical.placed(
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
class Learnt:
    """All that was learnt from the source language."""

    config: BestConfig
    mean: NDArray[np.float32]
    directions: Directions
    head: RetrievalHead

    def for_language(self, language: str, encoder: CachedEncoder) -> "BestRetriever":
        """Without a word of that language's dialogues."""
        weights = self.config.weights
        own = weights[self.config.source if language == self.config.source else OTHERS]
        reader = ViewReader(encoder, self.mean)
        return BestRetriever(((1.0, reader),), self.directions, self.head, np.array(own))

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, self.config)
        with writing_binary(folder / MODEL) as raw:
            raw.write(save(packed(self._tensors())))

    def _tensors(self) -> dict[str, Matrix]:
        directions = self.directions
        state = self.head.state_dict()
        return {
            "mean": self.mean,
            "basis": directions.basis.directions,
            "canonical.contexts": directions.canonical.contexts,
            "canonical.answers": directions.canonical.answers,
            "canonical.together": directions.canonical.together,
            "centre.context": directions.centre[0],
            "centre.answer": directions.centre[1],
        } | {f"head.{name}": each.numpy() for name, each in state.items()}


def load_best(folder: Path) -> Learnt:
    """Raises in words where the folder holds something else."""
    config = read_config(folder, BestConfig)
    try:
        return _learnt(config, unpacked(load_file(folder / MODEL)))
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise FileProblem(
            f"{folder / MODEL}: cannot be read as a retriever: {str(error).splitlines()[0]}",
            remedy="Restore the folder, or train it: crosstalk transfer train-retriever",
        ) from error


def _learnt(config: BestConfig, raw: dict[str, NDArray[np.float32]]) -> Learnt:
    canonical = Canonical(*(raw[f"canonical.{name}"] for name in Canonical.__dataclass_fields__))
    centre = (raw["centre.context"], raw["centre.answer"])
    directions = Directions(PCA(raw["basis"]), canonical, centre)
    return Learnt(config, raw["mean"], directions, _head(config, raw))


def _head(config: BestConfig, raw: dict[str, NDArray[np.float32]]) -> RetrievalHead:
    head = new_head(config, view=len(raw["mean"]))
    state = {
        name.removeprefix("head."): torch.from_numpy(each.copy())
        for name, each in raw.items()
        if name.startswith("head.")
    }
    head.load_state_dict(state)
    return head


def new_head(config: BestConfig, *, view: int) -> RetrievalHead:
    return RetrievalHead(HeadShape(view, config.hidden, config.out))


@dataclass(frozen=True, slots=True)
class BestRetriever:
    """Ready for one language."""

    readers: tuple[tuple[float, ViewReader], ...]
    """How much each counts."""
    directions: Directions
    head: RetrievalHead
    weights: Matrix
    """Of the canonical score, the head's, and the overlaps."""

    @property
    def plain(self) -> ViewReader:
        """Reads texts as they are."""
        return self.readers[0][1]

    def interpreting(self, interpreter: Interpreter, share: float) -> "BestRetriever":
        """What is read as if it were in the source counts so much of all that is read."""
        heard = replace(self.plain, interpreter=interpreter)
        return replace(self, readers=((1 - share, self.plain), (share, heard)))

    def read(self, exchanges: Sequence[Exchange]) -> "BestReading":
        placed, weights = list[Placed](), list[Matrix]()
        for share, reader in self.readers:
            views = reader.views(exchanges)
            placed += [self.directions.placed(views), head_placed(self.head, views)]
            weights.append(share * self.weights[:LEARNT])
        every = np.concatenate([*weights, self.weights[LEARNT:]])
        return BestReading(exchanges, tuple(placed), every)


@dataclass(frozen=True, slots=True)
class BestReading:
    """Exchanges as our retriever has read them."""

    exchanges: Sequence[Exchange]
    placed: tuple[Placed, ...]
    weights: Matrix

    def marks(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.float64]:
        """Every score of every pair."""
        rows, columns = list(asked), list(candidates)
        scores = [one[rows] @ other[columns].T - off[columns] for one, other, off in self.placed]
        found = overlaps(
            [self.exchanges[each] for each in rows],
            [self.exchanges[each].response for each in columns],
        )
        return stacked(scores, found)

    def among(self, asked: Sequence[int], candidates: Sequence[int]) -> NDArray[np.floating]:
        return np.asarray(self.marks(asked, candidates) @ self.weights)
