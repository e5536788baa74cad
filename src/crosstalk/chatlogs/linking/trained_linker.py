"""The trained linker: a small network scores every candidate, larger ones the likely few.

The larger networks also see what lines are about: vectors of the two lines, and a product of both
that tells how well they match. A model folder holds `networks.safetensors`, `columns.json` and the
words of the vectors, `words.json`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from crosstalk.chatlogs.linking.line_columns import LineColumns
from crosstalk.chatlogs.linking.link_candidates import Ints
from crosstalk.chatlogs.linking.link_extractor import Choices
from crosstalk.chatlogs.linking.link_features import (
    LINE_COLUMNS,
    PAIR_COLUMNS,
    Floats,
    LinkCandidates,
    link_candidates_of,
)
from crosstalk.chatlogs.linking.word_vectors import WordVectors
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary

PAIRS, LINES = len(PAIR_COLUMNS), len(LINE_COLUMNS)
INPUTS = PAIRS + 2 * LINES
AT_ONCE = 4_096
"""Pairs per block, chosen to fit the processor's cache."""


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What the first layer of an ensemble adds for the vectors of the two lines."""

    line: Floats
    """(members x width) x vector; `other` is for the candidate."""
    other: Floats
    left: Floats
    """members, matches, vector: the product of `left` times the line's vector and `right` times the
    candidate's says how well both match."""
    right: Floats
    match: Floats
    """members, width, matches."""


@dataclass(frozen=True, slots=True)
class LinkNetwork:
    """An ensemble of two-layer networks (`width`, `depth` units); scores are averaged."""

    first: Floats
    """(members x width) x INPUTS; inputs are features of pair, line and candidate."""
    first_bias: Floats
    second: Floats
    """members, depth, width."""
    second_bias: Floats
    """members, depth."""
    out: Floats
    """members, depth."""
    text: TextLayer | None = None

    @classmethod
    def side_by_side(cls, networks: "list[LinkNetwork]") -> "LinkNetwork":
        texts = [network.text for network in networks if network.text is not None]
        return cls(
            **_joined(networks, PLAIN), text=TextLayer(**_joined(texts, TEXT)) if texts else None
        )

    @classmethod
    def of_tensors(cls, tensors: dict[str, NDArray[np.float32]], prefix: str) -> "LinkNetwork":
        """Build from tensors; raises ValueError if shapes do not fit."""
        plain: dict[str, Any] = {name: tensors[f"{prefix}.{name}"] for name in PLAIN}
        network = cls(**plain)
        members, depth, width = network.second.shape
        shapes = [(members * width, INPUTS), (members * width,), (members, depth, width)]
        shapes += [(members, depth), (members, depth)]
        fit = [getattr(network, name).shape for name in PLAIN] == shapes
        if f"{prefix}.text.{TEXT[0]}" in tensors:
            text = TextLayer(**{name: tensors[f"{prefix}.text.{name}"] for name in TEXT})
            matches, vector = text.left.shape[-2:]
            shapes = [(members * width, vector)] * 2 + [(members, matches, vector)] * 2
            shapes.append((members, width, matches))
            fit = fit and [getattr(text, name).shape for name in TEXT] == shapes
            network = replace(network, text=text)
        if not fit:
            raise ValueError(f"the tensors of {prefix!r} do not fit the columns of this Crosstalk")
        return network

    def tensors(self, prefix: str) -> dict[str, NDArray[np.float32]]:
        plain = {f"{prefix}.{name}": getattr(self, name) for name in PLAIN}
        if self.text is None:
            return plain
        return plain | {f"{prefix}.text.{name}": getattr(self.text, name) for name in TEXT}

    def scores(
        self,
        candidates: LinkCandidates,
        chosen: Ints | None = None,
        vectors: Floats | None = None,
    ) -> Floats:
        """Return the logits of all pairs, or of the `chosen` ones; `vectors` are those of lines."""
        first, singles = self.first.T, candidates.singles.T
        of_line = singles @ first[PAIRS : PAIRS + LINES] + self.first_bias
        of_other = singles @ first[PAIRS + LINES :]
        matching = None
        if self.text is not None and vectors is not None:
            of_line[: len(vectors)] += vectors @ self.text.line.T
            of_other[: len(vectors)] += vectors @ self.text.other.T
            matching = _Matching.of(self.text, vectors)
        count = len(candidates.lines) if chosen is None else len(chosen)
        found = np.empty(count, dtype=np.float32)
        for start in range(0, count, AT_ONCE):
            some = slice(start, start + AT_ONCE)
            pairs, lines, others = _some(candidates, some if chosen is None else chosen[some])
            hidden = pairs.T @ first[:PAIRS]
            hidden += of_line[lines]
            hidden += of_other[others]
            if matching is not None:
                hidden += matching.added(lines, others)
            found[some] = self._rest(np.maximum(hidden, 0, out=hidden))
        return found

    def _rest(self, hidden: Floats) -> Floats:
        members, _, width = self.second.shape
        of_members = hidden.reshape(-1, members, width).swapaxes(0, 1)
        deeper = of_members @ self.second.swapaxes(1, 2) + self.second_bias[:, None, :]
        np.maximum(deeper, 0, out=deeper)
        return np.asarray((deeper @ self.out[:, :, None]).mean(axis=0)[:, 0], dtype=np.float32)


TEXT = tuple(part.name for part in fields(TextLayer))
PLAIN = tuple(part.name for part in fields(LinkNetwork) if part.name != "text")


def _joined(parts: Sequence[LinkNetwork | TextLayer], names: Sequence[str]) -> dict[str, Any]:
    return {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}


@dataclass(frozen=True, slots=True)
class _Matching:
    """Both sides of the products that tell how well two lines match."""

    left: Floats
    """members, lines, matches."""
    right: Floats
    into: Floats
    """members, matches, width."""

    @classmethod
    def of(cls, text: TextLayer, vectors: Floats) -> "_Matching":
        left, right = (vectors @ side.swapaxes(1, 2) for side in (text.left, text.right))
        return cls(left, right, text.match.swapaxes(1, 2))

    def added(self, lines: Ints, others: Ints) -> Floats:
        """Return what the products add to the first layer of each pair."""
        hidden = (self.left[:, lines] * self.right[:, others]) @ self.into
        return np.asarray(hidden.swapaxes(0, 1).reshape(len(lines), -1), dtype=np.float32)


def _some(candidates: LinkCandidates, which: slice | Ints) -> tuple[Floats, Ints, Ints]:
    if isinstance(which, slice):
        pairs = candidates.pairs[:, which]
    else:
        pairs = np.take(candidates.pairs, which, axis=1)
    return pairs, candidates.lines[which], candidates.others[which]


NETWORKS, COLUMN_NAMES, WORDS = "networks.safetensors", "columns.json", "words.json"
COLUMNS = {"pairs": list(PAIR_COLUMNS), "lines": list(LINE_COLUMNS)}
UNLIKELY = np.log(0.03)
"""Log odds against the best candidate below which the larger networks are not asked."""
NAMES = ("quick", "thorough")
HOPELESS = np.float32(-1e9)
NEGLIGIBLE = 0.005
"""Probability below which a candidate is left out of the choice between conversations."""


@dataclass(frozen=True, slots=True)
class TrainedLinker:
    """A `Linker` of two ensembles; results do not depend on the number of workers."""

    quick: LinkNetwork
    thorough: LinkNetwork
    words: WordVectors

    @classmethod
    def load(cls, folder: Path) -> "TrainedLinker":
        try:
            if read_json(folder / COLUMN_NAMES) != COLUMNS:
                raise ValueError("it looks at other columns than this Crosstalk")
            words = read_json(folder / WORDS)
            with open_binary(folder / NETWORKS) as content:
                tensors = load(content.read())
            vectors = tensors["words"].astype(np.float32)
            quick, thorough = (LinkNetwork.of_tensors(tensors, each) for each in NAMES)
            fit = isinstance(words, list) and vectors.shape == (len(words), vectors.shape[-1])
            if (
                not fit
                or thorough.text is None
                or thorough.text.line.shape[1:] != vectors.shape[1:]
            ):
                raise ValueError(f"{WORDS} does not fit the networks")
            return cls(quick, thorough, WordVectors(tuple(map(str, words)), vectors))
        except (CrosstalkError, SafetensorError, ValueError, KeyError) as error:
            raise InputError(
                f"{folder}: not a whole linker: {error}",
                remedy="Train it anew: crosstalk logs train --help",
            ) from error

    def save(self, folder: Path) -> None:
        tensors: dict[str, NDArray[Any]] = {"words": self.words.vectors.astype(np.float16)}
        for name in NAMES:
            tensors |= getattr(self, name).tensors(name)
        with writing_binary(folder / NETWORKS) as content:
            content.write(save(tensors))
        with writing(folder / COLUMN_NAMES) as text:
            json.dump(COLUMNS, text, indent=1)
        with writing(folder / WORDS) as text:
            json.dump(self.words.words, text, ensure_ascii=False, indent=0)

    def choices(self, lines: LineColumns, start: int, stop: int) -> list[Choices]:
        if start >= stop:
            return []
        candidates = link_candidates_of(lines, start, stop)
        vectors = self.words.of_lines([message.text for message in lines.messages[:stop]])
        return likely_parents(candidates, self.scores(candidates, vectors))

    def scores(self, candidates: LinkCandidates, vectors: Floats) -> Floats:
        """Return logits; HOPELESS for candidates that the small network rules out."""
        quick = self.quick.scores(candidates)
        starts = first_of_each(candidates.lines)
        sizes = lengths(starts, len(quick))
        best = np.maximum.reduceat(quick, starts)
        left = quick > np.repeat(best + UNLIKELY, sizes)
        scores = np.where(left, np.float32(0), HOPELESS)
        several = np.repeat(np.add.reduceat(left, starts, dtype=np.int64) > 1, sizes)
        doubtful = np.flatnonzero(left & several)
        scores[doubtful] = self.thorough.scores(candidates, doubtful, vectors)
        return scores


def likely_parents(candidates: LinkCandidates, scores: Floats) -> list[Choices]:
    """Return the candidates of each line that are not negligible, with their probabilities."""
    starts = first_of_each(candidates.lines)
    sizes = lengths(starts, len(scores))
    above = np.repeat(np.maximum.reduceat(scores, starts), sizes)
    raised = np.exp(scores - above, dtype=np.float64)
    chances = raised / np.repeat(np.add.reduceat(raised, starts), sizes)
    kept = np.flatnonzero((chances >= NEGLIGIBLE) | (scores == above))
    ends = np.searchsorted(kept, starts + sizes).tolist()
    pairs = list(zip(candidates.others[kept].tolist(), chances[kept].tolist(), strict=True))
    return [pairs[first:last] for first, last in pairwise([0, *ends])]


def first_of_each(lines: Ints) -> Ints:
    """Return the start index of each line's candidates."""
    return np.flatnonzero(np.diff(lines, prepend=-1))


def lengths(starts: Ints, size: int) -> Ints:
    return np.diff(starts, append=size)
