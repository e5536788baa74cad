"""RuleDST, the published rule tracker (CrossWOZ, section 5 of the paper).

Reads the acts of the user's last turn and of the system turn before it; in the published
single-turn evaluation the latter are withheld, which leaves its second rule without effect.
"""

from crosstalk.dialogue.acts import INFORM, NO_OFFER, REQUEST, SELECT, Act
from crosstalk.dialogue.dialogues import Turn
from crosstalk.dialogue.languages import LanguagePack
from crosstalk.dialogue.schema import SERVICE_MARK, Schema, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.dst.tracker import DialogueState, current_domain


class RuleTracker:
    """Five rules in order: domain, clearing, requests, Select, Inform."""

    def __init__(self, schema: Schema, language: LanguagePack) -> None:
        self._schema = schema
        self._language = language

    def update(self, belief: DialogueState, history: tuple[Turn, ...]) -> DialogueState:
        user = history[-1].acts
        system = history[-2].acts if len(history) > 1 else ()
        domain = current_domain(user, system)
        form = belief.form
        if domain and _nothing_offered(system):
            form = form.with_domain(form.get(domain).cleared())
        for act in user:
            if act.intent == SELECT:
                form = self._select(form, act)
        for act in user:
            if act.intent == INFORM:
                form = self._inform(form, act)
        return DialogueState(form, domain, open_requests(belief.requests, system, user))

    def _select(self, form: SystemState, act: Act) -> SystemState:
        """The form with the source's name in the nearby slot, if the name is known."""
        source, target = act.value, act.domain
        slot = nearby_slot(self._schema, target, source)
        name = form.get(source).get(name_slot(self._schema, source))
        if not name or not slot:
            return form
        tab = form.get(target).cleared() if target == source else form.get(target)
        return form.with_domain(tab.with_slot(slot, name))

    def _inform(self, form: SystemState, act: Act) -> SystemState:
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if slot is None or not slot.search or slot.kind is SlotKind.NEARBY:
            return form
        tab = form.get(act.domain)
        value: SlotValue = act.value
        if slot.kind is SlotKind.SERVICES:
            if act.value != self._language.yes:
                return form
            value = act.slot.removeprefix(slot.key + SERVICE_MARK)
        if slot.kind.is_list:
            value = appended(tab.get(slot.key), (str(value),), self._language.term_separator)
        return form.with_domain(tab.with_slot(slot.key, value))


def nearby_slot(schema: Schema, domain: str, source: str) -> str:
    """The slot of `domain` that lists nearby entities of `source`; empty if there is none."""
    found = schema.domain(domain)
    slots = found.of_kind(SlotKind.NEARBY) if found else ()
    return next((slot.key for slot in slots if slot.target == source), "")


def name_slot(schema: Schema, domain: str) -> str:
    found = schema.domain(domain)
    return found.name_slot.key if found and found.name_slot else ""


def appended(before: SlotValue, terms: tuple[str, ...], separator: str) -> SlotValue:
    """The field with more terms: one text if the language joins terms, else a tuple."""
    if separator:
        return separator.join([*([str(before)] if before else []), *terms])
    kept = (before,) if isinstance(before, str) else before
    return (*(term for term in kept if term), *terms)


def _nothing_offered(system: tuple[Act, ...]) -> bool:
    intents = {act.intent for act in system}
    return NO_OFFER in intents and INFORM not in intents


def open_requests(
    before: tuple[tuple[str, str], ...], system: tuple[Act, ...], user: tuple[Act, ...]
) -> tuple[tuple[str, str], ...]:
    """The open requests after a turn; any service answers a request for services as a whole."""
    told = [act for act in system if act.intent != REQUEST]
    answered = {(act.domain, act.slot) for act in told}
    answered |= {(act.domain, act.slot.partition(SERVICE_MARK)[0]) for act in told}
    asked = [(act.domain, act.slot) for act in user if act.intent == REQUEST]
    kept = [each for each in before if each not in answered and each not in asked]
    return (*kept, *asked)
