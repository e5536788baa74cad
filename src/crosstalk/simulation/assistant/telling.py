"""Facts about places as acts: what the tables say, and nothing else."""

from collections.abc import Iterator, Sequence

from crosstalk.database.conditions import terms
from crosstalk.database.saying import answer
from crosstalk.database.tables import Row, World
from crosstalk.dialogue.acts import INFORM, Act
from crosstalk.dialogue.schema import SERVICE_MARK, Domain, Slot, SlotKind
from crosstalk.dialogue.states import DomainState
from crosstalk.simulation.assistant.finding import Finder

MOST = 5
"""Dishes or places nearby named at once."""
MOST_SERVICES = 12
BRIEF = (SlotKind.NUMBER, SlotKind.RATING)
"""What is told of a place unasked."""
FULL = (SlotKind.CATEGORY, SlotKind.TEXT, SlotKind.DURATION, SlotKind.LIST, *BRIEF)
"""What is told when somebody wants the details."""


class Teller:
    """Tells what the tables say about a place."""

    def __init__(self, world: World, finder: Finder) -> None:
        self._pack = world.language
        self._finder = finder

    def name(self, domain: Domain, row: Row) -> str:
        return str(row[domain.name_slot.key]) if domain.name_slot else ""

    def named(self, domain: Domain, row: Row) -> list[Act]:
        slot = domain.name_slot
        return [Act(INFORM, domain.key, slot.key, str(row[slot.key]))] if slot else []

    def brief(self, domain: Domain, row: Row) -> list[Act]:
        """What is known of price and rating."""
        return [act for slot in domain.of_kind(*BRIEF) for act in self._known(domain, row, slot)]

    def full(self, domain: Domain, row: Row, but: Sequence[str] = ()) -> list[Act]:
        slots = [slot for slot in domain.of_kind(*FULL) if slot.request and slot.key not in but]
        return [act for slot in slots for act in self._known(domain, row, slot)]

    def _known(self, domain: Domain, row: Row, slot: Slot) -> list[Act]:
        return [] if row.get(slot.key) in (None, "", ()) else self.about(domain, row, slot.key)

    def wished(self, domain: Domain, row: Row, tab: DomainState) -> list[Act]:
        """How a place meets the wishes that are words: which of its dishes, which services."""
        acts: list[Act] = []
        for key, value in tab.constraints.items():
            slot = domain.slot(key)
            if slot and slot.kind in (SlotKind.LIST, SlotKind.SERVICES):
                for term in terms(self._pack, value):
                    if term not in slot.tags and self._finder.matching(row, slot, term):
                        acts += self.about(domain, row, f"{key}{SERVICE_MARK}{term}")
            elif slot and slot.kind in (SlotKind.CATEGORY, SlotKind.DURATION):
                acts += self._known(domain, row, slot)
        return acts

    def about(self, domain: Domain, row: Row, key: str) -> list[Act]:
        """What a place's row says about a slot, or about one term of it."""
        slot = domain.slot(key)
        slot_key, _, term = key.partition(SERVICE_MARK)
        if slot is None or term:
            slot = domain.slot(slot_key)
        if slot is None:
            return []
        if term:
            return list(self._term(domain, row, slot, term))
        if slot.kind is SlotKind.SERVICES:
            return [
                Act(INFORM, domain.key, f"{slot.key}{SERVICE_MARK}{service}", self._pack.yes)
                for service in answer(self._pack, domain, row, slot.key)[:MOST_SERVICES]
                if service != self._pack.nothing
            ]
        values = answer(self._pack, domain, row, key)
        if slot.kind is SlotKind.LIST:
            values = tuple(value for value in values if value not in slot.tags) or values
        return [Act(INFORM, domain.key, key, value) for value in values[:MOST]]

    def _term(self, domain: Domain, row: Row, slot: Slot, term: str) -> Iterator[Act]:
        found = self._finder.matching(row, slot, term)[:2]
        if slot.kind is SlotKind.SERVICES:
            for service in found:
                yield Act(INFORM, domain.key, f"{slot.key}{SERVICE_MARK}{service}", self._pack.yes)
            if not found:
                yield Act(INFORM, domain.key, f"{slot.key}{SERVICE_MARK}{term}", self._pack.no)
        else:
            for each in found:
                yield Act(INFORM, domain.key, slot.key, each)
