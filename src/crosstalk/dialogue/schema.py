"""Schemas: the domains of a world, their slots, and the kind of each slot.

Code depends on kinds, never on names, so that a world with other domains needs no other code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SlotKind(StrEnum):
    """The kind of a slot, which decides how it is queried, sampled and displayed."""

    NAME = "name"
    """The entity's own name, unique in its table."""
    TEXT = "text"
    """Free text to be told, never queried: address, phone, opening hours."""
    CATEGORY = "category"
    """One of a few words; searched by substring."""
    DURATION = "duration"
    """A time span in words; searched by substring."""
    NUMBER = "number"
    """A whole number with a unit; searched by bounds."""
    RATING = "rating"
    """A decimal score; searched by a lower bound."""
    LIST = "list"
    """Several terms, all of which must be found: dishes."""
    SERVICES = "services"
    """Like LIST, but each term is a yes/no slot of its own, written `<slot>-<service>`."""
    NEARBY = "nearby"
    """Names of entities of `target` that are close by."""
    ENDPOINT = "endpoint"
    """Where a ride begins or ends: the entity of another sub-goal."""
    STATION = "station"
    """On a place, its metro station; on a metro ride, the station near its endpoint `target`."""


SERVICE_MARK = "-"
"""Between the services slot and the service: `酒店设施-早餐服务`."""
NOT_MARK = "!"
"""Before a slot whose values are excluded, in forms and queries: `!dishes`."""
EITHER = "|"
"""Between values of which one is enough: `museum|garden`."""


@dataclass(frozen=True, slots=True)
class Band:
    """A range of numbers that a goal may ask for."""

    low: float | None = None
    high: float | None = None
    weight: float | None = None
    """Its weight in sampling; None: the number of rows in it."""
    form: str = ""
    """Which of the language's number forms says it; empty: the one its bounds suggest."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One attribute of a domain's entities."""

    key: str
    kind: SlotKind
    search: bool = False
    """A field of the query form, hence tracked in the system state."""
    constrain: bool = False
    """The goal generator may draw it as a constraint."""
    request: bool = False
    """Users may ask for it."""
    target: str = ""
    """NEARBY: the other domain. STATION in a metro domain: the endpoint slot it belongs to."""
    bands: tuple[Band, ...] = ()
    """NUMBER, RATING: what goals ask for."""
    tags: frozenset[str] = frozenset()
    """LIST: terms in the table that describe the place and are not things of the list."""
    exclusive: tuple[frozenset[str], ...] = ()
    """SERVICES: groups of which a goal asks for at most one."""


class DomainKind(StrEnum):
    """What a domain's sub-goals are about."""

    PLACE = "place"
    """Entities in a table, to be found by constraints."""
    METRO = "metro"
    """A ride between two places; answers with the station of each."""
    TAXI = "taxi"
    """A ride between two places; answers with a car."""


@dataclass(frozen=True, slots=True)
class Domain:
    """One domain and its slots, in form order."""

    key: str
    kind: DomainKind
    slots: tuple[Slot, ...]

    def slot(self, key: str) -> Slot | None:
        """The slot called `key`; `<services>-<service>` and `!<slot>` answer with their slot."""
        key = key.removeprefix(NOT_MARK)
        for slot in self.slots:
            if slot.key == key:
                return slot
            if slot.kind is SlotKind.SERVICES and key.startswith(slot.key + SERVICE_MARK):
                return slot
        return None

    def of_kind(self, *kinds: SlotKind) -> tuple[Slot, ...]:
        return tuple(slot for slot in self.slots if slot.kind in kinds)

    @property
    def name_slot(self) -> Slot | None:
        return next(iter(self.of_kind(SlotKind.NAME)), None)

    @property
    def form(self) -> tuple[Slot, ...]:
        """The fields of the domain's query form."""
        return tuple(slot for slot in self.slots if slot.search)


@dataclass(frozen=True, slots=True)
class GoalOdds:
    """The probabilities of the goal generator; the defaults are the published ones."""

    independent: float = 0.8
    """Probability that a place domain gets an independent sub-goal."""
    cross: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    """From domain, to domain: probability that a request for nearby entities becomes a sub-goal."""
    cross_default: float = 0.3
    ride: float = 0.3
    both_rides: float = 0.1
    max_subgoals: int = 5
    name_only: float = 0.1
    """Probability that the only constraint is a name."""
    constraints: tuple[float, ...] = (20, 60, 20)
    """Weights of drawing 1, 2, 3, ... constraint slots."""
    requests: tuple[float, ...] = (30, 70)
    """Weights of drawing 1, 2, ... requests besides the name."""
    second_term: float = 0.15
    """LIST: probability of a second, co-occurring term."""
    services: tuple[float, ...] = (1, 1)
    """SERVICES: weights of drawing 1, 2, ... of them."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The domains of a world, in form order."""

    domains: tuple[Domain, ...]
    odds: GoalOdds = GoalOdds()

    def __iter__(self) -> Iterator[Domain]:
        return iter(self.domains)

    def domain(self, key: str) -> Domain | None:
        return next((domain for domain in self.domains if domain.key == key), None)

    @property
    def places(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if domain.kind is DomainKind.PLACE)

    @property
    def rides(self) -> tuple[Domain, ...]:
        return tuple(domain for domain in self.domains if domain.kind is not DomainKind.PLACE)
