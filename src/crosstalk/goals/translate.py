"""Goals in another language of their world: the same rows and the same bands, said otherwise."""

from dataclasses import replace
from itertools import chain

from crosstalk.dialogue.goals import Goal, Reference, SemanticTuple, Value
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.errors import InputError
from crosstalk.goals.describe import describe
from crosstalk.language.number_forms import forms_of, say_band
from crosstalk.worlds.tables import World, texts


class GoalTranslator:
    """Carries goals from one language of a world into another."""

    def __init__(self, source: World, target: World) -> None:
        self._source, self._target = source, target
        self._values = {
            (domain.key, slot.key): _renderings(domain, slot, source, target)
            for domain in source.schema
            for slot in domain.slots
        }

    def translate(self, goal: Goal) -> Goal:
        tuples = tuple(map(self._tuple, goal.tuples))
        told = describe(tuples, self._target) if self._target.language.goal else ()
        return Goal(tuples, goal.type, told)

    def _tuple(self, each: SemanticTuple) -> SemanticTuple:
        domain = self._source.schema.domain(each.domain)
        slot = domain.slot(each.slot) if domain else None
        if slot is None:
            raise InputError(f"world {self._source.name} has no slot {each.domain}.{each.slot}")
        if slot.kind is SlotKind.SERVICES and not each.is_exclusion:
            service = self._text(each.slot.removeprefix(slot.key + SERVICE_MARK), each, slot)
            each = replace(each, slot=f"{slot.key}{SERVICE_MARK}{service}")
        return each.filled(self._value(each, slot))

    def _value(self, each: SemanticTuple, slot: Slot) -> Value:
        if isinstance(each.value, Reference):
            return each.value
        if isinstance(each.value, str):
            return self._text(each.value, each, slot)
        return tuple(self._text(text, each, slot) for text in each.value)

    def _text(self, text: str, each: SemanticTuple, slot: Slot) -> str:
        known = self._values[each.domain, slot.key]
        if text and text not in known:
            raise InputError(
                f"{each.domain}.{slot.key}: {text!r} is no value of world {self._source.name} "
                f"in {self._source.language.name}",
                remedy="Describe the goal in the language it was drawn in.",
            )
        return known.get(text, text)


def _renderings(domain: Domain, slot: Slot, source: World, target: World) -> dict[str, str]:
    """What the source says -> what the target says: cell by cell, band by band."""
    here, there = source.language, target.language
    said = {here.yes: there.yes, here.no: there.no, here.nothing: there.nothing}
    forms = forms_of(here, domain.key, slot), forms_of(there, domain.key, slot)
    said |= {say_band(forms[0], band): say_band(forms[1], band) for band in slot.bands}
    if domain.key in source.tables:
        said |= dict(zip(_said(domain, slot, source), _said(domain, slot, target), strict=True))
    return said


def _said(domain: Domain, slot: Slot, world: World) -> chain[str]:
    rows = world.tables[domain.key]
    return chain.from_iterable(texts(row.get(slot.key)) for row in rows)
