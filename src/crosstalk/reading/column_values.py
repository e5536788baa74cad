"""Values of columns that the understanding of users has no finder for: amounts, yes and no, keys.

    ColumnValues(world, facts, book).find("It weighs 18 kg and is electric.", asked)

An amount is known by the unit that its column's form has, or by the column's name beside it; yes
and no by the column's name; identifiers and texts by what the cells hold.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from crosstalk.dialogue.schema import NUMBERS, Domain, Slot, SlotKind
from crosstalk.language.normalize import comparable, plain
from crosstalk.language.number_forms import forms_of
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import TIMES, Quantities
from crosstalk.reading.facts import SHORTEST_FORM, WorldFacts, form_of
from crosstalk.reading.items import Column, Found, Item
from crosstalk.worlds.tables import World

AMOUNTS: Final = NUMBERS - {SlotKind.RATING}
KEYS: Final = frozenset({SlotKind.KEY, SlotKind.TEXT})
VALUE: Final = "{value}"
NUMBER: Final = r"\d+(?:[.,]\d+)?"
SIGNS: Final = "$€£¥₽"
"""Signs of money, which stand before a number."""
GAP: Final = 24
"""Characters that may stand between the words of a column's name."""
_FIELD: Final = r"\W{0,4}(?:\w{1,3}\W)?\W{0,3}"
"""What may stand between a column's name and its value: `shelf: `, `floor is `."""
_KEY: Final = re.compile(_FIELD + r"(?P<key>[A-Z0-9-]*\d[A-Z0-9-]*)")


class ColumnValues:
    """Finds values of columns in sentences of one language of a world."""

    def __init__(
        self, world: World, facts: WorldFacts, book: Phrasebook, quantities: Quantities
    ) -> None:
        self._world = world
        self._facts = facts
        self._book = book
        self._quantities = quantities

    def find(self, text: str, asked: Collection[Column]) -> Iterator[Item]:
        """Items of a sentence; `asked` are the columns that the user wants to know."""
        if not self._columns:
            return
        stems = self._facts.stems(text)
        named = {column for column in self._columns if self._where_named(column, text, stems)}
        for start, end, columns in self._amounts(text):
            ranked = sorted(columns, key=lambda each: (each not in named, each not in asked))
            yield Item(
                Found.CELL, start, end, 0, value=_number(text[start:end]), columns=tuple(ranked)
            )
        for column, slot in self._columns.items():
            span = self._where_named(column, text, stems)
            if slot.kind is SlotKind.FLAG and span:
                yes = self._world.language.yes
                yield Item(Found.CELL, *span, 0, value=yes, columns=(column,))
            elif slot.kind in KEYS and (span or column in asked):
                yield from self._texts(column, text, span)

    def reads(self, column: Column) -> bool:
        return column in self._columns

    @cached_property
    def _columns(self) -> dict[Column, Slot]:
        """Columns of places that no other finder reads."""
        return {
            (domain.key, slot.key): slot
            for domain in self._world.schema.places
            for slot in domain.slots
            if not domain.key_slots and self._is_unread(domain, slot)
        }

    def _is_unread(self, domain: Domain, slot: Slot) -> bool:
        if slot.kind is SlotKind.NUMBER:
            said = forms_of(self._world.language, domain.key, slot).exact.format(value=7)
            known = [each.unit for each in self._quantities.find(plain(said))]
            return bool(known) and not any(u in (*TIMES, "money", "points") for u in known)
        if slot.kind is SlotKind.TEXT:
            return not self._facts.plays_a_role(domain.key, slot.key)
        return slot.kind in (SlotKind.MONEY, SlotKind.COUNT, SlotKind.FLAG, SlotKind.KEY)

    # Amounts

    def _amounts(self, text: str) -> Iterator[tuple[int, int, list[Column]]]:
        """Where numbers stand with the unit or the name of columns, and which columns these are."""
        found: dict[tuple[int, int], list[Column]] = {}
        for column, pattern in self._amount_patterns:
            for match in pattern.finditer(text):
                found.setdefault(match.span("number"), []).append(column)
        yield from ((start, end, columns) for (start, end), columns in sorted(found.items()))

    @cached_property
    def _amount_patterns(self) -> list[tuple[Column, re.Pattern[str]]]:
        return [
            (column, re.compile(form, re.IGNORECASE))
            for column, slot in self._columns.items()
            if slot.kind in AMOUNTS
            for form in self._amount_forms(column, slot)
        ]

    def _amount_forms(self, column: Column, slot: Slot) -> Iterator[str]:
        number = rf"(?<![\d.,])(?P<number>{NUMBER})(?!\d|[.,:]\d)"
        before, _, after = forms_of(self._world.language, column[0], slot).exact.partition(VALUE)
        if before.strip() or after.strip():
            yield self._loosely(before) + r"\s*" + number + r"[\s-]*" + self._loosely(after)
        if slot.kind is SlotKind.MONEY:
            yield rf"[{SIGNS}]\s*{number}"
            yield rf"{number}\s?[{SIGNS}]"
        name = self._loosely(self._world.language.slot_name(*column))
        yield name + _FIELD + number
        if slot.kind is SlotKind.COUNT:
            yield number + r"[\s-]*" + name

    def _loosely(self, words: str) -> str:
        """Words of a form as a pattern, whatever their endings: `dollars` finds `dollar`."""
        edge = r"\b" if self._facts.writing.spaced else ""
        parts = [
            rf"{edge}{re.escape(word[:-1])}\w{{0,2}}"
            if len(word) >= SHORTEST_FORM and edge
            else rf"{re.escape(word)}"
            for word in words.split()
        ]
        return r"\s*".join(parts)

    # Names of columns, identifiers and texts

    def _where_named(
        self, column: Column, text: str, stems: Sequence[tuple[str, int, int]]
    ) -> tuple[int, int] | None:
        """Where a column is named, or what people call it."""
        called = self._world.language.slot_name(*column)
        if not self._facts.writing.spaced:
            at = text.find(called)
            return (at, at + len(called)) if at >= 0 else None
        spots = [form_of(word, stems) for word, _, _ in self._facts.stems(called)]
        whole = [spot for spot in spots if spot]
        if spots and len(whole) == len(spots):
            start, end = min(spot[1] for spot in whole), max(spot[2] for spot in whole)
            if end - start <= len(called) + GAP:
                return start, end
        pattern = self._book.slots.get(".".join(column)) or self._book.slots.get(column[1])
        match = pattern.search(comparable(text)) if pattern else None
        return match.span() if match and len(comparable(text)) == len(text) else None

    def _texts(self, column: Column, text: str, named: tuple[int, int] | None) -> Iterator[Item]:
        """The cell of a column that a text has; beside its name, a key that no cell is."""
        said = comparable(text)
        for cell in sorted(self._cells[column], key=len, reverse=True):
            edge = r"(?<!\w){}(?!\w)" if self._facts.writing.spaced else "{}"
            if match := re.search(edge.format(re.escape(comparable(cell))), said):
                yield Item(Found.CELL, *match.span(), 0, value=cell, columns=(column,))
                return
        is_key = named and self._columns[column].kind is SlotKind.KEY
        if named and is_key and (match := _KEY.match(text, named[1])):
            yield Item(Found.CELL, *match.span("key"), 0, value=match["key"], columns=(column,))

    @cached_property
    def _cells(self) -> Mapping[Column, list[str]]:
        return {
            (domain, key): sorted({str(row[key]) for row in self._world.tables[domain] if row[key]})
            for domain, key in self._columns
        }


def _number(text: str) -> str:
    return plain(text) if not any(map(str.isdigit, text)) else text.replace(",", ".")
