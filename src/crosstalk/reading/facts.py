"""What the tables hold of the kinds of text that prose tells: phones, addresses, stations, cars.

Slots are known by their kind and by what their cells look like, never by their names.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.schema import Domain, DomainKind, SlotKind
from crosstalk.language.normalize import plain, word_form
from crosstalk.language.numerals import CLOCK
from crosstalk.language.writing import Writing, writing_of
from crosstalk.reading.words import JudgingWords
from crosstalk.worlds.tables import Row, World

PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9])(?<!\d[.,:])\(?\+?\d[\d\s()/.\u2010-\u2015-]{5,}\d(?![A-Za-z0-9]|[.,:]\d)"
)
PHONES: Final = re.compile(r"\d[\d-]{5,}\d")
"""Numbers written one behind the other."""
RANGE_OF_AMOUNTS: Final = re.compile(r"[1-9]\d{1,3}\s?[–—]\s?[1-9]\d{2,3}")
"""Two amounts with a long dash between them, which looks like a phone number: `500–1000`."""
LEAST_PHONE: Final = 7
MOST_PHONE: Final = 15
"""Digits of a phone number."""
PLATE: Final = re.compile(r"(?<![A-Za-z0-9])([A-Z]{1,3})[ \u00a0-]?(\d{2,5})(?![A-Za-z0-9])")
HAN_ADDRESS: Final = re.compile(r"([\u4e00-\u9fff]{2,})(\d{1,4})\s?[号號]")
HAN_STATION: Final = re.compile(r"([\u4e00-\u9fff]{2,}?)(?:地铁站|站)\s?([A-Z])?")
_NUMBER: Final = re.compile(r"\d+")
_PARTS: Final = re.compile(r"[,，،]")
_WORD: Final = re.compile(r"\w+(?:['’]\w+)*")
SHORTEST_CUT: Final = 4
"""Letters of a word that keeps its ending."""
SHORTEST_FORM: Final = 4
"""Letters of a stem that stands for its other forms."""
LONGEST_ENDING: Final = 3
"""Letters by which two forms of a word may differ in length."""
MOSTLY: Final = 0.5
"""Share of a column's cells that look alike, from which on it is a column of such texts."""


@dataclass(frozen=True, slots=True)
class Address:
    """A street and a number, as plain words."""

    street: tuple[str, ...]
    number: str


@dataclass(frozen=True, slots=True)
class Station:
    """A station's name as plain words, and its exit."""

    name: tuple[str, ...]
    exit: str


class WorldFacts:
    """The texts of one world in one language."""

    def __init__(self, world: World, words: JudgingWords) -> None:
        self.world = world
        self.words = words
        self.writing: Writing = writing_of(world.language.code)

    def slot_of(self, domain: str, role: str) -> str:
        """The slot of a domain that plays a role: phone, hours, address, car, plate."""
        return self._roles.get(domain, {}).get(role, "")

    def plays_a_role(self, domain: str, slot: str) -> bool:
        """Whether a slot holds phones, hours, addresses, cars or plates."""
        return slot in self._roles.get(domain, {}).values()

    @cached_property
    def _roles(self) -> dict[str, dict[str, str]]:
        return {domain.key: dict(self._domain_roles(domain)) for domain in self.world.schema}

    def _domain_roles(self, domain: Domain) -> Iterator[tuple[str, str]]:
        table = self.world.tables.get(domain.key)
        if table is None:
            return
        texts = {
            slot.key: [str(row[slot.key]) for row in table if row.get(slot.key)]
            for slot in domain.of_kind(SlotKind.TEXT)
        }
        for key, cells in texts.items():
            if role := _role(cells, domain.kind):
                yield role, key
        yield from (("hours", slot.key) for slot in domain.of_kind(SlotKind.HOURS))

    def row(self, domain: str, name: str) -> Row | None:
        return self._rows.get((domain, name))

    @cached_property
    def _rows(self) -> dict[tuple[str, str], Row]:
        return {
            (domain.key, str(row[domain.name_slot.key])): row
            for domain in self.world.schema.places
            if domain.name_slot
            for row in self.world.tables[domain.key]
        }

    def stem(self, word: str) -> str:
        """A word without article and the endings that inflection changes."""
        bare = word_form(word.replace("'", "").replace("’", ""))
        cut = 2 if self.writing.inflects else self.writing.endings and 1
        return bare[:-cut] if cut and len(bare) > SHORTEST_CUT else bare

    def stems(self, text: str) -> list[tuple[str, int, int]]:
        """The stems of a text's words and where they stand."""
        return [
            (self._known(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)
        ]

    def _known(self, word: str) -> str:
        """The stem of a word, without a small word before it where the rest is one of the tables.

        `بشارع`, in the street, has the stem of `شارع`.
        """
        found = self.stem(word)
        if found in self._vocabulary:
            return found
        bare = [self.stem(word.removeprefix(each)) for each in self.writing.before_names]
        for short, whole in self.writing.abbreviated:
            if word.lower().endswith(short):
                bare.append(self.stem(word.lower().removesuffix(short) + whole))
        return next((each for each in bare if each in self._vocabulary), found)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        """The stems of all words of streets, stations and cars."""
        texts = (*self.streets, *self.stations, *self.cars.values())
        return frozenset(word for words in texts for word in words)

    def address(self, cell: str) -> Address | None:
        """A cell as a street and a number; the district is left out."""
        if not self.writing.spaced:
            found = HAN_ADDRESS.search(cell)
            return Address((self.street_in(found[1]),), found[2]) if found else None
        parts = [part.strip() for part in _PARTS.split(cell)]
        at = next((n for n, part in enumerate(parts) if _NUMBER.search(part)), None)
        if at is None:
            return None
        number = _NUMBER.findall(parts[at])[-1]
        words = [word for word in _WORD.findall(parts[at]) if not word.isdigit()]
        longest = max(map(len, words), default=0)
        street = words if longest > 3 else _WORD.findall(parts[max(0, at - 1)])
        return Address(tuple(self.stem(word) for word in street), number)

    def street_in(self, text: str) -> str:
        """The longest known street that a Chinese text ends in; the text itself where none is."""
        known = (text[at:] for at in range(len(text) - 1) if text[at:] in self._han_streets)
        return next(known, text)

    @cached_property
    def _han_streets(self) -> frozenset[str]:
        """Streets without their district: what several addresses end in."""
        raw = {found[1] for cell in self._addresses if (found := HAN_ADDRESS.search(cell))}
        return frozenset(
            street
            for street in raw
            if not any(street != other and street.endswith(other) for other in raw)
        )

    @cached_property
    def _addresses(self) -> list[str]:
        return [
            str(row[key])
            for domain in self.world.schema.places
            if (key := self.slot_of(domain.key, "address"))
            for row in self.world.tables[domain.key]
            if row.get(key)
        ]

    @cached_property
    def streets(self) -> frozenset[tuple[str, ...]]:
        found = (self.address(cell) for cell in self._addresses)
        return frozenset(each.street for each in found if each)

    @cached_property
    def number_first(self) -> bool:
        """Whether most addresses have the number of the house before the street."""
        heads = sum(cell[:1].isdigit() for cell in self._addresses)
        return 2 * heads > len(self._addresses)

    @cached_property
    def districts(self) -> dict[str, str]:
        """Plain district -> itself, for telling apart branches of one name."""
        found = {}
        for cell in self._addresses:
            parts = _PARTS.split(cell)
            if len(parts) > 1 and not _NUMBER.search(parts[-1]):
                found[plain(parts[-1])] = parts[-1].strip()
        return found

    def station(self, cell: str) -> Station | None:
        if not self.writing.spaced:
            found = HAN_STATION.search(cell)
            return Station((found[1],), found[2] or "") if found else None
        words = _WORD.findall(plain(cell))
        kept = [
            word
            for word in words
            if not self.words.has("station", word) and not self.words.has("exit", word)
        ]
        exit_ = kept[-1] if len(kept) > 1 and len(kept[-1]) <= 2 else ""
        name = kept[:-1] if exit_ else kept
        return Station(tuple(self.stem(word) for word in name), exit_)

    @cached_property
    def stations(self) -> dict[tuple[str, ...], list[str]]:
        """Name of a station -> the cells that name it."""
        found: dict[tuple[str, ...], list[str]] = {}
        for domain in self.world.schema.places:
            for slot in domain.of_kind(SlotKind.STATION):
                for row in self.world.tables[domain.key]:
                    cell = row.get(slot.key)
                    if isinstance(cell, str) and (each := self.station(cell)):
                        found.setdefault(each.name, []).append(cell)
        return found

    @cached_property
    def cars(self) -> dict[str, tuple[str, ...]]:
        """A car as the table has it -> the stems of its words."""
        found = {}
        for domain in self.world.schema:
            if domain.kind is DomainKind.TAXI and (key := self.slot_of(domain.key, "car")):
                for row in self.world.tables[domain.key]:
                    found[str(row[key])] = self.car_words(str(row[key]))
        return found

    def car_words(self, text: str) -> tuple[str, ...]:
        if not self.writing.spaced:
            return (text,)
        return tuple(self.stem(word) for word in _WORD.findall(plain(text)))

    @cached_property
    def plate_letters(self) -> frozenset[str]:
        found = set()
        for domain in self.world.schema:
            if key := self.slot_of(domain.key, "plate"):
                for row in self.world.tables[domain.key]:
                    if match := PLATE.search(str(row[key])):
                        found.add(match[1])
        return frozenset(found)


def form_of(word: str, stems: Sequence[tuple[str, int, int]]) -> tuple[str, int, int] | None:
    """The first of several stems that is a word or a form of it, with where it stands."""
    for each in stems:
        said = each[0]
        if said == word or (
            min(len(said), len(word)) >= SHORTEST_FORM
            and (said.startswith(word) or word.startswith(said))
            and abs(len(said) - len(word)) <= LONGEST_ENDING
        ):
            return each
    return None


def _role(cells: list[str], kind: DomainKind) -> str:
    if not cells:
        return ""
    if kind is DomainKind.TAXI:
        return "plate" if _share(cells, PLATE) > MOSTLY else "car"
    if _share(cells, CLOCK) > MOSTLY:
        return "hours"
    phones = sum(bool(PHONE.match(cell)) and len(digits(cell)) >= LEAST_PHONE for cell in cells)
    if phones > MOSTLY * len(cells):
        return "phone"
    return "address" if _share(cells, _NUMBER) > MOSTLY else ""


def _share(cells: list[str], expression: re.Pattern[str]) -> float:
    return sum(bool(expression.search(cell)) for cell in cells) / len(cells)


def digits(text: str) -> str:
    return "".join(str(unicodedata.digit(letter)) for letter in text if letter.isdecimal())
