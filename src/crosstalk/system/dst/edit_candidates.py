"""Candidates of the edit tracker: those of every tracker, and places told as being nearby."""

from collections.abc import Iterator

from crosstalk.dialogue.acts import INFORM
from crosstalk.dialogue.schema import Domain, Schema, SlotKind
from crosstalk.dialogue.states import SlotValue
from crosstalk.system.dst.candidates import CandidateSource, FormCandidateMaker
from crosstalk.system.dst.discourse import Discourse

MOST_NEARBY = 6
"""Places of a list that are candidates."""


class EditCandidateMaker(FormCandidateMaker):
    """A wizard who is asked about "these hotels" may look them up by name, one by one."""

    def _names(
        self, domain: Domain, said: list[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        yield from super()._names(domain, said)
        if domain.key in self._heard.near or self._discourse.focus(self._heard) == domain.key:
            for value in told_nearby(self._discourse, domain):
                yield CandidateSource.NAME_NEARBY, value


def told_nearby(discourse: Discourse, domain: Domain) -> list[str]:
    """The places of a domain that the last system turn told as being near another."""
    slots = _nearby_slots(discourse.schema, domain.key)
    told = (
        act.value
        for act in discourse.system_acts
        if act.intent == INFORM and (act.domain, act.slot) in slots
    )
    return list(told)[:MOST_NEARBY]


def _nearby_slots(schema: Schema, target: str) -> set[tuple[str, str]]:
    return {
        (domain.key, slot.key)
        for domain in schema
        for slot in domain.of_kind(SlotKind.NEARBY)
        if slot.target == target
    }
