"""`[[tables]]`, `[[actions]]` and `[[rules]]` of `world.toml`: their fields as a file has them."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from crosstalk.dialogue.actions import (
    MARK,
    Action,
    Adjust,
    Assignments,
    ChangingTable,
    Compare,
    Comparison,
    Condition,
    Delete,
    Effect,
    Exists,
    Free,
    Given,
    Insert,
    IsOpen,
    Operator,
    Rule,
    Update,
    Where,
)
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.toml_files import STRICT
from crosstalk.worlds.cells import NO, YES

Key = Annotated[str, Field(min_length=1, pattern=r"^[^.\s]([^.]*[^.\s])?$")]
REFUSED = "refused"
"""The reason of a condition that names none."""
REFERENCE = "*" * 8
"""The pattern of what an action gives without saying how: a code of eight letters and digits."""


def _literal(given: Any) -> Any:
    if isinstance(given, bool):
        return YES if given else NO
    if not isinstance(given, str | int | float):
        raise ValueError("Write a text, a number, true, false, or a reference such as $people")
    return given


OperandFile = Annotated[Any, BeforeValidator(_literal)]
"""A text, a number, or true or false, which become the words of flags."""


def _short(field: str) -> BeforeValidator:
    """Takes `x` for `{ field = x }`, so that the common case is short to write."""
    return BeforeValidator(lambda given: given if isinstance(given, dict) else {field: given})


class _Model(BaseModel):
    model_config = STRICT


class ComparisonsFile(_Model):
    """What a value must be."""

    is_: Annotated[OperandFile, Field(alias="is")] = None
    is_not: OperandFile = None
    in_: Annotated[list[OperandFile], Field(alias="in")] = []
    at_least: OperandFile = None
    at_most: OperandFile = None
    before: OperandFile = None
    after: OperandFile = None

    def comparisons(self) -> tuple[Comparison, ...]:
        single = {
            Operator.IS: self.is_,
            Operator.IS_NOT: self.is_not,
            Operator.AT_LEAST: self.at_least,
            Operator.AT_MOST: self.at_most,
            Operator.BEFORE: self.before,
            Operator.AFTER: self.after,
        }
        found = [Comparison(name, (value,)) for name, value in single.items() if value is not None]
        return (*found, *((Comparison(Operator.IN, tuple(self.in_)),) if self.in_ else ()))


WhereFile = dict[str, Annotated[ComparisonsFile, _short("is")]]


def _where(where: WhereFile) -> Where:
    return tuple((column, each.comparisons()) for column, each in where.items())


class StepFile(ComparisonsFile):
    """One condition or effect; exactly one of the first eleven fields says which."""

    argument: str = ""
    slot: str = ""
    exists: str = ""
    not_exists: str = ""
    free: str = ""
    open: str = ""
    insert: str = ""
    update: str = ""
    delete: str = ""
    increase: str = ""
    decrease: str = ""
    where: WhereFile = {}
    on: list[OperandFile] = []
    by: OperandFile = 1
    set: dict[str, OperandFile] = {}
    refuse: str = ""

    @property
    def does(self) -> list[str]:
        """Which of the fields that say what it is are given."""
        return [name for name in (*CONDITIONS, *EFFECTS) if getattr(self, name)]

    def value(self, refuse: str) -> Condition | Effect:
        reason = self.refuse or refuse or REFUSED
        where, values, on = _where(self.where), _assignments(self.set), tuple(self.on)
        match self.does[0]:
            case "argument":
                return Compare(MARK + self.argument, self.comparisons(), reason)
            case "slot":
                return Compare(f"{MARK}entity.{self.slot}", self.comparisons(), reason)
            case "exists":
                return Exists(self.exists, where, reason)
            case "not_exists":
                return Exists(self.not_exists, where, reason, wanted=False)
            case "free":
                return Free(self.free, where, on, self.by, reason)
            case "open":
                return IsOpen(self.open, on, reason)
            case "insert":
                return Insert(self.insert, values)
            case "update":
                return Update(self.update, where, values)
            case "delete":
                return Delete(self.delete, where)
            case "increase":
                return Adjust(self.increase, where, on, self.by, 1)
            case _:
                return Adjust(self.decrease, where, on, self.by, -1)


CONDITIONS = ("argument", "slot", "exists", "not_exists", "free", "open")
EFFECTS = ("insert", "update", "delete", "increase", "decrease")


def _assignments(given: dict[str, OperandFile]) -> Assignments:
    return tuple(given.items())


class GivenFile(_Model):
    key: Key
    value: OperandFile = None
    times: list[OperandFile] = []
    pattern: str = ""
    one_of: list[str] = []

    def given(self) -> Given:
        drawn = self.value is None and not self.times and not self.one_of
        pattern = self.pattern or (REFERENCE if drawn else "")
        return Given(self.key, self.value, tuple(self.times), pattern, tuple(self.one_of))


class ActionFile(_Model):
    key: Key
    domain: str = ""
    needs: list[str] = []
    optional: list[str] = []
    confirm: bool = False
    require: list[StepFile] = []
    effect: list[StepFile] = []
    gives: list[Annotated[GivenFile, _short("key")]] = []
    refuse: str = ""

    def value(self) -> Action:
        steps = (step.value(self.refuse) for step in (*self.require, *self.effect))
        return Action(
            self.key,
            self.domain,
            tuple(self.needs),
            tuple(self.optional),
            self.confirm,
            tuple(steps),
            tuple(each.given() for each in self.gives),
        )


class ColumnFile(_Model):
    """A column that needs more than its kind."""

    kind: Annotated[SlotKind, Field(strict=False)]
    target: str = ""
    low: OperandFile = None
    high: OperandFile = None
    values: list[str] = []
    examples: list[str] = []

    def value(self, key: str) -> Slot:
        return Slot(
            key,
            self.kind,
            target=self.target,
            low=self.low,
            high=self.high,
            values=tuple(self.values),
            examples=tuple(self.examples),
        )


class TableFile(_Model):
    """A changing table."""

    key: Key
    columns: dict[str, Annotated[ColumnFile, _short("kind")]]
    file: str = ""
    day: str = ""
    amount: str = ""
    default: int | None = None

    def value(self) -> ChangingTable:
        columns = tuple(each.value(key) for key, each in self.columns.items())
        return ChangingTable(self.key, columns, self.file, self.day, self.amount, self.default)


class RuleFile(_Model):
    key: Key
    actions: list[str]
    require: list[StepFile] = []
    most: Annotated[int, Field(ge=0)] | None = None

    def value(self) -> Rule:
        steps: list[Any] = [step.value(self.key) for step in self.require]
        return Rule(self.key, tuple(self.actions), tuple(steps), self.most)
