"""Labels as published: one spelling for `any` and `none`, typing errors of English values mended.

The table is the one of the published picklist code (English only, as there); what other languages
say is kept as it stands, but for their words for `any` and `not mentioned` (`states.toml`).
"""

import re
from typing import Final

from crosstalk.language.state_words import all_labels
from crosstalk.transfer.states.slots import ANY, NONE

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
"""Values that were written into a slot they do not belong to: nothing is set then."""
PREFIXES: Final = {
    "area": {"no": "north", "we": "west", "cent": "centre"},
    "day": {"we": "wednesday", "no": NONE},
    "pricerange": {"ch": "cheap"},
    "internet": {"free": "yes"},
}
HOTELS: Final = ("hotel with free parking and free wifi", "4", "3 star hotel")


def normalised(slot: str, value: str, *, english: bool = True) -> str:
    """One label as it is compared. `slot`: its key, as `hotel-book day`."""
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
