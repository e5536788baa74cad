"""Claims read from prose, and whether the tables bear them out.

A claim about an entity is true, false, or undecidable where no table can tell. A range holds if the
cell lies in it, a number only if it is equal; *about 90* holds within a tenth.
"""

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from crosstalk.dialogue.schema import SERVICE_MARK, Domain, SlotKind
from crosstalk.language.normalize import plain
from crosstalk.language.quantities import TIMES, Quantity, in_hours
from crosstalk.reading.facts import Address, Station, WorldFacts, digits
from crosstalk.reading.items import Found, Item
from crosstalk.reading.scan import PRICES, Scanner
from crosstalk.worlds.display import answer
from crosstalk.worlds.queries import Database
from crosstalk.worlds.tables import Cell, Row
from crosstalk.worlds.truth import Truth

ROUGHLY: Final = 0.1
"""How far a number said roughly may be from the cell, as a share of it."""
HOURS_APART: Final = 0.26
"""Hours by which the ends of a visit's length may differ from the cell's."""


MOST_POINTS: Final = 5
"""The highest rating."""


class Verdict(StrEnum):
    """What the tables say about a claim."""

    TRUE = "true"
    FALSE = "false"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something an agent said about an entity."""

    domain: str
    entity: str
    """As the table spells it, or as the agent wrote it where no table has it."""
    slot: str
    value: str
    """As the table has it where the claim is true, otherwise as it was written."""
    verdict: Verdict
    quote: str
    start: int
    end: int
    """Where the quote stands in the reply."""
    is_offer: bool = False
    """The entity itself is put forward; its slot is the name."""
    is_relation: bool = False
    """Says of a place put forward that it is near another; no answer to what is nearby."""
    is_known: bool = True
    """Some table has the entity."""
    item: Item | None = field(default=None, repr=False, compare=False)
    """What was read, to be held against another row."""
    is_negated: bool = False
    is_firm: bool = True
    """A whole value was read; a false claim that is not firm accuses nobody."""
    read_by: str = ""
    """The language model that read it; empty: our rules."""


class TableCheck:
    """Decides claims by the tables of one world in one language."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.facts: WorldFacts = scanner.facts
        self.world = scanner.world
        self.truth = Truth(Database(scanner.world))

    def domain(self, key: str) -> Domain:
        return self.truth.domain(key)

    def row(self, domain: str, name: str) -> Row | None:
        return self.truth.entity(domain, name)

    def said(self, domain: Domain, row: Row, slot: str) -> str:
        """What the row answers, as one text."""
        return ", ".join(answer(self.world.language, domain, row, slot))

    def slot_for(self, domain: Domain, item: Item) -> str:
        """The slot of a domain that an item tells; empty where it has none of that kind."""
        match item.found:
            case Found.AMOUNT:
                return self._slot_of_amount(domain, item)
            case Found.FREE:
                return _of_kind(domain, SlotKind.NUMBER) if self._may_be_free(domain) else ""
            case Found.STATION:
                return _of_kind(domain, SlotKind.STATION)
            case Found.PHONE | Found.ADDRESS | Found.HOURS | Found.PLATE | Found.CAR:
                return self.facts.slot_of(domain.key, str(item.found))
            case Found.CELL:
                return next((key for each, key in item.columns if each == domain.key), "")
            case Found.VALUE if item.domain == domain.key:
                slot = domain.slot(item.key)
                services = slot is not None and slot.kind is SlotKind.SERVICES
                return item.key + SERVICE_MARK + item.value if services else item.key
            case _:
                return ""

    @cached_property
    def _priced(self) -> dict[str, str]:
        """Domain -> what its price is for, as the phrases for its slot say."""
        found = {}
        book = self.scanner.book
        for domain in self.world.schema.places:
            slot = _of_kind(domain, SlotKind.NUMBER)
            called = plain(self.world.language.slot_name(domain.key, slot)) if slot else ""
            phrases = (book.slots.get(f"{domain.key}.{slot}"), book.slots.get(slot))
            ways = [cue for cue in PRICES if self.scanner.words.has(cue, called)]
            ways += [
                cue
                for cue in PRICES
                for each in phrases
                if each is not None and self._says(each, cue)
            ]
            if len(set(ways)) == 1:
                found[domain.key] = ways[0]
        return found

    def _says(self, pattern: re.Pattern[str], cue: str) -> bool:
        found = self.scanner.words.cues.get(cue)
        return bool(found and found.search(pattern.pattern.replace("\\ ", " ")))

    def _may_be_free(self, domain: Domain) -> bool:
        key = _of_kind(domain, SlotKind.NUMBER)
        rows = self.world.tables[domain.key]
        return any(row.get(key) == 0 for row in rows)

    def _slot_of_amount(self, domain: Domain, item: Item) -> str:
        amount = item.amount
        if amount is None:
            return ""
        highest = amount.middle or amount.bounds.high or amount.bounds.low or 0
        if amount.unit in TIMES:
            return _of_kind(domain, SlotKind.DURATION)
        if amount.unit == "points" and highest <= MOST_POINTS:
            return _of_kind(domain, SlotKind.RATING)
        if amount.unit == "money":
            slot = self._price(domain)
            own = self._priced.get(domain.key, "")
            return "" if item.per and own and item.per != own else slot
        if not amount.unit and highest <= MOST_POINTS and item.decimal:
            return _of_kind(domain, SlotKind.RATING)
        return ""

    def _price(self, domain: Domain) -> str:
        """The slot of a domain that holds amounts of money; a weight in kilograms is none."""
        numbers = (
            slot.key
            for slot in domain.of_kind(SlotKind.NUMBER)
            if not self.scanner.reads_unit(domain.key, slot.key)
        )
        return next(numbers, _of_kind(domain, SlotKind.MONEY))

    def verdict(self, domain: Domain, row: Row, slot: str, item: Item, negated: bool) -> Verdict:
        """What the row says about an item of a sentence."""
        match item.found:
            case Found.AMOUNT:
                return self._amount(domain, row, slot, item.amount)
            case Found.FREE:
                return _truth((row.get(slot) == 0) != negated)
            case Found.PHONE:
                return self._phone(row, slot, item.value)
            case Found.ADDRESS:
                return self._address(row, slot, item.address)
            case Found.STATION:
                return self._station(row.get(slot), item.station)
            case Found.CELL:
                return _truth(_is_cell(row.get(slot), item.value) != negated)
            case Found.HOURS:
                cell = row.get(slot)
                agrees = (
                    self.scanner.hours.agrees(item.hours, cell)
                    if isinstance(cell, str) and item.hours
                    else None
                )
                return _truth(agrees)
            case _:
                return self._term(domain, row, slot, item, negated)

    def _amount(self, domain: Domain, row: Row, slot: str, amount: Quantity | None) -> Verdict:
        kind = (found := domain.slot(slot)) and found.kind
        cell = row.get(slot)
        if amount is None or cell is None:
            return Verdict.FALSE if cell is None and amount else Verdict.UNDECIDABLE
        if kind is SlotKind.DURATION:
            return _truth(self._same_duration(str(cell), amount))
        if not isinstance(cell, int | float):
            return Verdict.UNDECIDABLE
        low, high = amount.bounds.low, amount.bounds.high
        if amount.middle is not None:
            return _truth(abs(cell - amount.middle) <= max(ROUGHLY * cell, 0.05))
        holds = (low is None or cell >= low - 1e-6) and (high is None or cell <= high + 1e-6)
        return _truth(holds)

    def _same_duration(self, cell: str, amount: Quantity) -> bool | None:
        span = self.scanner.quantities.read_hours(cell)
        if span is None:
            return None
        if amount.middle is not None:
            middle = amount.middle * TIMES[amount.unit]
            ends = [end for end in (span.low, span.high) if end is not None]
            return abs(sum(ends) / len(ends) - middle) <= HOURS_APART
        said = in_hours(amount)
        if said is None:
            return None
        if said.low is None or said.high is None:
            low, high = span.low or 0, span.high or 24
            return (said.low is None or low >= said.low - HOURS_APART) and (
                said.high is None or high <= said.high + HOURS_APART
            )
        if said.low == said.high:
            ends = [end for end in (span.low, span.high) if end is not None]
            return abs(sum(ends) / len(ends) - said.low) <= HOURS_APART
        return (
            abs((span.low or 0) - said.low) <= HOURS_APART
            and abs((span.high or 24) - said.high) <= HOURS_APART
        )

    def _phone(self, row: Row, slot: str, said: str) -> Verdict:
        numbers = [digits(each) for each in str(row.get(slot) or "").split()]
        return _truth(any(each.endswith(said) or said.endswith(each) for each in numbers if each))

    def _address(self, row: Row, slot: str, said: Address | None) -> Verdict:
        cell = row.get(slot)
        true = self.facts.address(cell) if isinstance(cell, str) else None
        if true is None or said is None:
            return Verdict.UNDECIDABLE
        one, other = " ".join(true.street), " ".join(said.street)
        same_street = one == other or (
            not self.facts.writing.spaced and (one.endswith(other) or other.endswith(one))
        )
        return _truth(same_street and true.number == said.number)

    def _station(self, cell: object, said: Station | None) -> Verdict:
        true = self.facts.station(cell) if isinstance(cell, str) else None
        if said is None:
            return Verdict.UNDECIDABLE
        if true is None:
            return Verdict.FALSE
        return _truth(true.name == said.name and (not said.exit or same_exit(true, said)))

    def same_station(self, cell: object, said: Station | None) -> bool:
        return self._station(cell, said) is Verdict.TRUE

    def _term(self, domain: Domain, row: Row, slot: str, item: Item, negated: bool) -> Verdict:
        if SERVICE_MARK in slot and (found := domain.slot(slot)) and found.key != slot:
            pack = self.world.language
            offered = self.truth.is_right(domain, row, slot, pack.yes)
            return _truth(offered != negated)
        met = self.truth.meets(domain.key, row, slot, item.value)
        if negated:
            return _truth(not met)
        if met:
            return Verdict.TRUE
        return Verdict.FALSE


def _is_cell(cell: Cell, said: str) -> bool:
    """Whether a cell holds what was said, a number however it is written."""
    if isinstance(cell, int | float):
        return said.replace(".", "", 1).isdigit() and abs(cell - float(said)) < 1e-6
    return cell is not None and plain(str(cell)) == plain(said)


def same_exit(one: Station, other: Station) -> bool:
    return one.exit.lower() == other.exit.lower()


def _of_kind(domain: Domain, kind: SlotKind) -> str:
    return next((slot.key for slot in domain.of_kind(kind)), "")


def _truth(holds: bool | None) -> Verdict:
    if holds is None:
        return Verdict.UNDECIDABLE
    return Verdict.TRUE if holds else Verdict.FALSE
