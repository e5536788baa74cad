"""Looking things up as people say them: `dumplings` finds every kind of dumpling.

Numbers, ratings and places nearby are the database's business; words are compared as plain text,
so that neither case nor accents nor a part of a term make a difference.
"""

from collections.abc import Iterator
from functools import lru_cache

from crosstalk.database.conditions import Constraints, several, terms, texts
from crosstalk.database.numbers import Bounds
from crosstalk.database.queries import Database
from crosstalk.database.tables import Row, World
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.language.identify import primary
from crosstalk.language.normalize import plain
from crosstalk.language.quantities import Quantities

WORDS = frozenset(
    {SlotKind.NAME, SlotKind.CATEGORY, SlotKind.LIST, SlotKind.SERVICES, SlotKind.DURATION}
)
"""Kinds that are compared as plain text here."""
SHORTEST_ROOT = 4
"""Letters of a Russian word whose ending may change; one goes of five letters, else two."""


class Finder:
    """A database that takes words as people say them; `relax` can ask it."""

    def __init__(self, database: Database, quantities: Quantities) -> None:
        self.database = database
        self.world: World = database.world
        self._inflects = primary(self.world.language.code) == "ru"
        self._hours = lru_cache(maxsize=4096)(quantities.hours)

    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]:
        asked = self.database.domain(domain)
        if asked.kind is not DomainKind.PLACE:
            return self.database.search(domain, constraints)
        name = asked.name_slot
        if name and (row := self.database.find(domain, str(constraints.get(name.key, "")))):
            return (row,)
        exact = {
            key: value for key, value in constraints.items() if self._kind(asked, key) not in WORDS
        }
        loose = {key: value for key, value in constraints.items() if key not in exact and value}
        rows = self.database.search(domain, exact)
        return tuple(row for row in rows if self._meets_all(asked, row, loose))

    def unmet(self, domain: str, row: Row, constraints: Constraints) -> tuple[str, ...]:
        """The constraints a row does not meet, each judged by itself."""
        asked = self.database.domain(domain)
        words = {
            key: value for key, value in constraints.items() if self._kind(asked, key) in WORDS
        }
        others = {key: value for key, value in constraints.items() if key not in words}
        missed = self.database.unmet(domain, row, others)
        return (
            *missed,
            *(key for key in words if not self._meets_all(asked, row, {key: words[key]})),
        )

    def matching(self, row: Row, slot: Slot, term: str) -> list[str]:
        """The terms of a cell that have this one in them."""
        wanted = self.root(term)
        return [text for text in texts(row.get(slot.key)) if wanted in plain(text)]

    def root(self, term: str) -> str:
        """A term in plain text; in Russian without the ending of a single word."""
        word = plain(term)
        if self._inflects and len(word) >= SHORTEST_ROOT and " " not in word:
            return word[:-1] if len(word) <= SHORTEST_ROOT + 1 else word[:-2]
        return word

    def _kind(self, domain: Domain, key: str) -> SlotKind | None:
        slot = domain.slot(key)
        return slot.kind if slot else None

    def _meets_all(self, domain: Domain, row: Row, constraints: Constraints) -> bool:
        return all(
            self._meets(slot, row, value)
            for key, value in constraints.items()
            if (slot := domain.slot(key))
        )

    def _meets(self, slot: Slot, row: Row, value: SlotValue) -> bool:
        if slot.kind is SlotKind.DURATION:
            return all(self._lasts(row, slot, each) for each in several(value))
        return all(self.matching(row, slot, term) for term in self._terms(slot, value))

    def _terms(self, slot: Slot, value: SlotValue) -> Iterator[str]:
        if slot.kind in (SlotKind.LIST, SlotKind.SERVICES):
            yield from terms(self.world.language, value)
        else:
            yield from several(value)

    def _lasts(self, row: Row, slot: Slot, wanted: str) -> bool:
        """Whether a visit can take as long as somebody wants, and no longer."""
        cell = row.get(slot.key)
        if not isinstance(cell, str):
            return False
        if plain(wanted) in plain(cell):
            return True
        wish, there = self._hours(plain(wanted)), self._hours(plain(cell))
        return bool(wish and there) and _fits(there or Bounds(), wish or Bounds())


def _fits(there: Bounds, wish: Bounds) -> bool:
    low, high = there.low or 0.0, there.high if there.high is not None else float("inf")
    if wish.low is None:
        return wish.high is None or high <= wish.high
    if wish.high is None:
        return low >= wish.low
    return low <= wish.high and wish.low <= high
