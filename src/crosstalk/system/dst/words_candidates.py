"""Candidates where no form was ever seen: the edits of this turn, relaxed values, ends of rides."""

from collections.abc import Iterable, Iterator

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.dst.candidates import Candidates, CandidateSource, FormCandidateMaker
from crosstalk.system.dst.range_widening import STEPS, widened
from crosstalk.system.dst.understood_dialogue import Hearing
from crosstalk.system.dst.value_history import SeenValues
from crosstalk.system.dst.words_knowledge import WordsKnowledge
from crosstalk.worlds.queries import Database

LIKELY_ENOUGH = 0.1
"""To have been in the form before."""


class WordsCandidateMaker:
    """Lists the candidates of one turn, field by field."""

    def __init__(self, database: Database, hearing: Hearing, knowledge: WordsKnowledge) -> None:
        discourse, separator = hearing.discourse, database.world.language.term_separator
        words = separator, knowledge.rewordings
        self._database = database
        self._edits = FormCandidateMaker(discourse, hearing.heard, *words)
        self._doubtful = FormCandidateMaker(discourse, hearing.doubted.heard, *words)
        self._discourse = discourse
        self._current = {discourse.domain, discourse.focus(hearing.heard)}
        self._relaxations = knowledge.relaxations

    def candidates(
        self, form: SystemState, domain: Domain, slot: Slot, known: SeenValues
    ) -> Candidates:
        """`known`: what has come up for the field before."""
        found = self._edits.candidates(form, domain, slot)
        for source, value in self._more(form, domain, slot, known):
            if value:
                found.setdefault(value, set()).add(source)
        for value in self._doubtful.candidates(form, domain, slot):
            if value not in found:
                found[value] = {CandidateSource.DOUBTED}
        return found

    def _more(
        self, form: SystemState, domain: Domain, slot: Slot, known: SeenValues
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        if domain.key not in self._current:
            return
        before = str(form.get(domain.key).get(slot.key))
        for typed in self._relaxations.get((domain.key, slot.key, before), ()):
            yield CandidateSource.RELAXED, typed
        if slot.kind is SlotKind.ENDPOINT:
            for value in self._discourse.last.values():
                yield CandidateSource.END_LAST, value
        if slot.kind in STEPS:
            yield from self._widened(domain, slot, {before, *_possible(known)})

    def _widened(
        self, domain: Domain, slot: Slot, texts: Iterable[str]
    ) -> Iterator[tuple[CandidateSource, SlotValue]]:
        """What was in the form, with room for what the last answer offers."""
        for name in self._discourse.offered.get(domain.key, [])[:2]:
            number = (self._database.find(domain.key, name) or {}).get(slot.key)
            if isinstance(number, int | float):
                for text in filter(None, texts):
                    yield from widened(self._database.world.language, domain, slot, text, number)


def _possible(known: SeenValues) -> Iterator[str]:
    return (str(value) for value, each in known.items() if each.likelihood > LIKELY_ENOUGH)
