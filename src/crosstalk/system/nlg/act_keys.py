"""Act keys: acts without their values, and the order in which acts are said.

`Inform+hotel+price` is a key; the keys of a turn joined by `*` name its group of templates.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from crosstalk.dialogue.acts import (
    ANOTHER,
    CONFIRM,
    COUNT,
    DROP,
    EXCLUDE,
    GENERAL,
    INFORM,
    NO_OFFER,
    NOTHING,
    RECOMMEND,
    REQUEST,
    SELECT,
    SYSTEM_INTENTS,
    USER_INTENTS,
    Act,
)
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind
from crosstalk.language.number_forms import forms_of

JOIN: Final = "*"
"""Between the keys of a group."""
PART: Final = "+"
"""Between the parts of a key."""

_GENERAL: Final = {
    Speaker.USER: {"greet": 0, "repeat": 1, "restart": 1, "help": 1, "thank": 5, "bye": 6},
    Speaker.SYSTEM: {"greet": 0, "thank": 1, "welcome": 2, "reqmore": 7, "bye": 8},
}
_INTENTS: Final = {
    Speaker.USER: {DROP: 1, INFORM: 2, SELECT: 3, EXCLUDE: 3, REQUEST: 4, CONFIRM: 4, COUNT: 4},
    Speaker.SYSTEM: {NO_OFFER: 3, INFORM: 4, RECOMMEND: 5, REQUEST: 6},
}
INTENTS: Final = {
    Speaker.USER: USER_INTENTS,
    Speaker.SYSTEM: SYSTEM_INTENTS | {REQUEST},
}
"""The intents that a side may have."""
GENERAL_ACTS: Final = {speaker: frozenset(stages) for speaker, stages in _GENERAL.items()}
"""The General acts that templates of a side may say."""
VALUED: Final = (INFORM, RECOMMEND, EXCLUDE, CONFIRM)
"""Intents whose acts say a value."""
WHOLE: Final = (NO_OFFER, ANOTHER, COUNT, DROP)
"""Intents whose acts may be about a domain as a whole: `Count+hotel+none`."""


@dataclass(frozen=True, slots=True)
class SpokenAct:
    """An act with its key and the value to be said."""

    act: Act
    key: str
    value: str
    """The value that fills its hole in a template; empty if it has none."""

    @property
    def has_hole(self) -> bool:
        return bool(self.value)


@dataclass(frozen=True, slots=True)
class ActKeys:
    """The keys of the acts of one side in one world."""

    speaker: Speaker
    services: frozenset[tuple[str, str]]
    """Domain and key of the slots whose services are slots of their own."""
    free: frozenset[tuple[str, str, str]]
    """Domain, slot and the value that says "free"."""
    name_slots: frozenset[tuple[str, str]]
    """Domain and key of the slots that name a place."""
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
        names = {(key, slot.key) for key, slot in slots if slot.kind is SlotKind.NAME}
        return cls(
            speaker, frozenset(services), frozenset(free), frozenset(names), language.nothing
        )

    def spoken(self, act: Act) -> SpokenAct:
        """The act with its key; values that need a template of their own stay in the key."""
        slot, _, service = act.slot.partition(SERVICE_MARK)
        if service and (act.domain, slot) in self.services:
            parts = [act.intent, act.domain, slot, *([act.value] if act.value else [])]
            return SpokenAct(act, PART.join(parts), service)
        key = PART.join((act.intent, act.domain, act.slot or NOTHING))
        if act.intent == SELECT or self._denies(act):
            return SpokenAct(act, f"{key}{PART}{act.value}", "")
        if act.intent not in VALUED:
            return SpokenAct(act, key, "")
        if act.intent == INFORM and (act.domain, act.slot, act.value) in self.free:
            key = f"{key}{PART}{act.value}"
        return SpokenAct(act, key, act.value)

    def has_hole(self, key: str) -> bool:
        """Whether acts of this key have a value that the template must say."""
        intent, domain, slot, *value = key.split(PART)
        if (domain, slot) in self.services:
            return True
        return intent in VALUED and value != [self.nothing]

    def in_order(self, acts: Iterable[Act]) -> tuple[SpokenAct, ...]:
        """The acts in the order in which they are said; the order of equal keys is kept."""
        return tuple(sorted(map(self.spoken, acts), key=lambda each: self.rank(each.key)))

    def rank(self, key: str) -> tuple[int, bool, str]:
        """Sort key: by stage, then acts saying that something does not exist, then by key."""
        denies = key.split(PART)[3:] == [self.nothing] and self.speaker is Speaker.SYSTEM
        return self.stage(key), not denies, key

    def stage(self, key: str) -> int:
        intent, domain, *_ = key.split(PART)
        if intent == GENERAL:
            return _GENERAL[self.speaker].get(domain, 1)
        return _INTENTS[self.speaker].get(intent, 2)

    def names(self, key: str) -> bool:
        """Whether acts of this key name a place."""
        _, domain, slot, *_ = key.split(PART)
        return (domain, slot) in self.name_slots

    def _denies(self, act: Act) -> bool:
        """Whether the act says that something does not exist."""
        return act.intent == INFORM and act.value == self.nothing


def group_key(spoken: Iterable[SpokenAct]) -> str:
    return JOIN.join(each.key for each in spoken)
