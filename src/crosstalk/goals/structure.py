"""The structure of a goal: its sub-goals, their references to each other, and their order.

These are the four steps of the published generator; `GoalSampler` (sampler.py) calls them, and
place_subgoals.py draws the constraints and requests of a sub-goal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from crosstalk.dialogue.goals import Reference, SemanticTuple, Tuples
from crosstalk.dialogue.schema import Domain, GoalOdds, Schema, SlotKind
from crosstalk.goals.goal_options import cross_odds
from crosstalk.goals.place_subgoals import Pairs, PlaceDraft, PlaceSampler, some


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A place sub-goal and the sub-goals near its entity. Compared by identity."""

    draft: PlaceDraft
    children: list["Node"] = field(default_factory=list)
    source: "Node | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class RideSubgoal:
    """A ride between the entities of two place sub-goals."""

    domain: "RideDomain"
    ends: tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class RideDomain:
    """A ride domain: its endpoint slots and requests, the same in every goal."""

    key: str
    ends: tuple[str, str]
    requests: Pairs


@dataclass(frozen=True, slots=True)
class CrossSlot:
    """A request for nearby entities that may become a sub-goal."""

    slot: str
    target: str
    chance: float


@dataclass(frozen=True, slots=True)
class StructureSampler:
    """Draws the tuples of whole goals."""

    places: Mapping[str, PlaceSampler]
    crosses: Mapping[str, tuple[CrossSlot, ...]]
    rides: tuple[RideDomain, ...]
    odds: GoalOdds

    def draw(self, rng: Random) -> Tuples:
        roots = self._independent(rng)
        nodes = self._with_crosses(roots, rng)
        return _tuples(_in_order(roots, self._rides(nodes, rng)), self.places)

    def _independent(self, rng: Random) -> list[Node]:
        """Independent sub-goals: place domains drawn in random order, at least one."""
        keys = some(list(self.places), len(self.places), rng)
        chosen = [key for key in keys if rng.random() < self.odds.independent] or keys[:1]
        return [self._node(key, rng) for key in chosen[: self.odds.max_subgoals]]

    def _with_crosses(self, roots: list[Node], rng: Random) -> list[Node]:
        """The roots, and sub-goals near them that they asked for (one level)."""
        nodes = list(roots)
        for root in roots:
            for target in self._wanted(root, rng):
                if len(nodes) < self.odds.max_subgoals:
                    child = self._node(target, rng, source=root)
                    root.children.append(child)
                    nodes.append(child)
        return nodes

    def _wanted(self, root: Node, rng: Random) -> list[str]:
        asked = {slot for slot, _ in root.draft.requests}
        crosses = (each for each in self.crosses[root.draft.domain] if each.slot in asked)
        return [each.target for each in crosses if rng.random() < each.chance]

    def _node(self, key: str, rng: Random, source: Node | None = None) -> Node:
        return Node(self.places[key].draw(rng, near=source is not None), source=source)

    def _rides(self, nodes: list[Node], rng: Random) -> list[RideSubgoal]:
        """No ride, one, or (rarely) two of different domains, between any two places."""
        room = self.odds.max_subgoals - len(nodes)
        if len(nodes) < 2 or room < 1 or not self.rides or rng.random() >= self.odds.ride:
            return []
        both = rng.random() < self.odds.both_rides and room >= 2
        chosen = sorted(some(range(len(self.rides)), 2 if both else 1, rng))
        return [RideSubgoal(self.rides[index], _two(nodes, rng)) for index in chosen]


def structure_sampler(
    schema: Schema, places: Mapping[str, PlaceSampler], odds: GoalOdds
) -> StructureSampler:
    crosses = {place.key: _cross_slots(place, schema, odds) for place in schema.places}
    rides = tuple(_ride_domain(domain) for domain in schema.rides)
    return StructureSampler(places, crosses, rides, odds)


def _cross_slots(place: Domain, schema: Schema, odds: GoalOdds) -> tuple[CrossSlot, ...]:
    """Slots in the order of the targets in the probabilities, then in form order."""
    slots = [slot for slot in place.of_kind(SlotKind.NEARBY) if slot.request]
    named = list(odds.cross.get(place.key, {}))
    slots.sort(key=lambda slot: named.index(slot.target) if slot.target in named else len(named))
    places = {domain.key for domain in schema.places}
    return tuple(
        CrossSlot(slot.key, slot.target, cross_odds(odds, place.key, slot.target))
        for slot in slots
        if slot.target in places
    )


def _ride_domain(domain: Domain) -> RideDomain:
    start, end = domain.of_kind(SlotKind.ENDPOINT)
    asked: Pairs = [(slot.key, "") for slot in domain.slots if slot.request]
    return RideDomain(domain.key, (start.key, end.key), asked)


def _two(nodes: list[Node], rng: Random) -> tuple[Node, Node]:
    first, second = some(nodes, 2, rng)
    return first, second


def _in_order(roots: list[Node], rides: list[RideSubgoal]) -> list[Node | RideSubgoal]:
    """Each root with its children; a ride follows as soon as both its ends are placed."""
    placed: list[Node | RideSubgoal] = []
    waiting = list(rides)
    for node in (node for root in roots for node in (root, *root.children)):
        placed.append(node)
        ready = [ride for ride in waiting if all(end in placed for end in ride.ends)]
        placed += ready
        waiting = [ride for ride in waiting if ride not in ready]
    return placed


def _tuples(subgoals: list[Node | RideSubgoal], places: Mapping[str, PlaceSampler]) -> Tuples:
    numbers = {subgoal: number for number, subgoal in enumerate(subgoals, start=1)}
    return tuple(
        SemanticTuple(number, domain, slot, value)
        for subgoal, number in numbers.items()
        for domain, pairs in [_said(subgoal, numbers, places)]
        for slot, value in pairs
    )


def _said(
    subgoal: Node | RideSubgoal,
    numbers: Mapping[Node | RideSubgoal, int],
    places: Mapping[str, PlaceSampler],
) -> tuple[str, Pairs]:
    """The domain of a sub-goal and its pairs, references first."""
    if isinstance(subgoal, RideSubgoal):
        ends = sorted(numbers[end] for end in subgoal.ends)
        said = zip(subgoal.domain.ends, ends, strict=True)
        references = [(slot, Reference(number, nearby=False)) for slot, number in said]
        return subgoal.domain.key, [*references, *subgoal.domain.requests]
    draft = subgoal.draft
    pairs = [*draft.constraints, *draft.requests]
    if subgoal.source is None:
        return draft.domain, pairs
    near = Reference(numbers[subgoal.source], nearby=True)
    return draft.domain, [(places[draft.domain].name, near), *pairs]
