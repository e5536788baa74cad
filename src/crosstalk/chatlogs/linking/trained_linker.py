"""The trained linker: a quick network judges every candidate, larger ones the few that are left.

A model folder holds `networks.safetensors` and `columns.json`.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from crosstalk.chatlogs.linking.candidates import Ints
from crosstalk.chatlogs.linking.features import (
    LINE_COLUMNS,
    PAIR_COLUMNS,
    Candidates,
    Floats,
    candidates_of,
)
from crosstalk.chatlogs.linking.lines import Lines
from crosstalk.chatlogs.linking.network import LinkNetwork
from crosstalk.errors import CrosstalkError, InputError
from crosstalk.files import open_binary, read_json, writing, writing_binary

NETWORKS, COLUMN_NAMES = "networks.safetensors", "columns.json"
COLUMNS = {"pairs": list(PAIR_COLUMNS), "lines": list(LINE_COLUMNS)}
UNLIKELY = np.log(0.03)
"""Chance against the likeliest of a line's candidates below which one gets no second look."""
HOPELESS = np.float32(-1e9)


@dataclass(frozen=True, slots=True)
class LearnedLinker:
    """Numbers in, numbers out; the same for any number of workers."""

    quick: LinkNetwork
    thorough: LinkNetwork

    @classmethod
    def load(cls, folder: Path) -> "LearnedLinker":
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

    def parents(self, lines: Lines, start: int, stop: int) -> list[tuple[int, float]]:
        if start >= stop:
            return []
        candidates = candidates_of(lines, start, stop)
        chosen, sure = decide(candidates, self.scores(candidates))
        return list(zip(chosen[start:stop].tolist(), sure[start:stop].tolist(), strict=True))

    def scores(self, candidates: Candidates) -> Floats:
        """Of each candidate; HOPELESS for those that the quick look rules out."""
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


def decide(candidates: Candidates, scores: Floats) -> tuple[Ints, NDArray[np.float64]]:
    """For each line its likeliest candidate, and how likely it is among all of them."""
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
    """Where the candidates of each line begin."""
    return np.flatnonzero(np.diff(lines, prepend=-1))


def lengths(starts: Ints, size: int) -> Ints:
    return np.diff(starts, append=size)
