"""Texts without annotated spans, with slots in place of values: `[name] is in the [area]`.

    Delexicaliser.of(tables).text("The Gonville Hotel is in the centre, phone 01223366611")

Values come from the tables; times, train numbers, references and prices are found by their form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.evaluation.multiwoz.venue_tables import VenueTables

COLUMNS: Final = ("name", "address", "phone", "postcode", "area", "food", "pricerange", "type")
"""Columns whose values people say; `departure` and `destination` are both places."""
OTHER_WORDS: Final = {
    "area": ("center", "city centre", "city center", "centre of town", "center of town"),
    "type": ("guest house", "swimming pool", "night club", "concert hall", "colleges", "museums"),
    "pricerange": ("moderately priced", "inexpensive", "moderately"),
    "day": ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
}
COMMON: Final = frozenset(("hotel", "park", "boat", "?", "the place", "restaurant", ""))
"""Values that are mostly other words."""
FORMS: Final = (
    ("trainid", r"\btr ?\d{4}\b"),
    ("phone", r"\b0?\d{10,11}\b"),
    ("postcode", r"\bcb\d{1,2} ?,?\d ?[a-z]{2}\b"),
    ("price", r"(?:£ ?)?\b\d+(?:\.\d\d)? (?:pounds|gbp)\b"),
    ("time", r"\b\d{1,2}:\d\d(?: ?[ap]m)?\b"),
    ("time", r"\b\d+ minutes\b"),
    ("stars", r"\b[0-5](?= ?-? ?stars?\b)"),
    ("people", r"\b\d+(?= people\b)"),
    ("stay", r"\b\d+(?= (?:nights?|days)\b)"),
    ("choice", r"\b\d{1,4}(?= \w+ ?(?:\w+ )?(?:that|matching|available|options|in)\b)"),
)
REFERENCE: Final = re.compile(r"\b(?=[A-Z0-9]*[A-Z])[A-Z0-9]{8}\b")
"""Eight capitals and digits; looked for before a text is put into small letters."""


@dataclass(frozen=True)
class Delexicaliser:
    """What stands in the tables, by slots."""

    slot_of: dict[str, str]
    """Value in small letters -> slot."""

    @classmethod
    def of(cls, tables: VenueTables) -> "Delexicaliser":
        return cls(dict(_values(tables)))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(self.slot_of, key=len, reverse=True)
        return re.compile(r"(?<!\w)(" + "|".join(map(re.escape, longest)) + r")(?!\w)")

    def text(self, text: str) -> str:
        """The text in small letters with slots for values."""
        text = REFERENCE.sub("[reference]", text).lower()
        for slot, form in FORMS:
            text = re.sub(form, f"[{slot}]", text)
        return self._pattern.sub(lambda found: f"[{self.slot_of[found[1]]}]", text)


def _values(tables: VenueTables) -> Iterator[tuple[str, str]]:
    for slot, words in OTHER_WORDS.items():
        yield from ((word, slot) for word in words)
    for row in tables.rows["train"]:
        yield row["destination"], "destination"
    for domain in ("attraction", "hotel", "restaurant"):
        for row in tables.rows[domain]:
            for slot in reversed(COLUMNS):
                for value in _spellings(slot, row.get(slot, "").lower()):
                    if value not in COMMON and len(value) > 2:
                        yield value, slot


def _spellings(slot: str, value: str) -> Iterator[str]:
    yield value
    if slot == "name":
        yield value.removeprefix("the ")
        yield value.replace(" and ", " & ")
        yield value.removesuffix(" restaurant").removesuffix(" hotel")
    if slot == "address":
        yield value.partition(",")[0]
