"""Types of the rules: segments of an utterance, nearness, rankings, and the rules of a world."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from crosstalk.dialogue.acts import (
    LEAST,
    MOST,
)
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Schema, SlotKind
from crosstalk.language.names import Place
from crosstalk.language.phrases import Grammar
from crosstalk.system.nlu.rules.number_slots import Amounts
from crosstalk.system.nlu.rules.spotting import Spotter
from crosstalk.system.nlu.rules.utterance import KIND, Hit

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "last": -1,
    "second_last": -2,
}
SMALL_TALK: Final = ("greet", "thank", "bye")
NUMBER, RATING, DURATION = SlotKind.NUMBER, SlotKind.RATING, SlotKind.DURATION
MEASURES: Final[Mapping[str, tuple[SlotKind, str, bool]]] = {
    "cheapest": (NUMBER, LEAST, True),
    "dearest": (NUMBER, MOST, True),
    "best": (RATING, MOST, True),
    "cheaper": (NUMBER, LEAST, False),
    "dearer": (NUMBER, MOST, False),
    "better": (RATING, MOST, False),
    "longer": (DURATION, MOST, False),
    "shorter": (DURATION, LEAST, False),
}
"""Cue -> the kind of slot that is ranked, which end comes first, whether it is a superlative."""
IN_COMPARISONS: Final = {
    "cheap": "cheaper",
    "dear": "dearer",
    "good": "better",
    "expensive": "dearer",
}
EXTREMES: Final = {
    "most": (MOST, True),
    "least": (LEAST, True),
    "higher": (MOST, False),
    "lower": (LEAST, False),
}
"""Cue beside a slot -> which end comes first, and whether it is a superlative."""
BESIDE: Final = 14
LONGEST_LIST: Final = 10


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A ranking that an utterance speaks of."""

    kind: SlotKind
    way: str
    superlative: bool
    hit: Hit


@dataclass(slots=True)
class NearPlace:
    """Something near a place."""

    cue: Hit
    source: Hit | None
    place: Place | None
    closer: bool = False
    unknown: bool = False
    """A place is named that we do not know."""


@dataclass(slots=True)
class UtteranceSegment:
    """A part of an utterance that is about one domain."""

    start: int
    end: int
    anchor: Hit | None = None
    """The word that names the domain."""
    near: list[NearPlace] = field(default_factory=list)
    is_one_of_several: bool = False
    """Whether *both* is said of it and of what another segment searches for."""
    shared: tuple[int, int] = (0, 0)
    """Another stretch that is about it too: `both under 200`."""

    @property
    def stretches(self) -> tuple[tuple[int, int], tuple[int, int]]:
        return (self.start, self.end), self.shared

    def holds(self, hit: Hit) -> bool:
        return any(start <= hit.start < end for start, end in self.stretches)


@dataclass(frozen=True, slots=True)
class ReadingRules:
    """What reading needs to know about a world and its language."""

    schema: Schema
    pack: LanguagePack
    grammar: Grammar
    spotter: Spotter
    amounts: Amounts


def key_of(anchor: Hit) -> str:
    """The domain that an anchor names."""
    return anchor.domain if anchor.kind == KIND else anchor.key
