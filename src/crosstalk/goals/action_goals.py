"""Goals with actions: what a user wants done, drawn so that the outcome can be proved.

    sampler = ActionSampler(executor)
    wanted = sampler.draw(tuples, rng)

A goal wants one thing done, or several: something about other tables, or a change of mind about
what was done before (`$1.reference` is the code that the first action gives).

Three sorts are drawn. *Done*: the first wish is possible. *Instead*: the first wish is refused by
the tables, and another one is possible. *Forbidden*: the tables would let it pass, and a rule does
not. Each is tried out with the executor before it is given out. An action on a place of the goal
names the sub-goal; its arguments are possible for every place that may be found there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from crosstalk.dialogue.actions import (
    ENTITY,
    MARK,
    Action,
    Exists,
    argument_slot,
    is_reference,
)
from crosstalk.dialogue.goals import ArgumentValue, Reference, Tuples, WantedAction, subgoals
from crosstalk.dialogue.schema import BANDED, BROUGHT, Schema, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.goals.place_subgoals import some
from crosstalk.goals.satisfiable import told_constraints
from crosstalk.language.times import minutes_of
from crosstalk.worlds.action_events import ActionEvent, TableState
from crosstalk.worlds.actions import Executor, changed_tables, same_tables
from crosstalk.worlds.tables import Cell, Row

TRIES: Final = 30
"""Draws of arguments before an action is given up."""
MOST_ENTITIES: Final = 6
"""Sub-goals that more places meet are not acted on: what is possible would differ too often."""
Arguments = Mapping[str, ArgumentValue]
DONE, INSTEAD, FORBIDDEN, NOTHING = "done", "instead", "forbidden", "nothing"
SORTS: Final = ((DONE, 0.5), (INSTEAD, 0.3), (FORBIDDEN, 0.2))
"""How often each sort is drawn, where the world allows it."""
MOST_ACTIONS: Final = 3
"""Most actions of a goal."""
CHANGE_OF_MIND: Final = 0.25
"""Share of goals in which something is done to what was done before."""
ANOTHER: Final = 0.25
"""Share of goals in which something else is to be done too."""
STEP: Final = 30
"""Minutes between the times that are drawn."""


@dataclass(frozen=True, slots=True)
class ActionSampler:
    """Draws what is to be done in goals of one world."""

    executor: Executor

    def __post_init__(self) -> None:
        world = self.executor.world
        if not world.schema.actions:
            raise InputError(
                f"in the world {world.name} nothing can be done",
                remedy="Leave --actions out, or add [[actions]] to its world.toml.",
            )

    def draw(self, tuples: Tuples, rng: Random) -> tuple[WantedAction, ...]:
        """What is to be done, in order; empty if nothing could be drawn."""
        wanted = self._single(tuples, rng, self.executor.world.schema.actions)
        while wanted and len(wanted) < MOST_ACTIONS:
            chance = rng.random()
            if chance < CHANGE_OF_MIND:
                more = self._change_of_mind(wanted, tuples, rng)
            elif chance < CHANGE_OF_MIND + ANOTHER:
                more = self._single(tuples, rng, self._others(wanted))
            else:
                break
            if not more:
                break
            wanted = (*wanted, *more)
        return wanted

    def _single(
        self, tuples: Tuples, rng: Random, actions: Sequence[Action]
    ) -> tuple[WantedAction, ...]:
        """One thing to be done with one of these actions; empty if nothing could be drawn."""
        for _ in range(TRIES if actions else 0):
            action = some(actions, 1, rng)[0]
            for sort in _sorts(rng):
                if wanted := self._wanted(action, sort, tuples, rng):
                    return (wanted,)
        return ()

    def _others(self, wanted: Sequence[WantedAction]) -> list[Action]:
        """Actions that cannot get in the way of others, since they are about other tables."""
        used = {table for each in wanted for table in self.executor.action(each.action).tables}
        return [each for each in self.executor.world.schema.actions if not used & set(each.tables)]

    def _change_of_mind(
        self, wanted: Sequence[WantedAction], tuples: Tuples, rng: Random
    ) -> tuple[WantedAction, ...]:
        """Another action on what was done last, known by a code that it or one before it gave."""
        tables = set(self.executor.action(wanted[-1].action).tables)
        chain = {n: each for n, each in enumerate(wanted, 1) if tables & set(self._tables(each))}
        codes = {
            given.key: f"{MARK}{number}.{given.key}"
            for number, each in chain.items()
            for given in self.executor.action(each.action).gives
            if given.is_drawn
        }
        done = {each.action for each in chain.values()}
        follow = [
            action
            for action in self.executor.world.schema.actions
            if set(action.needs) & codes.keys() and set(action.tables) & tables
            if action.key not in done
        ]
        if wanted[-1].forbidden or not follow:
            return ()
        action = some(follow, 1, rng)[0]
        fixed = {key: codes[key] for key in action.needs if key in codes}
        nothing = WantedAction(action.key, ({},), forbidden=True)
        before = [chain.get(number, nothing) for number in range(1, len(wanted) + 1)]
        for _ in range(TRIES):
            drawn = WantedAction(action.key, (self._drawn(action, fixed, rng),))
            if self._is_done_after(before, drawn, tuples):
                return (drawn,)
        return ()

    def _tables(self, wanted: WantedAction) -> Sequence[str]:
        return self.executor.action(wanted.action).tables

    def _is_done_after(
        self, before: Sequence[WantedAction], wanted: WantedAction, tuples: Tuples
    ) -> bool:
        """Whether a change of what actions did is possible, whichever entity is found."""
        references = [
            (each.action, value)
            for each in before
            for value in each.wishes[-1].values()
            if isinstance(value, Reference)
        ]
        names = [""]
        for key, reference in references[:1]:
            names = self._names(self.executor.action(key), reference, tuples)
        for name in names:
            entities = {each.subgoal: name for _, each in references}
            after, first = final_tables(self.executor, before, entities)
            end, done = final_tables(self.executor, (*before, wanted), entities)
            is_more = len(done) > len(first)
            if not is_more or all(same_tables(self.executor.world, after, end).values()):
                return False
            if self._breaks_rule(after, done[-1]):
                return False
        return bool(names)

    def _breaks_rule(self, state: TableState, event: ActionEvent) -> bool:
        action = self.executor.action(event.action)
        return bool(forbidding(self.executor, state, action, event.arguments))

    def _wanted(
        self, action: Action, sort: str, tuples: Tuples, rng: Random
    ) -> WantedAction | None:
        for fixed in list(self._anchors(action, tuples, rng)):
            if wanted := self._wanted_of(action, sort, fixed, tuples, rng):
                return wanted
        return None

    def _wanted_of(
        self, action: Action, sort: str, fixed: Arguments, tuples: Tuples, rng: Random
    ) -> WantedAction | None:
        references = [value for value in fixed.values() if isinstance(value, Reference)]
        names = self._names(action, references[0], tuples) if references else []
        if len(names) > MOST_ENTITIES:
            return None
        possible, refused = list[Arguments](), list[Arguments]()
        changed = tuple(some(action.optional, 1, rng))
        is_fixed = not action.optional and fixed.keys() >= set(action.needs)
        for _ in range(1 if is_fixed else TRIES):
            drawn = self._drawn(action, fixed, rng, changed)
            kind = self._kind(action, drawn, names)
            if kind == FORBIDDEN and sort == FORBIDDEN:
                return WantedAction(action.key, (drawn,), forbidden=True)
            possible += [drawn] if kind == DONE else []
            refused += [drawn] if kind == INSTEAD else []
            if sort == DONE and possible:
                return WantedAction(action.key, (possible[0],))
            if sort == INSTEAD and possible and refused:
                return WantedAction(action.key, (refused[0], possible[0]))
        return None

    def _kind(self, action: Action, arguments: Arguments, names: Sequence[str]) -> str:
        """What comes of a call, whichever entity is found; empty if that makes a difference."""
        found = ""
        for each in _resolved(arguments, names):
            outcome = self._outcome(action, each)
            if found not in ("", outcome):
                return ""
            found = outcome
        return found

    def _outcome(self, action: Action, arguments: Mapping[str, Cell]) -> str:
        start = self.executor.begin()
        event = self.executor.perform(start, action.key, arguments)[1]
        if not event.done:
            return INSTEAD
        if not changed_tables(self.executor.world, event):
            return NOTHING
        rules = [rule for rule in self.executor.world.schema.rules if action.key in rule.actions]
        broken = (self.executor.breaks(start, action, arguments, rule.conditions) for rule in rules)
        return FORBIDDEN if any(broken) else DONE

    def _names(self, action: Action, reference: Reference, tuples: Tuples) -> list[str]:
        group = dict(subgoals(tuples))[reference.subgoal]
        domain = self.executor.database.domain(action.domain)
        rows = self.executor.database.search(domain.key, told_constraints(group))
        return [str(row[domain.name_slot.key]) for row in rows] if domain.name_slot else []

    # Drawing

    def _anchors(self, action: Action, tuples: Tuples, rng: Random) -> Iterator[Arguments]:
        """What the action is about: a place of the goal or another, two places, or a booking."""
        if ENTITY in action.arguments:
            numbers = [n for n, group in subgoals(tuples) if self._is_firm(action, group)]
            yield from ({ENTITY: Reference(n, nearby=False)} for n in some(numbers, 1, rng))
            yield {ENTITY: some(self._all(action.domain), 1, rng)[0]}
            return
        ends = self._ends(action)
        if ends:
            places = [
                name for place in self.executor.world.schema.places for name in self._all(place.key)
            ]
            yield dict(zip(ends, some(places, 2, rng), strict=True))
            return
        if not _found_first(action):
            yield {}
            return
        rows = [row for row in self._rows(action) if row]
        for row in some(rows, 1, rng):
            yield {key: _plain(row.get(key)) for key in action.needs if key in row}

    def _is_firm(self, action: Action, group: Tuples) -> bool:
        """A place sub-goal of the action's domain that does not depend on another one."""
        near = any(isinstance(each.value, Reference) for each in group)
        return group[0].domain == action.domain and not near

    def _ends(self, action: Action) -> list[str]:
        slots = [argument_slot(self.executor.world.schema, action, name) for name in action.needs]
        return [slot.key for slot in slots if slot and slot.kind is SlotKind.ENDPOINT]

    def _all(self, domain: str) -> list[str]:
        found = self.executor.database.domain(domain)
        return self.executor.world.texts(domain, found.name_slot.key) if found.name_slot else []

    def _rows(self, action: Action) -> Sequence[Row]:
        """The rows that the action may be about: those its first `exists` looks at."""
        return self.executor.begin().tables.get(_found_first(action), ())

    def _drawn(
        self, action: Action, fixed: Arguments, rng: Random, changed: Sequence[str] = ()
    ) -> Arguments:
        """Values for all other needs and for what is changed, one of what is optional."""
        chosen = [*action.needs, *(changed or some(action.optional, 1, rng))]
        slots = {name: argument_slot(self.executor.world.schema, action, name) for name in chosen}
        return {
            name: fixed[name] if name in fixed else self._value(slot, rng)
            for name, slot in slots.items()
            if slot is not None
        }

    def _value(self, slot: Slot, rng: Random) -> ArgumentValue:
        pack = self.executor.world.language
        drawers: Mapping[SlotKind, Callable[[], ArgumentValue]] = {
            SlotKind.DATE: lambda: _date(slot, rng),
            SlotKind.TIME: lambda: _time(slot, rng),
            SlotKind.COUNT: lambda: _count(slot, rng),
            SlotKind.DAY: lambda: some(pack.days, 1, rng)[0],
            SlotKind.FLAG: lambda: some((pack.yes, pack.no), 1, rng)[0],
            SlotKind.CATEGORY: lambda: _one_of(slot.values, rng),
            SlotKind.NAME: lambda: _one_of(self._all(slot.target), rng),
            **dict.fromkeys(BROUGHT, lambda: _one_of(slot.examples, rng)),
            **dict.fromkeys(BANDED, lambda: _count(slot, rng)),
        }
        return drawers[slot.kind]() if slot.kind in drawers else ""


def _found_first(action: Action) -> str:
    """The table whose rows an action is about; empty for one that looks at none."""
    tables = (step.table for step in action.steps if isinstance(step, Exists) and step.wanted)
    return next(tables, "")


def forbidding(
    executor: Executor, state: TableState, action: Action, arguments: Mapping[str, Cell]
) -> list[str]:
    """The rules that a call would break although the tables let it pass."""
    if not executor.perform(state, action.key, arguments)[1].done:
        return []
    rules = [rule for rule in executor.world.schema.rules if action.key in rule.actions]
    return [
        rule.key for rule in rules if executor.breaks(state, action, arguments, rule.conditions)
    ]


def final_tables(
    executor: Executor, wanted: Sequence[WantedAction], entities: Mapping[int, str], goal: str = ""
) -> tuple[TableState, list[ActionEvent]]:
    """The tables as they should end, and the calls that get them there.

    `entities` are the places that the user chose, by sub-goal. Of each action the first wish that
    is possible is done, and what is forbidden is not.
    """
    state, done = executor.begin(goal), dict[int, ActionEvent]()
    for number, each in enumerate(wanted, 1):
        given = {at: event.gives for at, event in done.items()}
        for wish in () if each.forbidden else each.wishes:
            arguments = settled(wish, entities, given)
            if arguments is None:
                continue
            state, event = executor.perform(state, each.action, arguments)
            if event.done:
                done[number] = event
                break
    return state, list(done.values())


def chosen_entities(schema: Schema, final: Tuples) -> dict[int, str]:
    """Sub-goal -> the place that the user settled on."""
    found: dict[int, str] = {}
    for each in final:
        domain = schema.domain(each.domain)
        slot = domain.name_slot if domain else None
        if slot and each.slot == slot.key and isinstance(each.value, str) and each.value:
            found[each.subgoal] = each.value
    return found


def settled(
    wish: Arguments,
    entities: Mapping[int, str],
    given: Mapping[int, Mapping[str, Cell]] | None = None,
) -> dict[str, Cell] | None:
    """A wish with the places that were chosen; None while one is open.

    `given`: number of an action of the goal, from 1 -> what it gave.
    """
    found: dict[str, Cell] = {}
    for key, value in wish.items():
        cell: Cell = value if not isinstance(value, Reference) else entities.get(value.subgoal)
        if is_reference(value):
            number, _, name = str(value).removeprefix(MARK).partition(".")
            cell = (given or {}).get(int(number), {}).get(name)
        if cell is None:
            return None
        found[key] = cell
    return found


def _resolved(arguments: Arguments, names: Sequence[str]) -> Iterator[dict[str, Cell]]:
    """The arguments with every entity that the sub-goal may end with."""
    plain = {key: v for key, v in arguments.items() if not isinstance(v, Reference)}
    open_ = [key for key in arguments if key not in plain]
    if not open_:
        yield dict(plain)
    for name in names if open_ else ():
        yield {**plain, open_[0]: name}


def _sorts(rng: Random) -> list[str]:
    """All sorts, in an order that puts the likelier ones first more often."""
    weighted = [(rng.random() ** (1 / weight), sort) for sort, weight in SORTS]
    return [sort for _, sort in sorted(weighted, reverse=True)]


def _one_of(values: Sequence[str], rng: Random) -> str:
    return some(values, 1, rng)[0] if values else ""


def _plain(cell: Cell) -> ArgumentValue:
    return cell if isinstance(cell, str | int | float) else ""


def _between(low: int, high: int, rng: Random) -> int:
    return low + int(rng.random() * (high - low + 1))


def _date(slot: Slot, rng: Random) -> str:
    low = date.fromisoformat(str(slot.low or "2026-01-01"))
    high = date.fromisoformat(str(slot.high)) if slot.high else low + timedelta(days=27)
    return (low + timedelta(days=_between(0, (high - low).days, rng))).isoformat()


def _time(slot: Slot, rng: Random) -> str:
    low, high = (minutes_of(str(each)) for each in (slot.low or "08:00", slot.high or "22:00"))
    first = -(-low // STEP)
    minutes = STEP * _between(first, max(first, high // STEP), rng)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _count(slot: Slot, rng: Random) -> int:
    low = int(slot.low) if slot.low is not None else 1
    high = int(slot.high) if slot.high is not None else low + 3
    return _between(low, high, rng)
