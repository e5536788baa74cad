"""Dialogue acts: what an utterance does, as (intent, domain, slot, value).

The first six intents are CrossWOZ's. The others are for what people say beyond its corpus;
`design/system.md` has a table with examples.
"""

from dataclasses import dataclass
from typing import Final

INFORM: Final = "Inform"
REQUEST: Final = "Request"
RECOMMEND: Final = "Recommend"
NO_OFFER: Final = "NoOffer"
SELECT: Final = "Select"
GENERAL: Final = "General"

# What users do beyond the published acts.
EXCLUDE: Final = "Exclude"
DROP: Final = "Drop"
SORT: Final = "Sort"
STEP: Final = "Step"
ANOTHER: Final = "Another"
LIST: Final = "List"
COUNT: Final = "Count"
PICK: Final = "Pick"
COMPARE: Final = "Compare"
CONFIRM: Final = "Confirm"
MULTIPLY: Final = "Multiply"
UNSUPPORTED: Final = "Unsupported"
IGNORED: Final = "Ignored"

# What the system answers to them; it also says Count, Unsupported and Ignored.
AFFIRM: Final = "Affirm"
DENY: Final = "Deny"
FACT: Final = "Fact"
WINNER: Final = "Winner"
TIE: Final = "Tie"
NO_MORE: Final = "NoMore"
NO_STEP: Final = "NoStep"
NO_RECORD: Final = "NoRecord"
PRODUCT: Final = "Product"
ASK: Final = "Ask"

PUBLISHED: Final = frozenset({INFORM, REQUEST, RECOMMEND, NO_OFFER, SELECT, GENERAL})
"""The intents of CrossWOZ."""

LEAST: Final = "min"
MOST: Final = "max"
"""Values of `Sort`."""
LESS: Final = "less"
MORE: Final = "more"
"""Values of `Step`."""
AMONG: Final = "|"
"""Between the names of a `Compare`, and between the name and the value of a `Fact`."""

NOTHING: Final = "none"
"""Stands in the slot and value of acts that have neither: `General`, `NoOffer`."""


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """One dialogue act. Acts of a turn are kept in the order of intent, domain and slot."""

    intent: str
    domain: str
    """For `General`, what is done: greet, thank, welcome, reqmore, bye."""
    slot: str = NOTHING
    value: str = NOTHING
    """Empty for `Request`; for `Select`, the domain whose entity the new one shall be near."""

    def __str__(self) -> str:
        return f"{self.intent}({self.domain}, {self.slot}, {self.value!r})"
