"""What the wizard's page offers: wishes read from the user's last message, and a drafted answer.

    aid = WizardAid(context, nlu, voice)
    aid.wishes(room)       # fields that the message fills, each with its key in the form
    aid.draft(room)        # "How about Terrace Gardens?" once it is selected

Nothing is recorded that the wizard does not take over, and what is taken over is marked
(`Search.suggested`, `Say.draft`): offers lead astray, so that studies want to tell.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from crosstalk.collection.rooms import Room
from crosstalk.collection.wizard_form import NUMBERS
from crosstalk.collection.world_context import WorldContext
from crosstalk.dialogue.acts import DROP, GENERAL, INFORM, NO_OFFER, RECOMMEND, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, DomainKind, Slot, SlotKind
from crosstalk.language.number_forms import forms_of, read_bounds
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlu.understanding import Understanding
from crosstalk.worlds.display import answer
from crosstalk.worlds.tables import Row

MOST_WISHES = 9
"""As many as there are keys for."""
REPLIES = {"thank": "welcome", "bye": "bye"}
"""What is answered to general acts of the user."""


@dataclass(frozen=True)
class WizardAid:
    """Offers of one world; without an NLU no wishes, without a voice no drafts."""

    context: WorldContext
    nlu: Understanding | None = None
    voice: Generator | None = None

    def wishes(self, room: Room) -> list[dict[str, Any]]:
        """What the user's last message asks of the form; an empty value gives up a field."""
        heard, found = self._heard(room), dict[tuple[str, str], dict[str, Any]]()
        for act in heard:
            domain = self.context.domain(act.domain)
            if domain is None or act.intent not in (INFORM, DROP):
                continue
            slot, value = self._field(domain, act)
            if slot is None or value is None:
                continue
            known = found.get((domain.key, slot.key))
            if known and isinstance(value, list):
                known["value"] = [*known["value"], *value]
                known["text"] = f"{known['text']}, {value[0]}"
            elif not known:
                found[domain.key, slot.key] = self._wish(domain, slot, value, act)
        return [wish for wish in found.values() if self._is_new(room, wish)][:MOST_WISHES]

    def _heard(self, room: Room) -> tuple[Act, ...]:
        """The acts of the user's last message; without a domain they are about the latest one."""
        said = [turn for turn in room.conversation.turns if turn.speaker is Speaker.USER]
        if not said or self.nlu is None:
            return ()
        latest = latest_domain(room)
        acts = self.nlu.understand(Turn(Speaker.USER, said[-1].text), self._history(room, latest))
        return tuple(
            act if act.domain or not latest else Act(act.intent, latest, act.slot, act.value)
            for act in acts
        )

    def _history(self, room: Room, latest: str) -> tuple[Turn, ...]:
        """What "it" is about: the place that was offered last."""
        domain = self.context.domain(latest)
        if domain is None or domain.name_slot is None or len(room.conversation.turns) < 2:
            return ()
        selected = room.at_start.get(latest).selected
        offer = Act(INFORM, latest, domain.name_slot.key, selected[0] if selected else "")
        return (Turn(Speaker.USER, ""), Turn(Speaker.SYSTEM, "", (offer,)))

    def _field(
        self, domain: Domain, act: Act
    ) -> tuple[Slot | None, str | list[str] | dict[str, float] | None]:
        """The field of the form that an act fills, and its value as the page sends it."""
        slot = self.context.slot(domain.key, act.slot)
        if slot is None or slot not in domain.form:
            return None, None
        if act.intent == DROP:
            return slot, ""
        if slot.kind is SlotKind.SERVICES and act.slot != slot.key:
            wanted = act.value == self.context.pack.yes
            term = act.slot.removeprefix(slot.key + SERVICE_MARK)
            return (
                (slot, [term]) if wanted and self._is_choice(domain, slot, term) else (None, None)
            )
        if slot.kind.is_list:
            return (slot, [act.value]) if self._is_choice(domain, slot, act.value) else (None, None)
        if slot.kind in NUMBERS:
            return slot, self._bounds(domain, slot, act.value)
        return slot, act.value

    def _bounds(self, domain: Domain, slot: Slot, value: str) -> str | dict[str, float] | None:
        forms = forms_of(self.context.pack, domain.key, slot)
        if value in (forms.free, forms.not_free):
            return value
        bounds = read_bounds(forms, value)
        if bounds is None:
            return None
        ends = {"low": bounds.low, "high": bounds.high}
        return {end: number for end, number in ends.items() if number is not None}

    def _is_choice(self, domain: Domain, slot: Slot, term: str) -> bool:
        rows = self.context.world.tables.get(domain.key, ())
        return any(term in cell for row in rows if isinstance(cell := row.get(slot.key), tuple))

    def _wish(self, domain: Domain, slot: Slot, value: Any, act: Act) -> dict[str, Any]:
        pack = self.context.pack
        text = value[0] if isinstance(value, list) else act.value if value else ""
        return {
            "domain": domain.key,
            "slot": slot.key,
            "name": pack.slot_name(domain.key, slot.key),
            "domain_name": pack.domain_name(domain.key),
            "value": value,
            "text": text,
        }

    def _is_new(self, room: Room, wish: dict[str, Any]) -> bool:
        """Whether the form does not have it yet."""
        held, value = room.form.get(wish["domain"]).constraints.get(wish["slot"], ""), wish["value"]
        if not value:
            return bool(held)
        if isinstance(value, list):
            mark = self.context.pack.term_separator
            terms = held.split(mark) if isinstance(held, str) and mark else held
            return not set(value) <= set([terms] if isinstance(terms, str) else terms)
        return held not in (wish["text"], value)

    def draft(self, room: Room) -> str:
        """An answer from what is selected and was asked; empty if there is nothing to say."""
        acts = tuple(dict.fromkeys(self._answers(room))) if self.voice else ()
        return self.voice.say(acts, Random(0)) if self.voice and acts else ""

    def _answers(self, room: Room) -> Iterator[Act]:
        heard = self._heard(room)
        offered = [each for each in _offers(room) if each not in _offers(room, before=True)]
        intent = INFORM if len(offered) == 1 else RECOMMEND
        for key, name in offered:
            domain = self.context.domain(key)
            if domain is not None and domain.kind is DomainKind.PLACE and domain.name_slot:
                yield Act(intent, key, domain.name_slot.key, name)
        for act in heard:
            if act.intent == REQUEST:
                yield from self._told(room, act)
        if room.queries and not room.queries[-1].count:
            yield Act(NO_OFFER, room.queries[-1].domain, "none", "none")
        if not offered and not any(act.intent == REQUEST for act in heard):
            for act in heard:
                if act.intent == GENERAL and act.domain in REPLIES:
                    yield Act(GENERAL, REPLIES[act.domain], "none", "none")

    def _told(self, room: Room, asked: Act) -> Iterator[Act]:
        """The answer to a question about the selected place, or about the ride that was found."""
        domain = self.context.domain(asked.domain)
        if domain is None or (domain.name_slot and asked.slot == domain.name_slot.key):
            return
        row = self._row(room, domain)
        if row is None or self.context.slot(domain.key, asked.slot) is None:
            return
        for value in answer(self.context.pack, domain, row, asked.slot):
            yield Act(INFORM, domain.key, asked.slot, value)

    def _row(self, room: Room, domain: Domain) -> Row | None:
        tab = room.form.get(domain.key)
        if domain.kind is DomainKind.PLACE:
            return self.context.database.find(domain.key, tab.selected[0]) if tab.selected else None
        rows = self.context.search(domain.key, tab.slots).rows if any(tab.constraints) else ()
        return rows[0] if rows else None


def _offers(room: Room, *, before: bool = False) -> list[tuple[str, str]]:
    form = room.at_start if before else room.form
    return [(tab.domain, name) for tab in form for name in tab.selected]


def latest_domain(room: Room) -> str:
    """The domain searched last in this turn, or where something was selected last."""
    if room.queries:
        return room.queries[-1].domain
    for queries in reversed(room.all_queries):
        if queries:
            return queries[-1].domain
    selected = [tab.domain for tab in room.form if tab.selected]
    return selected[-1] if selected else ""
