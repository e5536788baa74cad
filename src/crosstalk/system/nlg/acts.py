"""Every act that one side of a world may have to say, value left out."""

from collections.abc import Iterator
from itertools import chain

from crosstalk.dialogue.acts import GENERAL, INFORM, NO_OFFER, NOTHING, RECOMMEND, REQUEST, SELECT
from crosstalk.dialogue.dialogues import Speaker
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.language.number_forms import forms_of
from crosstalk.system.nlg.keys import PART

_MANNERS = {
    Speaker.USER: ("greet", "thank", "bye"),
    Speaker.SYSTEM: ("greet", "thank", "welcome", "reqmore", "bye"),
}


def sayable(schema: Schema, language: LanguagePack, speaker: Speaker) -> list[str]:
    """The keys, each once: what goals want and ask, what tables answer."""
    manners = [PART.join((GENERAL, manner, NOTHING)) for manner in _MANNERS[speaker]]
    side = _user if speaker is Speaker.USER else _system
    return [*manners, *chain.from_iterable(side(domain, language) for domain in schema)]


def _user(domain: Domain, language: LanguagePack) -> Iterator[str]:
    for slot in domain.slots:
        key = PART.join((domain.key, slot.key))
        if slot.kind in (SlotKind.NAME, SlotKind.ENDPOINT) or slot.constrain:
            yes = [language.yes] if slot.kind is SlotKind.SERVICES else []
            yield PART.join((INFORM, key, *yes))
            yield from _free(domain, slot, language)
        if slot.request:
            yield PART.join((REQUEST, key))
        if slot.kind is SlotKind.NEARBY:
            source = language.source
            yield PART.join((SELECT, slot.target, source, domain.key))


def _system(domain: Domain, language: LanguagePack) -> Iterator[str]:
    if domain.kind is DomainKind.PLACE:
        yield PART.join((NO_OFFER, domain.key, NOTHING))
    for slot in domain.slots:
        key = PART.join((INFORM, domain.key, slot.key))
        if slot.kind is SlotKind.NAME:
            yield from (key, PART.join((RECOMMEND, domain.key, slot.key)))
        elif slot.kind is SlotKind.SERVICES:
            yield from (f"{key}{PART}{language.yes}", f"{key}{PART}{language.no}")
        elif slot.request:
            yield from (key, f"{key}{PART}{language.nothing}")
            yield from _free(domain, slot, language)


def _free(domain: Domain, slot: Slot, language: LanguagePack) -> Iterator[str]:
    free = forms_of(language, domain.key, slot).free
    if slot.kind is SlotKind.NUMBER and free:
        yield PART.join((INFORM, domain.key, slot.key, free))
