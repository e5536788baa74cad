"""Candidate parents of each line: the last few lines, and recent lines of the people involved.

Computed for all lines at once: in an array sorted by (person, position) the last lines of a person
before a position are found by binary search.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

WINDOW = 120
"""Maximum distance of a candidate in lines; 99 % of answers are within 100."""
NEAR = 8
NONE = -1
BITS = (1 << 16) - 1


@dataclass(frozen=True, slots=True)
class PlacesByPerson:
    """Positions at which each person speaks, or is named, sorted by person and position."""

    keys: Ints
    size: int
    present: NDArray[np.bool_]
    """A filter by the last bits of the person's number, which saves most searches."""

    @classmethod
    def of(cls, people: Ints, places: Ints, size: int) -> "PlacesByPerson":
        known = people >= 0
        present = np.zeros(BITS + 1, dtype=bool)
        present[people[known] & BITS] = True
        return cls(np.sort(people[known] * size + places[known]), size, present)

    def count_before(self, people: Ints, places: Ints) -> Ints:
        """Return the rank of the first entry at or after each position."""
        ranks: Ints = np.searchsorted(self.keys, people * self.size + places)
        return ranks

    def last(self, people: Ints, places: Ints, count: int) -> Ints:
        """Return the last `count` positions of each person before each position; else NONE."""
        ranks = self.count_before(people, places)[:, None] - 1 - np.arange(count)[None, :]
        keys = self.keys[np.maximum(ranks, 0)] if len(self.keys) else np.zeros_like(ranks)
        found = (ranks >= 0) & (keys // self.size == people[:, None]) & (people >= 0)[:, None]
        return np.where(found, keys % self.size, NONE)

    def around(self, people: Ints, places: Ints) -> tuple[Ints, Ints]:
        """Return the last position of each person before and the first after each position."""
        before, after = np.full(len(places), NONE), np.full(len(places), NONE)
        at = np.flatnonzero((people >= 0) & self.present[people & BITS])
        if len(at):
            before[at], after[at] = self._around(people[at] * self.size, places[at])
        return before, after

    def _around(self, earliest: Ints, places: Ints) -> tuple[Ints, Ints]:
        """`earliest` is the smallest possible key of each person."""
        wanted = earliest + places
        ranks = np.searchsorted(self.keys, wanted)
        before = self.keys[np.maximum(ranks - 1, 0)]
        at = np.minimum(ranks, len(self.keys) - 1)
        after = self.keys[np.minimum(at + (self.keys[at] == wanted), len(self.keys) - 1)]
        is_before = (before >= earliest) & (before < wanted)
        is_after = (after > wanted) & (after < earliest + self.size)
        return (
            np.where(is_before, before - earliest, NONE),
            np.where(is_after, after - earliest, NONE),
        )


@dataclass(frozen=True, slots=True)
class LogArrays:
    """A section of a log as arrays."""

    minutes: Ints
    speakers: Ints
    targets: Ints
    """Lines x 3: the addressee and two more named people."""
    speaking: PlacesByPerson
    named: PlacesByPerson
    addressing: PlacesByPerson
    """Positions by (speaker, addressee) pair."""
    people: int

    @classmethod
    def of(cls, minutes: Ints, speakers: Ints, targets: Ints) -> "LogArrays":
        size = len(minutes)
        places = np.arange(size)
        # numbers of people grow over years; here only those of this stretch matter
        known, dense = np.unique(np.concatenate([speakers, targets.ravel()]), return_inverse=True)
        shift = int((known < 0).any())
        dense = dense.ravel() - shift
        speakers, targets = dense[:size], dense[size:].reshape(-1, 3)
        people = len(known) - shift
        thrice = np.repeat(places, 3)
        pairs = np.where(targets[:, 0] >= 0, speakers * people + targets[:, 0], NONE)
        return cls(
            minutes,
            speakers,
            targets,
            PlacesByPerson.of(speakers, places, size),
            PlacesByPerson.of(targets.ravel(), thrice, size),
            PlacesByPerson.of(pairs, places, size),
            people,
        )

    def pair(self, one: Ints, other: Ints) -> Ints:
        return np.where((one >= 0) & (other >= 0), one * self.people + other, NONE)


def candidate_pairs(log: LogArrays, start: int, stop: int) -> tuple[Ints, Ints]:
    """Return pairs (line, candidate), sorted; a line is its own last candidate."""
    places = np.arange(start, stop)
    speakers, targets = log.speakers[start:stop], log.targets[start:stop]
    own = log.speaking.last(speakers, places, 4)
    calling = log.named.last(speakers, places, 4)
    columns = [
        places[:, None] - np.arange(1, NEAR + 1)[None, :],
        own,
        calling,
        log.speaking.last(targets[:, 0], places, 5),
        log.named.last(targets[:, 0], places, 1),
        log.speaking.last(targets[:, 1], places, 2),
        log.speaking.last(targets[:, 2], places, 2),
        log.speaking.last(_partner(log, own), places, 2),
        log.speaking.last(_speaker(log, calling[:, 0]), places, 2),
        places[:, None],
    ]
    table = np.sort(np.concatenate(columns, axis=1), axis=1)
    fresh = np.concatenate([np.ones((len(places), 1), bool), table[:, 1:] != table[:, :-1]], axis=1)
    rows, cells = np.nonzero(fresh & (table >= 0) & (table >= (places - WINDOW)[:, None]))
    return places[rows], table[rows, cells]


def _speaker(log: LogArrays, places: Ints) -> Ints:
    return np.where(places >= 0, log.speakers[np.maximum(places, 0)], NONE)


def _partner(log: LogArrays, own: Ints) -> Ints:
    """Return the addressee of each speaker's last line that has one."""
    partner = np.full(len(own), NONE, dtype=np.int64)
    for column in range(own.shape[1] - 1, -1, -1):
        place = own[:, column]
        named = np.where(place >= 0, log.targets[np.maximum(place, 0), 0], NONE)
        partner = np.where(named >= 0, named, partner)
    return partner
