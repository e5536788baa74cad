"""What the assistant carries from turn to turn; a value, so that every turn can be told again."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.states import SystemState
from crosstalk.language.names import Place

MOST_RECENT = 10
"""Places that are remembered as spoken of."""


class Asked(StrEnum):
    """What the assistant has just asked, to which a short answer may come."""

    DETAILS = "details"
    """Whether to tell more about the place offered, or to offer another."""
    WISH = "wish"
    """Whether there are wishes that narrow the search."""
    NAME = "name"
    """Which of several names was meant."""
    DOMAIN = "domain"
    """What a wish is about."""
    NEAR = "near"
    """Near which place."""
    DEPARTURE = "departure"
    DESTINATION = "destination"
    PLACE = "place"
    """Which place a question is about."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the assistant's that is still open."""

    asked: Asked
    domain: str = ""
    text: str = ""
    """The utterance that led to it, to be taken up again once the answer is there."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation so far."""

    form: SystemState
    focus: str = ""
    """The domain the talk is about."""
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Domain -> the place under discussion there."""
    recent: tuple[Place, ...] = ()
    """Places spoken of, latest first."""
    seen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Domain -> names offered since its search began."""
    order: Mapping[str, str] = field(default_factory=dict)
    """Domain -> which come first: cheapest, dearest or best."""
    used: frozenset[str] = frozenset()
    """Domains in which facts were asked for since the last search."""
    missed: tuple[tuple[str, str], ...] = ()
    """Domain and slot of wishes that the place offered last does not meet."""
    listed: tuple[Place, ...] = ()
    """The places named in the last answer, in order."""
    question: Question | None = None
    said: str = ""
    """The last answer."""
    lost: int = 0
    """How many utterances in a row were not understood."""
    history: tuple[Turn, ...] = ()

    def choosing(self, place: Place) -> "Session":
        """The place is what the talk is about now."""
        domain, name = place
        recent = (place, *(each for each in self.recent if each != place))
        return replace(
            self, focus=domain, chosen={**self.chosen, domain: name}, recent=recent[:MOST_RECENT]
        )

    def passing(self, *places: Place) -> "Session":
        """Places that were spoken of on the way, the last one last."""
        recent = (*reversed(places), *(each for each in self.recent if each not in places))
        return replace(self, recent=recent[:MOST_RECENT])

    def offering(self, domain: str, names: tuple[str, ...]) -> "Session":
        """Names that were offered, for "another" to skip."""
        before = self.seen.get(domain, ())
        new = tuple(name for name in names if name not in before)
        return replace(self, seen={**self.seen, domain: (*before, *new)})

    def anew(self, domain: str) -> "Session":
        """A new search in a domain: what was offered before may be offered again."""
        return replace(
            self,
            form=self.form.with_domain(self.form.get(domain).cleared()),
            chosen={key: name for key, name in self.chosen.items() if key != domain},
            seen={key: names for key, names in self.seen.items() if key != domain},
            order={key: order for key, order in self.order.items() if key != domain},
            used=self.used - {domain},
        )
