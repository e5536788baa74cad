"""A world prepared for rooms: search, entities, and names of entities in a text."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

from crosstalk.collection.events import Slots
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.labels.checker import LabelChecker
from crosstalk.language.gazetteer import Gazetteer
from crosstalk.language.normalize import squeezed
from crosstalk.language.remembered import remembered
from crosstalk.worlds.actions import Executor
from crosstalk.worlds.display import label, say_cell
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Row, World

Mention = tuple[int, int, str, str]
"""Start, end, domain and name."""


IN_LINE: Final = (SlotKind.CATEGORY, SlotKind.NUMBER, SlotKind.RATING, SlotKind.DURATION)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Rows, and their names in the result list."""

    rows: tuple[Row, ...]
    names: tuple[str, ...]


class WorldContext:
    """One world with its database and caches; shared by all rooms."""

    def __init__(self, world: World, *, actions: bool = False) -> None:
        """`actions`: wizards may perform the actions of the world."""
        self.world = world
        self.executor = Executor(Database(world)) if actions else None
        self.database = Database(world, conjunctive=True)
        self._names = _names(world)
        self._gazetteer = Gazetteer.of(world.columns(SlotKind.NAME))
        self._domains = {domain.key: domain for domain in world.schema}
        self._mentions = remembered(self._find_mentions, 4096)
        self.slot = lru_cache(4096)(self._find_slot)
        self.search = lru_cache(1024)(self._search)
        self.line = lru_cache(8192)(self._line)

    @cached_property
    def checker(self) -> LabelChecker:
        """The label checker of the world; made when the first turn is checked."""
        return LabelChecker.of(self.world)

    @property
    def pack(self) -> LanguagePack:
        return self.world.language

    def domain(self, key: str) -> Domain | None:
        return self._domains.get(key)

    def _find_slot(self, domain: str, key: str) -> Slot | None:
        """The slot behind a goal's key; `<services>-<service>` gives the services slot."""
        found = self.domain(domain)
        return found.slot(key) if found else None

    def _search(self, domain: str, slots: Slots) -> SearchResult:
        """The results of one tab of the form."""
        rows = self.database.search(domain, {key: value for key, value in slots if value})
        asked = self.database.domain(domain)
        if asked.kind is DomainKind.PLACE and asked.name_slot:
            key = asked.name_slot.key
            return SearchResult(rows, tuple(str(row[key]) for row in rows))
        return SearchResult(rows, tuple(label(self.world, asked, row) for row in rows))

    def _line(self, domain: str, name: str) -> tuple[str, ...]:
        """The columns of a place in the result list, besides its name."""
        asked, row = self.database.domain(domain), self.database.find(domain, name) or {}
        told = [slot for slot in asked.of_kind(*IN_LINE) if slot.key in row]
        return tuple(" ".join(say_cell(self.pack, asked, slot, row[slot.key])) for slot in told)

    def entity(self, domain: str, name: str) -> str | None:
        """The name as in the table, found ignoring case and spaces; None if there is none."""
        if self.database.find(domain, name):
            return name
        known = self._names.get(squeezed(name), ())
        return next((each for key, each in known if key == domain), None)

    def place(self, name: str) -> str | None:
        """The name of a place of any domain, such as the end of a ride."""
        found = (self.entity(domain.key, name) for domain in self.world.schema.places)
        return next((each for each in found if each), None)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """Entities named in a text, from left to right; the longest of overlapping names."""
        return self._mentions(text)

    def _find_mentions(self, text: str) -> tuple[Mention, ...]:
        found: list[Mention] = []
        for match in self._gazetteer.find(text):
            if not found or match.start >= found[-1][1]:
                domain, name = self._names[squeezed(text[match.start : match.end])][0]
                found.append((match.start, match.end, domain, name))
        return tuple(found)


def _names(world: World) -> dict[str, list[tuple[str, str]]]:
    """Normalised name -> (domain, name as in the table) of all entities with that name."""
    found: dict[str, list[tuple[str, str]]] = {}
    for column in world.columns(SlotKind.NAME):
        for name in column.texts:
            found.setdefault(squeezed(name), []).append((column.domain, name))
    return found


def is_several(slot: Slot | None, key: str) -> bool:
    """Whether the value of the slot is a list in goals."""
    return slot is not None and slot.kind in (SlotKind.LIST, SlotKind.NEARBY) and slot.key == key
