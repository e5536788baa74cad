"""Cells: what a table or an action takes for each kind of slot, in the one form it is kept in.

    read_cell(Slot("leave", SlotKind.TIME), "9:05")        ->  "09:05"
    read_cell(Slot("price", SlotKind.MONEY), "16.50 pounds")  ->  16.5

A time is written from the midnight on which its day begins, so that 00:08 of the next day is
`24:08` and stands after `23:59`.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any, Final

from crosstalk.dialogue.schema import Slot, SlotKind
from crosstalk.worlds.tables import Cell

YES: Final = "yes"
NO: Final = "no"
"""What tables write for flags; each language says them in its own words."""
_TIME: Final = re.compile(r"(\d{1,2}):(\d\d)")
_AMOUNT: Final = re.compile(r"\D*?(-?\d+(?:\.\d+)?)\D*")
LAST_HOUR: Final = 29
"""Times after midnight belong to the day before as far as five in the morning."""


class CellError(ValueError):
    """A value that its kind does not take."""

    def __init__(self, expected: str, remedy: str) -> None:
        super().__init__(f"expected {expected}")
        self.expected = expected
        self.remedy = remedy


def read_cell(slot: Slot, given: Any) -> Cell:
    """What was given, as the slot's kind keeps it; raises CellError."""
    if given is None or (slot.unknown and given == slot.unknown):
        return None
    return _READERS[slot.kind](given)


def _name(given: Any) -> Cell:
    if isinstance(given, str) and given.strip():
        return given
    raise CellError("a name", 'Give every row a name, as text in quotes: "...".')


def _text(given: Any) -> Cell:
    if isinstance(given, str):
        return given
    raise CellError("text or null", 'Write it in quotes: "...".')


def _whole(given: Any) -> Cell:
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    raise CellError("a whole number or null", "Write 60, without quotes or unit.")


def _decimal(given: Any) -> Cell:
    if isinstance(given, int | float) and not isinstance(given, bool) and math.isfinite(given):
        return given
    raise CellError("a number or null", "Write 4.5, without quotes or unit.")


def _terms(given: Any) -> Cell:
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return tuple(given)
    raise CellError("a list of texts", 'Write ["...", "..."]; for nothing, [].')


def _count(given: Any) -> Cell:
    """A whole number; `"4"`, as released tables write it, is one."""
    if isinstance(given, str) and given.strip().isdecimal():
        return int(given)
    if isinstance(given, float) and given.is_integer():
        return int(given)
    return _whole(given)


def _money(given: Any) -> Cell:
    """An amount; in a text such as `16.50 pounds`, its one number."""
    if isinstance(given, str):
        found = _AMOUNT.fullmatch(given.replace(",", ""))
        if found is None:
            raise CellError("an amount or null", "Write 16.50, without quotes or unit.")
        given = float(found[1])
    return _decimal(given)


def _time(given: Any) -> Cell:
    found = _TIME.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is None or int(found[1]) > LAST_HOUR or int(found[2]) >= 60:
        raise CellError("a time of day or null", 'Write "17:05"; after midnight, "24:10".')
    return f"{int(found[1]):02}:{found[2]}"


def _date(given: Any) -> Cell:
    try:
        return date.fromisoformat(given).isoformat()
    except (TypeError, ValueError):
        raise CellError("a date or null", 'Write year, month and day: "2026-06-01".') from None


def _flag(given: Any) -> Cell:
    if isinstance(given, bool):
        return YES if given else NO
    if given in (YES, NO):
        return str(given)
    raise CellError("true, false or null", "Write true or false, without quotes.")


_READERS: Final[Mapping[SlotKind, Callable[[Any], Cell]]] = {
    **dict.fromkeys(SlotKind, _text),
    SlotKind.NAME: _name,
    SlotKind.NUMBER: _whole,
    SlotKind.RATING: _decimal,
    **dict.fromkeys((SlotKind.LIST, SlotKind.SERVICES, SlotKind.NEARBY), _terms),
    SlotKind.TIME: _time,
    SlotKind.DATE: _date,
    SlotKind.COUNT: _count,
    SlotKind.MONEY: _money,
    SlotKind.FLAG: _flag,
}


def days_from(start: str, count: int, week: tuple[str, ...] = ()) -> tuple[str, ...]:
    """`count` days beginning at a date, or at a day of the week (`week` names all seven)."""
    if start in week:
        at = week.index(start)
        return tuple(week[(at + step) % len(week)] for step in range(count))
    first = date.fromisoformat(start)
    return tuple((first + timedelta(days=step)).isoformat() for step in range(count))
