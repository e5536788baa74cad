"""A second opinion: what a learned understanding sees where our own words leave something open.

It is asked only then, and believed only where what it says stands in the text and does not
contradict what was heard already.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from crosstalk.database.tables import World
from crosstalk.dialogue.acts import GENERAL, INFORM, REQUEST, Act
from crosstalk.dialogue.dialogues import Speaker, Turn
from crosstalk.dialogue.schema import SERVICE_MARK, DomainKind, SlotKind
from crosstalk.language.normalize import plain
from crosstalk.simulation.assistant.heard import Heard
from crosstalk.simulation.assistant.session import Session
from crosstalk.system.nlu.understanding import Understanding

COURTESIES = frozenset({"thank", "bye"})
WISHES = frozenset({SlotKind.CATEGORY, SlotKind.LIST, SlotKind.SERVICES})
"""Numbers are left to the rules, which know what each is a number of."""


class SecondOpinion:
    """Understanding that is loaded when it is first asked."""

    def __init__(self, world: World, load: Callable[[], Understanding]) -> None:
        self._schema = world.schema
        self._yes = world.language.yes
        self._load = load

    @cached_property
    def _understanding(self) -> Understanding:
        return self._load()

    def prepare(self) -> None:
        _ = self._understanding

    def on(self, heard: Heard, session: Session) -> Heard:
        """What was heard, and what the second opinion adds to it."""
        try:
            acts = self._understanding.understand(Turn(Speaker.USER, heard.text), session.history)
        except (
            Exception
        ):  # whatever a trained part trips over, the talk goes on without its opinion
            return heard
        heard = self._wishes(heard, acts)
        return heard if heard.has_content else self._rest(heard, acts, session)

    def _wishes(self, heard: Heard, acts: Sequence[Act]) -> Heard:
        known = {(domain, slot) for domain, slot, _ in heard.wishes}
        added = []
        for act in acts:
            wish = self._wish(act)
            fits = not heard.domains or act.domain in heard.domains
            if wish and fits and wish[:2] not in known and plain(wish[2]) in heard.plain:
                added.append(wish)
        return replace(heard, wishes=(*heard.wishes, *added))

    def _wish(self, act: Act) -> tuple[str, str, str] | None:
        domain = self._schema.domain(act.domain)
        slot = domain.slot(act.slot) if domain else None
        if act.intent != INFORM or slot is None or not slot.search or slot.kind not in WISHES:
            return None
        if slot.kind is not SlotKind.SERVICES:
            return act.domain, slot.key, act.value
        service = act.slot.removeprefix(slot.key + SERVICE_MARK)
        return (act.domain, slot.key, service) if act.value == self._yes else None

    def _rest(self, heard: Heard, acts: Sequence[Act], session: Session) -> Heard:
        """Questions, kinds of places and courtesies, where nothing else was understood."""
        names = {domain.key: domain.name_slot.key for domain in self._schema if domain.name_slot}
        asked, domains = [], []
        for act in acts:
            if act.intent != REQUEST:
                continue
            if act.slot == names.get(act.domain):
                domains.append(act.domain)
            elif session.chosen.get(act.domain):
                asked.append((act.domain, act.slot))
        cues = {act.domain for act in acts if act.intent == GENERAL} & COURTESIES
        places = [key for key in domains if self._is_place(key)] if not asked else []
        return replace(heard, asked=tuple(asked), domains=tuple(places), cues=heard.cues | cues)

    def _is_place(self, key: str) -> bool:
        domain = self._schema.domain(key)
        return domain is not None and domain.kind is DomainKind.PLACE
