"""Performing actions: `perform(state, action, arguments) -> (state, event)`.

    executor = Executor(Database(load_world("harbour")))
    state = executor.begin("harbour-0-7")
    state, event = executor.perform(state, "book_room", {"entity": "Pilot House", ...})
    event.gives["reference"], event.refusal

The state is a value; the files of the world are never touched. A refused call leaves the state as
it is. Codes depend on the world, the goal and the number of the call, and on nothing else.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from math import prod
from random import Random
from string import ascii_uppercase, digits
from typing import Any, Final

from crosstalk.dialogue.actions import (
    ENTITY,
    MARK,
    TODAY,
    Action,
    Adjust,
    ChangingTable,
    Compare,
    Comparison,
    Condition,
    Delete,
    Exists,
    Free,
    Given,
    Insert,
    IsOpen,
    Operand,
    Operator,
    Step,
    Update,
    Where,
    is_reference,
)
from crosstalk.dialogue.goals import Scenario
from crosstalk.dialogue.schema import EITHER, DomainKind, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.worlds.action_arguments import ArgumentReader, RefusedArgument
from crosstalk.worlds.action_events import ActionEvent, Refusal, RowChange, TableState, applied
from crosstalk.worlds.action_files import REFUSED
from crosstalk.worlds.cells import days_from
from crosstalk.worlds.moments import wish_of
from crosstalk.worlds.queries import Database, ends_of
from crosstalk.worlds.tables import Cell, Row, World

_LETTERS: Final = {"#": digits, "@": ascii_uppercase, "*": ascii_uppercase + digits}
"""Sign of a pattern -> the signs it stands for."""


class Executor:
    """Performs the actions of one world; holds no state of its own."""

    def __init__(self, database: Database, scenario: Scenario | None = None) -> None:
        """`scenario`: rows that the tables have from the start, beside the world's."""
        self.database = database
        self.world = database.world
        self.arguments = ArgumentReader(database)
        self._scenario = scenario or {}

    def within(self, scenario: Scenario) -> "Executor":
        """The same in the conversation of a goal."""
        return Executor(self.database, scenario) if scenario else self

    def begin(self, goal: str = "") -> TableState:
        """The tables as the conversation finds them; `goal` is the id of what it is about."""
        tables = {key: table.rows for key, table in self.world.changing.items()}
        for key, rows in self._scenario.items():
            read = (self.arguments.read_row(self.table(key), row) for row in rows)
            tables[key] = (*tables[key], *read)
        return TableState(tables, goal)

    def perform(
        self, state: TableState, key: str, arguments: Mapping[str, Any]
    ) -> tuple[TableState, ActionEvent]:
        """The state after a call and what came of it; raises InputError for unknown names."""
        action = self.action(key)
        try:
            read = self.arguments.read_all(action, arguments)
        except RefusedArgument as refused:
            return state, ActionEvent(key, dict(arguments), refusal=refused.refusal)
        call = _Call(self, state, action, read)
        refusal = next((each for each in map(call.take, action.steps) if each), None)
        if refusal:
            return state, ActionEvent(key, read, refusal=Refusal(refusal))
        after = replace(state, tables=call.tables, calls=state.calls + 1)
        return after, ActionEvent(key, read, call.gives(), changes=tuple(call.changes))

    def breaks(
        self,
        state: TableState,
        action: Action,
        arguments: Mapping[str, Any],
        rule: Iterable[Condition],
    ) -> bool:
        """Whether a call made in this state breaks one of the conditions of a rule."""
        try:
            call = _Call(self, state, action, self.arguments.read_all(action, arguments))
        except RefusedArgument:
            return False
        return any(call.take(condition) for condition in rule)

    def replay(self, events: Iterable[ActionEvent], goal: str = "") -> TableState:
        """The state after the calls of a conversation, from what they changed."""
        return reduce(applied, events, self.begin(goal))

    def action(self, key: str) -> Action:
        found = self.world.schema.action(key)
        if found is None:
            known = ", ".join(action.key for action in self.world.schema.actions) or "none"
            raise InputError(
                f"the world {self.world.name} has no action {key!r}", remedy=f"It has {known}."
            )
        return found

    def table(self, key: str) -> ChangingTable:
        found = self.world.schema.changing_table(key)
        assert found is not None  # `world check` refuses steps on tables that are not there
        return found


@dataclass(slots=True)
class _Call:
    """One call under way: a copy of the tables, and what its steps have found so far."""

    executor: Executor
    state: TableState
    action: Action
    arguments: Mapping[str, Cell]
    found: dict[str, Row] = field(default_factory=dict)
    changes: list[RowChange] = field(default_factory=list)
    tables: dict[str, tuple[Row, ...]] = field(init=False)

    def __post_init__(self) -> None:
        self.tables = dict(self.state.tables)

    @property
    def world(self) -> World:
        return self.executor.world

    def take(self, step: Step) -> str:
        """Take one step; the reason, if it refuses the call."""
        match step:
            case Compare(value, comparisons, refuse):
                slot = self._slot(value)
                holds = self._value(value) is None or self._holds(
                    slot, self._value(value), comparisons
                )
                return "" if holds else refuse
            case Exists(table, where, refuse, wanted):
                rows = list(self._rows(table, where))
                self.found |= {table: rows[0]} if rows else {}
                return "" if bool(rows) is wanted else refuse
            case Free(refuse=refuse, by=by):
                least = self._number(by)
                return "" if all(left >= least for _, left in self._amounts(step)) else refuse
            case IsOpen(refuse=refuse):
                return refuse if self._is_open(step) is False else ""
            case Adjust():
                return self._adjust(step)
            case Insert(table, values):
                self._change(table, None, self._new_row(table, dict(values)))
            case Update(table, where, values):
                for row in list(self._rows(table, where)):
                    self._change(table, row, {**row, **self._assigned(table, dict(values))})
            case Delete(table, where):
                for row in list(self._rows(table, where)):
                    self._change(table, row, None)
        return ""

    # Values

    def _value(self, operand: Operand) -> Cell:
        """What an operand stands for; of alternatives, `$a|$b`, the first that is known."""
        if not is_reference(operand):
            return operand
        parts = map(self._referred, str(operand).split(EITHER))
        return next((value for value in parts if value is not None), None)

    def _referred(self, reference: str) -> Cell:
        head, dot, tail = reference.removeprefix(MARK).partition(".")
        if dot:
            return self._row_of(head).get(tail)
        if head == TODAY:
            return self.world.schema.today
        if head in self.arguments:
            return self.arguments[head]
        given = next((each for each in self.action.gives if each.key == head), None)
        return self._given(given) if given else None

    def _row_of(self, name: str) -> Row:
        if name != ENTITY:
            return self.found.get(name, {})
        domain = self.world.schema.domain(self.action.domain)
        if domain is None or domain.kind is DomainKind.PLACE:
            entity = self.arguments.get(ENTITY)
            return self.executor.database.find(self.action.domain, str(entity)) or {}
        ends = {key: str(self.arguments.get(key) or "") for key in ends_of(domain)}
        return next(iter(self.executor.database.search(domain.key, ends)), {})

    def _slot(self, reference: str) -> Slot | None:
        """The slot that a compared value belongs to."""
        head, _, tail = reference.removeprefix(MARK).partition(".")
        domain = self.world.schema.domain(self.action.domain)
        if tail:
            return domain.slot(tail) if domain else None
        return self.executor.arguments.slot(self.action, head)

    def _number(self, operand: Operand) -> float:
        value = self._value(operand)
        return value if isinstance(value, int | float) else 0

    def gives(self) -> dict[str, Cell]:
        return {given.key: self._given(given) for given in self.action.gives}

    def _given(self, given: Given) -> Cell:
        if given.times:
            numbers = [self._value(each) for each in given.times]
            known = [each for each in numbers if isinstance(each, int | float)]
            return round(prod(known), 2) if len(known) == len(numbers) else None
        if given.value is not None:
            return self._value(given.value)
        seed = f"{self.world.name}:{self.state.goal}:{self.state.calls}:{given.key}"
        return drawn(given, Random(seed))

    def _is_open(self, step: IsOpen) -> bool | None:
        hours = self._row_of(ENTITY).get(step.slot)
        wish = [str(self._value(each)) for each in step.on]
        if not isinstance(hours, str):
            return None
        return self.executor.arguments.moments.is_open(hours, wish_of(wish[0], wish[1:]))

    # Rows

    def _rows(self, table: str, where: Where) -> Iterator[Row]:
        columns = {slot.key: slot for slot in self.executor.table(table).columns}
        for row in self.tables[table]:
            if all(self._holds(columns[key], row.get(key), tests) for key, tests in where):
                yield row

    def _holds(self, slot: Slot | None, value: Cell, comparisons: tuple[Comparison, ...]) -> bool:
        return all(self._compare(slot, value, each) for each in comparisons)

    def _compare(self, slot: Slot | None, value: Cell, comparison: Comparison) -> bool:
        """Whether a value is as it should be; of several operands, or terms, one is enough."""
        if comparison.operator is Operator.IS_NOT:
            return not self._compare(slot, value, replace(comparison, operator=Operator.IS))
        values = value if isinstance(value, tuple) else (value,)
        compared = [self._operand(slot, each) for each in comparison.operands]
        holds = _OPERATORS[comparison.operator]
        rank = self._rank(slot)
        return any(
            holds(rank(each), rank(other))
            for each in values
            for other in compared
            if each is not None and other is not None
        )

    def _operand(self, slot: Slot | None, operand: Operand) -> Cell:
        """An operand; a literal in the words of the world's language."""
        if is_reference(operand) or slot is None:
            return self._value(operand)
        return self.executor.arguments.literal(slot, operand)

    def _rank(self, slot: Slot | None) -> Callable[[Cell], Any]:
        """What values are compared by: days by their place in the week, texts without case."""
        week = self.world.language.days
        if slot is not None and slot.kind is SlotKind.DAY:
            return lambda value: week.index(str(value)) if value in week else -1
        return lambda value: value.lower() if isinstance(value, str) else value

    def _new_row(self, table: str, values: Mapping[str, Operand]) -> Row:
        """All columns: those that are set, and else the argument or result of the same name."""
        columns = [column.key for column in self.executor.table(table).columns]
        known = {key: self._referred(MARK + key) for key in columns}
        return {**known, **self._assigned(table, values)}

    def _assigned(self, table: str, values: Mapping[str, Operand]) -> dict[str, Cell]:
        """The columns that get a value; what refers to nothing that is known is left alone."""
        shape = self.executor.table(table)
        read = {key: self._operand(shape.column(key), each) for key, each in values.items()}
        return {key: value for key, value in read.items() if value is not None}

    def _change(self, table: str, before: Row | None, after: Row | None) -> None:
        if before == after:
            return
        rows = [row for row in self.tables[table] if row is not before]
        at = len(rows)
        if before is not None:
            at = next(i for i, row in enumerate(self.tables[table]) if row is before)
        if after is not None:
            rows.insert(at, after)
        self.tables[table] = tuple(rows)
        self.changes.append(RowChange(table, before, after))

    # Amounts

    def _amounts(self, step: Free | Adjust) -> Iterator[tuple[Row, float]]:
        """For each day, the row of the table or one that could stand there, and what is left."""
        shape = self.executor.table(step.table)
        fixed = {
            key: self._operand(shape.column(key), tests[0].operands[0]) for key, tests in step.where
        }
        for day in self._days(step.on):
            keys = fixed | ({shape.day: day} if shape.day else {})
            row = next((r for r in self.tables[step.table] if _has(r, keys)), None)
            row = row or {**keys, shape.amount: shape.default or 0}
            left = row.get(shape.amount)
            yield row, left if isinstance(left, int | float) else 0

    def _days(self, on: tuple[Operand, ...]) -> tuple[str | None, ...]:
        if not on:
            return (None,)
        start = str(self._value(on[0]))
        count = int(self._number(on[1])) if len(on) > 1 else 1
        return days_from(start, count, self.world.language.days)

    def _adjust(self, step: Adjust) -> str:
        shape, by = self.executor.table(step.table), self._number(step.by)
        for row, left in list(self._amounts(step)):
            if left + step.sign * by < 0:
                return REFUSED
            stands = any(row is each for each in self.tables[step.table])
            changed = {**row, shape.amount: int(left + step.sign * by)}
            self._change(step.table, row if stands else None, changed)
        return ""


def _has(row: Row, cells: Mapping[str, Cell]) -> bool:
    return cells.items() <= row.items()


_OPERATORS: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    Operator.IS: lambda value, other: bool(value == other),
    Operator.IS_NOT: lambda value, other: bool(value != other),
    Operator.IN: lambda value, other: bool(value == other),
    Operator.AT_LEAST: lambda value, other: bool(value >= other),
    Operator.AT_MOST: lambda value, other: bool(value <= other),
    Operator.BEFORE: lambda value, other: bool(value < other),
    Operator.AFTER: lambda value, other: bool(value > other),
}


def drawn(given: Given, rng: Random) -> str:
    """A code or a choice; uses only `random()`, whose numbers are the same everywhere."""
    if given.one_of:
        return _one(given.one_of, rng)
    return "".join(_one(_LETTERS.get(sign, sign), rng) for sign in given.pattern)


def _one(items: str | tuple[str, ...], rng: Random) -> str:
    return items[int(rng.random() * len(items))]


def same_tables(world: World, one: TableState, other: TableState) -> dict[str, bool]:
    """Changing table -> whether two states agree on it, whatever codes were given out."""
    codes = frozenset(
        given.key for action in world.schema.actions for given in action.gives if given.is_drawn
    )
    return {
        table.key: _content(table, one, codes) == _content(table, other, codes)
        for table in world.schema.changing
    }


def changed_tables(world: World, event: ActionEvent) -> bool:
    """Whether a call left the tables other than it found them; a change to the same does not."""
    before: dict[str, tuple[Row, ...]] = {}
    after: dict[str, tuple[Row, ...]] = {}
    for change in event.changes:
        for rows, row in ((before, change.before), (after, change.after)):
            rows[change.table] = (*rows.get(change.table, ()), *((row,) if row else ()))
    return not all(same_tables(world, TableState(before), TableState(after)).values())


def _content(table: ChangingTable, state: TableState, codes: frozenset[str]) -> Counter[Any]:
    """The rows without codes and order; amounts that are the default say nothing."""
    rows = state.tables.get(table.key, ())
    if table.amount:
        rows = tuple(row for row in rows if row.get(table.amount) != (table.default or 0))
    kept = [{key: cell for key, cell in row.items() if key not in codes} for row in rows]
    return Counter(tuple(sorted(row.items(), key=lambda item: item[0])) for row in kept)
