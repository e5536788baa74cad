"""What the tables tell of a candidate: how many results it has, whether the places offered meet it.

Wizards type the name of a place that they cannot see: one far down in the list of results.
"""

from collections.abc import Mapping, Sequence

from crosstalk.dialogue.schema import Domain, DomainKind, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.features import FormFeatureMaker
from crosstalk.system.dst.results import MANY, place_of, results
from crosstalk.worlds.queries import Database


class DatabaseFeatureMaker(FormFeatureMaker):
    """Adds questions to the tables that trackers share."""

    def __init__(
        self,
        database: Database,
        discourse: Discourse,
        heard: UserActs,
        habits: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
    ) -> None:
        super().__init__(database.world.schema, discourse, heard, habits, form, words)
        self._database = database

    def _names_in_form(self) -> int:
        names = (self._form.get(key).get(name) for key, name in self._discourse.names.items())
        return sum(bool(name) for name in names)

    def _met(self, domain: Domain, slot: Slot, value: SlotValue, name: str) -> int:
        """1, 0, or -1 where there is nothing to judge."""
        row = self._database.find(domain.key, name) if value and name else None
        if row is None or domain.kind is not DomainKind.PLACE:
            return -1
        return int(not self._database.unmet(domain.key, row, {slot.key: value}))

    def _met_by_offered(self, domain: Domain, slot: Slot, value: SlotValue) -> float:
        names = self._discourse.offered.get(domain.key, [])[:3]
        found = [self._met(domain, slot, value, name) for name in names]
        known = [each for each in found if each >= 0]
        return sum(known) / len(known) if known else -1.0

    def _unmet_in_all(self, domain: Domain, constraints: dict[str, SlotValue]) -> int:
        row = self._database.find(domain.key, self._discourse.last.get(domain.key, ""))
        if row is None or domain.kind is not DomainKind.PLACE:
            return -1
        return len(self._database.unmet(domain.key, row, constraints))

    def _results_with(self, domain: Domain, slot: Slot, value: SlotValue) -> int:
        if self._focus != domain.key or slot.kind is SlotKind.NAME:
            return -1
        return self._results(domain, {**self._form.get(domain.key).constraints, slot.key: value})

    def _results(self, domain: Domain, constraints: dict[str, SlotValue]) -> int:
        if self._focus != domain.key or domain.kind is not DomainKind.PLACE:
            return -1
        return min(len(results(self._database, domain, constraints)), MANY)

    def _place(self, domain: Domain, slot: Slot, value: SlotValue) -> int:
        """Of a name in the list that the form gives: the first ones need not be searched for."""
        if self._focus != domain.key or slot.kind is not SlotKind.NAME or not value:
            return -1
        return place_of(self._database, domain, self._form, value)
