"""Facts: what the tables say about the places that are being talked about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crosstalk.database.numbers import Bounds, forms_of, read_bounds, say_band, say_number
from crosstalk.database.saying import say_cell
from crosstalk.database.tables import World
from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.modules.nlu.gazetteer import Gazetteer, Match, column_values, folded

TOLD: Final = frozenset(
    {
        SlotKind.TEXT,
        SlotKind.CATEGORY,
        SlotKind.DURATION,
        SlotKind.NUMBER,
        SlotKind.RATING,
        SlotKind.LIST,
        SlotKind.NEARBY,
        SlotKind.STATION,
    }
)
"""Kinds of slots whose values are told word for word."""

_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")
_NOT_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Entity:
    """A place of the tables."""

    domain: str
    name: str


class Facts:
    """A world's tables, asked about entities and about texts."""

    def __init__(self, world: World, gazetteer: Gazetteer) -> None:
        self.world = world
        self.gazetteer = gazetteer
        self._said: dict[Entity, dict[str, frozenset[str]]] = {}
        self._rows = {
            Entity(key, str(row[table.domain.name_slot.key])): row
            for key, table in world.tables.items()
            if table.domain.name_slot
            for row in table
        }
        self._by_folded: dict[str, list[Entity]] = {}
        for entity in self._rows:
            self._by_folded.setdefault(folded(entity.name), []).append(entity)
        self.services = {
            folded(service): (domain.key, slot.key, service)
            for domain in world.schema
            for slot in domain.of_kind(SlotKind.SERVICES)
            for service in column_values(world, domain.key, slot.key)
        }
        self.find = lru_cache(maxsize=4096)(self._find)
        self.entities_in = lru_cache(maxsize=4096)(self._entities_in)

    def _find(self, text: str) -> tuple[Match, ...]:
        return tuple(self.gazetteer.find(text))

    def _entities_in(self, text: str) -> tuple[tuple[Match, Entity], ...]:
        """The entities a text names, in order; a name of two domains stands for both."""
        small = folded(text)
        return tuple(
            (match, entity)
            for match in self.find(text)
            for entity in self._by_folded.get(small[match.start : match.end], ())
        )

    def said(self, entity: Entity) -> dict[str, frozenset[str]]:
        """Slot -> the texts that tell it."""
        if entity not in self._said:
            self._said[entity] = dict(self._say(entity))
        return self._said[entity]

    def _say(self, entity: Entity) -> Iterator[tuple[str, frozenset[str]]]:
        domain = self.world.schema.domain(entity.domain)
        row = self._rows.get(entity)
        if domain is None or row is None:
            return
        for slot in domain.slots:
            if slot.kind in TOLD:
                said = say_cell(self.world.language, domain, slot, row.get(slot.key))
                yield slot.key, frozenset(said)
            elif slot.kind is SlotKind.SERVICES:
                cell = row.get(slot.key)
                yield slot.key, frozenset(cell if isinstance(cell, tuple) else ())

    def told_loosely(self, entity: Entity, text: str) -> Iterator[tuple[str, str]]:
        """Slot and value of what a text tells about an entity, other signs between the words."""
        squeezed = squeeze(text)
        digits = frozenset(_DIGITS.findall(text))
        domain = self.world.schema.domain(entity.domain)
        for slot, values in self.said(entity).items():
            found = domain.slot(slot) if domain else None
            if found is None or found.kind not in (SlotKind.TEXT, SlotKind.DURATION):
                continue
            for value in values:
                numbers = _DIGITS.findall(value)
                phones = [number for number in numbers if len(number) > 6]
                tight = squeeze(value)
                if (len(tight) > 3 and tight in squeezed) or (
                    phones and digits.issuperset(numbers)
                ):
                    yield slot, self.separated(value) if phones else value

    def separated(self, value: str) -> str:
        """Several numbers in one cell, parted as acts part them."""
        apart = self.world.language.term_separator
        return value.replace(",", apart) if apart else value

    def canonical(self, domain: str, slot: Slot, text: str) -> Iterator[str]:
        """How goals and tables write what a text says of a number or a span of time."""
        if slot.kind in (SlotKind.NUMBER, SlotKind.RATING):
            yield from self._numbers(domain, slot, text)
        elif slot.kind is SlotKind.DURATION:
            digits = _DIGITS.findall(text)
            for value in column_values(self.world, domain, slot.key) if digits else ():
                if _DIGITS.findall(value) == digits and folded(value)[-1] == folded(text)[-1]:
                    yield value

    def _numbers(self, domain: str, slot: Slot, text: str) -> Iterator[str]:
        forms = forms_of(self.world.language, domain, slot)
        bounds = read_bounds(forms, text)
        if bounds is None:
            return
        meant = [bounds]
        if bounds.low is not None and bounds.low == bounds.high:
            meant.append(Bounds(bounds.low, None))  # "4.5 points" for "4.5 points and more"
        for band in slot.bands:
            said = say_band(forms, band)
            if read_bounds(forms, said) in meant:
                yield said
        if bounds.low is not None and bounds.low == bounds.high:
            yield say_number(forms, bounds.low)


def squeeze(text: str) -> str:
    """Letters and digits only."""
    return _NOT_WORDS.sub("", folded(text))


def slot_of(world: World, domain: str, slot: str) -> tuple[Domain, Slot] | None:
    found = world.schema.domain(domain)
    its = found.slot(slot) if found else None
    return (found, its) if found and its else None
