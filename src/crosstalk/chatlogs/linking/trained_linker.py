"""The trained linker: a small network scores every candidate, larger ones the likely few.

A model folder holds `networks.safetensors` and `columns.json`.
"""

import json
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from crosstalk.chatlogs.linking.line_columns import LineColumns
from crosstalk.chatlogs.linking.link_candidates import Ints
from crosstalk.chatlogs.linking.link_features import (
    LINE_COLUMNS,
    PAIR_COLUMNS,
    Floats,
    LinkCandidates,
    link_candidates_of,
)
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary

PAIRS, LINES = len(PAIR_COLUMNS), len(LINE_COLUMNS)
INPUTS = PAIRS + 2 * LINES
AT_ONCE = 4_096
"""Pairs per block, chosen to fit the processor's cache."""


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

    @classmethod
    def side_by_side(cls, networks: "list[LinkNetwork]") -> "LinkNetwork":
        return cls(
            *(
                np.concatenate([getattr(network, part.name) for network in networks])
                for part in fields(cls)
            )
        )

    @classmethod
    def of_tensors(cls, tensors: dict[str, NDArray[np.float32]], prefix: str) -> "LinkNetwork":
        """Build from tensors; raises ValueError if shapes do not fit."""
        network = cls(*(tensors[f"{prefix}.{part.name}"] for part in fields(cls)))
        members, depth, width = network.second.shape
        shapes = [(members * width, INPUTS), (members * width,), (members, depth, width)]
        shapes += [(members, depth), (members, depth)]
        if [getattr(network, part.name).shape for part in fields(cls)] != shapes:
            raise ValueError(f"the tensors of {prefix!r} do not fit the columns of this Crosstalk")
        return network

    def tensors(self, prefix: str) -> dict[str, NDArray[np.float32]]:
        return {f"{prefix}.{part.name}": getattr(self, part.name) for part in fields(self)}

    def scores(self, candidates: LinkCandidates, chosen: Ints | None = None) -> Floats:
        """Return the logits of all pairs, or of the `chosen` ones."""
        first, singles = self.first.T, candidates.singles.T
        of_line = singles @ first[PAIRS : PAIRS + LINES] + self.first_bias
        of_other = singles @ first[PAIRS + LINES :]
        count = len(candidates.lines) if chosen is None else len(chosen)
        found = np.empty(count, dtype=np.float32)
        for start in range(0, count, AT_ONCE):
            some = slice(start, start + AT_ONCE)
            pairs, lines, others = _some(candidates, some if chosen is None else chosen[some])
            hidden = pairs.T @ first[:PAIRS]
            hidden += of_line[lines]
            hidden += of_other[others]
            found[some] = self._rest(np.maximum(hidden, 0, out=hidden))
        return found

    def _rest(self, hidden: Floats) -> Floats:
        members, _, width = self.second.shape
        of_members = hidden.reshape(-1, members, width).swapaxes(0, 1)
        deeper = of_members @ self.second.swapaxes(1, 2) + self.second_bias[:, None, :]
        np.maximum(deeper, 0, out=deeper)
        return np.asarray((deeper @ self.out[:, :, None]).mean(axis=0)[:, 0], dtype=np.float32)


def _some(candidates: LinkCandidates, which: slice | Ints) -> tuple[Floats, Ints, Ints]:
    if isinstance(which, slice):
        pairs = candidates.pairs[:, which]
    else:
        pairs = np.take(candidates.pairs, which, axis=1)
    return pairs, candidates.lines[which], candidates.others[which]


NETWORKS, COLUMN_NAMES = "networks.safetensors", "columns.json"
COLUMNS = {"pairs": list(PAIR_COLUMNS), "lines": list(LINE_COLUMNS)}
UNLIKELY = np.log(0.03)
"""Log odds against the best candidate below which the larger networks are not asked."""
HOPELESS = np.float32(-1e9)


@dataclass(frozen=True, slots=True)
class TrainedLinker:
    """A `Linker` of two ensembles; results do not depend on the number of workers."""

    quick: LinkNetwork
    thorough: LinkNetwork

    @classmethod
    def load(cls, folder: Path) -> "TrainedLinker":
        try:
            if read_json(folder / COLUMN_NAMES) != COLUMNS:
                raise ValueError("it looks at other columns than this Crosstalk")
            with open_binary(folder / NETWORKS) as content:
                tensors = load(content.read())
            return cls(
                LinkNetwork.of_tensors(tensors, "quick"),
                LinkNetwork.of_tensors(tensors, "thorough"),
            )
        except (CrosstalkError, SafetensorError, ValueError, KeyError) as error:
            raise InputError(
                f"{folder}: not a whole linker: {error}",
                remedy="Train it anew: crosstalk logs train --help",
            ) from error

    def save(self, folder: Path) -> None:
        tensors = {**self.quick.tensors("quick"), **self.thorough.tensors("thorough")}
        with writing_binary(folder / NETWORKS) as content:
            content.write(save(tensors))
        with writing(folder / COLUMN_NAMES) as text:
            json.dump(COLUMNS, text, indent=1)

    def parents(self, lines: LineColumns, start: int, stop: int) -> list[tuple[int, float]]:
        if start >= stop:
            return []
        candidates = link_candidates_of(lines, start, stop)
        chosen, sure = decide(candidates, self.scores(candidates))
        return list(zip(chosen[start:stop].tolist(), sure[start:stop].tolist(), strict=True))

    def scores(self, candidates: LinkCandidates) -> Floats:
        """Return logits; HOPELESS for candidates that the small network rules out."""
        quick = self.quick.scores(candidates)
        starts = first_of_each(candidates.lines)
        sizes = lengths(starts, len(quick))
        best = np.maximum.reduceat(quick, starts)
        left = quick > np.repeat(best + UNLIKELY, sizes)
        scores = np.where(left, np.float32(0), HOPELESS)
        several = np.repeat(np.add.reduceat(left, starts, dtype=np.int64) > 1, sizes)
        doubtful = np.flatnonzero(left & several)
        scores[doubtful] = self.thorough.scores(candidates, doubtful)
        return scores


def decide(candidates: LinkCandidates, scores: Floats) -> tuple[Ints, NDArray[np.float64]]:
    """Return the most likely candidate of each line and its probability."""
    starts = first_of_each(candidates.lines)
    best = np.maximum.reduceat(scores, starts)
    sizes = lengths(starts, len(scores))
    above = np.repeat(best, sizes)
    chance = 1 / np.add.reduceat(np.exp(scores - above, dtype=np.float64), starts)
    parents = np.arange(candidates.size)
    sure = np.zeros(candidates.size)
    winners = np.flatnonzero(scores == above)[::-1]  # of equals the earliest is written last
    parents[candidates.lines[winners]] = candidates.others[winners]
    sure[candidates.lines[starts]] = chance
    return parents, sure


def first_of_each(lines: Ints) -> Ints:
    """Return the start index of each line's candidates."""
    return np.flatnonzero(np.diff(lines, prepend=-1))


def lengths(starts: Ints, size: int) -> Ints:
    return np.diff(starts, append=size)
