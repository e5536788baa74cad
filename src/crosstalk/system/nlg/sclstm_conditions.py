"""What the SC-LSTM is told to say: ones in a vector for the domains, intents and slots of a turn.

The features of `Inform+hotel+dishes` said twice are `hotel`, `hotel+Inform`,
`hotel+Inform+dishes+1` and `hotel+Inform+dishes+2`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from crosstalk.dialogue.acts import REQUEST
from crosstalk.system.nlg.keys import PART, ActKeys
from crosstalk.system.nlg.templates import numbered

ASKED: Final = "?"
"""The index of a slot that is asked for."""
UNNUMBERED: Final = "none"
"""The index of what carries no value."""


@dataclass(frozen=True)
class Conditions:
    """The features a network knows, in the order of its condition vector."""

    features: tuple[str, ...]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {feature: place for place, feature in enumerate(self.features)}

    def lit(self, features: Iterable[str]) -> list[int]:
        """Where the vector has ones; features never met in training are left out."""
        return sorted({self._places[each] for each in features if each in self._places})


def features_of(group: Sequence[str], keys: ActKeys, *, facility_defect: bool = False) -> list[str]:
    """The features of a group of act keys, each once.

    `facility_defect`: as the published generator has it when it speaks. Its services get no
    number, which no training ever showed it, so nothing tells the network to say them.
    """
    features: dict[str, None] = {}
    for key, number in numbered(group):
        intent, domain, *slot = key.split(PART)
        index = _index(key, number, keys, facility_defect)
        features[domain] = None
        features[PART.join((domain, intent))] = None
        features[PART.join((domain, intent, *slot, index))] = None
    return list(features)


def _index(key: str, number: int, keys: ActKeys, facility_defect: bool) -> str:
    intent, domain, slot, *_ = key.split(PART)
    if facility_defect and (domain, slot) in keys.services:
        return UNNUMBERED
    if keys.has_hole(key):
        return str(number)
    return ASKED if intent == REQUEST else UNNUMBERED
