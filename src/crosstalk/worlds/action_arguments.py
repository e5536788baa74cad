"""The arguments of actions, read from what people, programs and language models give."""

from collections.abc import Mapping
from typing import Any, Final

from crosstalk.dialogue.actions import Action, ChangingTable, Operand, argument_slot
from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.worlds.action_events import LIMIT, MISSING, UNKNOWN, Refusal
from crosstalk.worlds.cells import NO, YES, CellError, read_cell, read_literal
from crosstalk.worlds.moments import Moments
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Cell, Row
from crosstalk.worlds.world import rendering_key

MINUS: Final = "-"


class RefusedArgument(Exception):
    """An argument that is missing or wrong."""

    def __init__(self, reason: str, argument: str) -> None:
        super().__init__(f"{argument}: {reason}")
        self.refusal = Refusal(reason, argument)


class ArgumentReader:
    """Reads the arguments of one world's actions, in its language."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._world = database.world
        self.moments = Moments(database.world)

    def slot(self, action: Action, name: str) -> Slot | None:
        return argument_slot(self._world.schema, action, name)

    def read_all(self, action: Action, given: Mapping[str, Any]) -> dict[str, Cell]:
        """The arguments as tables keep them; raises RefusedArgument, or InputError for names."""
        for name in given:
            if name not in action.arguments:
                known = ", ".join(action.arguments) or "none"
                raise InputError(
                    f"{action.key} takes no {name!r}", remedy=f"Its arguments are {known}."
                )
        said = {name: value for name, value in given.items() if value not in (None, "")}
        for name in action.needs:
            if name not in said:
                raise RefusedArgument(MISSING, name)
        return {name: self._read(action, name, said[name]) for name in said}

    def read_row(self, table: ChangingTable, given: Mapping[str, Any]) -> Row:
        """A row of a changing table from values as people write them."""
        return {
            column.key: self._cell(column, given.get(column.key, "")) for column in table.columns
        }

    def _read(self, action: Action, name: str, given: Any) -> Cell:
        slot = self.slot(action, name)
        assert slot is not None  # `world check` refuses arguments that are nowhere declared
        value = self._cell(slot, given)
        if value is None:
            raise RefusedArgument(UNKNOWN, name)
        if not self._is_within(slot, value):
            raise RefusedArgument(LIMIT, name)
        return value

    def _cell(self, slot: Slot, given: Any) -> Cell:
        """What was given, or None where it cannot be read or names nothing."""
        if slot.kind is SlotKind.NAME and slot.target:
            return self._entity(slot.target, str(given))
        if slot.kind is SlotKind.ENDPOINT:
            places = (domain.key for domain in self._world.schema.places)
            found = (self._entity(key, str(given)) for key in places)
            return next(filter(None, found), None) or self._chosen(slot, given)
        if slot.kind in (SlotKind.TIME, SlotKind.DATE, SlotKind.DAY):
            return self.moments.read(slot, str(given))
        if slot.kind is SlotKind.FLAG:
            return self._flag(given)
        if slot.kind.is_number and isinstance(given, str):
            return self._amount(slot, given)
        if slot.values:
            return self._chosen(slot, given)
        try:
            return read_cell(slot, given.strip() if isinstance(given, str) else given)
        except CellError:
            return None

    def _chosen(self, slot: Slot, given: Any) -> str | None:
        return next((each for each in slot.values if each.lower() == str(given).lower()), None)

    def _entity(self, domain: str, name: str) -> str | None:
        row = self._database.find(domain, name.strip())
        if row is not None:
            return name.strip()
        found = self._world.schema.domain(domain)
        key = found.name_slot.key if found and found.name_slot else ""
        known = self._world.texts(domain, key)
        return next((each for each in known if each.lower() == name.strip().lower()), None)

    def _flag(self, given: Any) -> str | None:
        pack = self._world.language
        words = {YES: pack.yes, NO: pack.no, pack.yes: pack.yes, pack.no: pack.no}
        if isinstance(given, bool):
            return pack.yes if given else pack.no
        return words.get(str(given).strip().lower())

    def _amount(self, slot: Slot, given: str) -> Cell:
        said = given.strip().removeprefix(MINUS)
        bounds = read_bounds(forms_of(self._world.language, "", slot), said)
        if bounds is None or bounds.low is None or bounds.low != bounds.high:
            return None
        try:
            return read_cell(slot, -bounds.low if given.strip() != said else bounds.low)
        except CellError:
            return None

    def _is_within(self, slot: Slot, value: Cell) -> bool:
        low = None if slot.low is None else read_cell(slot, slot.low)
        high = None if slot.high is None else read_cell(slot, slot.high)
        return _in_order(low, value) and _in_order(value, high)

    def literal(self, slot: Slot, operand: Operand) -> Cell:
        """A value that `world.toml` writes, in the words of the world's language."""
        if slot.kind is SlotKind.FLAG:
            return self._flag(operand)
        if slot.kind is SlotKind.DAY:
            return self.moments.day(str(operand))
        renderings = self._world.language.values.get(rendering_key(self._world.schema, slot), {})
        if isinstance(operand, str) and operand in renderings:
            return renderings[operand]
        return read_literal(slot, operand)


def _in_order(less: Cell, more: Cell) -> bool:
    if isinstance(less, str) and isinstance(more, str):
        return less <= more
    if isinstance(less, int | float) and isinstance(more, int | float):
        return less <= more
    return True
