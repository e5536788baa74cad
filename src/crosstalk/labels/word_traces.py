"""Traces of values, questions and places in the words of a turn: `WordTraces(database, ...)`.

`has_trace` is generous: it is false only if nothing in a text points to a value. `clearly_says` is
strict: it is true only if a text can hardly be read otherwise. A label that is missing from the
words is looked for by the first, words that are missing from the labels by the second.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.schema import NUMBERS, SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.language.figures import numbers_alike
from crosstalk.language.gazetteer import Gazetteer, mentioned_terms, mentions
from crosstalk.language.keywords import MISFIT, REFUSAL, Keywords
from crosstalk.language.normalize import plain, squeezed, tight
from crosstalk.language.number_forms import Bounds, forms_of, read_bounds
from crosstalk.language.phrases import Phrasebook
from crosstalk.language.quantities import Quantities
from crosstalk.language.remembered import remembered
from crosstalk.language.writing import writing_of
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import texts
from crosstalk.worlds.truth import Truth

TRACE: Final = 66
"""Per cent of a value that a text must have for a trace of it."""
SHORTEST_NAME: Final = 3
"""Letters and digits of a name that is looked for; shorter ones are words of other meanings."""
UNITS: Final = {SlotKind.RATING: ("points",)}
"""Units of `Quantities` by kind; other numbers are money."""
_PIECES: Final = re.compile(r"[\s,;/、，；。()（）]+")
_BRACKET: Final = re.compile(r"\s*[(（]")
_DECIMAL: Final = re.compile(r"\d+(?:[.,]\d+)?")
_PARTS: Final = re.compile(r"[;,、，；()（）]+")
QUESTION_MARKS: Final = "?？؟"
LOOKS_FOR: Final = (
    "search",
    "anyone",
    "listing",
    "another",
    "which",
    "question_word",
    "asking",
    "details",
    "booking",
)
"""Cues of a text that looks for some place, whatever it is called."""
REFUSALS: Final = ("negator", "but", "without", "no")
"""Cues by which a system may say that something does not fit."""


class WordTraces:
    """What texts say, in one language of one world."""

    def __init__(
        self, database: Database, keywords: Keywords | None = None, book: Phrasebook | None = None
    ) -> None:
        self.database = database
        self.world = database.world
        self.pack = database.world.language
        self.keywords = keywords or Keywords()
        self.book = book
        self._writing = writing_of(self.pack.code)
        self._quantities = Quantities(book) if book else None
        self.name_slots = {
            domain.key: domain.name_slot.key for domain in self.world.schema if domain.name_slot
        }
        self._gazetteer = Gazetteer.of(self.world.columns(SlotKind.NAME))
        self.truth = Truth(database)
        self.conjunctive = Database(self.world, conjunctive=True)
        """Searches as people do by the form: every field counts."""
        self.names = remembered(self._names, 4096)
        self.rows_of = lru_cache(4096)(self._rows_of)
        self.known_words = lru_cache(256)(self._known_words)
        self.has_trace = remembered(self._has_trace, 4096)
        self.clearly_says = remembered(self._clearly_says, 4096)
        self._numbers = remembered(self._find_numbers, 1024)
        self._terms = {
            (domain.key, slot.key): tuple(self.world.texts(domain.key, slot.key))
            for domain in self.world.schema
            for slot in domain.of_kind(SlotKind.LIST, SlotKind.SERVICES, SlotKind.CATEGORY)
        }
        every = {squeezed(each) for known in self._terms.values() for each in known}
        self._longest_terms = sorted((each for each in every if len(each) > 1), key=len)[::-1]

    def slot(self, domain: str, key: str) -> Slot | None:
        found = self.world.schema.domain(domain)
        return found.slot(key) if found else None

    def _rows_of(self, domain: Domain, slot: Slot, value: str) -> frozenset[int]:
        """Numbers of the rows that a search for one value finds."""
        found = self.conjunctive.search(domain.key, {slot.key: value})
        return frozenset(map(id, found))

    def _known_words(self, domain: Domain, slot: Slot) -> frozenset[str]:
        from crosstalk.labels.field_words import field_words, unspaced

        known = set(field_words(self, domain, slot))
        if slot.kind is SlotKind.DURATION:  # one end of a span is searched for, too
            known |= {end for each in known for end in each.split(" - ")}
        if self.book and slot.kind.is_list:
            known |= set(self.book.values.get(slot.key, {}))
        return frozenset(map(unspaced, known))

    def cue(self, name: str, text: str) -> bool:
        return self.book is not None and self.book.has(name, plain(text))

    def looks_for(self, text: str) -> bool:
        """Whether a text looks for some place, whatever it is called."""
        return any(self.cue(each, text) for each in LOOKS_FOR)

    def refuses(self, text: str) -> bool:
        """Whether the words of a system say that something does not exist or does not fit."""
        says = self.keywords.says
        if says(Speaker.SYSTEM, MISFIT, text) or says(Speaker.SYSTEM, REFUSAL, text):
            return True
        return any(self.cue(cue, text) for cue in REFUSALS)

    def is_about(self, domain: str, text: str) -> bool:
        """Whether a text has a word for a domain, or names a place of it."""
        if mentions(text, self.pack.domain_name(domain)):
            return True
        called = self.book.domains.get(domain) if self.book else None
        if called and called.search(plain(text)):
            return True
        return any(each == domain for each, _ in self.names(text))

    def _names(self, text: str) -> tuple[tuple[str, str], ...]:
        found: dict[tuple[str, str], None] = {}
        reached = 0
        for match in self._gazetteer.find(text):
            said = text[match.start : match.end]
            if match.start < reached or len(tight(said)) < SHORTEST_NAME:
                continue
            reached = match.end
            for kind in match.kinds:
                domain, slot = self._gazetteer.columns[kind]
                for name in self._spelled(domain, slot, said):
                    found[domain, name] = None
        return tuple(found)

    def _spelled(self, domain: str, slot: str, said: str) -> Iterator[str]:
        if self.database.find(domain, said):
            yield said
            return
        wanted = squeezed(said)
        yield from (name for name in self.world.texts(domain, slot) if squeezed(name) == wanted)

    def was_named(self, text: str, name: str) -> bool:
        """Whether a text has a whole name, or the part of it before a bracket."""
        bare = tight(_BRACKET.split(name)[0])
        return mentions(text, name) or (len(bare) >= SHORTEST_NAME and bare in tight(text))

    def names_trace(self, text: str, name: str) -> bool:
        """Whether a text names a place, be it in part or misspelt."""
        if mentions(text, name):
            return True
        bare = _BRACKET.split(name)[0] or name
        said, wanted = tight(text), tight(name)
        if not wanted or tight(bare) in said or wanted in said:
            return True
        return any(partial_ratio(each, said) >= TRACE for each in (wanted, tight(bare)))

    def _has_trace(self, text: str, domain: str, key: str, value: str) -> bool:
        slot = self.slot(domain, key)
        if not value or squeezed(value) in squeezed(text):
            return True
        if slot is None:
            return partial_ratio(tight(value), tight(text)) >= TRACE
        if slot.kind is SlotKind.SERVICES:
            return self._traces_service(text, slot, key, value)
        if slot.kind in NUMBERS:
            return self._traces_number(text, domain, slot, value)
        if slot.kind is SlotKind.DURATION:
            return self._traces_span(text, value)
        if slot.kind in (SlotKind.NAME, SlotKind.NEARBY, SlotKind.ENDPOINT):
            return self.names_trace(text, value)
        if slot.kind in (SlotKind.CATEGORY, SlotKind.LIST):
            return self._is_called(text, slot, value) or self._resembles(text, value)
        return self._pieces_trace(text, value)

    def _traces_service(self, text: str, slot: Slot, key: str, value: str) -> bool:
        service = key.removeprefix(slot.key + SERVICE_MARK) if key != slot.key else value
        if mentions(text, service) or self._is_called(text, slot, service):
            return True
        return self._resembles(text, service)

    def _is_called(self, text: str, slot: Slot, value: str) -> bool:
        """Whether a text has an everyday word for a value, or for a part of it."""
        said, wanted = plain(text), plain(value)
        called = self.book.values.get(slot.key, {}) if self.book else {}
        return any(
            ways.search(said)
            for known, ways in called.items()
            if self._shares(plain(known), wanted)
        )

    def _shares(self, known: str, wanted: str) -> bool:
        return known in wanted or wanted in known

    def _resembles(self, text: str, value: str) -> bool:
        """Whether a text has a good part of a value: a stem, a misspelling."""
        said, wanted = tight(text), tight(value)
        if not wanted:
            return True
        if not self._writing.spaced:
            pairs = {wanted[at : at + 2] for at in range(max(len(wanted) - 1, 1))}
            return any(pair in said for pair in pairs)
        stems = (word[:4] for word in plain(value).split() if len(word) >= 3)
        return any(stem in plain(text) for stem in stems) or partial_ratio(wanted, said) >= 80

    def _traces_number(self, text: str, domain: str, slot: Slot, value: str) -> bool:
        forms = forms_of(self.pack, domain, slot)
        bounds = read_bounds(forms, value)
        if bounds is None:
            return False
        if bounds == Bounds(0, 0) or value == forms.free:
            return bool(forms.free and mentions(text, forms.free)) or any(
                self.cue(cue, text) for cue in ("free", "paid", "money")
            )
        if value == forms.not_free:
            return any(self.cue(cue, text) for cue in ("free", "paid", "money", "dear"))
        wanted = {float(each) for each in self._numbers(value)}
        said = {float(each) for each in self._numbers(text)}
        shared = {each for each in wanted if each in said}
        return shared == wanted or (len(wanted) > 1 and bool(shared)) or self._equal(text, bounds)

    def _equal(self, text: str, bounds: Bounds) -> bool:
        return any(each == bounds for each, _ in self.amounts(text))

    def amounts(self, text: str) -> tuple[tuple[Bounds, str], ...]:
        """The numbers of a text with their units."""
        if self._quantities is None:
            return ()
        said = self._quantities.with_digits(plain(text))
        return tuple((each.bounds, each.unit) for each in self._quantities.find(said))

    def _find_numbers(self, text: str) -> frozenset[str]:
        return frozenset(
            each for each in numbers_alike(text, self._writing) if _is_decimal(each)
        ) | frozenset(each.replace(",", ".") for each in _DECIMAL.findall(squeezed(text)))

    def _traces_span(self, text: str, value: str) -> bool:
        wanted, said = self._numbers(value), self._numbers(text)
        if tight(value) in tight(text) or (wanted and wanted & said):
            return True
        read = self._quantities.read_hours if self._quantities else None
        one, other = (read(value), read(text)) if read else (None, None)
        return one is not None and other is not None and _overlap(one, other)

    def _pieces_trace(self, text: str, value: str) -> bool:
        said = tight(text)
        pieces = [tight(piece) for piece in _PIECES.split(value) if tight(piece)]
        if not pieces or any(piece in said for piece in pieces if len(piece) > 2):
            return True
        return partial_ratio(tight(value), said) >= TRACE

    def _clearly_says(self, text: str, domain: str, key: str, value: str) -> bool:
        slot = self.slot(domain, key)
        if slot is None or not value or value == self.pack.nothing:
            return False
        if slot.kind in NUMBERS:
            return self._says_amount(text, domain, slot, value)
        if slot.kind is SlotKind.SERVICES:
            service = key.removeprefix(slot.key + SERVICE_MARK) if key != slot.key else value
            return service in mentioned_terms(text, self._terms[domain, slot.key])
        if slot.kind in (SlotKind.LIST, SlotKind.CATEGORY):
            return len(tight(value)) > 1 and value in mentioned_terms(
                text, (*self._terms[domain, slot.key], value)
            )
        if slot.kind is SlotKind.DURATION:
            return tight(value) in tight(text) and self._whole_numbers(text, value)
        if slot.kind is SlotKind.TEXT:
            return self._says_text(text, value)
        return len(tight(value)) >= SHORTEST_NAME and mentions(text, value)

    def _says_text(self, text: str, value: str) -> bool:
        """Whether a text has the longest part of an address or of hours, or all numbers."""
        parts = _PARTS if any(each.isalpha() for each in value) else _PIECES
        pieces = [tight(each) for each in parts.split(value) if len(tight(each)) > 4]
        if parts is _PARTS:
            numbered = [each for each in pieces if any(sign.isdigit() for sign in each)]
            pieces = sorted(numbered or pieces, key=len)[-1:]
        return bool(pieces) and all(piece in tight(text) for piece in pieces)

    def is_question(self, text: str) -> bool:
        """Whether a text asks something."""
        return any(mark in text for mark in QUESTION_MARKS)

    def _whole_numbers(self, text: str, value: str) -> bool:
        return self._numbers(value) <= self._numbers(text)

    def _says_amount(self, text: str, domain: str, slot: Slot, value: str) -> bool:
        forms = forms_of(self.pack, domain, slot)
        if value in (forms.free, forms.not_free):
            return mentions(text, value) and not (
                value == forms.free and forms.not_free and mentions(text, forms.not_free)
            )
        if not self._whole_numbers(text, value):
            return False
        bounds = read_bounds(forms, value)
        units = UNITS.get(slot.kind, ("money",))
        if any(each == bounds and unit in units for each, unit in self.amounts(text)):
            return True
        return len(tight(value)) > 2 and _stands_in(squeezed(value), squeezed(text))

    def asks(self, text: str, domain: Domain, key: str) -> bool:
        """Whether a text has any word that may ask for a slot."""
        slot = domain.slot(key)
        if slot is None or self.book is None:
            return True
        if slot.kind is SlotKind.NAME:
            return self.is_about(domain.key, text) or self.looks_for(text)
        if self._is_named(text, domain.key, slot):
            return True
        if slot.kind is SlotKind.NEARBY:
            return self.cue("near", text) or self.is_about(slot.target, text)
        if slot.kind is SlotKind.SERVICES and key != slot.key:
            return self._traces_service(text, slot, key, "")
        if slot.kind in NUMBERS:
            units = UNITS.get(slot.kind, ("money",))
            return any(self.cue(unit, text) for unit in units)
        if slot.kind in (SlotKind.CATEGORY, SlotKind.LIST):
            known = self._terms[domain.key, slot.key]
            if mentioned_terms(text, known) or self._any_called(text, slot):
                return True
            return slot.kind is SlotKind.LIST and self.is_about(domain.key, text)
        if slot.kind is SlotKind.DURATION:
            return any(self.cue(unit, text) for unit in ("hours", "minutes", "days"))
        is_ride = domain.key in self.world.rides
        return is_ride and (self.is_about(domain.key, text) or self.cue("route", text))

    def clearly_asks(self, text: str, domain: Domain, slot: Slot) -> bool:
        """Whether a text has a slot's own name or a phrase that asks for it, not within a term."""
        said = squeezed(text)
        for term in self._longest_terms:
            if term in said:
                said = said.replace(term, "\n")
        return self._is_named(said, domain.key, slot)

    def names_slot(self, text: str, domain: str, slot: Slot) -> bool:
        """Whether a text has a slot's own name."""
        near = slot.kind in (SlotKind.NEARBY, SlotKind.SERVICES)
        return near or mentions(text, self.pack.slot_name(domain, slot.key))

    def _is_named(self, text: str, domain: str, slot: Slot) -> bool:
        if mentions(text, self.pack.slot_name(domain, slot.key)):
            return True
        if self.book is None:
            return False
        ways = (self.book.slots.get(f"{domain}.{slot.key}"), self.book.slots.get(slot.key))
        return any(way.search(plain(text)) for way in ways if way)

    def _any_called(self, text: str, slot: Slot) -> bool:
        called = self.book.values.get(slot.key, {}) if self.book else {}
        return any(ways.search(plain(text)) for ways in called.values())

    def row_says(self, place: tuple[str, str], key: str, values: tuple[str, ...]) -> bool:
        """Whether a place's row has all of these values, in part, or with a letter's difference."""
        row, domain = self.truth.entity(*place), self.world.schema.domain(place[0])
        slot = domain.slot(key) if domain else None
        if row is None or domain is None or slot is None:
            return True
        true = [tight(each) for each in answer(self.pack, domain, row, key)]
        if slot.kind in NUMBERS:
            told = {
                each for text in answer(self.pack, domain, row, key) for each in self._numbers(text)
            }
            return all(self._numbers(value) & told for value in values)
        return all(
            any(_alike(piece, each) for each in true)
            for value in values
            for piece in map(tight, _PIECES.split(value))
            if piece
        )

    def without_cells(self, text: str, places: Iterable[tuple[str, str]]) -> str:
        """A text without what the rows of some places say, so that no name is found in there."""
        for domain, name in places:
            row = self.database.find(domain, name) or {}
            for key, cell in row.items():
                if key != self.name_slots.get(domain):
                    for each in texts(cell):
                        text = text.replace(each, "\n") if len(each) > 2 else text
        return text


def _alike(piece: str, cell: str) -> bool:
    return piece in cell or cell in piece or is_near_miss(piece, cell)


def is_near_miss(one: str, other: str) -> bool:
    """Whether two texts differ by a single letter."""
    return Levenshtein.distance(tight(one), tight(other), score_cutoff=1) <= 1


def _stands_in(value: str, text: str) -> bool:
    """Whether a text has a number with its words, and not as the end of a longer number."""
    return re.search(rf"(?<!\d)(?<!\d[.,]){re.escape(value)}", text) is not None


def _overlap(one: Bounds, other: Bounds) -> bool:
    low = max(each for each in (one.low, other.low, 0.0) if each is not None)
    high = min(each for each in (one.high, other.high, 1e9) if each is not None)
    return low <= high


def _is_decimal(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()
