"""Our own retriever: a frozen encoder, canonical correlations, a head, and words taken over.

zero = load_best(folder).for_language("zh", encoder)
reading = zero.read(exchanges)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from crosstalk.errors import FileProblem
from crosstalk.files import writing_binary
from crosstalk.training.config import read_config, write_config
from crosstalk.transfer.best_config import BestConfig
from crosstalk.transfer.canonical import Canonical, Moments, canonical
from crosstalk.transfer.embeddings import CachedEncoder
from crosstalk.transfer.exchanges import Exchange
from crosstalk.transfer.heads import Head, HeadShape
from crosstalk.transfer.mixing import stacked
from crosstalk.transfer.overlap import overlaps
from crosstalk.transfer.views import PLACES, TURNS, Basis, TurnReader, context_noise

import torch  # isort: skip
from safetensors import SafetensorError  # isort: skip
from safetensors.numpy import load_file, save  # isort: skip

MODEL: Final = "model.safetensors"
Matrix = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Noise:
    """What translation does to a turn: a shift, and a covariance around it."""

    shift: Matrix
    covariance: Matrix


@dataclass(frozen=True, slots=True)
class Learnt:
    """All that was learnt from the source language, and of translation."""

    config: BestConfig
    basis: Basis
    moments: Moments
    """Of pairs around their mean."""
    centre: tuple[Matrix, Matrix]
    """The mean context and the mean answer."""
    noises: dict[str, Noise]
    head: Head | None

    def noise(self, language: str) -> Noise:
        """That of a language; of one we have no translations of, the mean of those we have."""
        if language in self.noises or not self.noises:
            nothing = np.zeros(self.basis.width, np.float32)
            return self.noises.get(language, Noise(nothing, np.outer(nothing, nothing)))
        known = list(self.noises.values())
        shift = np.zeros_like(known[0].shift)
        return Noise(shift, np.asarray(np.mean([each.covariance for each in known], axis=0)))

    def canonical(self, language: str, more: Moments | None = None) -> Canonical:
        """For a language; `more` are pairs of its own."""
        config, moments = self.config, self.moments
        if language != config.source:
            noise = config.noise * self.noise(language).covariance
            moments = moments.noised(context_noise(noise), noise)
        joined = moments + more if more else moments
        return canonical(joined, width=config.directions, ridge=config.ridge)

    def for_language(self, language: str, encoder: CachedEncoder) -> "BestRetriever":
        """Without a word of that language's dialogues."""
        reader = TurnReader(encoder, self.basis)
        weights = self.config.weights.get(language) or _mean_weights(self.config)
        return BestRetriever(
            reader, self.canonical(language), self.centre, self.head, np.array(weights)
        )

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, self.config)
        with writing_binary(folder / MODEL) as raw:
            raw.write(save({name: _half(each) for name, each in self._tensors().items()}))

    def _tensors(self) -> dict[str, Matrix]:
        moments, scale = self.moments, 1 / self.moments.count
        found: dict[str, Matrix] = {
            "basis.mean": self.basis.mean,
            "basis.directions": self.basis.directions,
            "moments.count": np.array([moments.count], np.float32),
            "moments.contexts": _corner(moments.contexts * scale),
            "moments.answers": _corner(moments.answers * scale),
            "moments.both": moments.both * scale,
            "centre.context": self.centre[0],
            "centre.answer": self.centre[1],
        }
        for language, noise in self.noises.items():
            found[f"noise.{language}.shift"] = noise.shift
            found[f"noise.{language}.covariance"] = _corner(noise.covariance)
        if self.head:
            state = self.head.state_dict()
            found |= {f"head.{name}": each.numpy() for name, each in state.items()}
        return found


def _mean_weights(config: BestConfig) -> list[float]:
    return [float(each) for each in np.mean(list(config.weights.values()), axis=0)]


def _half(matrix: Matrix) -> NDArray[np.generic]:
    kind = np.float32 if matrix.size == 1 else np.float16
    return np.ascontiguousarray(matrix.astype(kind))


def _corner(matrix: Matrix) -> Matrix:
    """The upper half of a matrix that is its own mirror."""
    return np.asarray(matrix[np.triu_indices(len(matrix))])


def _whole(corner: Matrix, size: int) -> Matrix:
    matrix = np.zeros((size, size), np.float32)
    matrix[np.triu_indices(size)] = corner
    return np.asarray(matrix + np.triu(matrix, 1).T)


def load_best(folder: Path) -> Learnt:
    """Raises in words where the folder holds something else."""
    config = read_config(folder, BestConfig)
    try:
        raw = {name: each.astype(np.float32) for name, each in load_file(folder / MODEL).items()}
        return _learnt(config, raw)
    except (OSError, SafetensorError, KeyError, ValueError, RuntimeError) as error:
        raise FileProblem(
            f"{folder / MODEL}: cannot be read as a retriever: {str(error).splitlines()[0]}",
            remedy="Restore the folder, or train it: crosstalk transfer train --out FOLDER",
        ) from error


def _learnt(config: BestConfig, raw: dict[str, Matrix]) -> Learnt:
    turn = config.width
    context = turn * (TURNS + 1) + PLACES
    count = float(raw["moments.count"][0])
    moments = Moments(
        count,
        np.zeros(context, np.float32),
        np.zeros(turn, np.float32),
        _whole(raw["moments.contexts"], context) * count,
        _whole(raw["moments.answers"], turn) * count,
        raw["moments.both"] * count,
    )
    noises = {
        language: Noise(
            raw[f"noise.{language}.shift"], _whole(raw[f"noise.{language}.covariance"], turn)
        )
        for language in config.languages
    }
    basis = Basis(
        np.asarray(raw["basis.mean"], np.float32), np.asarray(raw["basis.directions"], np.float32)
    )
    centre = (raw["centre.context"], raw["centre.answer"])
    return Learnt(config, basis, moments, centre, noises, _head(config, raw))


def _head(config: BestConfig, raw: dict[str, Matrix]) -> Head | None:
    if not config.has_head:
        return None
    head = Head(head_shape(config))
    state = {
        name.removeprefix("head."): torch.from_numpy(np.array(each, np.float32))
        for name, each in raw.items()
        if name.startswith("head.")
    }
    state["scale"] = state["scale"].reshape(())
    head.load_state_dict(state)
    return head


def head_shape(config: BestConfig) -> HeadShape:
    return HeadShape(config.width, config.width * (TURNS + 1) + PLACES, hidden=config.hidden)


@dataclass(frozen=True, slots=True)
class BestRetriever:
    """Ready for one language."""

    reader: TurnReader
    directions: Canonical
    centre: tuple[Matrix, Matrix]
    head: Head | None
    weights: Matrix
    """Of the canonical score, of the head's where there is one, of the overlaps."""

    def read(self, exchanges: Sequence[Exchange]) -> "BestReading":
        return self.reading(exchanges, *self.reader.views(exchanges))

    def reading(
        self, exchanges: Sequence[Exchange], contexts: Matrix, answers: Matrix
    ) -> "BestReading":
        """Of exchanges whose rows are known."""
        one, other, worth = self.directions.placed(
            contexts - self.centre[0], answers - self.centre[1]
        )
        placed = [(one, other, worth)]
        if self.head:
            left, right = self.head.placed(
                np.asarray(contexts, np.float32), np.asarray(answers, np.float32)
            )
            placed.append((left, right, np.zeros(len(right), np.float32)))
        return BestReading(exchanges, tuple(placed), self.weights)

    def weighing(self, weights: Matrix) -> "BestRetriever":
        return replace(self, weights=weights)


@dataclass(frozen=True, slots=True)
class BestReading:
    """Exchanges as our retriever has read them."""

    exchanges: Sequence[Exchange]
    placed: tuple[tuple[Matrix, Matrix, Matrix], ...]
    """For each scorer: contexts, answers, and what is taken off for each answer."""
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
