"""`world.toml`: its fields, and the rules that its domains and slots keep."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from crosstalk.dialogue.schema import (
    BANDED,
    DRAWABLE,
    FORMAT_1,
    IN_TIME,
    TOLD,
    Band,
    Domain,
    DomainKind,
    GoalOdds,
    Match,
    Schema,
    Slot,
    SlotKind,
)
from crosstalk.problems import Problem
from crosstalk.toml_files import STRICT, Location, TomlFile, parse_model, read_toml
from crosstalk.worlds.action_check import action_complaints
from crosstalk.worlds.action_files import ActionFile, OperandFile, RuleFile, TableFile
from crosstalk.worlds.cells import CellError, read_literal
from crosstalk.worlds.complaints import Complaint, listed, repeated

Probability = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Key = Annotated[str, Field(min_length=1, pattern=r"^[^.\s]([^.]*[^.\s])?$")]
SlotKey = Annotated[str, Field(min_length=1, pattern=r"^[^.\s](.*[^.\s])?$")]
"""May have dots inside, as slots of Taskmaster do; only a world without tables may have such."""


class _Model(BaseModel):
    model_config = STRICT


class BandFile(_Model):
    low: float | None = None
    high: float | None = None
    weight: Weight | None = None
    form: Literal["", "exact", "range", "above", "below", "free", "not_free"] = ""

    def value(self) -> Band:
        return Band(self.low, self.high, self.weight, self.form)


class SlotFile(_Model):
    key: SlotKey
    kind: Annotated[SlotKind, Field(strict=False)]
    search: bool = False
    constrain: bool = False
    request: bool = False
    target: str = ""
    bands: list[BandFile] = []
    tags: list[str] = []
    exclusive: list[list[str]] = []
    match: Annotated[Match | None, Field(strict=False)] = None
    unknown: str = ""
    aliases: dict[str, str] = {}
    low: OperandFile = None
    high: OperandFile = None
    values: list[str] = []

    def value(self) -> Slot:
        return Slot(
            self.key,
            self.kind,
            search=self.search,
            constrain=self.constrain,
            request=self.request,
            target=self.target,
            bands=tuple(band.value() for band in self.bands),
            tags=frozenset(self.tags),
            exclusive=tuple(frozenset(group) for group in self.exclusive),
            match=self.match,
            unknown=self.unknown,
            aliases=tuple((each.lower(), value) for each, value in self.aliases.items()),
            low=self.low,
            high=self.high,
            values=tuple(self.values),
        )


TABLE = "table"
"""The kind of a domain whose rows have no name: they are places with a name put together."""
COMPOSED_NAME = "name"
"""The slot of that name."""


class DomainFile(_Model):
    key: Key
    kind: Annotated[DomainKind, Field(strict=False)]
    table: str = ""
    key_slots: list[str] = []
    slots: list[SlotFile] = []

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A `table` is a place whose name is put together from its `key_slots`."""
        if isinstance(given, dict) and given.get("kind") == TABLE:
            return {**given, "kind": DomainKind.PLACE, "key_slots": given.get("key_slots", [""])}
        return given

    def value(self) -> Domain:
        slots = tuple(slot.value() for slot in self.slots)
        if self.key_slots:
            slots = (*slots, Slot(COMPOSED_NAME, SlotKind.NAME))
        return Domain(self.key, self.kind, slots, tuple(self.key_slots))


# Defaults are read off the values themselves, so that they are written down once.
_PUBLISHED = GoalOdds()


class OddsFile(_Model):
    independent: Probability = _PUBLISHED.independent
    cross: dict[str, dict[str, Probability]] = {}
    cross_default: Probability = _PUBLISHED.cross_default
    ride: Probability = _PUBLISHED.ride
    both_rides: Probability = _PUBLISHED.both_rides
    max_subgoals: Annotated[int, Field(ge=1)] = _PUBLISHED.max_subgoals
    name_only: Probability = _PUBLISHED.name_only
    constraints: list[Weight] = list(_PUBLISHED.constraints)
    requests: list[Weight] = list(_PUBLISHED.requests)
    second_term: Probability = _PUBLISHED.second_term
    services: list[Weight] = list(_PUBLISHED.services)

    def value(self) -> GoalOdds:
        fields = dict(self)
        for name in ("constraints", "requests", "services"):
            fields[name] = tuple(fields[name])
        return GoalOdds(**fields)


class WorldFile(_Model):
    """`world.toml`."""

    name: Annotated[str, Field(min_length=1)]
    format: Literal[1, 2]
    base: Annotated[str, Field(min_length=1)]
    """The language the tables are written in."""
    fetched: bool = False
    """The tables stand in the data folder instead of the world's own; format 1 writes
    `tables = "data"`."""
    tableless: bool = False
    """There are no tables: domains, slots and their values alone (`tables = "none"`)."""
    today: OperandFile = ""
    """The date on which conversations take place."""
    goals: OddsFile = OddsFile()
    best: dict[str, str] = {}
    """Kind of part -> the one that the alias `best` stands for in this world."""
    domains: Annotated[list[DomainFile], Field(min_length=1)]
    tables: list[TableFile] = []
    """The tables that actions change."""
    actions: list[ActionFile] = []
    rules: list[RuleFile] = []

    @model_validator(mode="before")
    @classmethod
    def _fetched(cls, given: Any) -> Any:
        """`tables = "data"` is what format 1 calls `fetched = true`; "none": there are none."""
        if isinstance(given, dict) and given.get("tables") in ("", "data", "none"):
            rest = {key: value for key, value in given.items() if key != "tables"}
            where = given["tables"]
            return rest | {"fetched": where == "data", "tableless": where == "none"}
        return given

    def value(self) -> Schema:
        return Schema(
            tuple(domain.value() for domain in self.domains),
            self.goals.value(),
            tuple(table.value() for table in self.tables),
            tuple(action.value() for action in self.actions),
            tuple(rule.value() for rule in self.rules),
            self.today,
        )


WORLD_FILE = "world.toml"


def read_manifest(folder: Path, problems: list[Problem]) -> tuple[WorldFile, TomlFile] | None:
    """`world.toml`, and the same with its line numbers."""
    file = read_toml(folder, WORLD_FILE)
    if isinstance(file, Problem):
        problems.append(file)
        return None
    manifest = parse_model(WorldFile, file, problems)
    if manifest is None:
        return None
    problems.extend(broken_rules(manifest, file))
    return manifest, file


IN_PLACES = frozenset(SlotKind) - {SlotKind.ENDPOINT}
IN_METROS = frozenset({SlotKind.ENDPOINT, SlotKind.STATION})
IN_TAXIS = frozenset({SlotKind.ENDPOINT, SlotKind.TEXT, *(frozenset(SlotKind) - FORMAT_1)})
MATCHES: dict[Match, frozenset[SlotKind]] = {
    **dict.fromkeys((Match.FROM, Match.UNTIL, Match.AT), IN_TIME),
    **dict.fromkeys(
        (Match.PART, Match.EXACT, Match.FUZZY), frozenset({SlotKind.CATEGORY, SlotKind.NAME})
    ),
}
"""The kinds of slots that each way of matching is for."""


def broken_rules(world: WorldFile, file: TomlFile) -> Iterator[Problem]:
    """Everything in `world.toml` that has the right fields and makes no sense."""
    for location, message, remedy in _complaints(world):
        yield file.problem(location, message, remedy)


def _complaints(world: WorldFile) -> Iterator[Complaint]:
    yield from repeated((("domains",), domain.key) for domain in world.domains)
    yield from _odds(world)
    if not any(domain.kind is DomainKind.PLACE for domain in world.domains):
        yield ("domains",), "there is no domain of kind `place`", "Add one: goals begin at places."
    for number, domain in enumerate(world.domains):
        at: Location = ("domains", number)
        yield from repeated(((*at, "slots"), slot.key) for slot in domain.slots)
        yield from _DOMAIN_RULES[domain.kind](world, domain, at)
        for position, slot in enumerate(domain.slots):
            yield from _slot(slot, domain, (*at, "slots", position))
            if "." in slot.key and not world.tableless:
                where = (*at, "slots", position, "key")
                yield where, f"`{slot.key}` has a dot in it", "Write a name without dots."
    yield from _format(world)
    yield from _today(world)
    yield from action_complaints(world.tables, world.actions, world.rules, world.value)


def _odds(world: WorldFile) -> Iterator[Complaint]:
    known = {domain.key for domain in world.domains if domain.kind is DomainKind.PLACE}
    for source, targets in world.goals.cross.items():
        for key in {source, *targets} - known:
            at = ("goals", "cross", source)
            yield at, f"`{key}` is no place domain", f"The place domains are {listed(known)}."
    for name in ("constraints", "requests", "services"):
        if not any(getattr(world.goals, name)):
            yield ("goals", name), f"`{name}` has no weight above 0", "Write for example [30, 70]."


def _place(world: WorldFile, domain: DomainFile, at: Location) -> Iterator[Complaint]:
    yield from _kinds(domain, at, IN_PLACES)
    yield from _table(world, domain, at)
    yield from _key_slots(domain, at)
    names = [slot for slot in domain.slots if slot.kind is SlotKind.NAME]
    if len(names) != (0 if domain.key_slots else 1) and (names[1:] or not world.tableless):
        yield (
            at,
            f"the place `{domain.key}` has {len(names)} slots of kind `name`",
            "Every place has exactly one, the slot its entities are known by; a `table` has none.",
        )
    if sum(slot.kind is SlotKind.STATION for slot in domain.slots) > 1:
        yield at, f"the place `{domain.key}` has two slots of kind `station`", "Keep one."
    places = {each.key for each in world.domains if each.kind is DomainKind.PLACE}
    for position, slot in enumerate(domain.slots):
        if slot.kind is SlotKind.NEARBY and slot.target not in places:
            yield (
                (*at, "slots", position, "target"),
                f"`{slot.key}` needs a place domain as its target, not {slot.target!r}",
                f"Write target = one of {listed(places)}.",
            )


def _key_slots(domain: DomainFile, at: Location) -> Iterator[Complaint]:
    known = [slot.key for slot in domain.slots]
    for key in domain.key_slots:
        if key not in known:
            message = f"`{key}` among the key slots of `{domain.key}` is none of its slots"
            remedy = f"Name the slots that tell its rows apart, of {listed(known)}."
            yield (*at, "key_slots"), message, remedy


def _format(world: WorldFile) -> Iterator[Complaint]:
    """What a file of format 1 cannot hold."""
    if world.format > 1:
        return
    newer = {
        "key_slots": any(domain.key_slots for domain in world.domains),
        "today": world.today,
        "tables": world.tables,
        "actions": world.actions,
        "rules": world.rules,
    }
    for field in (field for field, given in newer.items() if given):
        yield ("format",), f"`{field}` belongs to format 2", "Write format = 2."
    for number, domain in enumerate(world.domains):
        for position, slot in enumerate(domain.slots):
            if slot.kind not in FORMAT_1:
                at = ("domains", number, "slots", position, "kind")
                yield at, f"the kind `{slot.kind}` belongs to format 2", "Write format = 2."


def _today(world: WorldFile) -> Iterator[Complaint]:
    try:
        read_literal(Slot("today", SlotKind.DATE), world.today or None)
    except CellError as error:
        yield ("today",), f"`today` is {world.today!r}", error.remedy


def _metro(world: WorldFile, domain: DomainFile, at: Location) -> Iterator[Complaint]:
    yield from _kinds(domain, at, IN_METROS)
    yield from _endpoints(domain, at)
    if domain.table:
        yield (
            (*at, "table"),
            f"the metro `{domain.key}` has a table, which nobody reads",
            "Remove it; stations stand in the places' `station` slots.",
        )
    ends = [slot.key for slot in domain.slots if slot.kind is SlotKind.ENDPOINT]
    targets = [slot.target for slot in domain.slots if slot.kind is SlotKind.STATION]
    if sorted(targets) != sorted(ends):
        yield (
            at,
            f"the stations of the metro `{domain.key}` have the targets {listed(targets)}",
            f"Give each end its own `station` slot, with the targets {listed(ends)}.",
        )
    places = [each for each in world.domains if each.kind is DomainKind.PLACE]
    if not any(slot.kind is SlotKind.STATION for place in places for slot in place.slots):
        yield at, "no place has a slot of kind `station`", "Add one, or remove the metro."


def _taxi(world: WorldFile, domain: DomainFile, at: Location) -> Iterator[Complaint]:
    yield from _kinds(domain, at, IN_TAXIS)
    yield from _endpoints(domain, at)
    if domain.table or not any(action.domain == domain.key for action in world.actions):
        yield from _table(world, domain, at)
    if not any(slot.kind is SlotKind.TEXT for slot in domain.slots):
        yield at, f"the taxi `{domain.key}` has nothing to answer", "Add slots of kind `text`."


_DOMAIN_RULES: dict[
    DomainKind, Callable[[WorldFile, DomainFile, Location], Iterator[Complaint]]
] = {DomainKind.PLACE: _place, DomainKind.METRO: _metro, DomainKind.TAXI: _taxi}


def _kinds(domain: DomainFile, at: Location, allowed: frozenset[SlotKind]) -> Iterator[Complaint]:
    for position, slot in enumerate(domain.slots):
        if slot.kind not in allowed:
            yield (
                (*at, "slots", position, "kind"),
                f"`{slot.key}` is of kind `{slot.kind}`, which a {domain.kind} domain cannot have",
                f"Write one of {listed(allowed)}.",
            )


def _endpoints(domain: DomainFile, at: Location) -> Iterator[Complaint]:
    ends = [slot for slot in domain.slots if slot.kind is SlotKind.ENDPOINT]
    if len(ends) != 2 or not all(slot.search for slot in ends):
        yield (
            at,
            f"the ride `{domain.key}` has {len(ends)} slots of kind `endpoint`",
            "A ride has two, where it begins and where it ends, both with `search = true`.",
        )


def _table(world: WorldFile, domain: DomainFile, at: Location) -> Iterator[Complaint]:
    parts = domain.table.replace("\\", "/").split("/")
    if world.tableless:
        if domain.table:
            message = f"the domain `{domain.key}` has a table in a world that has none"
            yield (*at, "table"), message, 'Remove the table, or the line tables = "none".'
    elif not domain.table:
        yield at, f"the domain `{domain.key}` has no table", 'Add table = "tables/...jsonl".'
    elif not parts[0] or ".." in parts or ":" in parts[0]:
        folder = "data folder" if world.fetched else "world folder"
        yield (*at, "table"), f"the table {domain.table!r} leaves the {folder}", "Keep it inside."
    elif not domain.table.endswith((".jsonl", ".json")):
        yield (*at, "table"), f"the table {domain.table!r} is no .jsonl file", "Rename it."


def _slot(slot: SlotFile, domain: DomainFile, at: Location) -> Iterator[Complaint]:
    belongs: dict[str, Iterable[SlotKind]] = {
        "bands": BANDED,
        "tags": {SlotKind.LIST},
        "exclusive": {SlotKind.SERVICES},
        "constrain": DRAWABLE,
    }
    for field, kinds in belongs.items():
        if getattr(slot, field) and slot.kind not in kinds:
            message = f"`{field}` does not belong to a slot of kind `{slot.kind}`"
            yield (*at, field), message, f"It is for {listed(kinds)}; remove it."
    targets = {SlotKind.NEARBY, SlotKind.STATION}
    if slot.target and (slot.kind not in targets or _is_place_station(slot, domain)):
        yield (*at, "target"), f"`{slot.key}` cannot have a target", "Remove it."
    if slot.search and slot.kind in TOLD:
        yield (
            (*at, "search"),
            f"`{slot.key}` is of kind `{slot.kind}`, which is told and never searched",
            "Remove `search`, or use the kind `category`.",
        )
    if slot.constrain and slot.kind in BANDED and not slot.bands:
        yield at, f"`{slot.key}` is drawn in goals and has no bands", "Add bands = [{ low = 1 }]."
    if slot.match and slot.kind not in MATCHES[slot.match]:
        message = f"`match` = {slot.match!s} does not belong to a slot of kind `{slot.kind}`"
        yield (*at, "match"), message, f"It is for {listed(MATCHES[slot.match])}; remove it."
    if slot.search and slot.kind in IN_TIME and not slot.match:
        message = f"`{slot.key}` is searched and does not say how"
        yield at, message, 'Add match = "from", "until" or "at".'
    yield from _bands(slot, at)


def _is_place_station(slot: SlotFile, domain: DomainFile) -> bool:
    return slot.kind is SlotKind.STATION and domain.kind is DomainKind.PLACE


def _bands(slot: SlotFile, at: Location) -> Iterator[Complaint]:
    for band in slot.bands:
        if band.low is None and band.high is None:
            yield (*at, "bands"), f"a band of `{slot.key}` has no bounds", "Add low, high or both."
        elif band.low is not None and band.high is not None and band.low > band.high:
            message = f"a band of `{slot.key}` reaches from {band.low:g} down to {band.high:g}"
            yield (*at, "bands"), message, "Put the smaller number in low."
    if slot.bands and all(band.weight == 0 for band in slot.bands):
        yield (*at, "bands"), f"all bands of `{slot.key}` have weight 0", "Give one a weight."
