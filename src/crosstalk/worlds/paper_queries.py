"""The published query object, quirks included, for numbers that can be compared with the paper.

It never forgets: a bound once set stays until the same slot sets it anew, so `100元以上` after
`50-80元` looks for 100 to 80 and finds nothing; the ends of rides stay in the same way. Numbers are
read from the front of the text and only up to the decimal point, names always match as parts of
names, a taxi without both ends answers with one empty row. One thing is not kept: where the
published code stops with a type error (a price nobody can read, against a row without a price), the
row is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from crosstalk.dialogue.languages import NumberForms
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.language.number_forms import (
    FREE,
    NOT_FREE,
    Bounds,
    forms_of,
    said_above,
    said_below,
    without_words_before,
    words_between,
)
from crosstalk.worlds.conditions import (
    Condition,
    Constraints,
    Contains,
    Within,
    several,
    slot_of,
    terms,
)
from crosstalk.worlds.indexed_tables import IndexedTable
from crosstalk.worlds.queries import Stops, decisive, ends_of, metro_rows, name_key, taxi_row
from crosstalk.worlds.tables import Row, World

_WHOLE = re.compile(r"\d+")
_SCORE = re.compile(r"\d\.\d|\d")


class PaperDatabase:
    """One published query object; a dialogue that shall not inherit from another needs its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._tables = {
            key: IndexedTable(table, folds=False) for key, table in world.tables.items()
        }
        self._stops = Stops(world)
        self._bounds: dict[tuple[str, str], Bounds] = {}
        self._ends: dict[tuple[str, str], str] = {}

    def forget(self) -> None:
        """Be as new, which the published object never is."""
        self._bounds.clear()
        self._ends.clear()

    def search(self, domain: str, constraints: Constraints) -> tuple[Row, ...]:
        """The rows that match, in file order; none where the domain is unknown or not chosen."""
        asked = self.world.schema.domain(domain)
        if asked is None:
            return ()
        if asked.kind is not DomainKind.PLACE:
            return self._ride(asked, constraints)
        conditions = list(self._conditions(asked, decisive(name_key(asked), constraints)))
        return self._tables[domain].where(conditions)

    def _conditions(
        self, domain: Domain, constraints: Constraints
    ) -> Iterator[tuple[str, Condition]]:
        for key, value in constraints.items():
            slot = slot_of(domain, key)
            for text in self._texts(slot, value):
                condition = self._condition(domain, slot, text)
                if condition is not None:
                    yield slot.key, condition

    def _texts(self, slot: Slot, value: str | tuple[str, ...]) -> tuple[str, ...]:
        if slot.kind.is_list:
            return terms(self.world.language, value)
        return (value,) if isinstance(value, str) and value else several(value)

    def _condition(self, domain: Domain, slot: Slot, text: str) -> Condition | None:
        forms = forms_of(self.world.language, domain.key, slot)
        if slot.kind is SlotKind.RATING:
            digits = without_words_before(forms, text).replace(forms.decimal, ".")
            score = _SCORE.match(digits)
            return Within(Bounds(float(score[0]))) if score else None
        if slot.kind is SlotKind.NUMBER:
            key = (domain.key, slot.key)
            self._bounds[key] = _remembered(self._bounds.get(key, Bounds()), forms, text)
            return Within(self._bounds[key])
        return Contains(text)

    def _ride(self, domain: Domain, constraints: Constraints) -> tuple[Row, ...]:
        keys = ends_of(domain)
        for key in keys:
            if given := " ".join(several(constraints.get(key, ""))):
                self._ends[domain.key, key] = given
        start, end = (self._ends.get((domain.key, key), "") for key in keys)
        if domain.kind is DomainKind.METRO:
            if not start or not end:
                return ()
            return metro_rows(domain, self._stops, start, end, exactly_first=False)
        if not start or not end:
            return ({},)
        return (taxi_row(domain, self.world.tables[domain.key].rows, self._stops, start, end),)


def _remembered(before: Bounds, forms: NumberForms, text: str) -> Bounds:
    """The bounds after reading a text: what it does not set stays as it was."""
    if forms.free and text == forms.free:
        return FREE
    if forms.not_free and text == forms.not_free:
        return replace(before, low=NOT_FREE.low)
    numbers = without_words_before(forms, text)
    if found := re.match(rf"(\d+){re.escape(words_between(forms))}(\d+)", numbers):
        return Bounds(int(found[1]), int(found[2]))
    whole = _WHOLE.match(numbers)
    if whole is None:
        return before
    number = int(whole[0])
    if said_above(forms, text):
        return replace(before, low=number)
    return replace(before, high=number) if said_below(forms, text) else Bounds(number, number)
