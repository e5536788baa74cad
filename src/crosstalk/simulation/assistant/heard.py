"""What was said in one utterance."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, SELECT, Act
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind
from crosstalk.language.names import Place
from crosstalk.simulation.assistant.session import Asked


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance, taken apart."""

    text: str
    """As typed, but for what cannot be shown."""
    plain: str
    cues: frozenset[str] = frozenset()
    """Moves without a domain: yes, another, cheaper, ..."""
    domains: tuple[str, ...] = ()
    """Domains named, in order; those that only say where are not among them."""
    places: tuple[Place, ...] = ()
    """Places named for their own sake."""
    doubtful: tuple[Place, ...] = ()
    """Places of which one was meant."""
    wishes: tuple[tuple[str, str, str], ...] = ()
    """Domain, slot, value; without a domain where nobody can tell."""
    asked: tuple[tuple[str, str], ...] = ()
    """Domain and slot; a service or a dish as `<slot>-<term>`."""
    near: Mapping[str, Place | None] = field(default_factory=dict)
    """Domain sought -> the place it shall be near; None: one that we do not know."""
    ride: str = ""
    """The domain of the ride wanted."""
    ends: Mapping[str, Place] = field(default_factory=dict)
    """Slot of the ride -> place."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Domain and slot that no longer matter."""
    unwanted: tuple[tuple[str, str, str], ...] = ()
    """Domain, slot and value of wishes taken back: `no duck then`."""
    unexplained: tuple[str, ...] = ()
    """Words that nothing was made of."""

    @property
    def has_content(self) -> bool:
        """Whether anything was said about places or rides."""
        said = (self.domains, self.places, self.doubtful, self.wishes, self.asked, self.near)
        return any(said) or bool(self.ride or self.ends or self.dropped or self.unwanted)

    def answers(self, asked: Asked) -> bool:
        """Whether it is nothing but the place, or the kind of place, that was asked for."""
        if self.wishes or self.asked or self.near or self.ends or self.ride or self.dropped:
            return False
        return bool(self.domains if asked is Asked.DOMAIN else self.places or self.doubtful)

    def acts(self, schema: Schema, pack: LanguagePack) -> tuple[Act, ...]:
        """What was said as dialogue acts, sorted; cues are general ones."""
        return tuple(sorted(set(self._acts(schema, pack))))

    def _acts(self, schema: Schema, pack: LanguagePack) -> Iterator[Act]:
        for cue in self.cues - {"search", "which_of"}:
            yield Act(GENERAL, cue)
        for key in self.domains:
            domain = schema.domain(key)
            if domain and domain.name_slot and not self.places:
                yield Act(REQUEST, key, domain.name_slot.key, "")
        for key, name in (*self.places, *(place for place in self.near.values() if place)):
            domain = schema.domain(key)
            if domain and domain.name_slot:
                yield Act(INFORM, key, domain.name_slot.key, name)
        for key, slot, value in self.wishes:
            yield _wish(schema, pack, key, slot, value)
        for key, slot in self.asked:
            yield Act(REQUEST, key, slot, "")
        for key, place in self.near.items():
            yield Act(SELECT, key, pack.source, place[0] if place else "")
        for slot, place in self.ends.items():
            yield Act(INFORM, self.ride, slot, place[1])
        ride = schema.domain(self.ride)
        for each in ride.slots if ride else ():
            if each.request:
                yield Act(REQUEST, self.ride, each.key, "")


def _wish(schema: Schema, pack: LanguagePack, key: str, slot: str, value: str) -> Act:
    domain = schema.domain(key)
    found = domain.slot(slot) if domain else None
    if found and found.kind is SlotKind.SERVICES:
        return Act(INFORM, key, f"{slot}{SERVICE_MARK}{value}", pack.yes)
    return Act(INFORM, key, slot, value)
