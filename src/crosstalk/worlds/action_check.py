"""What is wrong with the tables, actions and rules of a `world.toml` that has the right fields."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.actions import (
    ENTITY,
    MARK,
    TODAY,
    Action,
    ChangingTable,
    argument_slot,
    is_reference,
)
from crosstalk.dialogue.schema import BROUGHT, EITHER, Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.problems import did_you_mean
from crosstalk.toml_files import Location
from crosstalk.worlds.action_files import (
    CONDITIONS,
    EFFECTS,
    ActionFile,
    ComparisonsFile,
    GivenFile,
    RuleFile,
    StepFile,
    TableFile,
)
from crosstalk.worlds.cells import CellError, read_literal
from crosstalk.worlds.complaints import Complaint, listed, repeated

PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,40}")
"""Names that every provider takes for a tool."""
COMPARISONS: Final = ("is_", "is_not", "in_", "at_least", "at_most", "before", "after")
BELONGS: Final = {
    **dict.fromkeys((*COMPARISONS,), ("argument", "slot")),
    "where": ("exists", "not_exists", "free", "update", "delete", "increase", "decrease"),
    "on": ("free", "open", "increase", "decrease"),
    "set": ("insert", "update"),
    "refuse": CONDITIONS,
}
"""Field of a step -> the steps that may have it."""
AMOUNTS: Final = ("free", "increase", "decrease")
LISTED: Final = (SlotKind.CATEGORY, SlotKind.ENDPOINT)
"""Kinds of columns that may say what they hold: values, or ends of rides that no table has."""
LIMITED: Final = (SlotKind.COUNT, SlotKind.MONEY, SlotKind.NUMBER, SlotKind.TIME, SlotKind.DATE)


def action_complaints(
    tables: Sequence[TableFile],
    actions: Sequence[ActionFile],
    rules: Sequence[RuleFile],
    schema: Callable[[], Schema],
) -> Iterator[Complaint]:
    """Everything wrong; `schema` makes the values once the steps are known to be steps."""
    yield from repeated((("tables",), table.key) for table in tables)
    yield from repeated((("actions",), action.key) for action in actions)
    yield from repeated((("rules",), rule.key) for rule in rules)
    shapes = list(_shapes(actions, rules))
    yield from shapes
    if shapes:
        return
    made = schema()
    for number, table in enumerate(made.changing):
        yield from _table(made, table, ("tables", number))
    for number, action in enumerate(actions):
        yield from _action(made, action, ("actions", number))
    for number, rule in enumerate(rules):
        yield from _rule(made, rule, ("rules", number))


# Shapes of steps


def _shapes(actions: Sequence[ActionFile], rules: Sequence[RuleFile]) -> Iterator[Complaint]:
    for number, action in enumerate(actions):
        for position, step in enumerate(action.require):
            yield from _shape(step, ("actions", number, "require", position), CONDITIONS)
        for position, step in enumerate(action.effect):
            yield from _shape(step, ("actions", number, "effect", position), CONDITIONS + EFFECTS)
    for number, rule in enumerate(rules):
        for position, step in enumerate(rule.require):
            yield from _shape(step, ("rules", number, "require", position), CONDITIONS)


def _shape(step: StepFile, at: Location, allowed: Sequence[str]) -> Iterator[Complaint]:
    if len(step.does) != 1 or step.does[0] not in allowed:
        given = f"has {listed(step.does)}" if step.does else "does not say what it is"
        yield at, f"item {_number(at)} {given}", f"Give it exactly one of {listed(allowed)}."
        return
    for field, steps in BELONGS.items():
        if getattr(step, field) not in (None, "", [], {}) and step.does[0] not in steps:
            name = field.rstrip("_")
            message = f"`{name}` does not belong to `{step.does[0]}`"
            yield (*at, name), message, f"It is for {listed(steps)}; remove it."
    if step.does[0] in ("argument", "slot") and not step.comparisons():
        names = listed(field.rstrip("_") for field in COMPARISONS)
        yield at, f"item {_number(at)} does not say what is expected", f"Add one of {names}."


def _number(at: Location) -> int:
    return int(at[-1]) + 1


# Tables


def _table(schema: Schema, table: ChangingTable, at: Location) -> Iterator[Complaint]:
    if schema.domain(table.key):
        yield (*at, "key"), f"`{table.key}` is a domain already", "Give the table another key."
    if table.file and (".." in table.file.split("/") or table.file.startswith("/")):
        yield (*at, "file"), f"the table {table.file!r} leaves the world folder", "Keep it inside."
    for field, kinds in (("day", (SlotKind.DATE, SlotKind.DAY)), ("amount", (SlotKind.COUNT,))):
        key = getattr(table, field)
        column = table.column(key)
        if key and (column is None or column.kind not in kinds):
            message = f"`{field}` of `{table.key}` names {key!r}"
            yield (*at, field), message, f"Name a column of kind {listed(kinds)}."
    if (table.day or table.default is not None) and not table.amount:
        message = f"the table `{table.key}` has `day` or `default` and no `amount`"
        yield at, message, "Name the column that holds how much is left."
    for column in table.columns:
        yield from _column(schema, column, (*at, "columns", column.key))


def _column(schema: Schema, column: Slot, at: Location) -> Iterator[Complaint]:
    if column.kind is SlotKind.NAME:
        domain = schema.domain(column.target)
        if domain is None or domain.kind is not DomainKind.PLACE:
            places = listed(place.key for place in schema.places)
            message = f"the column `{column.key}` holds names of {column.target!r}"
            yield at, message, f'Write {{ kind = "name", target = ... }} with one of {places}.'
    for field in ("low", "high"):
        limit = getattr(column, field)
        if limit is None:
            continue
        if column.kind not in LIMITED:
            message = f"`{field}` does not belong to a column of kind `{column.kind}`"
            yield (*at, field), message, f"It is for {listed(LIMITED)}; remove it."
        elif wrong := _unreadable(column, limit):
            yield (*at, field), f"`{field}` of `{column.key}` is {limit!r}", wrong
    if _is_upside_down(column):
        message = f"`low` of `{column.key}` is {column.low!r}, more than `high`, {column.high!r}"
        yield (*at, "low"), message, "Exchange the two: no value lies between them."
    if column.values and column.kind not in LISTED:
        message = f"`values` does not belong to a column of kind `{column.kind}`"
        yield (*at, "values"), message, f"It is for {listed(LISTED)}; remove it."
    if column.examples and column.kind not in BROUGHT:
        message = f"`examples` does not belong to a column of kind `{column.kind}`"
        yield (*at, "examples"), message, f"It is for {listed(BROUGHT)}; remove it."


def _is_upside_down(column: Slot) -> bool:
    if column.low is None or column.high is None or column.kind not in LIMITED:
        return False
    if _unreadable(column, column.low) or _unreadable(column, column.high):
        return False
    low, high = (read_literal(column, limit) for limit in (column.low, column.high))
    return (
        low > high
        if isinstance(low, str) and isinstance(high, str)
        else isinstance(low, int | float) and isinstance(high, int | float) and low > high
    )


def _unreadable(slot: Slot, value: object) -> str:
    """What to write instead, where a literal is none of the slot's kind."""
    if slot.values and isinstance(value, str) and value not in slot.values:
        return did_you_mean(value, slot.values, is_text=True)
    try:
        read_literal(slot, value)
    except CellError as error:
        return f"Expected {error.expected}. {error.remedy}"
    return ""


# Actions and rules


@dataclass(frozen=True, slots=True)
class _Names:
    """What the steps of one action may refer to."""

    schema: Schema
    action: Action
    given: frozenset[str]

    def problem(self, value: object, found: Iterable[str]) -> str:
        """What is wrong with a value; `found` are the tables whose row is known by now."""
        parts = str(value).split(EITHER) if is_reference(value) else []
        return next(filter(None, (self._problem(part, found) for part in parts)), "")

    def _problem(self, reference: str, found: Iterable[str]) -> str:
        head, dot, tail = reference.removeprefix(MARK).partition(".")
        known = {*self.action.arguments, *self.given, TODAY}
        if not dot:
            if head == TODAY and not self.schema.today:
                return 'The world has no date; add today = "2026-06-01" at the top.'
            return "" if head in known else did_you_mean(head, known)
        if head == ENTITY:
            domain = self.schema.domain(self.action.domain)
            slots = [slot.key for slot in domain.slots] if domain else []
            is_known = tail in slots and self._has_entity(domain)
            return "" if is_known else did_you_mean(tail, slots, "Correct it.")
        table = self.schema.changing_table(head)
        if table is None or head not in set(found):
            return f'Put {{ exists = "{head}", where = ... }} before it: it finds the row.'
        columns = [column.key for column in table.columns]
        return "" if tail in columns else did_you_mean(tail, columns)

    def _has_entity(self, domain: Domain | None) -> bool:
        """Whether the arguments name a row: a place by its name, a ride by its ends."""
        ends = [slot.key for slot in domain.of_kind(SlotKind.ENDPOINT)] if domain else []
        named = ENTITY in self.action.arguments
        return named or (bool(ends) and set(ends) <= set(self.action.arguments))


def _action(schema: Schema, file: ActionFile, at: Location) -> Iterator[Complaint]:
    action = schema.action(file.key)
    assert action is not None
    if not PLAIN.fullmatch(file.key):
        message = f"`{file.key}` cannot be the name of a tool"
        yield (*at, "key"), message, "Use up to 40 letters A to Z, digits and underscores."
    if file.domain and schema.domain(file.domain) is None:
        message = f"there is no domain `{file.domain}`"
        yield (*at, "domain"), message, did_you_mean(file.domain, (d.key for d in schema))
    for name in dict.fromkeys(action.arguments):
        yield from _argument(schema, action, name, at)
    for position, given in enumerate(file.gives):
        yield from _gives(action, given, (*at, "gives", position))
    names = _Names(schema, action, frozenset(each.key for each in action.gives))
    places = [(*at, "require", position) for position in range(len(file.require))]
    places += [(*at, "effect", position) for position in range(len(file.effect))]
    found: list[str] = []
    for step, where in zip((*file.require, *file.effect), places, strict=True):
        yield from _step(names, step, where, found)
        found += [step.exists] if step.exists else []
    for position, given in enumerate(file.gives):
        for value in (given.value, *given.times):
            if wrong := names.problem(value, found):
                yield (*at, "gives", position), f"{value!r} refers to nothing", wrong


def _argument(schema: Schema, action: Action, name: str, at: Location) -> Iterator[Complaint]:
    field = "needs" if name in action.needs else "optional"
    domain = schema.domain(action.domain)
    if action.arguments.count(name) > 1:
        yield (*at, field), f"`{name}` is named twice", "Keep one."
    elif name == ENTITY and (domain is None or domain.kind is not DomainKind.PLACE):
        places = listed(place.key for place in schema.places)
        message = f"`{action.key}` needs an entity and has no domain of places"
        yield (*at, "domain"), message, f"Write domain = one of {places}."
    elif argument_slot(schema, action, name) is None:
        tables = [table for table in schema.changing if table.key in action.tables]
        known = {column.key for table in tables for column in table.columns} | {ENTITY}
        message = f"nothing says what `{name}` is"
        remedy = did_you_mean(name, known)
        yield (*at, field), message, f"{remedy} Arguments are columns of the action's tables."


def _gives(action: Action, given: GivenFile, at: Location) -> Iterator[Complaint]:
    if given.key in action.arguments:
        yield at, f"`{given.key}` is both given and needed", "Rename one of the two."
    ways = [name for name in ("value", "times", "pattern", "one_of") if getattr(given, name)]
    if len(ways) > 1:
        yield at, f"`{given.key}` has {listed(ways)}", "Keep one of them."


def _step(names: _Names, step: StepFile, at: Location, found: Sequence[str]) -> Iterator[Complaint]:
    does = step.does[0]
    subject = getattr(step, does)
    if does == "argument":
        yield from _named(subject, names.action.arguments, "argument", (*at, does))
        slot = argument_slot(names.schema, names.action, subject)
        yield from _comparisons(names, slot, step, at, found)
        return
    if does in ("slot", "open"):
        domain = names.schema.domain(names.action.domain)
        slots = domain.slots if domain else ()
        yield from _named(subject, [slot.key for slot in slots], "slot", (*at, does))
        slot = next((slot for slot in slots if slot.key == subject), None)
        yield from _comparisons(names, slot, step, at, found)
        yield from _references(names, "on", step.on, at, found)
        if does == "open":
            yield from _opening(slot, step, at)
        return
    tables = [table.key for table in names.schema.changing]
    yield from _named(subject, tables, "table", (*at, does))
    table = names.schema.changing_table(subject)
    if table is not None:
        yield from _on_table(names, table, step, at, found)


def _opening(slot: Slot | None, step: StepFile, at: Location) -> Iterator[Complaint]:
    if slot is not None and slot.kind not in (SlotKind.HOURS, SlotKind.TEXT):
        message = f"`{slot.key}` is of kind {slot.kind} and holds no opening hours"
        yield (*at, "open"), message, "Name a slot of kind hours."
    if not step.on:
        yield at, "`open` does not say when", 'Add on = ["$date", "$time"].'


def _on_table(
    names: _Names, table: ChangingTable, step: StepFile, at: Location, found: Sequence[str]
) -> Iterator[Complaint]:
    columns = [column.key for column in table.columns]
    for key, tests in step.where.items():
        yield from _named(key, columns, "column", (*at, "where"))
        yield from _comparisons(names, table.column(key), tests, (*at, "where"), found)
    for key, value in step.set.items():
        yield from _named(key, columns, "column", (*at, "set"))
        yield from _operand(names, table.column(key), value, (*at, "set"), found)
    yield from _references(names, "on", step.on, at, found)
    yield from _references(names, "by", [step.by], at, found)
    if step.does[0] in AMOUNTS:
        yield from _amounts(table, step, at)


def _references(
    names: _Names, field: str, values: Sequence[object], at: Location, found: Sequence[str]
) -> Iterator[Complaint]:
    for value in values:
        if wrong := names.problem(value, found):
            yield (*at, field), f"{value!r} refers to nothing", wrong


def _amounts(table: ChangingTable, step: StepFile, at: Location) -> Iterator[Complaint]:
    if not table.amount:
        message = f"the table `{table.key}` has no `amount`, which `{step.does[0]}` needs"
        yield at, message, "Name the column that holds how much is left."
        return
    if len(step.on) not in ((1, 2) if table.day else (0,)):
        remedy = 'Write on = ["$arrival", "$nights"].' if table.day else "Remove `on`."
        yield (*at, "on"), f"`on` has {len(step.on)} values", remedy
    fixed = {table.amount, table.day, *step.where}
    for column in table.columns:
        if column.key not in fixed:
            message = f"nothing says which `{column.key}` of `{table.key}` is meant"
            yield (*at, "where"), message, f"Add {column.key} = ... to `where`."


def _named(name: str, known: Iterable[str], what: str, at: Location) -> Iterator[Complaint]:
    names = list(known)
    if name not in names:
        yield at, f"there is no {what} `{name}`", did_you_mean(name, names)


def _comparisons(
    names: _Names, slot: Slot | None, tests: ComparisonsFile, at: Location, found: Sequence[str]
) -> Iterator[Complaint]:
    for comparison in tests.comparisons():
        for value in comparison.operands:
            yield from _operand(names, slot, value, at, found)


def _operand(
    names: _Names, slot: Slot | None, value: object, at: Location, found: Sequence[str]
) -> Iterator[Complaint]:
    if is_reference(value):
        if wrong := names.problem(value, found):
            yield at, f"{value!r} refers to nothing", wrong
    elif slot is not None and (wrong := _unreadable(slot, value)):
        yield at, f"`{slot.key}` cannot be {value!r}", wrong


def _rule(schema: Schema, rule: RuleFile, at: Location) -> Iterator[Complaint]:
    if not rule.require and rule.most is None:
        yield at, f"the rule `{rule.key}` demands nothing", "Add `require` or `most`."
    for key in rule.actions:
        action = schema.action(key)
        yield from _named(key, (each.key for each in schema.actions), "action", (*at, "actions"))
        if action is None:
            continue
        names = _Names(schema, action, frozenset())
        found: list[str] = []
        for position, step in enumerate(rule.require):
            yield from _step(names, step, (*at, "require", position), found)
            found += [step.exists] if step.exists else []
