"""What the tracker from words sees of a candidate, besides what the edit model sees.

How sure it was of it before, when it came up, whether the places answered with would meet it, and
the clerk's style.
"""

from crosstalk.dialogue.schema import Domain, Slot, SlotKind
from crosstalk.dialogue.states import SlotValue, SystemState
from crosstalk.system.boosted import Features
from crosstalk.system.dst.candidates import Candidates, CandidateSource
from crosstalk.system.dst.database_features import DatabaseFeatureMaker
from crosstalk.system.dst.understood_dialogue import Hearing
from crosstalk.system.dst.value_history import SeenValue, SeenValues
from crosstalk.system.dst.words_knowledge import WordsKnowledge
from crosstalk.worlds.conditions import several, terms
from crosstalk.worlds.queries import Database

SOURCES = tuple(CandidateSource)


class WordsFeatureMaker(DatabaseFeatureMaker):
    """Describes the candidates of one turn."""

    def __init__(
        self, database: Database, hearing: Hearing, form: SystemState, knowledge: WordsKnowledge
    ) -> None:
        discourse = hearing.discourse
        super().__init__(database, discourse, hearing.heard, {}, form, knowledge.words)
        self._doubted = hearing.doubted
        self._language = database.world.language
        answer = hearing.answers[-1] if hearing.answers else ""
        self._whole: Features = {
            "style": knowledge.style.likelihood(hearing.answers),
            "names in form": self._names_in_form(),
            "answer length": len(answer),
            **{f"answer: {word}": word in answer for word in knowledge.answer_words},
        }

    def describe_words(
        self, domain: Domain, slot: Slot, candidates: Candidates, sightings: SeenValues
    ) -> list[Features]:
        """One row a candidate; `sightings` has each of them."""
        rows = self.describe(domain, slot, candidates)
        shared = self._shared(domain, slot, sightings)
        return [
            {**row, **shared, **self._seen(domain, slot, value, sightings[value], sightings)}
            for row, value in zip(rows, candidates, strict=True)
        ]

    def _shared(self, domain: Domain, slot: Slot, sightings: SeenValues) -> Features:
        discourse, key = self._discourse, domain.key
        tab = self._form.get(key)
        newest = max(each.last for each in sightings.values())
        return {
            **self._whole,
            "heard for it": self._doubted.surest(domain, slot),
            "told": any(
                act.domain == key and act.slot == slot.key for act in discourse.system_acts
            ),
            "asked since search": len(discourse.asked_since_search.get(key, ())),
            "age of news": discourse.exchange - newest,
            "likelihood of empty": sightings[""].likelihood if "" in sightings else 0.0,
            "results before": self._results(domain, tab.constraints),
            "last unmet": self._unmet_in_all(domain, tab.constraints),
        }

    def _seen(
        self,
        domain: Domain,
        slot: Slot,
        value: SlotValue,
        sighting: SeenValue,
        sightings: SeenValues,
    ) -> Features:
        exchange = self._discourse.exchange
        likelier = sum(each.likelihood > sighting.likelihood for each in sightings.values())
        return {
            "likelihood before": sighting.likelihood,
            "heard": self._doubted.likelihood(domain, slot, self._terms(slot, value)),
            "likelier before": likelier,
            "age": exchange - sighting.last,
            "first age": exchange - sighting.first,
            "times": sighting.count,
            "newer": sum(each.last > sighting.last for each in sightings.values()),
            "came as": max((SOURCES.index(each) for each in sighting.sources), default=-1),
            "came by set": CandidateSource.SET in sighting.sources,
            "came by append": CandidateSource.APPEND in sighting.sources,
            "met by last": self._met(domain, slot, value, self._discourse.last.get(domain.key, "")),
            "met by offered": self._met_by_offered(domain, slot, value),
            "results with it": self._results_with(domain, slot, value),
            "place in results": self._place(domain, slot, value),
        }

    def _terms(self, slot: Slot, value: SlotValue) -> tuple[str, ...]:
        if slot.kind in (SlotKind.LIST, SlotKind.SERVICES):
            return terms(self._language, value)
        return several(value) if value else ()
