"""Sub-goals about one place: constraints first, then requests."""

from dataclasses import dataclass
from random import Random

from crosstalk.dialogue.goals import Value
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, GoalOdds, Slot, SlotKind
from crosstalk.goals.constraints import Constraint, Pairs, clean, constraints, frequencies
from crosstalk.goals.pools import Pool, count_pool, some
from crosstalk.worlds.tables import Table

ASKED_AS_LIST = (SlotKind.LIST, SlotKind.NEARBY)
"""Kinds whose answer is several texts."""


@dataclass(frozen=True, slots=True)
class PlaceDraft:
    """A drawn sub-goal, before its number and the reference to its source are known."""

    domain: str
    constraints: Pairs
    requests: Pairs


@dataclass(frozen=True, slots=True)
class PlaceSampler:
    """Draws sub-goals of one place domain."""

    domain: Domain
    name: str
    names: Pool[str]
    constraints: tuple[Constraint, ...]
    constraint_counts: Pool[int]
    requests: tuple[Slot, ...]
    request_counts: Pool[int]
    services: dict[str, tuple[str, ...]]
    """SERVICES slot -> the services one may ask about."""
    service_counts: Pool[int]
    name_only: float

    def draw(self, rng: Random, *, near: bool) -> PlaceDraft:
        """One sub-goal; `near` another one's entity, it neither gives nor asks for a name."""
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
        constraint_counts=count_pool(odds.constraints),
        requests=tuple(slot for slot in domain.slots if slot.request and slot is not name),
        request_counts=count_pool(odds.requests),
        services={slot.key: tuple(frequencies(table, slot)) for slot in services},
        service_counts=count_pool(odds.services),
        name_only=odds.name_only,
    )


def _names(table: Table, slot: Slot) -> Pool[str]:
    """Each name is as likely as any other."""
    cells = (row.get(slot.key) for row in table)
    return Pool.even(cell for cell in cells if isinstance(cell, str) and clean(cell))


def _question(slot: Slot) -> Value:
    return () if slot.kind in ASKED_AS_LIST else ""
