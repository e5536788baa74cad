"""Act keys: what an act says when its value is left out, and the order acts are said in.

`Inform+hotel+price` is a key; the keys of a turn joined by `*` name its group of templates.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crosstalk.database.numbers import forms_of
from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind

JOIN: Final = "*"
"""Between the keys of a group."""
PART: Final = "+"
"""Between the parts of a key."""

_GENERAL: Final = {
    Speaker.USER: {"greet": 0, "thank": 5, "bye": 6},
    Speaker.SYSTEM: {"greet": 0, "thank": 1, "welcome": 2, "reqmore": 8, "bye": 9},
}
_INTENTS: Final = {
    Speaker.USER: {INFORM: 2, SELECT: 3, REQUEST: 4},
    Speaker.SYSTEM: {NO_OFFER: 3, INFORM: 5, RECOMMEND: 6, REQUEST: 7},
}
_NOTHING_FOUND: Final = 4
"""The rank of a system's Informs that something does not exist."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """An act as templates see it."""

    act: Act
    key: str
    value: str
    """What fills its hole in a template; empty where the key says it all."""

    @property
    def has_hole(self) -> bool:
        return bool(self.value)


@dataclass(frozen=True, slots=True)
class ActKeys:
    """How one side of a world's conversations names its acts."""

    speaker: Speaker
    services: frozenset[tuple[str, str]]
    """Domain and key of the slots whose services are slots of their own."""
    free: frozenset[tuple[str, str, str]]
    """Domain, slot and the value that says "free"."""
    nothing: str
    """The value that says that something does not exist."""

    @classmethod
    def of(cls, schema: Schema, language: LanguagePack, speaker: Speaker) -> "ActKeys":
        slots = [(domain.key, slot) for domain in schema for slot in domain.slots]
        services = {(key, slot.key) for key, slot in slots if slot.kind is SlotKind.SERVICES}
        free = {
            (key, slot.key, forms_of(language, key, slot).free)
            for key, slot in slots
            if slot.kind is SlotKind.NUMBER and forms_of(language, key, slot).free
        }
        return cls(speaker, frozenset(services), frozenset(free), language.nothing)

    def spoken(self, act: Act) -> Spoken:
        """The act's key and value; a value stays in the key where another would be said otherwise."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        if service and (act.domain, slot) in self.services:
            parts = [act.intent, act.domain, slot, *([act.value] if act.value else [])]
            return Spoken(act, PART.join(parts), service)
        key = PART.join((act.intent, act.domain, act.slot))
        if act.intent == SELECT or self._denies(act):
            return Spoken(act, f"{key}{PART}{act.value}", "")
        if act.intent not in (INFORM, RECOMMEND):
            return Spoken(act, key, "")
        if act.intent == INFORM and (act.domain, act.slot, act.value) in self.free:
            key = f"{key}{PART}{act.value}"
        return Spoken(act, key, act.value)

    def in_order(self, acts: Iterable[Act]) -> tuple[Spoken, ...]:
        """The acts as they are said: by rank, then by key; equal keys stay as they stand."""
        return tuple(sorted(map(self.spoken, acts), key=lambda each: (self._rank(each), each.key)))

    def _rank(self, spoken: Spoken) -> int:
        act = spoken.act
        if act.intent == GENERAL:
            return _GENERAL[self.speaker].get(act.domain, 1)
        if self.speaker is Speaker.SYSTEM and self._denies(act):
            return _NOTHING_FOUND
        return _INTENTS[self.speaker].get(act.intent, 2)

    def _denies(self, act: Act) -> bool:
        """Whether the act says that something does not exist."""
        return act.intent == INFORM and act.value == self.nothing


def group_key(spoken: Iterable[Spoken]) -> str:
    return JOIN.join(each.key for each in spoken)
