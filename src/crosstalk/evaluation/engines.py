"""Engines: who holds the sessions. The lines come back in the order of the sessions, always.

Hence a run is the same, byte for byte, however many workers there are and wherever they are.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from crosstalk.evaluation.sessions import Rules, Session, hold
from crosstalk.formats.encoding import encode_dialogue
from crosstalk.simulation.build import Setup, Stage, build
from crosstalk.workers import over

BATCH = 10
"""Sessions handed out at once: about a tenth of a second of work."""

Batch = tuple[Session, ...]
Lines = list[str]


def here(batches: Iterable[Batch], setup: Setup, rules: Rules) -> Iterator[Lines]:
    """One after the other, in this process."""
    stage = build(setup)
    return (held(batch, stage, rules) for batch in batches)


def in_processes(
    batches: Iterable[Batch], setup: Setup, rules: Rules, *, workers: int
) -> Iterator[Lines]:
    """In processes of this machine; each builds its own stage once."""
    return over(Holder(setup, rules), batches, workers=workers)


@dataclass(frozen=True, slots=True)
class Holder:
    """What is sent to workers: they build the stage with their first batch."""

    setup: Setup
    rules: Rules

    def __call__(self, batch: Batch) -> Lines:
        return held(batch, _stage(self.setup), self.rules)


@lru_cache(maxsize=1)
def _stage(setup: Setup) -> Stage:
    return build(setup)


def batched(sessions: Iterable[Session], size: int = BATCH) -> Iterator[Batch]:
    remaining = iter(sessions)
    while batch := tuple(islice(remaining, size)):
        yield batch


def held(batch: Batch, stage: Stage, rules: Rules) -> Lines:
    """The dialogues of a batch, one line of the native format each."""
    return [
        json.dumps(encode_dialogue(hold(session, stage, rules)), ensure_ascii=False) + "\n"
        for session in batch
    ]
