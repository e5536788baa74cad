"""What the turns before say about the one that is read: places mentioned, forms, open questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crosstalk.dialogue.acts import COMPARE, COUNT, LIST, NO_OFFER, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.schema import Schema
from crosstalk.dialogue.states import SystemState
from crosstalk.language.names import Place
from crosstalk.system.dst.discourse import Discourse


@dataclass(frozen=True, slots=True)
class Ride:
    """The ride that was mentioned last, as far as it was said."""

    domain: str
    ends: Mapping[str, str]
    """Endpoint slot -> name of a place."""


@dataclass(slots=True)
class TurnContext:
    """The conversation before a user's turn."""

    domain: str = ""
    """The domain mentioned last, rides included."""
    place_domain: str = ""
    """The same without rides."""
    last: dict[str, str] = field(default_factory=dict)
    """Domain -> the place under discussion."""
    recent: list[Place] = field(default_factory=list)
    """Places mentioned by either side, latest first."""
    listed: list[Place] = field(default_factory=list)
    """The places named together last, in the order in which they were named."""
    enumerated: list[Place] = field(default_factory=list)
    """The same of the last time that there were several."""
    several: bool = False
    """Whether the last system turn named several of them."""
    question: Act | None = None
    """What the last system turn asked back."""
    form: SystemState | None = None
    acts: tuple[Act, ...] = ()
    """What the user's previous turn meant."""
    text: str = ""
    """What the user's previous turn said."""
    ride: Ride | None = None
    wishes: SystemState | None = None
    """The form with all that is wanted, met or not."""
    is_cut: bool = False
    """Whether the last system turn named some of the places that fit, as it saw fit."""
    missed: frozenset[str] = frozenset()
    """Domains in which the last system turn found nothing that met all constraints."""

    def wants(self, domain: str, slot: str, value: str = "") -> bool:
        """Whether the form holds a constraint for a slot, or for this value of it."""
        form = self.wishes or self.form
        wish = form.get(domain).get(slot) if form else ""
        return value in wish if value else bool(wish)

    def nth(self, number: int) -> Place | None:
        """The place that an ordinal picks of those named together; -1 is the last."""
        at = number - 1 if number > 0 else number
        for places in (self.listed, self.enumerated):
            if -len(places) <= at < len(places):
                return places[at]
        return None

    @property
    def other_of_two(self) -> Place | None:
        """Of two places named together, the one that is not under discussion."""
        places = self.listed if len(self.listed) > 1 else self.enumerated
        others = [place for place in places if self.last.get(place[0]) != place[1]]
        return others[0] if len(places) == 2 and len(others) == 1 else None

    @property
    def compared(self) -> bool:
        """Whether the user's previous turn compared places."""
        return any(act.intent == COMPARE for act in self.acts)

    @property
    def spoken(self) -> bool:
        return bool(self.acts)

    def is_searched(self, domain: str) -> bool:
        """Whether a domain has been searched or a place of it been offered."""
        return bool(self.last.get(domain) or (self.form and self.form.get(domain).constraints))

    def recent_of(self, *domains: str) -> list[Place]:
        return [place for place in self.recent if not domains or place[0] in domains]


class ContextReader:
    """Folds turns into a `TurnContext`."""

    def __init__(self, schema: Schema, yes: str, places: Mapping[str, str]) -> None:
        """`places`: name of each place -> its domain."""
        self._schema = schema
        self._yes = yes
        self._places = places

    def read(self, history: Sequence[Turn]) -> TurnContext:
        discourse = Discourse.of(self._schema, self._yes, tuple(history))
        before = history[-2] if len(history) > 1 else None
        answer = history[-1].text if history else ""
        return TurnContext(
            domain=discourse.domain,
            place_domain=discourse.place_domain,
            last={key: name for key, name in discourse.current.items() if name in self._places},
            recent=[
                (key or self._places[name], name)
                for key, name in discourse.recent
                if name in self._places  # museums are no place
            ],
            listed=discourse.listed,
            enumerated=discourse.enumerated,
            several=sum(name in answer for _, name in discourse.listed) > 1,
            question=discourse.question,
            form=discourse.form or discourse.first_form,
            wishes=discourse.first_form,
            acts=before.acts if before else (),
            text=before.text if before else "",
            ride=Ride(*discourse.ride) if discourse.ride else None,
            is_cut=_is_cut(discourse.system_acts, before.acts if before else ()),
            missed=frozenset(a.domain for a in discourse.system_acts if a.intent == NO_OFFER),
        )


def _is_cut(told: Sequence[Act], said: Sequence[Act]) -> bool:
    """Whether how many fit was told beside the names of some, and nobody said how many to name."""
    asked = any(act.intent == LIST and act.value.isdigit() for act in said)
    return any(act.intent == COUNT for act in told) and not asked
