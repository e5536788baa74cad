"""Spans: the stretches of an utterance that may give an act its value."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from crosstalk.language.gazetteer import Match
from crosstalk.system.nlu.layers import FloatArray
from crosstalk.system.nlu.reader import NetworkOutput

SUSPECTED: Final = 0.05
"""A value of the tables is a span where the reader is this sure that something is said there."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of characters with what the reader makes of it."""

    start: int
    end: int
    keys: FloatArray
    """How likely each span key is, mean over the characters."""
    opening: float
    """That a span begins at its first character."""
    closing: float
    """That none goes on after its last one."""
    is_value: bool
    """Stands so in the tables."""
    is_tagged: bool
    """Is what the likeliest tags mark."""
    is_part: bool
    """Lies inside a longer value of the tables."""
    share: float = 0.0
    """How much of a value of the tables it says, and how telling that is."""
    weight: float = 0.0


def stretches(reading: NetworkOutput, matches: Iterable[Match]) -> list[Stretch]:
    """What the tags mark, and the values of the tables that might have been meant."""
    begins = reading.tags[:, 1::2]
    within = reading.tags[:, 2::2]
    tagged = set(_marked(reading.tags, begins.sum(axis=1), within.sum(axis=1)))
    values = {(match.start, match.end): match for match in matches if match.end <= len(begins)}
    some = 1 - reading.tags[:, 0]
    suspected = {pair for pair in values if some[pair[0] : pair[1]].mean() > SUSPECTED}
    found = []
    for start, end in sorted(tagged | suspected):
        match = values.get((start, end))
        goes_on = within[end].sum() if end < len(within) else 0.0
        found.append(
            Stretch(
                start,
                end,
                (begins[start:end] + within[start:end]).mean(axis=0),
                float(begins[start].sum()),
                1 - float(goes_on),
                (start, end) in values,
                (start, end) in tagged,
                any(a <= start and end <= z and z - a > end - start for a, z in values),
                match.share if match else 0.0,
                match.weight if match else 0.0,
            )
        )
    return found


def _marked(tags: FloatArray, begins: FloatArray, within: FloatArray) -> Iterator[tuple[int, int]]:
    """A span opens where one begins or goes on after nothing, and ends before the next."""
    states = np.argmax(np.stack([tags[:, 0], begins, within]), axis=0).tolist()
    start = None
    for position, state in enumerate([*states, 0]):
        if start is not None and state != 2:
            yield start, position
            start = None
        if state == 1 or (state == 2 and start is None):
            start = position
