"""Actions: what can be done in a world, and the tables that change when it is.

An action is a list of steps. A condition that does not hold refuses the whole action; an effect
changes a table. Values in steps are literals or refer to something by `$`:

    $people            an argument
    $entity.price      a slot of the entity that the action is about
    $bookings.hotel    a column of the row that the last `exists` found in that table
    $today             the date of the conversation
    $reference         what the action gives

`worlds/actions.py` performs them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind

ENTITY: Final = "entity"
"""The argument that names the entity of the action's domain."""
TODAY: Final = "today"
MARK: Final = "$"
"""Begins a value that refers to something."""

CODE_SIGNS: Final = {"#": r"\d", "@": "[A-Za-z]", "*": "[A-Za-z0-9]"}
"""Sign of a pattern -> what it stands for in a code, as a regular expression."""

Operand = str | int | float
"""A literal, or a text that begins with `$`."""


class Operator(StrEnum):
    """How a value is compared."""

    IS = "is"
    IS_NOT = "is_not"
    IN = "in"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a value must be; of several operands one is enough."""

    operator: Operator
    operands: tuple[Operand, ...]


Where = tuple[tuple[str, tuple[Comparison, ...]], ...]
"""(column, what it must be), all of which a row must meet."""
Assignments = tuple[tuple[str, Operand], ...]
"""(column, its new value)."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A value must be as the comparisons say."""

    value: str
    """What is compared: `$people`, `$entity.stars`."""
    comparisons: tuple[Comparison, ...]
    refuse: str


@dataclass(frozen=True, slots=True)
class Exists:
    """A row must be there; later steps refer to the first one as `$<table>.<column>`."""

    table: str
    where: Where
    refuse: str
    wanted: bool = True
    """False: no such row may be there."""


@dataclass(frozen=True, slots=True)
class Free:
    """The table must hold at least so much, on each of several days."""

    table: str
    where: Where
    on: tuple[Operand, ...]
    """The first day and, if there are several, their number."""
    by: Operand
    refuse: str


@dataclass(frozen=True, slots=True)
class IsOpen:
    """The entity must be open then; hours that are not known are no obstacle."""

    slot: str
    """The slot of its opening hours."""
    on: tuple[Operand, ...]
    """The day and, if one is known, the time."""
    refuse: str


@dataclass(frozen=True, slots=True)
class Insert:
    """A new row; columns not set hold the argument or result of the same name."""

    table: str
    values: Assignments


@dataclass(frozen=True, slots=True)
class Update:
    """Rows changed; a value that refers to an argument that was not given stays as it is."""

    table: str
    where: Where
    values: Assignments


@dataclass(frozen=True, slots=True)
class Delete:
    """Rows taken out."""

    table: str
    where: Where


@dataclass(frozen=True, slots=True)
class Adjust:
    """An amount increased or decreased, on each of several days."""

    table: str
    where: Where
    on: tuple[Operand, ...]
    by: Operand
    sign: int
    """1 or -1."""


Condition = Compare | Exists | Free | IsOpen
Effect = Insert | Update | Delete | Adjust
Step = Condition | Effect


@dataclass(frozen=True, slots=True)
class Given:
    """Something an action gives back."""

    key: str
    value: Operand | None = None
    """A value taken over."""
    times: tuple[Operand, ...] = ()
    """Values multiplied: the price of a room and the number of nights."""
    pattern: str = ""
    """Drawn: `#` is a digit, `@` a letter, `*` either; other signs stand for themselves."""
    one_of: tuple[str, ...] = ()
    """Drawn: one of these texts."""

    @property
    def shape(self) -> str:
        """The pattern as a regular expression; empty where there is none."""
        return "".join(CODE_SIGNS.get(sign, re.escape(sign)) for sign in self.pattern)

    @property
    def is_drawn(self) -> bool:
        """Whether it depends on the call, hence says nothing about what was done."""
        return bool(self.pattern or self.one_of)


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done."""

    key: str
    domain: str = ""
    """The domain of its entity, if it has one."""
    needs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    confirm: bool = False
    """The system must read the arguments back, and the user must agree, before it is called."""
    steps: tuple[Step, ...] = ()
    """Conditions and effects in order; if a condition fails, nothing has changed."""
    gives: tuple[Given, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        return (*self.needs, *self.optional)

    @property
    def refusals(self) -> tuple[str, ...]:
        """The reasons it may be refused for, each once."""
        conditions = (step for step in self.steps if isinstance(step, Condition))
        return tuple(dict.fromkeys(step.refuse for step in conditions))

    @property
    def tables(self) -> tuple[str, ...]:
        """The changing tables it reads or changes."""
        tables = (step.table for step in self.steps if not isinstance(step, Compare | IsOpen))
        return tuple(dict.fromkeys(tables))


@dataclass(frozen=True, slots=True)
class ChangingTable:
    """A table that actions change; every conversation has a copy of its own."""

    key: str
    columns: tuple[Slot, ...]
    file: str = ""
    """Its rows at the start; empty: none."""
    day: str = ""
    """Of a table of amounts, the column that holds the day."""
    amount: str = ""
    """Of a table of amounts, the column that holds how much is left."""
    default: int | None = None
    """What is left where no row says so; None: nothing."""

    @property
    def domain(self) -> Domain:
        """The same as a domain, for whatever reads rows."""
        return Domain(self.key, DomainKind.PLACE, self.columns)

    def column(self, key: str) -> Slot | None:
        return next((column for column in self.columns if column.key == key), None)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the policy that can be checked: its conditions hold when an action is called."""

    key: str
    actions: tuple[str, ...]
    """The actions it is about."""
    conditions: tuple[Condition, ...] = ()
    most: int | None = None
    """How often they may be done in one conversation."""


def argument_slot(schema: Schema, action: Action, name: str) -> Slot | None:
    """What an argument holds: the column of that name in a table of the action, or a slot."""
    if name == ENTITY:
        return Slot(ENTITY, SlotKind.NAME, target=action.domain)
    return next((slot for slot in _candidates(schema, action) if slot.key == name), None)


def _candidates(schema: Schema, action: Action) -> Iterator[Slot]:
    """Columns of tables that hold what was done say more than those of amounts: their limits."""
    tables = [table for table in schema.changing if table.key in action.tables]
    for table in sorted(tables, key=lambda table: bool(table.amount)):
        yield from table.columns
    domain = schema.domain(action.domain)
    yield from domain.slots if domain else ()


def is_reference(value: object) -> bool:
    return isinstance(value, str) and value.startswith(MARK)
