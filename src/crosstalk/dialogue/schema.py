"""Schemas: the domains of a world, their slots, and the kind of each slot.

Code depends on kinds, never on names, so that a world with other domains needs no other code.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosstalk.dialogue.actions import Action, ChangingTable, Rule


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

    # Kinds of `format = 2`; they stand last, for models know kinds by their number.
    TIME = "time"
    """A time of day, `HH:MM`; searched by `match`: from, until, or at it."""
    DATE = "date"
    """A calendar day, `YYYY-MM-DD`; searched as times are."""
    DAY = "day"
    """A day of the week, in the words of the language's `days`."""
    COUNT = "count"
    """A whole number without a unit: people, nights, stars; searched by bounds."""
    FLAG = "flag"
    """Yes or no, in the words of the language."""
    MONEY = "money"
    """An amount with decimals; searched by bounds."""
    KEY = "key"
    """An identifier, searched exactly: a train number, a reference."""
    HOURS = "hours"
    """Opening hours in words; searched by day and time."""

    @property
    def is_number(self) -> bool:
        """Its cells are numbers, searched by bounds."""
        return self in NUMBERS

    @property
    def is_list(self) -> bool:
        """Its cells and wishes are several terms."""
        return self in LISTS

    @property
    def is_comparable(self) -> bool:
        """Its values have an order: earlier and later, less and more."""
        return self in COMPARABLE

    @property
    def is_searchable(self) -> bool:
        """It can be a field of the query form; other kinds are told only."""
        return self not in TOLD

    @property
    def is_drawable(self) -> bool:
        """A goal can constrain it; names and nearby places have odds of their own."""
        return self in DRAWABLE


NUMBERS = frozenset({SlotKind.NUMBER, SlotKind.RATING, SlotKind.COUNT, SlotKind.MONEY})
BANDED = NUMBERS - {SlotKind.COUNT}
"""Numbers that goals ask for in bands; counts are asked for as the rows have them."""
IN_TIME = frozenset({SlotKind.TIME, SlotKind.DATE})
"""Kinds that `match` = from, until or at is for."""
BROUGHT = frozenset({SlotKind.KEY, SlotKind.TEXT})
"""Kinds of arguments that users bring along, for nothing in the world says what they may be."""
LISTS = frozenset({SlotKind.LIST, SlotKind.SERVICES})
COMPARABLE = NUMBERS | IN_TIME | {SlotKind.DAY}
TOLD = frozenset({SlotKind.TEXT, SlotKind.STATION})
DRAWABLE = (
    NUMBERS
    | {SlotKind.CATEGORY, SlotKind.DURATION, SlotKind.LIST, SlotKind.SERVICES}
    | {SlotKind.TIME, SlotKind.DATE, SlotKind.DAY, SlotKind.FLAG}
)
FORMAT_1 = frozenset(SlotKind) - (
    {SlotKind.TIME, SlotKind.DATE, SlotKind.DAY, SlotKind.COUNT, SlotKind.FLAG}
    | {SlotKind.MONEY, SlotKind.KEY, SlotKind.HOURS}
)
"""The kinds of a `world.toml` with `format = 1`."""


class Match(StrEnum):
    """How a search compares a cell with what is wanted, where the kind leaves a choice."""

    PART = "part"
    """The cell has the words in it."""
    EXACT = "exact"
    """The cell is the text, whatever the case."""
    FUZZY = "fuzzy"
    """The cell has the words in it, or nearly so."""
    FROM = "from"
    """The cell is not earlier: trains that leave at 17:15 or later."""
    UNTIL = "until"
    """The cell is not later: trains that arrive by 17:15."""
    AT = "at"
    """The cell is the time or the date itself."""


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
    match: Match | None = None
    """How it is searched; None: as its kind is."""
    unknown: str = ""
    """What the table writes where nothing is known, which then meets every wish: `?`."""
    aliases: tuple[tuple[str, str], ...] = ()
    """(another spelling, value of the table), in small letters: `swimming pool`, `swimmingpool`."""
    low: float | str | None = None
    """TIME, DATE, COUNT, MONEY as the argument of an action: the least that may be given."""
    high: float | str | None = None
    """... and the most."""
    values: tuple[str, ...] = ()
    """CATEGORY as the argument of an action: what may be given; in a world without tables: what is
    known to be said."""
    examples: tuple[str, ...] = ()
    """KEY, TEXT as the argument of an action that users bring along: what goals give for it."""


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
    key_slots: tuple[str, ...] = ()
    """For rows that have no name of their own: the slots that make one together (a timetable)."""

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
    changing: "tuple[ChangingTable, ...]" = ()
    """The tables that actions change."""
    actions: "tuple[Action, ...]" = ()
    rules: "tuple[Rule, ...]" = ()
    """What an agent must keep to beyond what actions themselves refuse."""
    today: str = ""
    """The date on which conversations take place; empty: none is known."""

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

    def action(self, key: str) -> "Action | None":
        return next((action for action in self.actions if action.key == key), None)

    def changing_table(self, key: str) -> "ChangingTable | None":
        return next((table for table in self.changing if table.key == key), None)
