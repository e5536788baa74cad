"""What the edit tracker sees of a candidate, besides what every tracker sees."""

from collections.abc import Mapping, Sequence

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.candidates import Candidates
from crosstalk.system.dst.database_features import DatabaseFeatureMaker
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.edit_candidates import told_nearby
from crosstalk.worlds.queries import Database


class EditFeatureMaker(DatabaseFeatureMaker):
    """Describes the candidates of one turn, with what the tables and earlier forms tell of them."""

    def __init__(
        self,
        database: Database,
        discourse: Discourse,
        heard: UserActs,
        habits: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
        named: Features,
    ) -> None:
        super().__init__(database, discourse, heard, habits, form, words)
        self._whole = {**named, "names in form": self._names_in_form()}

    def describe(self, domain: Domain, slot: Slot, candidates: Candidates) -> list[Features]:
        rows = super().describe(domain, slot, candidates)
        shared = {**self._whole, **self._of_domain(domain)}
        told = told_nearby(self._discourse, domain)
        return [
            {**row, **shared, **self._of_value(domain, slot, value, told)}
            for row, value in zip(rows, candidates, strict=True)
        ]

    def _of_domain(self, domain: Domain) -> Features:
        constraints = self._form.get(domain.key).constraints
        last = self._discourse.last.get(domain.key, "")
        return {
            "results before": self._results(domain, constraints),
            "last unmet": self._unmet_in_all(domain, constraints),
            "place of last": self._place(domain, domain.name_slot, last)
            if domain.name_slot
            else -1,
            "told nearby": len(told_nearby(self._discourse, domain)),
        }

    def _of_value(
        self, domain: Domain, slot: Slot, value: SlotValue, told: Sequence[str]
    ) -> Features:
        return {
            "met by last": self._met(domain, slot, value, self._discourse.last.get(domain.key, "")),
            "met by offered": self._met_by_offered(domain, slot, value),
            "results with it": self._results_with(domain, slot, value),
            "place in results": self._place(domain, slot, value),
            "place in nearby list": told.index(str(value)) if value in told else -1,
            "unmet by it": self._unmet_by(domain, slot, value),
        }

    def _unmet_by(self, domain: Domain, slot: Slot, value: SlotValue) -> int:
        """Constraints of this turn that the place of this name does not meet."""
        if slot.kind is not SlotKind.NAME or not value:
            return -1
        row = self._database.find(domain.key, str(value))
        said = {
            key: values[0]
            for (where, key), values in self._heard.informed.items()
            if where == domain.key and key != slot.key
        }
        return len(self._database.unmet(domain.key, row, said)) if row else -1
