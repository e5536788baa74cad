"""What the edit model sees of a candidate: where it comes from and what is going on around it."""

from collections.abc import Mapping, Sequence

from crosstalk.dialogue.acts import NO_OFFER
from crosstalk.dialogue.schema import Domain, Schema, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.candidates import Candidates, CandidateSource
from crosstalk.system.dst.discourse import Discourse, UserActs
from crosstalk.system.dst.habits import HABITS


class FormFeatureMaker:
    """Describes the candidates of one turn; slots go by kind and position, never by name."""

    def __init__(
        self,
        schema: Schema,
        discourse: Discourse,
        heard: UserActs,
        habits: Mapping[str, int],
        form: SystemState,
        words: Sequence[str],
    ) -> None:
        self._discourse = discourse
        self._heard = heard
        self._form = form
        self._domains = {domain.key: number for number, domain in enumerate(schema)}
        self._focus = discourse.focus(heard)
        self._nothing = {act.domain for act in discourse.system_acts if act.intent == NO_OFFER}
        self._turn = self._turn_features(words, habits)

    def describe(self, domain: Domain, slot: Slot, candidates: Candidates) -> list[Features]:
        """One row a candidate."""
        shared = {
            **self._turn,
            **self._domain_features(domain),
            **self._slot_features(domain, slot, candidates),
        }
        return [
            {**shared, **self._candidate_features(domain, slot, value, sources)}
            for value, sources in candidates.items()
        ]

    def _turn_features(self, words: Sequence[str], habits: Mapping[str, int]) -> Features:
        heard, discourse = self._heard, self._discourse
        typed, skipped = habits.get(HABITS[0], 0), habits.get(HABITS[1], 0)
        return {
            "acts": len(heard.acts),
            "asked in all": sum(map(len, heard.asked.values())),
            "selects": bool(heard.near),
            "same focus": discourse.domain == self._focus,
            "nothing offered": bool(self._nothing),
            "exchange": discourse.exchange,
            "share of names typed": typed / (typed + skipped + 0.5),
            **{f"habit: {habit}": habits.get(habit, 0) for habit in HABITS},
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
