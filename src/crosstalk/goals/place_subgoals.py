"""Draws the sub-goal of one place domain: constraints from its table, then requests.

`StructureSampler` (structure.py) calls `PlaceSampler.draw` for every place sub-goal of a goal. All
draws use only `Random.random()`, whose numbers are the same in every version of Python.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Generic, Protocol, TypeVar

from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import (
    BANDED,
    SERVICE_MARK,
    Band,
    Domain,
    GoalOdds,
    Slot,
    SlotKind,
)
from crosstalk.language.number_forms import Bounds, forms_of, say_band, say_number
from crosstalk.worlds.tables import Table

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class WeightedItems(Generic[Item]):
    """Items with weights to draw from, in the order of the table.

    A draw depends on that order, not on the texts, so that a seed draws the same row in every
    language of a world.
    """

    items: tuple[Item, ...]
    weights: tuple[float, ...]
    sums: tuple[float, ...]

    @classmethod
    def of(cls, weighted: Iterable[tuple[Item, float]]) -> "WeightedItems[Item]":
        """The items whose weight is above zero."""
        kept = [(item, weight) for item, weight in weighted if weight > 0]
        weights = tuple(weight for _, weight in kept)
        return cls(tuple(item for item, _ in kept), weights, tuple(accumulate(weights)))

    @classmethod
    def even(cls, items: Iterable[Item]) -> "WeightedItems[Item]":
        return cls.of((item, 1) for item in items)

    def __bool__(self) -> bool:
        return bool(self.items)

    def draw(self, rng: Random) -> Item:
        return self.items[
            bisect_right(self.sums, rng.random() * self.sums[-1], hi=len(self.sums) - 1)
        ]

    def without(self, taken: Collection[Item]) -> "WeightedItems[Item]":
        pairs = zip(self.items, self.weights, strict=True)
        return WeightedItems.of((item, weight) for item, weight in pairs if item not in taken)


def weighted_counts(weights: tuple[float, ...]) -> WeightedItems[int]:
    """Numbers to draw from: weight i is that of the number i + 1; 0 without weights."""
    return WeightedItems.of(enumerate(weights, start=1)) or WeightedItems.even([0])


def some(items: Sequence[Item], count: int, rng: Random) -> list[Item]:
    """`count` items drawn without replacement, or all of them if there are fewer."""
    left = list(items)
    picks = range(min(count, len(left)))
    return [left.pop(int(rng.random() * len(left))) for _ in picks]


Pairs = list[tuple[str, Value]]
"""Slots and their values in a goal."""


class Constraint(Protocol):
    """A slot that a goal can constrain, with the values to draw from."""

    @property
    def slot(self) -> str: ...

    def draw(self, rng: Random) -> Pairs: ...


@dataclass(frozen=True, slots=True)
class OneValue:
    """One value: a category, a duration, a band of numbers."""

    slot: str
    values: WeightedItems[str]

    def draw(self, rng: Random) -> Pairs:
        return [(self.slot, self.values.draw(rng))]


@dataclass(frozen=True, slots=True)
class Terms:
    """One term of a list, sometimes with a second one of the same row."""

    slot: str
    terms: WeightedItems[str]
    rows: Mapping[str, tuple[tuple[str, ...], ...]]
    """Term -> the lists that contain it."""
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
    """Some services; each is a yes/no slot of its own."""

    slot: str
    services: WeightedItems[str]
    counts: WeightedItems[int]
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
    """The constrainable slots of a place, without those that have no values."""
    slots = [slot for slot in table.domain.slots if slot.constrain]
    drawn = (_constraint(slot, table, pack, odds) for slot in slots)
    return tuple(constraint for constraint in drawn if constraint is not None)


def clean(text: str) -> bool:
    """Whether a term is usable: the released tables contain blank terms and line breaks."""
    return bool(text.strip()) and "\n" not in text


def row_terms(table: Table, slot: Slot) -> Iterator[tuple[str, ...]]:
    """The terms of each row: several in a list, one in a text, none in an empty cell."""
    for row in table:
        cell = row.get(slot.key)
        terms = cell if isinstance(cell, tuple) else (cell,) if isinstance(cell, str) else ()
        yield tuple(term for term in dict.fromkeys(terms) if clean(term))


def frequencies(table: Table, slot: Slot) -> Counter[str]:
    """Term -> number of rows with it, in the order of first appearance."""
    return Counter(term for terms in row_terms(table, slot) for term in terms)


def _constraint(slot: Slot, table: Table, pack: LanguagePack, odds: GoalOdds) -> Constraint | None:
    if slot.kind is SlotKind.LIST:
        terms = _list_terms(slot, table, odds)
        return terms if terms.terms else None
    if slot.kind is SlotKind.SERVICES:
        pool = WeightedItems.of(frequencies(table, slot).items())
        counts = weighted_counts(odds.services)
        return Services(slot.key, pool, counts, slot.exclusive, pack.yes) if pool else None
    if slot.kind in BANDED:
        values = _numbers(slot, table, pack)
    elif slot.kind is SlotKind.COUNT:
        values = _counts(slot, table, pack)
    else:
        values = WeightedItems.of(frequencies(table, slot).items())
    return OneValue(slot.key, values) if values else None


def _list_terms(slot: Slot, table: Table, odds: GoalOdds) -> Terms:
    """Terms of at least two rows, with equal weights; all terms if there are none."""
    found = frequencies(table, slot)
    shared = [term for term, rows in found.items() if rows > 1]
    rows: dict[str, list[tuple[str, ...]]] = {term: [] for term in found}
    for terms in row_terms(table, slot):
        for term in terms:
            rows[term].append(terms)
    lists = {term: tuple(each) for term, each in rows.items()}
    return Terms(slot.key, WeightedItems.even(shared or found), lists, odds.second_term)


def _numbers(slot: Slot, table: Table, pack: LanguagePack) -> WeightedItems[str]:
    cells = [row.get(slot.key) for row in table]
    numbers = [cell for cell in cells if isinstance(cell, int | float)]
    forms = forms_of(pack, table.domain.key, slot)
    return WeightedItems.of((say_band(forms, band), _weight(band, numbers)) for band in slot.bands)


def _counts(slot: Slot, table: Table, pack: LanguagePack) -> WeightedItems[str]:
    """The numbers of the rows, each as often as rows have it."""
    forms = forms_of(pack, table.domain.key, slot)
    cells = Counter(cell for cell in (row.get(slot.key) for row in table) if isinstance(cell, int))
    return WeightedItems.of((say_number(forms, cell), rows) for cell, rows in cells.items())


def _weight(band: Band, numbers: list[int | float]) -> float:
    """The weight given, or the number of rows in the band, both edges included."""
    if band.weight is not None:
        return band.weight
    return sum(map(Bounds(band.low, band.high).hold, numbers))


ASKED_AS_LIST = (SlotKind.LIST, SlotKind.NEARBY)
"""Kinds of slots whose answer is a list."""


@dataclass(frozen=True, slots=True)
class PlaceDraft:
    """A sub-goal without its number and its reference to another sub-goal."""

    domain: str
    constraints: Pairs
    requests: Pairs


@dataclass(frozen=True, slots=True)
class PlaceSampler:
    """Draws sub-goals of one place domain."""

    domain: Domain
    name: str
    names: WeightedItems[str]
    constraints: tuple[Constraint, ...]
    constraint_counts: WeightedItems[int]
    requests: tuple[Slot, ...]
    request_counts: WeightedItems[int]
    services: dict[str, tuple[str, ...]]
    """SERVICES slot -> the services to ask about."""
    service_counts: WeightedItems[int]
    name_only: float

    def draw(self, rng: Random, *, near: bool) -> PlaceDraft:
        """Draw a sub-goal; if it is `near` another one, it has no name of its own."""
        if not near and (rng.random() < self.name_only or not self.constraints):
            pairs: Pairs = [(self.name, self.names.draw(rng))]
            return PlaceDraft(self.domain.key, pairs, self._requests(rng, {self.name}))
        drawn = some(self.constraints, self.constraint_counts.draw(rng), rng)
        pairs = [pair for constraint in drawn for pair in constraint.draw(rng)]
        taken = {constraint.slot for constraint in drawn}
        asked = self._requests(rng, {*taken, self.name})
        return PlaceDraft(self.domain.key, pairs, asked if near else [(self.name, ""), *asked])

    def _requests(self, rng: Random, taken: set[str]) -> Pairs:
        left = tuple(slot for slot in self.requests if slot.key not in taken)
        asked = some(left, self.request_counts.draw(rng), rng)
        return [pair for slot in asked for pair in self._asked(slot, rng)]

    def _asked(self, slot: Slot, rng: Random) -> Pairs:
        if slot.key not in self.services:
            return [(slot.key, _question(slot))]
        services = some(self.services[slot.key], self.service_counts.draw(rng), rng)
        return [(f"{slot.key}{SERVICE_MARK}{service}", "") for service in services]


def place_sampler(table: Table, pack: LanguagePack, odds: GoalOdds) -> PlaceSampler:
    domain = table.domain
    services = domain.of_kind(SlotKind.SERVICES)
    name = domain.name_slot
    assert name is not None  # every place that a world loads with has one
    return PlaceSampler(
        domain=domain,
        name=name.key,
        names=_names(table, name),
        constraints=constraints(table, pack, odds),
        constraint_counts=weighted_counts(odds.constraints),
        requests=tuple(slot for slot in domain.slots if slot.request and slot is not name),
        request_counts=weighted_counts(odds.requests),
        services={slot.key: tuple(frequencies(table, slot)) for slot in services},
        service_counts=weighted_counts(odds.services),
        name_only=odds.name_only,
    )


def _names(table: Table, slot: Slot) -> WeightedItems[str]:
    """The names of a table, with equal weights."""
    cells = (row.get(slot.key) for row in table)
    return WeightedItems.even(cell for cell in cells if isinstance(cell, str) and clean(cell))


def _question(slot: Slot) -> Value:
    return () if slot.kind in ASKED_AS_LIST else ""
