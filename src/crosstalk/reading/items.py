"""What is known in a sentence, and where it stands: names, numbers, values, texts of the tables."""

from dataclasses import dataclass
from enum import StrEnum

from crosstalk.language.names import Place
from crosstalk.language.quantities import Quantity
from crosstalk.reading.clock import SaidHours
from crosstalk.reading.facts import Address, Station
from crosstalk.reading.prose import Sentence

Column = tuple[str, str]
"""Domain and slot."""


class Found(StrEnum):
    """What an item of a sentence is."""

    NAME = "name"
    AMOUNT = "amount"
    VALUE = "value"
    FREE = "free"
    PHONE = "phone"
    PLATE = "plate"
    CAR = "car"
    ADDRESS = "address"
    STATION = "station"
    HOURS = "hours"
    DOMAIN = "domain"
    SLOT = "slot"
    CELL = "cell"


@dataclass(frozen=True, slots=True)
class Item:
    """Something known, and where it stands in the reply."""

    found: Found
    start: int
    end: int
    clause: int
    """Number of the clause in its sentence."""
    key: str = ""
    """Domain of a domain word, slot of a slot word or value."""
    domain: str = ""
    value: str = ""
    places: tuple[Place, ...] = ()
    amount: Quantity | None = None
    address: Address | None = None
    station: Station | None = None
    hours: SaidHours | None = None
    sure: bool = True
    whole: bool = True
    """A value of the tables, not only a word of one; of a name, not only a word for its kind."""
    per: str = ""
    """What a price is for: a cue such as `per_night`."""
    decimal: bool = False
    """A number written with decimals."""
    columns: tuple[Column, ...] = ()
    """The columns that a cell may be a value of, the likeliest first."""
    at: int = -1
    """Where it stands in the words as the finders saw them."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """A sentence with what was found in it."""

    sentence: Sentence
    plain: str
    """The words as the finders saw them: one private letter for each name."""
    items: tuple[Item, ...]
    clauses: tuple[tuple[int, int], ...]
    """Where each clause stands in the reply."""
    clause_words: tuple[str, ...]
    """The plain words of each clause."""
    unexplained: tuple[str, ...]
    masked: str
    """The sentence without phones, addresses, stations, plates and times."""
    districts: tuple[tuple[str, int, int], ...] = ()
    """Districts that it names beside the names of places, and where."""

    def of(self, *kinds: Found) -> list[Item]:
        return [item for item in self.items if item.found in kinds]

    def covers(self, at: int) -> bool:
        return any(item.start <= at < item.end for item in self.items)
