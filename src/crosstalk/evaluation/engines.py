"""Engines: who holds the sessions. The lines come back in the order of the sessions, always.

Hence a run is the same, byte for byte, however many workers there are and wherever they are.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from crosstalk.corpora.encoding import encode_dialogue
from crosstalk.evaluation.sessions import Session, SessionRules, hold
from crosstalk.simulation.build import Setup, Simulation, build
from crosstalk.workers import over, over_cluster

BATCH = 10
"""Sessions handed out at once: about a tenth of a second of work."""

Batch = tuple[Session, ...]
Lines = list[str]


def here(batches: Iterable[Batch], simulation: Simulation, rules: SessionRules) -> Iterator[Lines]:
    """One after the other, in this process."""
    return (held(batch, simulation, rules) for batch in batches)


def in_processes(
    batches: Iterable[Batch], setup: Setup, rules: SessionRules, *, workers: int
) -> Iterator[Lines]:
    """In processes of this machine; each builds its own simulation once."""
    return over(Holder(setup, rules), batches, workers=workers)


def on_ray(batches: Iterable[Batch], setup: Setup, rules: SessionRules) -> Iterator[Lines]:
    """On the workers of a Ray cluster (`pip install ray`)."""
    return over_cluster(Holder(setup, rules), batches)


@dataclass(frozen=True, slots=True)
class Holder:
    """What is sent to workers: they build the simulation with their first batch."""

    setup: Setup
    rules: SessionRules

    def __call__(self, batch: Batch) -> Lines:
        return held(batch, _simulation(self.setup), self.rules)


@lru_cache(maxsize=1)
def _simulation(setup: Setup) -> Simulation:
    return build(setup)


def batched(sessions: Iterable[Session], size: int = BATCH) -> Iterator[Batch]:
    remaining = iter(sessions)
    while batch := tuple(islice(remaining, size)):
        yield batch


def held(batch: Batch, simulation: Simulation, rules: SessionRules) -> Lines:
    """The dialogues of a batch, one line of the native format each."""
    return [
        json.dumps(encode_dialogue(hold(session, simulation, rules)), ensure_ascii=False) + "\n"
        for session in batch
    ]
