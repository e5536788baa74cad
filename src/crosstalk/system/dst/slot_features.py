"""Features of candidates: where a value comes from, the turn, the slot, and what the tables say.

Slots and domains are described by kind and position, never by name. Each class adds features to the
one before; the names of the features and their order are part of trained models.
"""

from collections.abc import Mapping, Sequence

from crosstalk.dialogue.acts import NO_OFFER
from crosstalk.dialogue.schema import Domain, DomainKind, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.slot_candidates import Candidates, CandidateSource, mentioned_nearby
from crosstalk.system.dst.wizard_behaviour import (
    MANY,
    WIZARD_COUNTS,
    matching_rows,
    result_position,
)
from crosstalk.worlds.queries import Database


class FormFeatureMaker:
    """Describes the candidates of one turn by the dialogue alone."""

    def __init__(
        self,
        schema: Schema,
        discourse: Discourse,
        heard: UserActs,
        counts: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
    ) -> None:
        self._discourse = discourse
        self._heard = heard
        self._form = form
        self._domains = {domain.key: number for number, domain in enumerate(schema)}
        self._focus = discourse.focus(heard)
        self._nothing = {act.domain for act in discourse.system_acts if act.intent == NO_OFFER}
        self._turn = self._turn_features(words, counts)

    def describe(self, domain: Domain, slot: Slot, candidates: Candidates) -> list[Features]:
        """One row per candidate."""
        shared = {
            **self._turn,
            **self._domain_features(domain),
            **self._slot_features(domain, slot, candidates),
        }
        return [
            {**shared, **self._candidate_features(domain, slot, value, sources)}
            for value, sources in candidates.items()
        ]

    def _turn_features(self, words: Sequence[str], counts: Mapping[str, int]) -> Features:
        heard, discourse = self._heard, self._discourse
        typed, skipped = counts.get(WIZARD_COUNTS[0], 0), counts.get(WIZARD_COUNTS[1], 0)
        return {
            "acts": len(heard.acts),
            "asked in all": sum(map(len, heard.asked.values())),
            "selects": bool(heard.near),
            "same focus": discourse.domain == self._focus,
            "nothing offered": bool(self._nothing),
            "exchange": discourse.exchange,
            "share of names typed": typed / (typed + skipped + 0.5),
            **{f"habit: {habit}": counts.get(habit, 0) for habit in WIZARD_COUNTS},
            **{f"word: {word}": word in heard.text for word in words},
        }

    def _domain_features(self, domain: Domain) -> Features:
        key, heard, discourse = domain.key, self._heard, self._discourse
        name = discourse.names.get(key, "")
        tab = self._form.get(key)
        filled = list(tab.constraints)
        informed = heard.slots(key)
        said = (heard.informed.get((key, name)) or [""])[0]
        in_form = str(tab.get(name)) if name else ""
        last = discourse.last.get(key, "")
        ticked, offered = discourse.selected.get(key, ()), discourse.offered.get(key, [])
        relaxed = bool(discourse.first_form) and discourse.first_form.get(key).slots != tab.slots  # type: ignore[union-attr]
        return {
            "domain": self._domains[key],
            "in focus": self._focus == key,
            "was in focus": discourse.domain == key,
            "is sought": key in heard.near,
            "is source": key in heard.near.values(),
            "near its own kind": heard.near.get(key) == key,
            "informed slots": len(informed),
            "informed constraints": sum(slot != name for slot in informed),
            "asked slots": len(heard.asked.get(key, ())),
            "name asked": name in heard.asked.get(key, ()),
            "asked services": len(heard.asked_services.get(key, ())),
            "asked before": len(discourse.asked.get(key, ())),
            "domain not offered": key in self._nothing,
            "answered": any(act.domain == key for act in discourse.system_acts),
            "selected": len(ticked),
            "offered": len(offered),
            "filled": len(filled),
            "silence": discourse.exchange - discourse.active.get(key, -9),
            "name in form": bool(in_form),
            "name in form said": bool(in_form) and in_form in heard.text,
            "name said": bool(said),
            "names said": len(heard.informed.get((key, name), ())),
            "name said selected": said in ticked,
            "name said offered": said in offered,
            "name said known": said in discourse.mentioned.get(key, ()),
            "name said in form": bool(said) and said == in_form,
            "name said last": bool(said) and said == last,
            "last in form": bool(last) and last == in_form,
            "last known": bool(last),
            "constraints said again": sum(slot in filled for slot in informed if slot != name),
            "constraints not said": sum(slot not in informed for slot in filled if slot != name),
            "relaxed": relaxed,
        }

    def _slot_features(self, domain: Domain, slot: Slot, candidates: Candidates) -> Features:
        before = self._form.get(domain.key).get(slot.key)
        first = self._discourse.first_form
        fields = [each.key for each in domain.form]
        return {
            "slot": fields.index(slot.key),
            "kind": list(SlotKind).index(slot.kind),
            "candidates": len(candidates),
            "said": len(self._heard.informed.get((domain.key, slot.key), ())),
            "is asked": slot.key in self._heard.asked.get(domain.key, ()),
            "near this": bool(slot.target) and self._heard.near.get(domain.key) == slot.target,
            "was filled": bool(before),
            "was said": bool(before) and str(before) in self._heard.text,
            "was relaxed": bool(first) and first.get(domain.key).get(slot.key) != before,  # type: ignore[union-attr]
        }

    def _candidate_features(
        self, domain: Domain, slot: Slot, value: SlotValue, sources: set[CandidateSource]
    ) -> Features:
        key, discourse = domain.key, self._discourse
        before = self._form.get(key).get(slot.key)
        name = self._form.get(key).get(discourse.names.get(key, ""))
        return {
            **{f"source: {source}": source in sources for source in CandidateSource},
            "is as before": value == before,
            "is empty": value == "",
            "in text": bool(value) and str(value) in self._heard.text,
            "is selected": value in discourse.selected.get(key, ()),
            "is offered": value in discourse.offered.get(key, ()),
            "is known": value in discourse.mentioned.get(key, ()),
            "is last": bool(value) and value == discourse.last.get(key),
            "is last by user": bool(value) and value == discourse.last_by_user.get(key),
            "is name in form": value == name,
        }


class DatabaseFeatureMaker(FormFeatureMaker):
    """Adds what database queries say about candidates.

    Wizards type the name of a place that they cannot see: one far down the list of results.
    """

    def __init__(
        self,
        database: Database,
        discourse: Discourse,
        heard: UserActs,
        counts: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
    ) -> None:
        super().__init__(database.world.schema, discourse, heard, counts, form, words)
        self._database = database

    def _names_in_form(self) -> int:
        names = (self._form.get(key).get(name) for key, name in self._discourse.names.items())
        return sum(bool(name) for name in names)

    def _met(self, domain: Domain, slot: Slot, value: SlotValue, name: str) -> int:
        """Whether the named place meets the value: 1 or 0; -1 where that cannot be said."""
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
        return min(len(matching_rows(self._database, domain, constraints)), MANY)

    def _place(self, domain: Domain, slot: Slot, value: SlotValue) -> int:
        """The position of a name among the results of the form; -1 for other slots."""
        if self._focus != domain.key or slot.kind is not SlotKind.NAME or not value:
            return -1
        return result_position(self._database, domain, self._form, value)


class TreeFeatureMaker(DatabaseFeatureMaker):
    """Adds what the form-reading tracker knows: earlier forms, results, nearby lists."""

    def __init__(
        self,
        database: Database,
        discourse: Discourse,
        heard: UserActs,
        counts: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
        named: Features,
    ) -> None:
        super().__init__(database, discourse, heard, counts, form, words)
        self._whole = {**named, "names in form": self._names_in_form()}

    def describe(self, domain: Domain, slot: Slot, candidates: Candidates) -> list[Features]:
        rows = super().describe(domain, slot, candidates)
        shared = {**self._whole, **self._of_domain(domain)}
        told = mentioned_nearby(self._discourse, domain)
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
            "told nearby": len(mentioned_nearby(self._discourse, domain)),
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
        """Number of constraints of this turn that the named place does not meet; -1 if unknown."""
        if slot.kind is not SlotKind.NAME or not value:
            return -1
        row = self._database.find(domain.key, str(value))
        said = {
            key: values[0]
            for (where, key), values in self._heard.informed.items()
            if where == domain.key and key != slot.key
        }
        return len(self._database.unmet(domain.key, row, said)) if row else -1
