"""Queries a second, with indexes and by plain scan: `python -m benchmarks.database`.

One seeded mix of questions like those of real dialogue states, over the CrossWOZ tables where
CROSSTALK_DATA names them, otherwise over harbour. Both ways answer the same questions in one run.
"""

import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from tests.worlds.scan import Scan

from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.worlds.conditions import Constraints
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World
from crosstalk.worlds.world import load_world

Query = tuple[str, Constraints]

NAME_GIVEN = 0.19
FIELDS_FILLED = (20, 54, 24, 2)
"""Weights of 1, 2, 3, 4 fields without a name: both as in the 2,159 forms filled in on val."""


class QueryMix:
    """Draws a place domain and one to four constraints, each of which matches some row."""

    def __init__(self, world: World, rng: random.Random) -> None:
        self._world = world
        self._rng = rng
        self._cells = {
            (domain.key, slot.key): [row[slot.key] for row in world.tables[domain.key]]
            for domain in world.schema.places
            for slot in domain.form
        }
        for key, cells in self._cells.items():
            self._cells[key] = [cell for cell in cells if cell]

    def draw(self) -> Query:
        domain = self._rng.choice(self._world.schema.places)
        if domain.name_slot is not None and self._rng.random() < NAME_GIVEN:
            chosen = [domain.name_slot]
        else:
            slots = [slot for slot in domain.form if self._cells[domain.key, slot.key]]
            (count,) = self._rng.choices((1, 2, 3, 4), FIELDS_FILLED)
            chosen = self._rng.sample(
                slots[1:], min(count, len(slots) - 1)
            )  # the first is the name
        return domain.key, {slot.key: self._value(domain.key, slot) for slot in chosen}

    def _value(self, domain: str, slot: Slot) -> SlotValue:
        if slot.bands:
            forms = forms_of(self._world.language, domain, slot)
            return say_band(forms, self._rng.choice(slot.bands))
        cell = self._rng.choice(self._cells[domain, slot.key])
        if not isinstance(cell, tuple):
            return str(cell)
        if slot.kind is SlotKind.NEARBY:
            return self._rng.choice(cell)
        return tuple(self._rng.sample(cell, min(len(cell), self._rng.choice((1, 1, 2)))))


def per_second(search: Callable[[str, Constraints], Sequence[Row]], queries: list[Query]) -> float:
    """Queries a second of one core: the processor's time, not that of whatever else is running."""
    start = time.process_time()
    for domain, constraints in queries:
        search(domain, constraints)
    return len(queries) / (time.process_time() - start)


def run(*, seed: int = 1, indexed: int = 20_000, scanned: int = 1_000) -> dict[str, float | str]:
    """The figures; the scan answers the first `scanned` of the questions only, being slow."""
    world = load_world("crosswoz" if os.environ.get("CROSSTALK_DATA") else "harbour")
    mix = QueryMix(world, random.Random(seed))
    queries = [mix.draw() for _ in range(indexed)]
    start = time.perf_counter()
    database = Database(world)
    building = time.perf_counter() - start
    fast = max(_repeated(database.search, queries))
    slow = max(_repeated(Scan(world).search, queries[:scanned]))
    return {
        "world": world.name,
        "seed": seed,
        "indexed_queries_per_second": round(fast),
        "scanned_queries_per_second": round(slow),
        "times_a_scan": round(fast / slow, 1),
        "index_seconds": round(building, 3),
    }


def _repeated(
    search: Callable[[str, Constraints], Sequence[Row]], queries: list[Query], times: int = 3
) -> Iterator[float]:
    """Several runs, the best of which was disturbed the least."""
    return (per_second(search, queries) for _ in range(times))


if __name__ == "__main__":
    json.dump(run(), sys.stdout, indent=2)
    print()
