"""What the turns before say about the one that is read: places spoken of, forms, open questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crosstalk.dialogue.acts import (
    AMONG,
    ASK,
    COMPARE,
    FACT,
    INFORM,
    RECOMMEND,
    REQUEST,
    WINNER,
    Act,
)
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import DomainKind, Schema, SlotKind
from crosstalk.dialogue.states import SystemState
from crosstalk.language.names import Place

MOST_RECENT = 12
"""Places that are remembered as spoken of."""


@dataclass(frozen=True, slots=True)
class Ride:
    """The ride that was spoken of last, as far as it was said."""

    domain: str
    ends: Mapping[str, str]
    """Endpoint slot -> name of a place."""


@dataclass(slots=True)
class TurnContext:
    """The conversation before a user's turn."""

    domain: str = ""
    """The domain spoken of last, rides included."""
    place_domain: str = ""
    """The same without rides."""
    last: dict[str, str] = field(default_factory=dict)
    """Domain -> the place under discussion."""
    recent: list[Place] = field(default_factory=list)
    """Places spoken of by either side, latest first."""
    listed: list[Place] = field(default_factory=list)
    """The places named together last, in the order in which they were named."""
    question: Act | None = None
    """What the last system turn asked back."""
    form: SystemState | None = None
    acts: tuple[Act, ...] = ()
    """What the user's previous turn meant."""
    text: str = ""
    """What the user's previous turn said."""
    ride: Ride | None = None

    def wants(self, domain: str, slot: str) -> bool:
        """Whether the form holds a wish for a slot."""
        return bool(self.form and self.form.get(domain).get(slot))

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

    def __init__(self, schema: Schema, places: Mapping[str, str]) -> None:
        """`places`: name of each place -> its domain."""
        self._schema = schema
        self._places = places
        self._names = {d.key: d.name_slot.key for d in schema.places if d.name_slot}

    def read(self, history: Sequence[Turn]) -> TurnContext:
        context = TurnContext()
        for turn in history:
            if turn.speaker is Speaker.USER:
                if any(act == Act("General", "restart") for act in turn.acts):
                    context = TurnContext()
                self._hear(context, turn)
            else:
                self._see(context, turn)
        return context

    def _hear(self, context: TurnContext, turn: Turn) -> None:
        context.acts, context.text = turn.acts, turn.text
        for act in turn.acts:
            domain = self._schema.domain(act.domain)
            slot = domain.slot(act.slot) if domain else None
            if act.intent == COMPARE and act.value:
                for name in act.value.split(AMONG):
                    self._remember(context, (act.domain, name))
            if act.intent == INFORM and domain and slot:
                self._hear_place(context, act, slot.kind, slot.target)
        self._focus(context, turn.acts)
        self._hear_ride(context, turn.acts)

    def _hear_place(self, context: TurnContext, act: Act, kind: SlotKind, target: str) -> None:
        if kind is SlotKind.NAME and act.value not in self._places:
            return  # a word in names: museum
        if kind is SlotKind.NAME:
            context.last[act.domain] = act.value
            self._remember(context, (act.domain, act.value))
        elif kind is SlotKind.NEARBY and act.value:
            self._remember(context, (target, act.value))
        elif kind is SlotKind.ENDPOINT and act.value:
            self._remember(context, (self._places.get(act.value, ""), act.value))

    def _focus(self, context: TurnContext, acts: Sequence[Act]) -> None:
        for intent in (REQUEST, INFORM, ""):
            found = [act.domain for act in acts if intent in (act.intent, "")]
            domains = [each for each in found if self._schema.domain(each)]
            if domains:
                self._set_domain(context, domains[-1])
                return

    def _set_domain(self, context: TurnContext, key: str) -> None:
        context.domain = key
        domain = self._schema.domain(key)
        if domain and domain.kind is DomainKind.PLACE:
            context.place_domain = key

    def _hear_ride(self, context: TurnContext, acts: Sequence[Act]) -> None:
        for ride in self._schema.rides:
            ends = {slot.key for slot in ride.of_kind(SlotKind.ENDPOINT)}
            said = {a.slot: a.value for a in acts if a.domain == ride.key and a.slot in ends}
            if said:
                context.ride = Ride(ride.key, said)

    def _see(self, context: TurnContext, turn: Turn) -> None:
        context.form = turn.last_query or turn.first_query or context.form
        context.question = next((act for act in turn.acts if act.intent == ASK), None)
        places = list(dict.fromkeys(self._told(turn.acts)))
        ticked = self._ticked(turn.last_query)
        for domain, name in [each for each in ticked if each not in places]:
            self._remember(context, (domain, name))
            context.last[domain] = name
        if len(places) > 1 or (places and places[0] not in context.listed):
            context.listed = sorted(places, key=lambda place: _position(turn.text, place[1]))
        for place in reversed(context.listed if places == context.listed else places):
            self._remember(context, place)
            context.last[place[0]] = place[1]
        for act in turn.acts:
            if act.intent == WINNER:
                self._remember(context, (act.domain, act.value))
                context.last[act.domain] = act.value
        if places and places[0][0] != context.place_domain and len({d for d, _ in places}) == 1:
            context.place_domain = places[0][0]

    def _ticked(self, form: SystemState | None) -> list[Place]:
        tabs = [form.get(key) for key in self._names] if form else []
        return [(tab.domain, tab.selected[0]) for tab in tabs if len(tab.selected) == 1]

    def _told(self, acts: Sequence[Act]) -> list[Place]:
        places = []
        for act in acts:
            if act.intent == FACT:
                places.append((act.domain, act.value.partition(AMONG)[0]))
            elif act.intent in (INFORM, RECOMMEND) and act.slot == self._names.get(act.domain):
                places.append((act.domain, act.value))
        return places

    def _remember(self, context: TurnContext, place: Place) -> None:
        known = [each for each in context.recent if each != place]
        context.recent = [place, *known][:MOST_RECENT]


def _position(text: str, name: str) -> int:
    at = text.find(name)
    return at if at >= 0 else len(text)
