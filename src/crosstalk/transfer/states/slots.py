"""What a state may hold: the 30 slots of MultiWOZ as published, and the 3 of WOZ 2.0."""

from dataclasses import dataclass
from typing import Final

NONE: Final = "none"
ANY: Final = "dontcare"
"""The value of a slot that may be anything."""


@dataclass(frozen=True, slots=True)
class StateSlot:
    """One slot, by its English name, and what kind of value it holds."""

    domain: str
    name: str
    kind: str
    """word, place, number, time or choice (yes and no)"""
    topic: str
    """The cue whose words name the slot in a text: `leave`, `people`, `area`."""

    @property
    def key(self) -> str:
        return f"{self.domain}-{self.name}" if self.domain else self.name

    @property
    def is_name(self) -> bool:
        """Whether it names what is looked for, and not where a ride begins or ends."""
        return self.kind == "place" and self.name == "name"


def _slots(domain: str, table: str) -> tuple[StateSlot, ...]:
    """Lines of name, kind and topic, with bars between."""
    rows = [line.split("|") for line in table.strip().splitlines()]
    return tuple(StateSlot(domain, *(cell.strip() for cell in row)) for row in rows)


MULTIWOZ: Final = (
    *_slots(
        "hotel",
        """area|word|area
        book day|word|day
        book people|number|people
        book stay|number|nights
        internet|choice|internet
        name|place|hotel
        parking|choice|parking
        pricerange|word|price
        stars|number|stars
        type|word|kind""",
    ),
    *_slots(
        "train",
        """arriveby|time|arrive
        book people|number|people
        day|word|day
        departure|place|from
        destination|place|to
        leaveat|time|leave""",
    ),
    *_slots(
        "restaurant",
        """area|word|area
        book day|word|day
        book people|number|people
        book time|time|clock
        food|word|food
        name|place|restaurant
        pricerange|word|price""",
    ),
    *_slots(
        "attraction",
        """area|word|area
        name|place|attraction
        type|word|kind""",
    ),
    *_slots(
        "taxi",
        """arriveby|time|arrive
        departure|place|from
        destination|place|to
        leaveat|time|leave""",
    ),
)
"""As TRADE and ToD-BERT name them. Hospital, police and bus are left out, as published."""

WOZ2: Final = _slots(
    "",
    """food|word|food
    area|word|area
    price range|word|price""",
)
