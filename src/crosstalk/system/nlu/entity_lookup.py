"""What the tables say about the places that are being talked about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.language.gazetteer import Match, TextFinder
from crosstalk.language.normalize import folded, tight
from crosstalk.language.number_forms import (
    FREE,
    Bounds,
    forms_of,
    read_bounds,
    say_band,
    say_number,
)
from crosstalk.language.numerals import DECIMAL
from crosstalk.language.remembered import remembered
from crosstalk.worlds.display import say_cell
from crosstalk.worlds.tables import World

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
"""Kinds of slots whose values the system says word for word."""

_MARKS: Final = re.compile(r"\s*[,;，；、/]\s*")
_LONG: Final = re.compile(r"\d{6}")


@dataclass(frozen=True, slots=True)
class Entity:
    """A place of the tables, by domain and name."""

    domain: str
    name: str


@dataclass(frozen=True, slots=True)
class NormalizedValue:
    """A table value in a form that is found whatever the punctuation."""

    slot: str
    value: str
    tight: str
    """Its letters and digits; empty if there are fewer than four."""
    numbers: frozenset[str]
    """The numbers in the value if they identify it, as in phone numbers."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A part of an utterance."""

    speaker: Speaker
    text: str
    start: int
    end: int

    @property
    def said(self) -> str:
        return self.text[self.start : self.end]


class EntityLookup:
    """Looks up entities and values in a world's tables; reads texts to the letter."""

    def __init__(self, world: World, finder: TextFinder) -> None:
        self.world = world
        self.finder = finder
        self._loose: dict[Entity, tuple[NormalizedValue, ...]] = {}
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
            for service in world.texts(domain.key, slot.key)
        }
        self._domain_words = {d.key: world.language.domain_name(d.key) for d in world.schema}
        self._slot_words = {
            f"{domain.key}.{slot.key}": world.language.slot_name(domain.key, slot.key)
            for domain in world.schema
            for slot in domain.slots
            if slot.kind is not SlotKind.SERVICES
        }
        self._spelled: dict[str, list[str]] = {}
        for value in dict.fromkeys(_names_and_terms(world)):
            self._spelled.setdefault(folded(value), []).append(value)
        self._times = [
            (_time_pattern(value), (domain.key, slot.key, value))
            for domain in world.schema
            for slot in domain.of_kind(SlotKind.DURATION)
            for value in world.texts(domain.key, slot.key)
        ]
        self.entities_in = remembered(self._entities_in, 4096)

    def save(self, folder: Path) -> None:
        """Write what a model folder has to keep: nothing, everything is in the tables."""

    def find(self, text: str) -> tuple[Match, ...]:
        return self.finder.find(text)

    def spans(self, text: str) -> tuple[Match, ...]:
        """Parts of a text that may be values, independent of what the reader marks."""
        return self.find(text)

    def said_domains(self, text: str) -> dict[str, int]:
        """Domain -> position of its name in the text, -1 if absent."""
        return {key: text.find(word) for key, word in self._domain_words.items()}

    def said_slots(self, text: str) -> frozenset[str]:
        """Slots, or `domain.slot`, that a phrase of the text may request."""
        return frozenset(key for key, word in self._slot_words.items() if word in text)

    def slots_by_name(self, text: str) -> frozenset[str]:
        """`domain.slot` of the slots whose names occur in the text.

        Empty where a phrase book says how people ask for slots (`ValueLinker`).
        """
        return self.said_slots(text)

    def linked_values(
        self, domain: str, slot: Slot | None, heard: TextSpan, fixed: str = ""
    ) -> list[str]:
        """The values that a part of a text may mean; `fixed` if the act key has only one."""
        said = fixed or heard.said
        return list(dict.fromkeys([said, *(self.canonical(domain, slot, said) if slot else ())]))

    def linked_services(self, heard: TextSpan) -> list[tuple[str, bool]]:
        """The services that a part of a text may mean, and whether it uses other words."""
        small = folded(heard.said)
        if small in self.services:
            return [(self.services[small][2], False)]
        near = sorted(
            ((_overlap(small, each), told[2]) for each, told in self.services.items()),
            reverse=True,
        )
        return [(name, True) for score, name in near[:2] if score > 0.3]

    def _entities_in(self, text: str) -> tuple[tuple[Match, Entity], ...]:
        """The entities that a text names, in order; a name of two domains gives both."""
        small = folded(text)
        return tuple(
            (match, entity)
            for match in self.find(text)
            for entity in self._by_folded.get(
                folded(match.value) or small[match.start : match.end], ()
            )
        )

    def said(self, entity: Entity) -> dict[str, frozenset[str]]:
        """Slot -> the texts that express its value."""
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

    def stations(self, name: str) -> frozenset[str]:
        """The stations of the places with this name, as the system says them."""
        found: set[str] = set()
        for entity in self._by_folded.get(folded(name), ()):
            domain = self.world.schema.domain(entity.domain)
            for slot in domain.of_kind(SlotKind.STATION) if domain else ():
                found |= self.said(entity).get(slot.key, frozenset())
        return frozenset(found)

    def values_mentioned(self, entity: Entity, text: str) -> Iterator[tuple[str, str]]:
        """Slot and value of the entity's cells that occur in a text, ignoring punctuation."""
        squeezed, digits = _loosened_text(text)
        for loose in self._loosely(entity):
            if (loose.tight and loose.tight in squeezed) or (
                loose.numbers and digits.issuperset(loose.numbers)
            ):
                yield loose.slot, loose.value

    def _loosely(self, entity: Entity) -> tuple["NormalizedValue", ...]:
        if entity not in self._loose:
            domain = self.world.schema.domain(entity.domain)
            slots = domain.of_kind(SlotKind.TEXT, SlotKind.DURATION) if domain else ()
            self._loose[entity] = tuple(
                self._loosened(slot.key, value)
                for slot in slots
                for value in self.said(entity).get(slot.key, ())
            )
        return self._loose[entity]

    def _loosened(self, slot: str, value: str) -> "NormalizedValue":
        letters, numbers = tight(value), DECIMAL.findall(value)
        is_phone = any(len(number) > 6 for number in numbers)
        return NormalizedValue(
            slot,
            self.separated(value),
            letters if len(letters) > 3 else "",
            frozenset(numbers if is_phone else ()),
        )

    def separated(self, value: str) -> str:
        """A cell with several numbers, separated as acts separate them; single spaces."""
        apart = self.world.language.term_separator
        parts = _MARKS.split(value)
        if apart and len(parts) > 1 and all(_LONG.search(part) for part in parts):
            value = apart.join(parts)
        return " ".join(value.split())

    def canonical(self, domain: str, slot: Slot, text: str) -> Iterator[str]:
        """How goals and tables write a number, a duration or a name of the text."""
        if slot.kind.is_number:
            yield from self._numbers(domain, slot, text)
        elif slot.kind is SlotKind.DURATION:
            digits = DECIMAL.findall(text)
            for value in self.world.texts(domain, slot.key) if digits else ():
                if DECIMAL.findall(value) == digits and folded(value)[-1] == folded(text)[-1]:
                    yield value
        else:
            yield from self._spelled.get(folded(text), ())

    def _numbers(self, domain: str, slot: Slot, text: str) -> Iterator[str]:
        forms = forms_of(self.world.language, domain, slot)
        bounds = read_bounds(forms, text)
        if bounds is None:
            return
        meant = [bounds]
        one = bounds.low if bounds.low == bounds.high else None
        if one is not None:  # "4.5 points" for "4.5 points and more", "up to 20" for "below 20"
            meant += [Bounds(one, None), Bounds(None, one)]
        for band in slot.bands:
            said = say_band(forms, band)
            if read_bounds(forms, said) in meant:
                yield said
        if one is not None:
            yield say_number(forms, one)
            yield from DECIMAL.findall(text)
        if bounds == FREE and forms.not_free:
            yield forms.not_free

    def durations_in(self, text: str) -> Iterator[tuple[str, str, str]]:
        """Domain, slot and value of the durations in a text, in whatever notation."""
        if any(each.isdigit() for each in text):
            for pattern, told in self._times:
                if pattern.search(text):
                    yield told


@lru_cache(maxsize=256)
def _loosened_text(text: str) -> tuple[str, frozenset[str]]:
    return tight(text), frozenset(DECIMAL.findall(text))


def _names_and_terms(world: World) -> Iterator[str]:
    for key, table in world.tables.items():
        for slot in table.domain.of_kind(SlotKind.NAME, SlotKind.LIST, SlotKind.CATEGORY):
            yield from world.texts(key, slot.key)


def _time_pattern(value: str) -> re.Pattern[str]:
    """Matches the numbers of a duration with little between them, and its last unit."""
    numbers = map(re.escape, DECIMAL.findall(value))
    unit = re.escape(re.split(r"[\d.]+", value)[-1].strip())
    return re.compile(r"(?<![\d.])" + r"\D{1,6}".join(numbers) + r"\D{0,2}?" + unit)


def _overlap(left: str, right: str) -> float:
    """Share of common characters among all characters of both."""
    one, other = set(left), set(right)
    return len(one & other) / len(one | other) if one | other else 0.0


def slot_of(world: World, domain: str, slot: str) -> tuple[Domain, Slot] | None:
    found = world.schema.domain(domain)
    its = found.slot(slot) if found else None
    return (found, its) if found and its else None
