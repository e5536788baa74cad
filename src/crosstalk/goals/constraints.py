"""Constraints: what a goal may ask of each slot of a place, drawn by the slot's kind."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol

from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Band, GoalOdds, Slot, SlotKind
from crosstalk.goals.pools import Pool, count_pool, some
from crosstalk.language.number_forms import Bounds, forms_of, say_band
from crosstalk.worlds.tables import Table

Pairs = list[tuple[str, Value]]
"""Slots and the values a goal gives them."""


class Constraint(Protocol):
    """A slot that a goal can constrain."""

    @property
    def slot(self) -> str: ...

    def draw(self, rng: Random) -> Pairs: ...


@dataclass(frozen=True, slots=True)
class OneValue:
    """A category, a duration, a stretch of numbers: one text."""

    slot: str
    values: Pool[str]

    def draw(self, rng: Random) -> Pairs:
        return [(self.slot, self.values.draw(rng))]


@dataclass(frozen=True, slots=True)
class Terms:
    """One term of a list, and sometimes a second that stands beside it in some row."""

    slot: str
    terms: Pool[str]
    rows: Mapping[str, tuple[tuple[str, ...], ...]]
    """Term -> the lists it stands in."""
    second: float

    def draw(self, rng: Random) -> Pairs:
        first = self.terms.draw(rng)
        beside = self._beside(first) if rng.random() < self.second else []
        return [(self.slot, (first, *some(beside, 1, rng)))]

    def _beside(self, first: str) -> list[str]:
        together = dict.fromkeys(term for terms in self.rows[first] for term in terms)
        return [term for term in together if term != first]


@dataclass(frozen=True, slots=True)
class Services:
    """A few services, each a yes/no slot of its own."""

    slot: str
    services: Pool[str]
    counts: Pool[int]
    exclusive: tuple[frozenset[str], ...]
    yes: str

    def draw(self, rng: Random) -> Pairs:
        drawn: list[str] = []
        for _ in range(self.counts.draw(rng)):
            spent = set().union(*map(self._spent, drawn))
            left = self.services.without(spent) if spent else self.services
            drawn += [left.draw(rng)] if left else []
        return [(f"{self.slot}{SERVICE_MARK}{service}", self.yes) for service in drawn]

    def _spent(self, service: str) -> set[str]:
        """The service itself and those that exclude it."""
        return {service}.union(*(group for group in self.exclusive if service in group))


def constraints(table: Table, pack: LanguagePack, odds: GoalOdds) -> tuple[Constraint, ...]:
    """The slots of a place that goals constrain; one with nothing to draw is left out."""
    slots = [slot for slot in table.domain.slots if slot.constrain]
    drawn = (_constraint(slot, table, pack, odds) for slot in slots)
    return tuple(constraint for constraint in drawn if constraint is not None)


def clean(text: str) -> bool:
    """Whether a term is one: the released tables hold stray white space with line breaks."""
    return bool(text.strip()) and "\n" not in text


def row_terms(table: Table, slot: Slot) -> Iterator[tuple[str, ...]]:
    """The terms of each row: several in a list, one in a text, none in an empty cell."""
    for row in table:
        cell = row.get(slot.key)
        terms = cell if isinstance(cell, tuple) else (cell,) if isinstance(cell, str) else ()
        yield tuple(term for term in dict.fromkeys(terms) if clean(term))


def frequencies(table: Table, slot: Slot) -> Counter[str]:
    """In how many rows each term stands, in the order of first appearance."""
    return Counter(term for terms in row_terms(table, slot) for term in terms)


def _constraint(slot: Slot, table: Table, pack: LanguagePack, odds: GoalOdds) -> Constraint | None:
    if slot.kind is SlotKind.LIST:
        terms = _terms(slot, table, odds)
        return terms if terms.terms else None
    if slot.kind is SlotKind.SERVICES:
        pool = Pool.of(frequencies(table, slot).items())
        counts = count_pool(odds.services)
        return Services(slot.key, pool, counts, slot.exclusive, pack.yes) if pool else None
    if slot.kind in (SlotKind.NUMBER, SlotKind.RATING):
        values = _numbers(slot, table, pack)
    else:
        values = Pool.of(frequencies(table, slot).items())
    return OneValue(slot.key, values) if values else None


def _terms(slot: Slot, table: Table, odds: GoalOdds) -> Terms:
    """Terms are drawn evenly from those of two rows or more; all of them if there are none."""
    found = frequencies(table, slot)
    shared = [term for term, rows in found.items() if rows > 1]
    rows: dict[str, list[tuple[str, ...]]] = {term: [] for term in found}
    for terms in row_terms(table, slot):
        for term in terms:
            rows[term].append(terms)
    lists = {term: tuple(each) for term, each in rows.items()}
    return Terms(slot.key, Pool.even(shared or found), lists, odds.second_term)


def _numbers(slot: Slot, table: Table, pack: LanguagePack) -> Pool[str]:
    cells = [row.get(slot.key) for row in table]
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    forms = forms_of(pack, table.domain.key, slot)
    return Pool.of((say_band(forms, band), _weight(band, numbers)) for band in slot.bands)


def _weight(band: Band, numbers: list[int | float]) -> float:
    """As given, or how many rows fall into the band; one on an edge falls into both bands."""
    if band.weight is not None:
        return band.weight
    return sum(map(Bounds(band.low, band.high).hold, numbers))
