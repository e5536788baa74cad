"""The slots of a state, and normalised labels: the 30 slots of MultiWOZ and the 3 of WOZ 2.0.

Labels get one spelling for `dontcare` and `none`, and typing errors of English values are corrected
with the table of the published picklist code. Labels of other languages stay as they are, except
their words for `dontcare` and `none` (`states.toml`).
"""

import re
from dataclasses import dataclass
from typing import Final

from crosstalk.language.state_words import all_labels
from crosstalk.transfer.states.state_dialogues import slot_key

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
        return slot_key(self.domain, self.name)

    @property
    def is_name(self) -> bool:
        """Whether it names the place searched for, not an end of a ride."""
        return self.kind == "place" and self.name == "name"


def _slots(domain: str, table: str) -> tuple[StateSlot, ...]:
    """Parse lines of name, kind and topic, separated by bars."""
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


SPELLINGS: Final = {
    "guesthouse": "guest house",
    "guesthouses": "guest house",
    "guest": "guest house",
    "city center": "centre",
    "city centre": "centre",
    "north cambridge": "north",
    "cambridge center": "centre",
    "center": "centre",
    "center of town": "centre",
    "near city center": "centre",
    "centre of cambridge": "centre",
    "central": "centre",
    "cen": "centre",
    "east side": "east",
    "east area": "east",
    "west part of town": "west",
    "ce": "centre",
    "south side": "south",
    "pool": "swimming pool",
    "swimmingpool": "swimming pool",
    "sports": "multiple sports",
    "mutliple sports": "multiple sports",
    "mutiple sports": "multiple sports",
    "sport": "multiple sports",
    "concert": "concert hall",
    "concerthall": "concert hall",
    "night club": "nightclub",
    "mus": "museum",
    "musuem": "museum",
    "ol": "architecture",
    "coll": "college",
    "colleges": "college",
    "arch": "architecture",
    "theater": "theatre",
    "y": "yes",
    "free": "yes",
    "free internet": "yes",
    "4 star": "4",
    "4 stars": "4",
    "0 star rarting": "0",
    "3 star": "3",
    "3 stars": "3",
}
WRONG_SLOT: Final = {
    "hotel-type": frozenset(
        ("nigh", "moderate price", "moderately priced", "bed and breakfast", "centre", "venetian",
         "intern", "a cheap -er hotel")
    ),
    "hotel-internet": frozenset(("4",)),
    "hotel-pricerange": frozenset(("2",)),
    "attraction-type": frozenset(("gastropub", "la raza", "galleria", "gallery", "science", "m")),
    "area": frozenset(("moderate",)),
    "day": frozenset(("t",)),
}  # fmt: skip
"""Values of another slot, written here by mistake; they count as no value."""
PREFIXES: Final = {
    "area": {"no": "north", "we": "west", "cent": "centre"},
    "day": {"we": "wednesday", "no": NONE},
    "pricerange": {"ch": "cheap"},
    "internet": {"free": "yes"},
}
HOTELS: Final = ("hotel with free parking and free wifi", "4", "3 star hotel")


def normalised(slot: str, value: str, *, english: bool = True) -> str:
    """The label in one spelling. `slot`: its key, such as `hotel-book day`."""
    value = re.sub(r"\s+", " ", value).strip().lower()
    if value in all_labels().none:
        return NONE
    if value in all_labels().any:
        return ANY
    return _mended(slot, value) if english else value


def _mended(slot: str, value: str) -> str:
    name = slot.rpartition("-")[2].removeprefix("book ")
    value = _time(value) if name in ("leaveat", "arriveby", "time") else value
    value = SPELLINGS.get(value, value)
    if slot == "hotel-type" and value in HOTELS:
        return "hotel"
    if value in WRONG_SLOT.get(slot, ()) or value in WRONG_SLOT.get(name, ()):
        return NONE
    return PREFIXES.get(name, {}).get(value, value)


def _time(value: str) -> str:
    """`9:15` as `09:15`, `1345` as `13:45`; anything else stays."""
    if found := re.fullmatch(r"(\d{1,2})[:;.](\d{2})", value):
        return f"{int(found[1]):02}:{found[2]}"
    if found := re.fullmatch(r"(\d{2})(\d{2})", value):
        return f"{found[1]}:{found[2]}"
    return value
