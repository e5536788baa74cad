"""Values in what a reply says of actions: codes, prices, times, dates and counts.

    for value in ActionValues(reader).find(sentence): value.kind, value.said, value.start

`ActionFacts` holds what the calls that are spoken of make true of each kind.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Final

from crosstalk.dialogue.actions import ENTITY, MARK, Action, Adjust, Free, argument_slot
from crosstalk.dialogue.schema import EITHER, Slot, SlotKind
from crosstalk.language.dates import Dates, SaidDate
from crosstalk.language.patterns import pattern
from crosstalk.language.writing import writing_of
from crosstalk.reading.clock import SaidTime
from crosstalk.reading.items import Found
from crosstalk.reading.positions import letters_in_place
from crosstalk.reading.prose import Sentence
from crosstalk.reading.reader import ProseReader
from crosstalk.worlds.action_events import ActionEvent
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.cells import days_from
from crosstalk.worlds.tables import Cell, Row

_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9-])(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]+)*(?![A-Za-z0-9-])"
)
"""Capital letters and digits, some of both."""
SHORTEST_CODE: Final = 5
DAY_AND_NUMBER: Final = 2
"""Operands of `on` where it names the first of several days."""
_NUMBER: Final = re.compile(r"(?<![A-Za-z0-9.,:-])(\d{1,3})(?![\d:]|[.,]\d)\s*")


class ValueKind(StrEnum):
    """What a value is, by which it is compared."""

    CODE = "code"
    MONEY = "money"
    TIME = "time"
    DATE = "date"
    COUNT = "count"


Said = str | float | SaidTime | SaidDate


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A value in a reply."""

    kind: ValueKind
    said: Said
    start: int
    end: int
    slot: str = ""
    """Of a count, the argument it counts."""


class ActionValues:
    """Finds values in sentences of one language of a world."""

    def __init__(self, reader: ProseReader) -> None:
        self._scanner = reader.scanner
        pack = reader.world.language
        writing = writing_of(pack.code)
        self._dates = Dates(writing, form=lambda name: letters_in_place(name)[0])
        given = (each for action in reader.world.schema.actions for each in action.gives)
        self._shapes = [re.compile(shape) for each in given if (shape := each.shape)]
        self._counted = {slot: pattern(words, pack.code) for slot, words in pack.counts.items()}

    def with_whole_dates(self, reply: str) -> str:
        """A reply without the full stops inside dates, which end no sentence: `8. Juni`."""
        shown, places = letters_in_place(reply)
        for date in self._dates.find_days(shown):
            start, end = places[date.start], places[date.end - 1]
            reply = reply[:start] + reply[start:end].replace(".", " ") + reply[end:]
        return reply

    def find(self, sentence: Sentence) -> list[SaidValue]:
        """The values of a sentence, with their positions in the reply."""
        found = sorted(self._find(sentence.text), key=lambda value: value.start)
        return [
            SaidValue(v.kind, v.said, v.start + sentence.start, v.end + sentence.start, v.slot)
            for v in found
        ]

    def _find(self, text: str) -> Iterator[SaidValue]:
        codes = list(self._codes(text))
        yield from codes
        text = _without(text, codes)
        shown, places = letters_in_place(text)
        dates = [
            SaidValue(ValueKind.DATE, date, places[date.start], places[date.end - 1] + 1)
            for date in self._dates.find_days(shown)
        ]
        yield from dates
        text = _without(text, dates)
        yield from self._counts(text)  # before times: four nights are no time of day
        times = [
            SaidValue(ValueKind.TIME, time, time.start, time.end)
            for time in self._scanner.hours.times(text)
        ]
        yield from times
        yield from self._money(_without(text, times))

    def _codes(self, text: str) -> Iterator[SaidValue]:
        """What looks like a code anywhere, or as this world gives codes out, however short."""
        own = {match.span() for shape in self._shapes for match in shape.finditer(text)}
        for match in _CODE.finditer(text):
            code = match[0].replace("-", "")
            if len(code) >= SHORTEST_CODE or match.span() in own:
                yield SaidValue(ValueKind.CODE, code, *match.span())

    def _counts(self, text: str) -> Iterator[SaidValue]:
        """Counts have no place of their own: number words may have become digits."""
        shown = self._scanner.quantities.with_digits(letters_in_place(text)[0])
        for number in _NUMBER.finditer(shown):
            for slot, words in self._counted.items():
                if words.match(shown, number.end()):
                    yield SaidValue(ValueKind.COUNT, float(number[1]), 0, 0, slot)

    def _money(self, text: str) -> Iterator[SaidValue]:
        for item in self._scanner.scan(Sentence(text, 0, 0)).of(Found.AMOUNT):
            amount = item.amount
            if amount is None or amount.unit != "money" or not amount.bare:
                continue
            if amount.bounds.low is not None and amount.bounds.low == amount.bounds.high:
                yield SaidValue(ValueKind.MONEY, float(amount.bounds.low), item.start, item.end)


def _without(text: str, values: Iterable[SaidValue]) -> str:
    for value in values:
        text = text[: value.start] + " " * (value.end - value.start) + text[value.end :]
    return text


@dataclass(frozen=True)
class ActionFacts:
    """What calls make true: the values that a reply about them may tell."""

    executor: Executor
    events: Sequence[ActionEvent]
    before: frozenset[tuple[str, Cell]] = field(init=False)
    """Values that the calls changed; they may be told beside the new ones."""

    def __post_init__(self) -> None:
        old = frozenset(
            (key, cell)
            for event in self.events
            for change in event.changes
            if change.before and change.after
            for key, cell in change.before.items()
        )
        object.__setattr__(self, "before", old)

    @cached_property
    def cells(self) -> Mapping[str, frozenset[Cell]]:
        """Argument, result or column -> its values after the calls."""
        found: dict[str, set[Cell]] = {}
        for event in self.events:
            for row in (event.arguments, event.gives, *self.rows(event)):
                for key, cell in row.items():
                    found.setdefault(key, set()).add(cell)
        return {key: frozenset(cells) for key, cells in found.items()}

    def rows(self, event: ActionEvent) -> Iterator[Row]:
        """The rows that a call left behind, without those of amounts."""
        for change in event.changes:
            table = self.executor.table(change.table)
            if change.after and not table.amount:
                yield change.after

    @cached_property
    def kinds(self) -> Mapping[str, Slot]:
        """Argument or column -> what it holds."""
        schema = self.executor.world.schema
        found: dict[str, Slot] = {}
        for event in self.events:
            action = self.executor.action(event.action)
            for name in action.arguments:
                if slot := argument_slot(schema, action, name):
                    found[name] = slot
            for change in event.changes:
                table = self.executor.table(change.table)
                found |= {} if table.amount else {slot.key: slot for slot in table.columns}
        return found

    def of_kind(self, kind: SlotKind) -> frozenset[str]:
        """Texts of one kind after the calls."""
        keys = (key for key, slot in self.kinds.items() if slot.kind is kind)
        return frozenset(
            str(cell) for key in keys for cell in self.cells.get(key, ()) if cell is not None
        )

    @cached_property
    def texts(self) -> frozenset[str]:
        return frozenset(str(cell) for cells in self.cells.values() for cell in cells)

    @cached_property
    def results(self) -> Mapping[str, float]:
        """What calls give that is a number: the total price."""
        return {
            key: float(cell)
            for event in self.events
            for key, cell in event.gives.items()
            if isinstance(cell, int | float) and not isinstance(cell, bool)
        }

    @cached_property
    def amounts(self) -> frozenset[float]:
        """Prices that may be told: results, numbers of the entity, and these times a count."""
        counts = {1.0}
        for key, slot in self.kinds.items():
            if slot.kind is SlotKind.COUNT:
                counts |= {float(c) for c in self.cells.get(key, ()) if isinstance(c, int | float)}
        numbers = {
            float(cell)
            for row in self._entities()
            for cell in row.values()
            if isinstance(cell, int | float)
        }
        each = {number * count for number in numbers for count in counts}
        shares = {number / count for number in self.results.values() for count in counts if count}
        return frozenset(chain(self.results.values(), each, shares))

    def _entities(self) -> Iterator[Row]:
        for event in self.events:
            action: Action = self.executor.action(event.action)
            name = event.arguments.get(ENTITY)
            row = self.executor.database.find(action.domain, str(name)) if name else None
            if row:
                yield row

    @cached_property
    def dates(self) -> frozenset[str]:
        """Dates after the calls, the day that ends a stay, and today."""
        first = self.of_kind(SlotKind.DATE)
        lengths = {
            int(cell)
            for key in self._lengths()
            for cell in self.cells.get(key, ())
            if isinstance(cell, int)
        }
        last = {days_from(date, length + 1)[-1] for date in first for length in lengths}
        return first | last | {self.executor.world.schema.today}

    def _lengths(self) -> Iterator[str]:
        """The arguments that say for how many days something is."""
        for event in self.events:
            for step in self.executor.action(event.action).steps:
                if isinstance(step, Free | Adjust) and len(step.on) == DAY_AND_NUMBER:
                    yield str(step.on[1]).partition(EITHER)[0].removeprefix(MARK)
