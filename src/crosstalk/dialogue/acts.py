"""Dialogue acts: what an utterance does, as (intent, domain, slot, value)."""

from dataclasses import dataclass
from typing import Final

INFORM: Final = "Inform"
REQUEST: Final = "Request"
RECOMMEND: Final = "Recommend"
NO_OFFER: Final = "NoOffer"
SELECT: Final = "Select"
GENERAL: Final = "General"

NOTHING: Final = "none"
"""Stands in the slot and value of acts that have neither: `General`, `NoOffer`."""


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """One dialogue act. Acts of a turn are kept sorted, in the order of their four fields."""

    intent: str
    domain: str
    """For `General`, what is done: greet, thank, welcome, reqmore, bye."""
    slot: str = NOTHING
    value: str = NOTHING
    """Empty for `Request`; for `Select`, the domain whose entity the new one shall be near."""

    def __str__(self) -> str:
        return f"{self.intent}({self.domain}, {self.slot}, {self.value!r})"
