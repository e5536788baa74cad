"""Goal files: JSON Lines, one goal per line.

    {"id": "harbour-1-0", "world": "harbour", "language": "en", "seed": 1, "type": "CM",
     "tuples": [[1, "restaurant", "name", "", false], [2, "hotel", "name", {"near": 1}, false]],
     "description": ["..."]}

A value is a text, a list of texts, `{"near": N}` (some entity near the one of sub-goal N) or
`{"at": N}` (that very entity). `seed` and `description` may be left out. What is to be done stands
in `actions`: `{"action": "book_room", "wishes": [{"entity": {"at": 1}, "nights": 2}]}`.
`first_wishes` are tuples that the user tries first, in the place of those of the same slots;
`scenario` has rows that changing tables have from the start: `{"taken": [{"day": "monday"}]}`.

`read_goals` checks the form of a file, `check_goals` that it fits a world, `unsatisfiable` that the
tables can meet its goals; `count_goals` counts goals by type.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TextIO

from crosstalk.corpora.json_stream import json_lines
from crosstalk.corpora.json_types import shown
from crosstalk.corpora.record_encoding import decode_scenario, encode_action, encode_scenario
from crosstalk.dialogue.goals import (
    ArgumentValue,
    Goal,
    GoalType,
    Reference,
    Scenario,
    SemanticTuple,
    Tuples,
    Value,
    WantedAction,
    count_subgoals,
    goal_type,
)
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, SlotKind
from crosstalk.errors import FileProblem, FormatError, Place
from crosstalk.files import writing
from crosstalk.goals.sampler import GoalSampler, goal_rng
from crosstalk.goals.satisfiable import can_be_met
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import World

NEAR = "near"
AT = "at"
OPTIONAL = ("seed", "description", "actions", "first_wishes", "scenario")
FIELDS = ("id", "world", "language", "type", "tuples", *OPTIONAL)


@dataclass(frozen=True, slots=True)
class StoredGoal:
    """A goal of a goal file, with its id, world, language and seed."""

    id: str
    """Unique in its file."""
    world: str
    language: str
    goal: Goal
    seed: int | None = None
    """None for goals written by hand."""


def sample_stored_goals(
    sampler: GoalSampler, count: int, *, seed: int, start: int = 0
) -> Iterator[StoredGoal]:
    """Goals of a seed from number `start` on; each depends only on the seed and its number."""
    world = sampler.world
    for number in range(start, start + count):
        goal = sampler.sample(goal_rng(seed, number))
        name = f"{world.name}-{seed}-{number}"
        yield StoredGoal(name, world.name, world.language.code, goal, seed)


def to_line(record: StoredGoal) -> str:
    """The goal as one line of a goal file, line break included."""
    plain: dict[str, Any] = {
        "id": record.id,
        "world": record.world,
        "language": record.language,
        "seed": record.seed,
        "type": record.goal.type,
        "tuples": [_to_list(each) for each in record.goal.tuples],
        "description": list(record.goal.description),
    }
    if record.seed is None:
        del plain["seed"]
    if record.goal.actions:
        plain["actions"] = [encode_action(each) for each in record.goal.actions]
    if record.goal.first_wishes:
        plain["first_wishes"] = [_to_list(each) for each in record.goal.first_wishes]
    if record.goal.scenario:
        plain["scenario"] = encode_scenario(record.goal.scenario)
    return json.dumps(plain, ensure_ascii=False) + "\n"


def write_goals(path: Path, records: Iterable[StoredGoal]) -> "GoalCounts":
    """Write goals, one per line, and count them."""
    with writing(path) as file:
        return count_goals(_written(records, file))


def _written(records: Iterable[StoredGoal], file: TextIO) -> Iterator[Goal]:
    """Write each goal and pass it on."""
    for record in records:
        file.write(to_line(record))
        yield record.goal


def read_goals(path: Path) -> Iterator[StoredGoal]:
    """The goals of a file, one at a time; raises FormatError where a line is not valid."""
    seen: dict[str, int] = {}
    for number, plain in json_lines(path):
        reader = _LineReader(str(path), number)
        record = reader.record(plain)
        if record.id in seen:
            reader.refuse(
                "id",
                f"the id {record.id!r} stands in line {seen[record.id]} already",
                "Give every goal an id of its own.",
            )
        seen[record.id] = number
        yield record
    if not seen:
        raise FileProblem(f"{path}: it holds no goals", remedy="Check where it came from.")


def goal_record(plain: Any, file: str, line: int) -> StoredGoal:
    """One goal as it stands in a line of some file; raises where it says what it may not."""
    return _LineReader(file, line).record(plain)


def _to_list(each: SemanticTuple) -> list[Any]:
    value: Any = each.value
    if isinstance(value, Reference):
        value = {NEAR if value.nearby else AT: value.subgoal}
    return [each.subgoal, each.domain, each.slot, value, each.expressed]


@dataclass(frozen=True, slots=True)
class _LineReader:
    """Parses one line; its errors name the file and the line."""

    file: str
    line: int

    def refuse(self, field: str, message: str, remedy: str = "") -> NoReturn:
        place = Place(file=self.file, line=self.line, field=field)
        raise FormatError(message, place=place, remedy=remedy)

    def record(self, plain: Any) -> StoredGoal:
        self._check_fields(plain)
        actions = plain.get("actions", [])
        tuples = self._tuples(plain["tuples"], may_be_none=bool(actions))
        kind = self._type(plain["type"], tuples)
        told = self._texts(plain.get("description", []), "description")
        return StoredGoal(
            id=self._text(plain["id"], "id"),
            world=self._text(plain["world"], "world"),
            language=self._text(plain["language"], "language"),
            goal=Goal(
                tuples,
                kind,
                told,
                self._actions(actions, tuples),
                self._first_wishes(plain.get("first_wishes", []), tuples),
                self._scenario(plain.get("scenario", {})),
            ),
            seed=self._seed(plain.get("seed")),
        )

    def _actions(self, value: Any, tuples: Tuples) -> tuple[WantedAction, ...]:
        if not isinstance(value, list):
            self.refuse("actions", f"expected a list of actions, found {shown(value)}")
        return tuple(self._action(each, f"actions[{at}]", tuples) for at, each in enumerate(value))

    def _action(self, plain: Any, field: str, tuples: Tuples) -> WantedAction:
        match plain:
            case {"action": str(key), "wishes": [dict(), *_] as wishes, **rest} if all(
                isinstance(wish, dict) for wish in wishes
            ) and rest.keys() <= {"forbidden"}:
                read = tuple(
                    {k: self._argument(v, f"{field}.{k}", tuples) for k, v in wish.items()}
                    for wish in wishes
                )
                return WantedAction(key, read, rest.get("forbidden") is True)
        self.refuse(
            field,
            f"expected an action, found {shown(plain)}",
            'Write {"action": KEY, "wishes": [{ARGUMENT: VALUE}, ...], "forbidden": true}.',
        )

    def _argument(self, value: Any, field: str, tuples: Tuples) -> ArgumentValue:
        match value:
            case {"at": int(number), **rest} if not rest:
                if number in {each.subgoal for each in tuples}:
                    return Reference(number, nearby=False)
                self.refuse(field, f"there is no sub-goal {number}", "Refer to one of the goal's.")
            case bool():
                pass
            case str() | int() | float():
                return value
        remedy = 'Write a text, a number or {"at": N}.'
        self.refuse(field, f"expected a value, found {shown(value)}", remedy)

    def _check_fields(self, plain: Any) -> None:
        if not isinstance(plain, dict):
            self.refuse("", f"expected a goal, which is an object, found {shown(plain)}")
        for name in plain:
            if name not in FIELDS:
                self.refuse(name, "no such field", f"The fields are: {', '.join(FIELDS)}.")
        for name in FIELDS:
            if name not in plain and name not in OPTIONAL:
                self.refuse(name, "the field is missing")

    def _text(self, value: Any, field: str) -> str:
        if not isinstance(value, str) or not value:
            self.refuse(field, f"expected a text, found {shown(value)}")
        return value

    def _texts(self, value: Any, field: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.refuse(field, f"expected a list of texts, found {shown(value)}")
        return tuple(value)

    def _seed(self, value: Any) -> int | None:
        if value is not None and not _is_whole(value):
            self.refuse("seed", f"expected a whole number, found {shown(value)}")
        seed: int | None = value
        return seed

    def _type(self, value: Any, tuples: Tuples) -> GoalType:
        """The type; refused if the tuples are of another type."""
        if not isinstance(value, str) or value not in set(GoalType):
            types = ", ".join(GoalType)
            self.refuse("type", f"unknown goal type {value!r}", f"The types are: {types}.")
        rides = {each.domain for each in tuples if _is_ride_end(each)}
        actual = goal_type(tuples, rides)
        if actual != value:
            self.refuse("type", f"the type is given as {value}, but the tuples make it {actual}")
        return actual

    def _scenario(self, value: Any) -> Scenario:
        match value:
            case dict() if all(
                isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
                for rows in value.values()
            ):
                return decode_scenario(value)
        remedy = 'Write {"TABLE": [{"COLUMN": VALUE}]}.'
        self.refuse("scenario", f"expected rows of tables, found {shown(value)}", remedy)

    def _first_wishes(self, value: Any, tuples: Tuples) -> Tuples:
        """The first wishes; each must stand in the place of a wish of the goal."""
        if not isinstance(value, list):
            self.refuse("first_wishes", f"expected a list of tuples, found {shown(value)}")
        found = tuple(self._tuple(each, f"first_wishes[{at}]") for at, each in enumerate(value))
        wished = {(each.subgoal, each.domain, each.slot) for each in tuples if not each.is_open}
        for at, each in enumerate(found):
            if each.is_open or (each.subgoal, each.domain, each.slot) not in wished:
                self.refuse(
                    f"first_wishes[{at}]",
                    f"the goal has no wish for {each.domain}.{each.slot} in sub-goal "
                    f"{each.subgoal} that could come after it",
                    "Give it a value, and the tuple that takes its place.",
                )
        return found

    def _tuples(self, value: Any, *, may_be_none: bool = False) -> Tuples:
        if not isinstance(value, list) or not (value or may_be_none):
            self.refuse("tuples", f"expected a list of tuples, found {shown(value)}")
        tuples = tuple(self._tuple(each, f"tuples[{at}]") for at, each in enumerate(value))
        self._check_numbers(tuples)
        self._check_references(tuples)
        return tuples

    def _tuple(self, plain: Any, field: str) -> SemanticTuple:
        match plain:
            case [int(number), str(domain), str(slot), value, bool(expressed)] if (
                _is_whole(number) and domain and slot
            ):
                return SemanticTuple(number, domain, slot, self._value(value, field), expressed)
        self.refuse(
            field,
            f"expected a semantic tuple, found {shown(plain)}",
            "Write [sub-goal number, domain, slot, value, true or false].",
        )

    def _value(self, value: Any, field: str) -> Value:
        match value:
            case str():
                return value
            case list():
                return self._texts(value, field)
            case {"near": int(number), **rest} | {"at": int(number), **rest} if (
                not rest and _is_whole(number)
            ):
                return Reference(number, nearby=NEAR in value)
        self.refuse(
            field,
            f"expected a value, found {shown(value)}",
            'Write a text, a list of texts, {"near": N} or {"at": N}.',
        )

    def _check_numbers(self, tuples: Tuples) -> None:
        """Refuse sub-goals that are not numbered 1, 2, 3, ... in order."""
        last = 0
        for at, each in enumerate(tuples):
            if each.subgoal not in (last, last + 1) or each.subgoal < 1:
                self.refuse(
                    f"tuples[{at}]",
                    f"sub-goal {each.subgoal} after sub-goal {last}",
                    "Number sub-goals 1, 2, 3, ... and keep the tuples of each together.",
                )
            last = each.subgoal

    def _check_references(self, tuples: Tuples) -> None:
        for at, each in enumerate(tuples):
            if isinstance(each.value, Reference) and not 1 <= each.value.subgoal < each.subgoal:
                self.refuse(
                    f"tuples[{at}]",
                    f"sub-goal {each.subgoal} refers to sub-goal {each.value.subgoal}, "
                    "which does not stand before it",
                    "Refer to an earlier sub-goal.",
                )


def _is_ride_end(each: SemanticTuple) -> bool:
    return isinstance(each.value, Reference) and not each.value.nearby


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# Goal files and worlds


def check_goals(path: Path, world: World) -> None:
    """Refuse a file whose goals are of another world or language, or name unknown slots."""
    for record in read_goals(path):
        place = Place(str(path), dialogue=record.id)
        if record.world != world.name or record.language != world.language.code:
            raise FormatError(
                f"the goal is about {record.world} in {record.language!r}, not about "
                f"{world.name} in {world.language.code!r}",
                place=place,
                remedy=f"Simulate it with --world {record.world} --language {record.language}.",
            )
        for each in record.goal.tuples:
            _check_tuple(each, record.goal.tuples, world.schema, place)
        for wanted in record.goal.actions:
            _check_action(wanted, world.schema, place)
        for key in record.goal.scenario:
            if key not in world.changing:
                known = ", ".join(world.changing) or "none"
                _refuse(place, f"there is no changing table {key!r}", f"The world has {known}.")


def wanting_actions(path: Path) -> int:
    """How many goals of a file want something done."""
    return sum(bool(record.goal.actions) for record in read_goals(path))


def unsatisfiable(path: Path, world: World) -> list[str]:
    """Ids of goals that the tables cannot meet, contradictory ones included."""
    database = Database(world, conjunctive=True)
    return [each.id for each in read_goals(path) if not can_be_met(each.goal.tuples, database)]


def _check_action(wanted: WantedAction, schema: Schema, place: Place) -> None:
    action = schema.action(wanted.action)
    if action is None:
        known = ", ".join(each.key for each in schema.actions) or "none"
        _refuse(place, f"there is no action {wanted.action!r}", f"The world has {known}.")
    for name in dict.fromkeys(name for wish in wanted.wishes for name in wish):
        if name not in action.arguments:
            known = ", ".join(action.arguments)
            _refuse(place, f"{action.key} takes no {name!r}", f"Its arguments are {known}.")


def _check_tuple(each: SemanticTuple, tuples: Tuples, schema: Schema, place: Place) -> None:
    domain = schema.domain(each.domain)
    if domain is None:
        known = ", ".join(domain.key for domain in schema)
        _refuse(place, f"there is no domain {each.domain!r}", f"The world has {known}.")
    if any(other.domain != each.domain for other in tuples if other.subgoal == each.subgoal):
        _refuse(place, f"sub-goal {each.subgoal} has two domains", "Give each its own sub-goal.")
    if domain.slot(each.slot) is None:
        known = ", ".join(slot.key for slot in domain.slots)
        _refuse(place, f"{domain.key} has no slot {each.slot!r}", f"It has {known}.")
    if isinstance(each.value, Reference):
        _check_reference(each, each.value, domain, tuples, schema, place)


def _check_reference(
    each: SemanticTuple,
    value: Reference,
    domain: Domain,
    tuples: Tuples,
    schema: Schema,
    place: Place,
) -> None:
    slot = domain.slot(each.slot)
    wanted = SlotKind.NAME if value.nearby else SlotKind.ENDPOINT
    if slot is None or slot.kind is not wanted:
        what = "the name of a place near" if value.nearby else "an end of a ride at"
        _refuse(
            place,
            f"{each.domain}.{each.slot} cannot be {what} sub-goal {value.subgoal}",
            f"Only slots of kind `{wanted}` can.",
        )
    source = next((other for other in tuples if other.subgoal == value.subgoal), None)
    found = schema.domain(source.domain) if source else None
    if found is None or found.kind is not DomainKind.PLACE:
        _refuse(
            place,
            f"sub-goal {each.subgoal} refers to sub-goal {value.subgoal}, which is no place",
            "Refer to a sub-goal that finds a place.",
        )


def _refuse(place: Place, message: str, remedy: str) -> NoReturn:
    raise FormatError(message, place=place, remedy=remedy)


# Counts


@dataclass(frozen=True, slots=True)
class TypeCount:
    """Goals of one type with their sub-goals and tuples; counts that add."""

    goals: int = 0
    subgoals: int = 0
    tuples: int = 0

    def __add__(self, other: "TypeCount") -> "TypeCount":
        return TypeCount(
            self.goals + other.goals, self.subgoals + other.subgoals, self.tuples + other.tuples
        )

    @property
    def subgoals_per_goal(self) -> float:
        return self.subgoals / self.goals if self.goals else 0.0

    @property
    def tuples_per_goal(self) -> float:
        return self.tuples / self.goals if self.goals else 0.0


@dataclass(frozen=True, slots=True)
class GoalCounts:
    """Counts by goal type; counts that add."""

    by_type: Mapping[GoalType, TypeCount] = field(default_factory=dict, hash=False)
    """All types, also those without goals."""

    def __add__(self, other: "GoalCounts") -> "GoalCounts":
        return GoalCounts({kind: self.of(kind) + other.of(kind) for kind in GoalType})

    def of(self, kind: GoalType) -> TypeCount:
        return self.by_type.get(kind, TypeCount())

    @property
    def total(self) -> TypeCount:
        return sum(self.by_type.values(), TypeCount())

    def share(self, kind: GoalType) -> float:
        """Percent of all goals; 0 if there are none."""
        return 100 * self.of(kind).goals / self.total.goals if self.total.goals else 0.0

    def record(self) -> dict[str, Any]:
        """As JSON: the mix of types in percent, and mean sizes."""
        kinds = self.by_type
        return {
            "goals": self.total.goals,
            "mix": {kind: round(self.share(kind), 2) for kind in kinds},
            "subgoals": {kind: round(each.subgoals_per_goal, 3) for kind, each in kinds.items()},
            "tuples": {kind: round(each.tuples_per_goal, 3) for kind, each in kinds.items()},
        }


def count_goals(goals: Iterable[Goal]) -> GoalCounts:
    """Count goals by type; goals without a type are skipped."""
    by_type = dict.fromkeys(GoalType, TypeCount())
    for goal in goals:
        if goal.type is not None:
            one = TypeCount(1, count_subgoals(goal.tuples), len(goal.tuples))
            by_type[goal.type] += one
    return GoalCounts(by_type)
